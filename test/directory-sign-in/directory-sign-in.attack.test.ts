import supertest from 'supertest'
import { describe, expect, it, vi } from 'vitest'
import type { Directory } from '../../src/index.js'
import { memoryStores } from '../../src/stores/memory-stores.js'
import type { LimiterSettings } from '../../src/throttle/counter.js'
import { afterAttack } from '../support/after-attack.js'
import { bearer, logIn, pkcePair, post, uncountedHeadersOf } from '../support/client.js'
import { password } from '../support/host.js'
import { memoryDirectory } from '../support/memory-directory.js'
import { memoryLimiter } from '../support/memory-limiter.js'
import { type DirectoryHost, fromHost, rightPassword, startDirectories } from './directory-host.js'

const asAda = { username: 'ada', password: rightPassword }
const wrong = 'a wrong password'

/** Counters that two processes share. */
function sharedLimiter() {
  const made = new Map<string, ReturnType<typeof memoryLimiter>>()
  return (settings: LimiterSettings) => {
    const limiter = made.get(settings.keyPrefix) ?? memoryLimiter(settings)
    made.set(settings.keyPrefix, limiter)
    return limiter
  }
}

/** What a directory was asked: how often each method, and each password with whose it was. */
function noted(directory: Directory) {
  const calls = { find: 0, look: 0, verify: 0 }
  const passwords: [string | null, string][] = []
  const { find, look, verify } = directory
  Object.assign(directory, {
    find: (name: string) => {
      calls.find += 1
      return find.call(directory, name)
    },
    look: (subjects: readonly string[]) => {
      calls.look += 1
      return look.call(directory, subjects)
    },
    verify: (...[entry, given]: Parameters<Directory['verify']>) => {
      calls.verify += 1
      passwords.push([entry?.username ?? null, given])
      return verify.call(directory, entry, given)
    },
  })
  return { calls, passwords }
}

/** A host with two directories, and every kind of name in them. */
async function startWithEveryName() {
  const directory = memoryDirectory()
  const other = memoryDirectory({ id: 'labs' })
  const ofOne = noted(directory)
  const ofOther = noted(other)
  const host = await startDirectories({
    directory,
    directories: {
      list: [directory, other],
      unknown: 'create',
      allowed: ({ groups }) => !groups.includes('cn=out') || 'Not you.',
    },
  })
  const add = async (username: string, where: typeof directory, person: object = {}) => {
    host.users.add({ id: `u-${username}`, username })
    const { subject } = where.add({ username, password: rightPassword, ...person })
    const id = where === directory ? 'corp' : 'labs'
    await host.auth.identities.connect({ userId: `u-${username}`, directory: id, subject })
  }
  await add('disabled', directory, { disabled: true })
  const locked = { outcome: 'wrong', reason: 'locked' } as const
  await add('locked', directory, { verdict: locked })
  await add('expired', directory, { verdict: { outcome: 'wrong', reason: 'expired-account' } })
  await add('out', directory, { groups: ['cn=out'] })
  await add('labs', other)
  await add('gone', directory)
  directory.remove('gone')
  directory.add({ username: 'stranger', password: rightPassword })
  return { host, ofOne, ofOther }
}

const names = [
  'ada',
  'alice',
  'nobody',
  'disabled',
  'locked',
  'expired',
  'out',
  'labs',
  'gone',
  'stranger',
]

describe('a wrong password', () => {
  it('has one answer for every name, and costs each directory one search and one password', async () => {
    const { host, ofOne, ofOther } = await startWithEveryName()
    const answers: unknown[] = []
    for (const username of names) {
      const before = [ofOne.calls, ofOther.calls].map((calls) => ({ ...calls }))
      const answer = await post(host, '/login', { username, password: wrong })
      answers.push([answer.status, answer.text, uncountedHeadersOf(answer)])
      const asked = [ofOne.calls, ofOther.calls].map((calls, at) => {
        const { find = 0, look = 0, verify = 0 } = before[at] ?? {}
        return [calls.find + calls.look - find - look, calls.verify - verify]
      })
      expect([username, ...asked]).toEqual([username, [1, 1], [1, 1]])
    }
    for (const answer of answers) expect(answer).toEqual(answers[0])
    await afterAttack(host, [])
  })

  it('of somebody who is disabled or gone has the answer of a right one', async () => {
    const { host } = await startWithEveryName()
    for (const username of ['disabled', 'locked', 'expired', 'gone']) {
      const [right, bad] = [rightPassword, wrong].map((given) =>
        post(host, '/login', { username, password: given }),
      )
      expect([username, (await right)?.text]).toEqual([username, (await bad)?.text])
    }
  })

  it('is sent to the directory of its entry alone; all others get one that nobody has', async () => {
    const { host, ofOne, ofOther } = await startWithEveryName()
    for (const username of names) await post(host, '/login', { username, password: wrong })
    expect(ofOther.passwords.filter(([, given]) => given === wrong)).toEqual([['labs', wrong]])
    const ofEntries = ofOne.passwords.filter(([, given]) => given === wrong)
    expect(ofEntries.map(([name]) => name)).toEqual(['ada', 'locked', 'expired', 'out', 'stranger'])
  })
})

