// Ways around codes by mail: what a thief of the password, of a session or of an old code could do.
import { randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { ProofStore } from '../../src/index.js'
import { bearer, logIn, post } from '../support/client.js'
import { statusesOf, tally } from '../support/guessing.js'
import { encryptionKey, password } from '../support/host.js'
import { attempt, begin, codeOf, expectAnswer } from '../support/two-factor.js'
import { type AccountHost, asAlice, startAccounts } from './account-host.js'
import { codeFor, factorPath, manyMails, withEmailFactor, withFactor } from './email-factor-host.js'

/** Eight digits that are none of these. */
const otherThan = (...codes: string[]) =>
  ['00000000', '11111111', '22222222', '33333333'].find((code) => !codes.includes(code)) as string

const sessions = ({ events }: AccountHost) =>
  events.filter(({ type }) => type === 'session.started').length

/** Another process on the same stores and users. */
const anotherProcess = (host: AccountHost, options: object = {}) =>
  withFactor({ now: host.clock(), options: { ...host.stores, users: host.users, ...options } })

describe('a code', () => {
  it('signs one in of 50 who send it at once, and nobody later', async () => {
    const host = await withEmailFactor()
    const code = await codeFor(host)
    const answers = await Promise.all(Array.from({ length: 50 }, () => attempt(host, code)))
    const statuses = tally(answers.map(({ status }) => status))
    expect(statuses[200]).toBe(1)
    expect(Object.keys(statuses).every((status) => ['200', '401', '429'].includes(status))).toBe(
      true,
    )
    expect(sessions(host)).toBe(1)
    expect((await attempt(host, code)).status).not.toBe(200)
    expect(sessions(host)).toBe(1)
  })

  it('of one user is worth nothing for another', async () => {
    const host = await withEmailFactor()
    const { passwordHash = null } = host.users.rows.get('u-alice') ?? {}
    host.users.add({
      id: 'u-bob',
      username: 'bob',
      passwordHash,
      emailVerified: true,
      emailFactor: true,
    })
    const code = await codeFor(host)
    const bob = { username: 'bob', password }
    await post(host, '/login', bob).expect(401)
    expectAnswer(await post(host, '/login', { ...bob, code }), 401, 'totp-invalid')
    expectAnswer(await attempt(host, code), 200)
  })

  it('works for ten minutes, also where a period ends meanwhile, and not one second longer', async () => {
    const host = await withEmailFactor()
    host.clock.advance(585)
    const first = await codeFor(host)
    host.clock.advance(599)
    expectAnswer(await attempt(host, first), 200)
    const second = await codeFor(host)
    host.clock.advance(600)
    expectAnswer(await attempt(host, second), 401, 'totp-invalid')
  })

  it('works to its end, also where the store has deleted an older one of its period', async () => {
    const host = await withEmailFactor()
    await codeFor(host)
    host.clock.advance(580)
    const second = await codeFor(host)
    host.clock.advance(100)
    await host.stores.proofs.purge?.(host.clock())
    expectAnswer(await attempt(host, second), 200)
  })

  it('is used up by five wrong ones; the next one works', async () => {
    const host = await withEmailFactor()
    const code = await codeFor(host)
    for (let i = 0; i < 5; i += 1)
      expectAnswer(await attempt(host, otherThan(code)), 401, 'totp-invalid')
    expectAnswer(await attempt(host, code), 401, 'totp-invalid')
    expectAnswer(await attempt(host, await codeFor(host)), 200)
  })

  it('lets no more than five guesses through, however many come at once', async () => {
    const options = {
      throttle: { ...manyMails.throttle, secondFactor: { points: 100, duration: 60 } },
    }
    const host = await withEmailFactor({ options })
    const code = await codeFor(host)
    await Promise.all(Array.from({ length: 20 }, () => attempt(host, otherThan(code))))
    expectAnswer(await attempt(host, code), 401, 'totp-invalid')
  })

  it('that was asked for before stays good when another is asked for', async () => {
    const host = await withEmailFactor()
    const [first, second] = [await codeFor(host), await codeFor(host)]
    expect(second).not.toBe(first)
    expectAnswer(await attempt(host, first), 200)
    expectAnswer(await attempt(host, second), 200)
  })

  it('that went to a former address is worth nothing', async () => {
    const host = await withEmailFactor()
    const code = await codeFor(host)
    host.users.change('u-alice', { email: 'new@example.org' })
    expectAnswer(await attempt(host, code), 401, 'totp-invalid')
    await attempt(host).expect(401)
    expect((await host.mailed('second-factor-code')).at(-1)?.to).toBe('new@example.org')
  })

  it('is not used up, and loses no try, by a wrong password', async () => {
    const host = await withEmailFactor()
    const code = await codeFor(host)
    const guess = { username: 'alice', password: 'wrong' }
    await post(host, '/login', guess).expect(401)
    for (const sent of [code, otherThan(code)])
      await post(host, '/login', { ...guess, code: sent }).expect(401)
    expect(await host.mailed('second-factor-code')).toHaveLength(1)
    const { events } = host
    expectAnswer(await attempt(host, code), 200)
    expect(events.filter(({ type }) => type === 'second-factor.code-sent')).toHaveLength(1)
  })

  it('proves no address, and a code that proves one signs nobody in', async () => {
    const host = await withEmailFactor()
    const alice = bearer(
      (await logIn(host, { username: 'alice', password, code: await codeFor(host) })).authToken,
    )
    const code = await codeFor(host)
    for (const period of [0, 1, 2].map((i) => Math.floor(host.clock().getTime() / 600_000) - i))
      for (const number of [0, 1]) {
        const requestId = JSON.stringify(['second-factor', 'u-alice', period, number])
        await post(host, '/auth/email/confirm', { requestId, code }, alice).expect(400)
      }
    const email = 'new@example.org'
    const proof = { password, code: await codeFor(host) }
    const asked = { email, ...proof }
    const { body } = await post(host, '/auth/email/change', asked, alice).expect(202)
    const other = (await host.mailed('change-address')).at(-1)?.code
    expectAnswer(await attempt(host, other), 401, 'totp-invalid')
    const { requestId } = body.data
    await post(host, '/auth/email/confirm', { requestId, code }, alice).expect(400)
    expectAnswer(await attempt(host, code), 200)
  })

  it('works in another process, whose clock is behind, and under a new encryption key', async () => {
    const host = await withEmailFactor()
    // The next period has begun for this process alone.
    host.clock.advance(600)
    const codes = [await codeFor(host), await codeFor(host)]
    const other = await anotherProcess(host)
    other.clock.advance(-20)
    expectAnswer(await attempt(other, codes[0]), 200)
    const encryptionKeys = [randomBytes(32).toString('base64'), encryptionKey]
    expectAnswer(await attempt(await anotherProcess(host, { encryptionKeys }), codes[1]), 200)
  })
})

describe('mails with codes', () => {
  it('are three in 15 minutes, whoever knows the password; codes that are out still work', async () => {
    const host = await withEmailFactor({ options: { throttle: {} } })
    expect(await statusesOf(3, () => attempt(host))).toEqual([401, 401, 401])
    const asked = await attempt(host)
    expectAnswer(asked, 401, 'totp-required')
    expect(asked.body.details).toMatchObject({ method: 'email', codeGenerated: false })
    const mails = await host.mailed('second-factor-code')
    expect(mails).toHaveLength(3)
    expectAnswer(await attempt(host, mails[0]?.code), 200)
  })

  it('are refused with the time to wait when no code is out any more', async () => {
    const host = await withEmailFactor({ options: { throttle: {} } })
    await statusesOf(3, () => attempt(host))
    host.clock.advance(600)
    const refused = await attempt(host)
    expectAnswer(refused, 429, 'too-many-requests')
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
  })

  it('are at most ten in ten minutes, also without other limits', async () => {
    const host = await withEmailFactor({
      options: {
        throttle: {
          mail: {
            address: { points: 1000, duration: 900 },
            account: { points: 1000, duration: 900 },
          },
          secondFactor: { points: 1000, duration: 60 },
          secondFactorTotal: 1000,
        },
      },
    })
    const statuses = tally(await statusesOf(20, () => attempt(host)))
    expect(statuses).toEqual({ 401: 20 })
    expect(await host.mailed('second-factor-code')).toHaveLength(10)
  })

  it('that are asked for at once have codes of their own, each of which works', async () => {
    const host = await withEmailFactor()
    const asked = await Promise.all(Array.from({ length: 4 }, () => attempt(host)))
    expect(asked.map(({ status }) => status)).toEqual([401, 401, 401, 401])
    const codes = (await host.mailed('second-factor-code')).map(({ code }) => code)
    expect(new Set(codes).size).toBe(4)
    expect(host.events.filter(({ type }) => type === 'host.failed')).toEqual([])
    for (const code of codes) expectAnswer(await attempt(host, code), 200)
  })

  it('are sent at no door that takes no code', async () => {
    const host = await withFactor()
    const { authToken } = await logIn(host)
    host.users.change('u-alice', { emailFactor: true })
    const codeChallenge = 'A'.repeat(43)
    const refused = await post(host, '/auth/pkce/authorize', { codeChallenge }, bearer(authToken))
    expectAnswer(refused, 401, 'totp-required')
    expect(await host.mailed('second-factor-code')).toEqual([])
  })

  it('never go to an address that was not proven, and the password alone does not do then', async () => {
    const host = await withEmailFactor()
    const code = await codeFor(host)
    host.users.change('u-alice', { emailVerified: false })
    const asked = await attempt(host)
    expectAnswer(asked, 401, 'totp-required')
    expect(asked.body.details).toMatchObject({ codeGenerated: false })
    expectAnswer(await attempt(host, code), 401, 'totp-invalid')
    expect(await host.mailed('second-factor-code')).toHaveLength(1)
  })
})

describe('an outage', () => {
  it.each<keyof ProofStore>(['find', 'save', 'takeTry', 'consume'])(
    'of proofs.%s is 503 and opens no session; afterwards it works',
    async (method) => {
      const host = await withEmailFactor()
      const code = method === 'save' ? undefined : await codeFor(host)
      const real = host.stores.proofs[method]
      Object.assign(host.stores.proofs, { [method]: () => Promise.reject(new Error(`no ${code}`)) })
      expectAnswer(await attempt(host, code), 503, 'temporarily-unavailable')
      expect(sessions(host)).toBe(0)
      Object.assign(host.stores.proofs, { [method]: real })
      expectAnswer(await attempt(host, code ?? (await codeFor(host))), 200)
    },
  )

  it('of the users’ contacts lets nobody in without the factor', async () => {
    let isAway = false
    const { users, stores } = await withEmailFactor()
    const findContact = async (id: string) => {
      if (isAway) throw new Error('away')
      return users.findContact(id)
    }
    const host = await withFactor({ options: { ...stores, users: { ...users, findContact } } })
    isAway = true
    expectAnswer(await attempt(host), 503, 'temporarily-unavailable')
    isAway = false
    expectAnswer(await attempt(host, await codeFor(host)), 200)
  })
})

describe('switching', () => {
  it('off needs the factor: neither an old session nor the password alone does it', async () => {
    const host = await withEmailFactor()
    const code = await codeFor(host)
    const { authToken } = await logIn(host, { username: 'alice', password, code })
    const off = (more: object = {}) =>
      post(host, factorPath, { enabled: false, ...more }, bearer(authToken))
    host.clock.advance(601)
    expectAnswer(await off(), 403, 'reauthentication-required')
    const asked = await off({ password })
    expectAnswer(asked, 401, 'totp-required')
    expect(asked.body.details).toMatchObject({ method: 'email', codeGenerated: true })
    expect(host.users.rows.get('u-alice')?.emailFactor).toBe(true)
    const sent = (await host.mailed('second-factor-code')).at(-1)?.code
    expectAnswer(await off({ password, code: otherThan(sent ?? '') }), 401, 'totp-invalid')
    await off({ password, code: sent }).expect(200)
    expect(host.users.rows.get('u-alice')?.emailFactor).toBe(false)
  })

  it('off is not for a session that has shown the password alone', async () => {
    const host = await withFactor()
    const alice = await asAlice(host)
    await alice.post(factorPath, { enabled: true }).expect(200)
    expectAnswer(await alice.post(factorPath, { enabled: false }), 403, 'reauthentication-required')
  })

  it('off ends other sessions, and this one claims no factor any more', async () => {
    let policy: 'required' | 'optional' = 'optional'
    const host = await withEmailFactor({ options: { secondFactor: () => policy } })
    const signIn = async () => {
      const body = { username: 'alice', password, code: await codeFor(host) }
      return bearer((await logIn(host, body)).authToken)
    }
    const [mine, other] = [await signIn(), await signIn()]
    await post(host, factorPath, { enabled: false }, mine).expect(200)
    policy = 'required'
    host.clock.advance(6)
    const headers = [mine, other]
    const answers = await Promise.all(
      headers.map((one) => post(host, '/auth/email/verify', {}, one)),
    )
    expect(answers.map(({ body }) => body.error)).toEqual([
      'second-factor-enrolment-required',
      'Unauthorized',
    ])
  })

  it('on lets no authenticator app in that was begun before with the password alone', async () => {
    const host = await withFactor()
    const { authToken } = await logIn(host)
    const secret = await begin(host, authToken)
    await post(host, factorPath, { enabled: true }, bearer(authToken)).expect(200)
    const body = { code: codeOf(host, secret) }
    const answer = await post(host, '/auth/totp/confirm', body, bearer(authToken))
    expectAnswer(answer, 403, 'reauthentication-required')
    expect(await host.stores.secondFactors.find('u-alice')).toBeNull()
  })

  it('on needs a fresh sign-in, and an address that was proven', async () => {
    const host = await withFactor()
    const alice = await asAlice(host)
    host.users.change('u-alice', { emailVerified: false })
    await alice.post(factorPath, { enabled: true }).expect(400)
    host.users.change('u-alice', { emailVerified: true })
    host.clock.advance(601)
    expectAnswer(await alice.post(factorPath, { enabled: true }), 403, 'reauthentication-required')
    for (const enabled of ['true', 1, null, undefined])
      await alice.post(factorPath, { enabled, password }).expect(400)
    expect(host.users.rows.get('u-alice')?.emailFactor).not.toBe(true)
    await alice.post(factorPath, { enabled: true, password }).expect(200)
  })

  it('on by a session that another process has ended does nothing', async () => {
    const host = await withFactor()
    const thief = await asAlice(host)
    await thief.get('/me').expect(200)
    await host.stores.sessions.endAllForUser('u-alice', 'revoked', host.clock())
    await thief.post(factorPath, { enabled: true }).expect(401)
    expect(host.users.rows.get('u-alice')?.emailFactor).not.toBe(true)
  })

  it('on while a login with the password alone is under way: that login gets no session', async () => {
    const host = await withFactor()
    const alice = await asAlice(host)
    const { sessions: store } = host.stores
    const create = store.create
    store.create = async (session) => {
      store.create = create
      await alice.post(factorPath, { enabled: true }).expect(200)
      await create(session)
    }
    expectAnswer(await attempt(host), 401)
    expect(await host.auth.sessions.list('u-alice')).toHaveLength(1)
  })
})

it('nothing of it is told to anybody: no code in log or events', async () => {
  const host = await startAccounts({ accounts: { emailSecondFactor: true } })
  host.users.change('u-alice', { emailFactor: true })
  const code = await codeFor(host)
  await attempt(host, otherThan(code)).expect(401)
  expect(JSON.stringify([host.log, host.events])).not.toContain(code)
  for (const requestId of ['second-factor', 'u-alice'])
    expect(JSON.stringify(host.log)).not.toContain(`["${requestId}"`)
})
