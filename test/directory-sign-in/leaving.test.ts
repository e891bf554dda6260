import { describe, expect, it } from 'vitest'
import { memoryStores } from '../../src/stores/memory-stores.js'
import { bearer, get, logIn, post } from '../support/client.js'
import { password } from '../support/host.js'
import { memoryDirectory } from '../support/memory-directory.js'
import { sessionRecord } from '../support/records.js'
import { type DirectoryHost, fromHost, rightPassword, startDirectories } from './directory-host.js'

const asAda = { username: 'ada', password: rightPassword }

/** The ways in which somebody leaves, each with its word in the event. */
const leavings: readonly (readonly [string, string, (host: DirectoryHost) => void])[] = [
  ['is disabled', 'disabled', ({ directory }) => directory.disable('ada')],
  ['is gone', 'gone', ({ directory }) => directory.remove('ada')],
  ['is not allowed any more', 'not-allowed', ({ directory }) => directory.setGroups('ada', [])],
]

const startWithGroup = async () => {
  const allowed = ({ groups }: { groups: readonly string[] }) => groups.includes('cn=chat')
  const host = await startDirectories({
    directories: { allowed },
    options: { namedTokens: true },
  })
  host.directory.setGroups('ada', ['cn=chat'])
  return host
}

describe('somebody who', () => {
  it.each(leavings)('%s has no session after the next look', async (_how, reason, leave) => {
    const host = await startWithGroup()
    const { authToken } = await logIn(host, asAda)
    await logIn(host, asAda)
    const alice = await logIn(host, { username: 'alice', password })
    expect(await host.auth.directories.look()).toEqual([{ directory: 'corp', people: 1, left: 0 }])
    leave(host)
    expect(await host.auth.directories.look()).toEqual([{ directory: 'corp', people: 1, left: 1 }])
    expect((await get(host, '/me', bearer(authToken))).status).toBe(401)
    expect((await get(host, '/me', bearer(alice.authToken))).status).toBe(200)
    const left = { type: 'directory.left', directory: 'corp', userId: 'u-ada', reason, sessions: 2 }
    expect(host.events).toContainEqual(expect.objectContaining(left))
    expect(await host.auth.directories.look()).toEqual([{ directory: 'corp', people: 1, left: 0 }])
  })

  it.each(leavings)('%s cannot be signed in by anything else', async (_how, _reason, leave) => {
    const host = await startWithGroup()
    leave(host)
    expect((await post(host, '/login', asAda)).status).not.toBe(200)
    await expect(
      host.auth.sessions.open({ userId: 'u-ada', request: fromHost }),
    ).rejects.toMatchObject({
      code: 'Unauthorized',
    })
  })
})

describe('an outage of the directory', () => {
  it('ends nobody, and the look rejects', async () => {
    const host = await startDirectories()
    const { authToken } = await logIn(host, asAda)
    host.directory.down(true)
    await expect(host.auth.directories.look()).rejects.toMatchObject({ status: 503 })
    expect((await get(host, '/me', bearer(authToken))).status).toBe(200)
  })

  it('lets nobody in by the host, who might have left', async () => {
    const host = await startDirectories()
    host.directory.down(true)
    const opening = host.auth.sessions.open({ userId: 'u-ada', request: fromHost })
    await expect(opening).rejects.toMatchObject({ status: 503 })
  })
})

describe('a directory that shows none of its people', () => {
  it('is taken for broken, not for empty', async () => {
    const host = await startDirectories({ directories: { guesses: 50 } })
    const { authToken } = await logIn(host, asAda)
    for (let n = 0; n < 30; n += 1) {
      const userId = `u-${n}`
      host.users.add({ id: userId })
      await host.auth.identities.connect({ userId, directory: 'corp', subject: `guid-${n}` })
    }
    host.directory.remove('ada')
    const look = host.auth.directories.look()
    await expect(look).rejects.toMatchObject({ code: 'temporarily-unavailable' })
    const error = 'UnexpectedAnswer: the directory hides its people'
    expect(host.events).toContainEqual(expect.objectContaining({ type: 'host.failed', error }))
    expect((await get(host, '/me', bearer(authToken))).status).toBe(200)
  })
})

