// What a user must do before a session opens anything: said by the sign-in, done in order, in the
// same session.
import { describe, expect, it } from 'vitest'
import { createAuthRouter } from '../../src/index.js'
import { memoryStores } from '../../src/stores/memory-stores.js'
import { newPassword, startAccounts } from '../accounts/account-host.js'
import { post } from '../support/client.js'
import { encryptionKey, password } from '../support/host.js'
import { signer } from '../support/mounted-oauth.js'
import { breakDown, codeOf, expectAnswer } from '../support/two-factor.js'
import { testUsers } from '../support/users.js'
import { acceptance, both, documents, leftFor, signedIn, startRequired } from './required-host.js'

const change = { password, newPassword }

describe('a sign-in', () => {
  it('says what must be done, in order, and one session does it', async () => {
    const host = await startRequired()
    const alice = await signedIn(host)
    const all = ['change-password', 'verify-address', 'enrol', 'accept']
    expect([alice.required, alice.enrolmentRequired]).toEqual([all, true])
    expect(await leftFor(alice)).toEqual(all)

    expectAnswer(await alice.post('/auth/password/change', change), 200)
    expect(await leftFor(alice)).toEqual(all.slice(1))

    const { body } = await alice.post('/auth/email/verify')
    const { code } = (await host.mailed('verify-address')).at(-1) ?? {}
    const { requestId } = body.data
    expectAnswer(await alice.post('/auth/email/confirm', { requestId, code }), 200)
    expect(await leftFor(alice)).toEqual(['enrol'])

    const { secret } = (await alice.post('/auth/totp', { password: newPassword })).body.data
    const enrolled = await alice.post('/auth/totp/confirm', { code: codeOf(host, secret) })
    expectAnswer(enrolled, 200)
    expect(await leftFor(alice)).toEqual(['accept'])

    const due = await alice.get('/auth/acceptance')
    expect(due.body.data.documents).toEqual(documents)
    const accepted = await alice.post('/auth/acceptance', { documents: both })
    expect([accepted.status, accepted.body.data.documents]).toEqual([200, []])
    expect(await leftFor(alice)).toEqual([])
  })

  it('says nothing where nothing is required', async () => {
    const host = await startAccounts({ accounts: { provenAddress: true } })
    expect((await signedIn(host)).required).toBeUndefined()
  })

  it('with a second factor alone to set up is answered as ever, and names it', async () => {
    const host = await startAccounts({ options: { secondFactor: () => 'required' } })
    const alice = await signedIn(host)
    expect([alice.enrolmentRequired, alice.required]).toEqual([true, ['enrol']])
    expect(await leftFor(alice)).toEqual(['enrol'])
  })

  it('tells the host’s own code, too', async () => {
    const host = await startAccounts({ options: { acceptance } })
    const request = { headers: {}, socket: { remoteAddress: '10.0.0.1' } } as never
    const byPassword = await host.auth.signIn(request, { username: 'alice', password })
    const opened = await host.auth.sessions.open({ userId: 'u-alice', request })
    expect([byPassword.required, opened.required]).toEqual([['accept'], ['accept']])
    await expect(host.auth.authenticateToken(opened.token)).rejects.toMatchObject({
      code: 'action-required',
      status: 403,
    })
  })
})