describe('a password that binds as nobody', () => {
  it.each(['   ', '\t', 'ein\0', 'x'.repeat(1025), '\u3000'.repeat(2)])(
    '%j never reaches a directory',
    async (given) => {
      const directory = memoryDirectory()
      const { passwords } = noted(directory)
      // It lets everybody in by such a password, as many do.
      const host = await startDirectories({
        directory: { ...directory, verify: async () => ({ outcome: 'right' }) },
      })
      const answer = await post(host, '/login', { username: 'ada', password: given })
      expect(answer.status).toBe(401)
      expect(passwords.filter(([, asked]) => asked === given)).toEqual([])
    },
  )
})

describe('guesses at one entry', () => {
  /** From an address that is not known. */
  const guess = (host: DirectoryHost, ip: string, body: object) =>
    supertest(host.url).post('/login').set('X-Ip', ip).send(body)
  const clientAddress = ({ headers }: { headers: Record<string, unknown> }) =>
    String(headers['x-ip'] ?? '203.0.113.1')

  /** Two processes with shared counters. */
  async function startTwo(guesses = 3) {
    const directory = memoryDirectory()
    const stores = memoryStores()
    const limiter = sharedLimiter()
    const { passwords } = noted(directory)
    const options = { ...stores, throttle: { limiter }, clientAddress: clientAddress as never }
    const given = { directory, directories: { guesses }, options }
    const one = await startDirectories(given)
    const other = await startDirectories(given)
    one.users.change('u-ada', { email: 'ada@example.com' })
    directory.add({
      username: 'ada',
      subject: 'guid-ada',
      email: 'ada@example.com',
      password: rightPassword,
    })
    const reached = () => passwords.filter(([name]) => name === 'ada').length
    return { one, other, reached, directory }
  }

  it('reach the directory three times in 15 minutes, over all names, networks and processes', async () => {
    const { one, other, reached } = await startTwo()
    const bodies = [
      { username: 'ada', password: 'guess 1' },
      { email: 'ada@example.com', password: 'guess 2' },
      { user: 'ada', password: 'guess 3' },
    ]
    const answers: number[] = []
    for (let n = 0; n < 12; n += 1) {
      const host = n % 2 === 0 ? one : other
      answers.push((await guess(host, `198.51.100.${n}`, bodies[n % 3] as object)).status)
    }
    expect(reached()).toBeLessThanOrEqual(3)
    expect(answers).toEqual([401, 401, ...Array.from({ length: 10 }, () => 429)])
  })

  it('of a hundred at once reach it no more often', async () => {
    const { one, other, reached } = await startTwo()
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, n) =>
        guess(n % 2 === 0 ? one : other, `198.51.100.${n}`, { username: 'ada', password: `g${n}` }),
      ),
    )
    const statuses = new Set(answers.map(({ status }) => status))
    expect([...statuses].sort()).toEqual([401, 429])
    expect(reached()).toBeLessThanOrEqual(3)
  })

  it('of strangers leave the owner the last one, from a network that the owner has used', async () => {
    const { one, other, reached } = await startTwo()
    const atHome = '203.0.113.7'
    expect((await guess(one, atHome, asAda)).status).toBe(200)
    for (let n = 0; n < 5; n += 1)
      await guess(other, `198.51.100.${n}`, { username: 'ada', password: `guess ${n}` })
    const before = reached()
    expect((await guess(one, '198.51.100.99', asAda)).status).toBe(429)
    expect((await guess(one, atHome, asAda)).status).toBe(200)
    expect((await guess(other, atHome, asAda)).status).toBe(200)
    expect(reached() - before).toBe(2)
  })

  it('that were right do not count', async () => {
    const { one, reached } = await startTwo()
    for (let n = 0; n < 10; n += 1)
      expect((await guess(one, `198.51.100.${n}`, asAda)).status).toBe(200)
    expect(reached()).toBe(10)
  })

  it('beyond the limit count like wrong ones: soon nobody is looked up for them', async () => {
    const { one, directory } = await startTwo()
    const answers: number[] = []
    for (let n = 0; n < 8; n += 1)
      answers.push((await guess(one, '198.51.100.1', { ...asAda, password: `g${n}` })).status)
    expect(answers).toEqual([401, 401, 429, 429, 429, 429, 429, 429])
    // Five for a name in a network; the others are refused before anything is asked.
    expect(directory.calls.look).toBe(5)
  })

  it('are counted for a name that nobody has, too', async () => {
    const { one } = await startTwo()
    const answers: number[] = []
    for (let n = 0; n < 4; n += 1) {
      const body = { username: 'nobody', password: `guess ${n}` }
      answers.push((await guess(one, `198.51.100.${n}`, body)).status)
    }
    expect(answers).toEqual([401, 401, 429, 429])
  })
})