describe('a directory whose people are all refused at once', () => {
  /** `count` more people than ada, who are in her group, and her token. */
  async function startWith(count: number) {
    const host = await startWithGroup()
    const { authToken } = await logIn(host, asAda)
    for (let n = 0; n < count; n += 1) {
      const [userId, username, subject] = [`u-${n}`, `p${n}`, `guid-${n}`]
      host.users.add({ id: userId })
      host.directory.add({ username, subject, groups: ['cn=chat'] })
      await host.auth.identities.connect({ userId, directory: 'corp', subject })
    }
    const everybody = ['ada', ...Array.from({ length: count }, (_none, n) => `p${n}`)]
    const change = (how: 'no-groups' | 'gone' | 'disabled', names: readonly string[]) => {
      for (const name of names)
        if (how === 'gone') host.directory.remove(name)
        else if (how === 'disabled') host.directory.disable(name)
        else host.directory.setGroups(name, [])
    }
    return { host, everybody, change, isIn: () => get(host, '/me', bearer(authToken)) }
  }
  const broken = { code: 'temporarily-unavailable' }

  it('is taken for broken, as where it hides their groups, whoever else is gone or disabled', async () => {
    const { host, everybody, change, isIn } = await startWith(34)
    change('no-groups', everybody)
    change('gone', everybody.slice(1, 5))
    change('disabled', everybody.slice(5, 9))
    await expect(host.auth.directories.look()).rejects.toMatchObject(broken)
    const error = expect.stringContaining('is allowed')
    expect(host.events).toContainEqual(
      expect.objectContaining({ type: 'host.failed', operation: 'directories.corp.look', error }),
    )
    expect(host.events.map(({ type }) => type)).not.toContain('directory.left')
    expect((await isIn()).status).toBe(200)
  })

  it('of fewer than 20 says so of each', async () => {
    const { host, everybody, change, isIn } = await startWith(18)
    change('no-groups', everybody)
    expect(await host.auth.directories.look()).toMatchObject([{ people: 19, left: 1 }])
    expect((await isIn()).status).toBe(401)
  })

  it('is believed where one is allowed, and where it says of each that it is disabled', async () => {
    const one = await startWith(34)
    one.change('no-groups', one.everybody.slice(0, -1))
    expect(await one.host.auth.directories.look()).toMatchObject([{ people: 35, left: 1 }])
    expect((await one.isIn()).status).toBe(401)
    const other = await startWith(34)
    other.change('disabled', other.everybody)
    expect(await other.host.auth.directories.look()).toMatchObject([{ people: 35, left: 1 }])
    expect((await other.isIn()).status).toBe(401)
  })
})

describe('a directory that shows somebody', () => {
  it('shows that all others of a page have left, be they all of it', async () => {
    const stores = memoryStores()
    const host = await startDirectories({ options: stores })
    const link = (subject: string, userId: string) =>
      host.auth.identities.connect({ userId, directory: 'corp', subject })
    // They come before ada, who is on the second page.
    for (let n = 0; n < 500; n += 1) {
      host.users.add({ id: `u-${n}` })
      await link(`a-${n}`, `u-${n}`)
    }
    const first = await stores.identities.listOfProvider('directory:corp', null, 500)
    expect(first.some(({ subject }) => subject === 'guid-ada')).toBe(false)
    await stores.sessions.create(sessionRecord({ userId: 'u-7' }))
    expect(await host.auth.directories.look()).toEqual([
      { directory: 'corp', people: 501, left: 1 },
    ])
    expect(await host.auth.sessions.list('u-7')).toEqual([])
  })
})

describe('a look at 10,000 people', () => {
  it('asks the directory 20 times, and holds one page', async () => {
    const directory = memoryDirectory()
    const stores = memoryStores()
    const host = await startDirectories({ directory, options: stores })
    const sizes: number[] = []
    const { look } = directory
    directory.look = async (subjects) => {
      sizes.push(subjects.length)
      return look(subjects)
    }
    for (let n = 1; n < 10_000; n += 1) {
      const subject = `guid-${n}`
      directory.add({ username: `p${n}`, subject })
      await stores.identities.link({
        provider: 'directory:corp',
        subject,
        issuer: 'directory:corp',
        userId: `u-${n}`,
        id: `id-${n}`,
        label: null,
        passwordMark: null,
        createdAt: host.clock(),
        lastUsedAt: null,
      })
    }
    expect(await host.auth.directories.look()).toEqual([
      { directory: 'corp', people: 10_000, left: 0 },
    ])
    expect(sizes).toEqual(Array.from({ length: 20 }, () => 500))
  })
})