describe('another password', () => {
  it('is another one, and not the one that must change', async () => {
    const host = await startAccounts()
    const hash = await host.auth.hashPassword(newPassword)
    host.users.change('u-alice', { mustChangePassword: true, passwordHash: hash })
    const alice = await signedIn(host, { username: 'alice', password: newPassword })
    const same = await alice.post('/auth/password/change', { password: newPassword, newPassword })
    expect([same.status, same.body.details.reasons]).toEqual([400, ['known']])
    expect(await leftFor(alice)).toEqual(['change-password'])
    const other = { password: newPassword, newPassword: `${newPassword}, and more` }
    expectAnswer(await alice.post('/auth/password/change', other), 200)
    expect(await leftFor(alice)).toEqual([])
  })

  it('may be set by a mailed link as well, after which nothing is required', async () => {
    const host = await startAccounts()
    host.users.change('u-alice', { mustChangePassword: true })
    await post(host, '/auth/password/forgot', { username: 'alice' }).expect(202)
    const { url = '' } = (await host.mailed('reset-password')).at(-1) ?? {}
    const token = /[\w-]{43,}/.exec(url)?.[0]
    await post(host, '/auth/password/reset', { token, password: newPassword }).expect(200)
    const alice = await signedIn(host, { username: 'alice', password: newPassword })
    expect(alice.required).toBeUndefined()
  })

  it('is demanded after a login with a leaked one, where the host says so', async () => {
    const leaked = async () => ['1E4C9B93F3F0682250B6CF8331B7EE68FD8:5']
    const passwordRules = { breached: leaked, checkAtLogin: 'change' } as const
    const host = await startAccounts({ accounts: { passwordRules } })
    const hash = await host.auth.hashPassword('password')
    host.users.change('u-alice', { passwordHash: hash })
    const alice = await signedIn(host, { username: 'alice', password: 'password' })
    expect(alice.required).toBeUndefined()
    await expect.poll(() => host.users.rows.get('u-alice')?.mustChangePassword).toBe(true)
    const next = await signedIn(host, { username: 'alice', password: 'password' })
    expect(next.required).toEqual(['change-password'])
    // The session of before learns of it when it is read again.
    host.clock.advance(6)
    expect(await leftFor(alice)).toEqual(['change-password'])
    expect(host.events).toContainEqual(expect.objectContaining({ type: 'password.breached' }))
  })

  it('is demanded by the next login, where the user store was away', async () => {
    const leaked = async () => ['1E4C9B93F3F0682250B6CF8331B7EE68FD8:5']
    const passwordRules = { breached: leaked, checkAtLogin: 'change' } as const
    const host = await startAccounts({ accounts: { passwordRules } })
    const hash = await host.auth.hashPassword('password')
    host.users.change('u-alice', { passwordHash: hash })
    const as = { username: 'alice', password: 'password' }
    const mend = breakDown(host.users, 'requirePasswordChange')
    await signedIn(host, as)
    await expect.poll(() => host.auth.stats().mail.waiting).toBe(0)
    mend()
    await signedIn(host, as)
    await expect.poll(() => host.users.rows.get('u-alice')?.mustChangePassword).toBe(true)
  })
})

describe('an address', () => {
  it('that nobody has yet can be set and proven in that session', async () => {
    const host = await startAccounts({ accounts: { provenAddress: true } })
    host.users.change('u-alice', { email: null, emailVerified: false })
    const alice = await signedIn(host)
    expect(alice.required).toEqual(['verify-address'])
    expect((await alice.get('/auth/email')).body.data).toEqual({ email: null, verified: false })
    const email = 'ada@example.net'
    const { body } = await alice.post('/auth/email/change', { email, password })
    const { code } = (await host.mailed('change-address')).at(-1) ?? {}
    const { requestId } = body.data
    expectAnswer(await alice.post('/auth/email/confirm', { requestId, code }), 200)
    expect(await leftFor(alice)).toEqual([])
  })
})

it('an address that is marked as proven and is none counts as none', async () => {
  const host = await startAccounts({ accounts: { provenAddress: true } })
  host.users.change('u-alice', { email: null, emailVerified: true })
  expect((await signedIn(host)).required).toEqual(['verify-address'])
})

describe('documents', () => {
  const startDocuments = () => startAccounts({ options: { acceptance } })

  it('are stored with their version and the time, and raise an event each', async () => {
    const host = await startDocuments()
    const alice = await signedIn(host)
    expectAnswer(await alice.post('/auth/acceptance', { documents: both }), 200)
    const at = host.clock()
    expect(host.users.rows.get('u-alice')?.accepted).toEqual(both.map((one) => ({ ...one, at })))
    const event = { type: 'document.accepted', userId: 'u-alice', document: 'terms', version: '2' }
    expect(host.events).toContainEqual(expect.objectContaining(event))
  })

  it('may be accepted one after the other, and twice', async () => {
    const host = await startDocuments()
    const alice = await signedIn(host)
    const [terms, privacy] = both
    const one = await alice.post('/auth/acceptance', { documents: [terms] })
    expect(one.body.data.documents).toEqual([documents[1]])
    expect(await leftFor(alice)).toEqual(['accept'])
    for (const _time of ['first', 'second'])
      expectAnswer(await alice.post('/auth/acceptance', { documents: [privacy] }), 200)
    expect(await leftFor(alice)).toEqual([])
  })

  it.each([
    ['another version', [{ id: 'terms', version: '1' }]],
    ['none of ours', [{ id: 'else', version: '1' }]],
    ['one of ours and another version', [both[0], { id: 'privacy', version: '2' }]],
  ])('of %s are 409, and nothing is stored', async (_name, given) => {
    const host = await startDocuments()
    const alice = await signedIn(host)
    const answer = await alice.post('/auth/acceptance', { documents: given })
    expect([answer.status, answer.body.error]).toEqual([409, 'superseded'])
    expect(host.users.rows.get('u-alice')?.accepted).toBeUndefined()
  })

  it.each([{}, { documents: [] }, { documents: [{ id: 'terms' }] }, { documents: 'terms' }])(
    'of another form are 400: %j',
    async (sent) => {
      const host = await startDocuments()
      expect((await (await signedIn(host)).post('/auth/acceptance', sent)).status).toBe(400)
    },
  )

  it('that are published bind the sessions that are there', async () => {
    const shown: (typeof documents)[number][] = [documents[0]]
    const host = await startAccounts({
      options: { acceptance: { ...acceptance, documents: shown } },
    })
    const alice = await signedIn(host)
    await alice.post('/auth/acceptance', { documents: [both[0]] })
    expect(await leftFor(alice)).toEqual([])
    host.users.change('u-alice', { accepted: [] })
    host.clock.advance(6)
    expect(await leftFor(alice)).toEqual(['accept'])
  })
})