describe('the password of a directory', () => {
  it('stands in no row, log, event or error', async () => {
    const host = await startDirectories({ directories: { unknown: 'create' } })
    host.directory.add({ username: 'grace', password: rightPassword })
    await logIn(host, asAda)
    await logIn(host, { username: 'grace', password: rightPassword })
    host.directory.down(true)
    await post(host, '/login', asAda)
    const told = JSON.stringify([host.events, host.log, [...host.users.rows.values()]])
    expect(told).not.toContain(rightPassword)
  })
})

describe('the answer of a directory', () => {
  const malformed: readonly unknown[] = [
    undefined,
    null,
    {},
    [null],
    [{ subject: 'guid-ada' }],
    [{ subject: '', dn: 'x', username: 'ada', groups: [], disabled: false }],
    [{ subject: 'guid-ada', dn: 'x', username: 'ada', groups: [], disabled: 'no' }],
    Array.from({ length: 1001 }, () => ({})),
  ]
  it.each(malformed)('%j is an outage, and lets nobody in', async (answer) => {
    const directory = { ...memoryDirectory(), look: async () => answer as never }
    const host = await startDirectories({ directory })
    expect((await post(host, '/login', asAda)).status).toBe(503)
  })

  it.each([undefined, true, 'right', { outcome: 'yes' }, { outcome: ['right'] }])(
    '%j to a password is an outage, and lets nobody in',
    async (verdict) => {
      const directory = { ...memoryDirectory(), verify: async () => verdict as never }
      const host = await startDirectories({ directory })
      expect((await post(host, '/login', asAda)).status).toBe(503)
    },
  )

  it('holds names that people have written themselves: unfit ones are left out', async () => {
    const host = await startDirectories()
    const odd = { displayName: 'a\u0000da', email: 'x'.repeat(400) }
    host.directory.add({ username: 'ada', subject: 'guid-ada', password: rightPassword, ...odd })
    expect((await post(host, '/login', asAda)).status).toBe(200)
    expect(await host.auth.directories.look()).toMatchObject([{ people: 1, left: 0 }])
  })

  it('to another subject is not the entry of the user', async () => {
    const directory = memoryDirectory()
    const eve = directory.add({ username: 'eve', subject: 'guid-eve', password })
    const host = await startDirectories({ directory: { ...directory, look: async () => [eve] } })
    expect((await post(host, '/login', { username: 'ada', password })).status).toBe(401)
    const opening = host.auth.sessions.open({ userId: 'u-ada', request: fromHost })
    await expect(opening).rejects.toMatchObject({ code: 'Unauthorized' })
  })
})

describe('entries of one user', () => {
  it('that are connected at one moment are one at most', async () => {
    const host = await startDirectories()
    const connecting = Array.from({ length: 10 }, (_, n) =>
      host.auth.identities.connect({ userId: 'u-alice', directory: 'corp', subject: `guid-${n}` }),
    )
    const settled = await Promise.allSettled(connecting)
    const connected = settled.filter(({ status }) => status === 'fulfilled').length
    const rows = await host.stores.identities.listForUser('u-alice')
    expect(rows.length).toBe(connected)
    expect(connected).toBeLessThanOrEqual(1)
  })
})

describe('a store of entries that is down', () => {
  it('lets nobody in, nor on: it is not known who has a directory', async () => {
    const host = await startDirectories()
    const { authToken } = await logIn(host, asAda)
    const { codeChallenge } = pkcePair()
    vi.spyOn(host.stores.identities, 'listForUser').mockRejectedValue(new Error('down'))
    const going = await post(host, '/auth/pkce/authorize', { codeChallenge }, bearer(authToken))
    expect(going.status).toBe(503)
    expect((await post(host, '/login', asAda)).status).toBe(503)
  })
})