describe('an outage', () => {
  const questions = {
    'users.findContact': async () => {
      const host = await startAccounts({ accounts: { provenAddress: true } })
      host.users.change('u-alice', { emailVerified: 'yes' as never })
      return { host, mend: () => host.users.change('u-alice', { emailVerified: true }) }
    },
    'acceptance.current': async () => {
      let isDown = false
      const current: typeof acceptance.current = (user) => {
        if (isDown) throw new Error('away')
        return acceptance.current(user)
      }
      const host = await startAccounts({ options: { acceptance: { ...acceptance, current } } })
      isDown = true
      const mend = () => {
        isDown = false
      }
      return { host, mend }
    },
  }

  it.each(Object.entries(questions))('of %s is 503 and signs nobody in', async (_name, start) => {
    const { host, mend } = await start()
    expect((await post(host, '/login', { username: 'alice', password })).status).toBe(503)
    expect(await host.auth.sessions.list('u-alice')).toHaveLength(0)
    mend()
    expect((await post(host, '/login', { username: 'alice', password })).status).toBe(200)
  })

  it.each([undefined, null, 'terms', [{ id: 'terms' }], [{ id: 1, version: '2' }]])(
    'is an answer that is no list of documents: %j',
    async (answer) => {
      const current = () => answer as never
      const host = await startAccounts({ options: { acceptance: { ...acceptance, current } } })
      expect((await post(host, '/login', { username: 'alice', password })).status).toBe(503)
    },
  )

  it('while documents are stored is 503, and they stay due', async () => {
    const host = await startAccounts({ options: { acceptance } })
    const alice = await signedIn(host)
    const mend = breakDown(host.users, 'accepted')
    expect((await alice.post('/auth/acceptance', { documents: both })).status).toBe(503)
    mend()
    expect(await leftFor(alice)).toEqual(['accept'])
  })
})

describe('at the start', () => {
  const refusalOf = (options: object, without: readonly string[]) => {
    const users = testUsers()
    for (const name of without) Reflect.deleteProperty(users, name)
    const given = { users, ...memoryStores(), signer, encryptionKeys: [encryptionKey], ...options }
    try {
      createAuthRouter(given as never)
    } catch (error) {
      return (error as Error).message
    }
    return null
  }
  const links = { reset: 'https://x.example/{token}', undo: 'https://x.example/{token}' }
  const mail = { send: async () => {} }

  it.each([
    ['acceptance without accepted', { acceptance }, ['accepted'], /acceptance: needs users/],
    ['no document', { acceptance: { ...acceptance, documents: [] } }, [], /acceptance.documents/],
    [
      'a document without an address',
      {
        acceptance: { ...acceptance, documents: [{ id: 'a', version: '1', name: 'A', url: 'a' }] },
      },
      [],
      /acceptance.documents/,
    ],
    [
      'provenAddress without updateEmail',
      { accounts: { mail, links, provenAddress: true } },
      ['updateEmail'],
      /accounts.provenAddress/,
    ],
    [
      'checkAtLogin: change without requirePasswordChange',
      {
        accounts: {
          mail,
          links,
          passwordRules: { breached: async () => [], checkAtLogin: 'change' },
        },
      },
      ['requirePasswordChange'],
      /checkAtLogin/,
    ],
  ])('%s is refused by name', (_name, options, without, says) => {
    expect(refusalOf(options, without)).toMatch(says)
  })
})
