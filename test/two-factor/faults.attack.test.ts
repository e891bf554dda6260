import { describe, expect, it } from 'vitest'
import type { AuthorizationCodeStore, SecondFactorStore, SessionStore } from '../../src/index.js'
import { bearer, get, logIn, obtainCode, post } from '../support/client.js'
import { password, startHost, type TestHost } from '../support/host.js'
import {
  attempt,
  begin,
  breakDown,
  change,
  codeOf,
  confirm,
  confirmation,
  disabling,
  enrolled,
  expectAnswer,
  expectNoSecrets,
  expectUnharmed,
  methodsOf,
  noon,
  regeneration,
  replace,
  totp,
} from '../support/two-factor.js'

type Store = SecondFactorStore & SessionStore & AuthorizationCodeStore
type Place = ['secondFactors' | 'sessions' | 'users', string]

const failAt = (host: TestHost, [store, name]: Place) =>
  breakDown(
    (store === 'users' ? host.users : host.stores[store]) as unknown as Store,
    name as keyof Store,
  )

/** The store did it, and its answer was lost. */
function loseAnswer(host: TestHost, [store, name]: Place): () => void {
  const part = (store === 'users' ? host.users : host.stores[store]) as unknown as Store
  const real = part[name as keyof Store] as unknown as (...given: never[]) => Promise<unknown>
  return replace(part, name as keyof Store, async (...given: never[]) => {
    await real.apply(part, given)
    throw new Error('the connection is gone')
  })
}

async function waiting() {
  const host = await startHost({ now: noon })
  const { authToken: token } = await logIn(host)
  const { authToken: other } = await logIn(host)
  const secret = await begin(host, token)
  return { host, token, other, secret }
}

describe('beginning an enrolment', () => {
  const places: Place[] = [
    ['users', 'findById'],
    ['secondFactors', 'find'],
    ['secondFactors', 'savePending'],
  ]
  it.each(places)(
    'is 503 while %s.%s fails, with nothing shown, and can be asked for again',
    async (...place) => {
      const host = await startHost({ now: noon })
      const { authToken: token } = await logIn(host)
      const mend = failAt(host, place)
      const failed = await post(host, totp, { password }, bearer(token))
      expectAnswer(failed, 503, 'temporarily-unavailable')
      mend()
      const secret = await begin(host, token)
      await confirm(host, token, secret)
      host.clock.advance(30)
      await expectUnharmed(host, codeOf(host, secret), secret)
    },
  )

  it('whose answer was lost is begun again, with another seed', async () => {
    const host = await startHost({ now: noon })
    const { authToken: token } = await logIn(host)
    const mend = loseAnswer(host, ['secondFactors', 'savePending'])
    expectAnswer(await post(host, totp, { password }, bearer(token)), 503)
    mend()
    const secret = await begin(host, token)
    await confirm(host, token, secret)
    host.clock.advance(30)
    await expectUnharmed(host, codeOf(host, secret), secret)
  })
})

describe('confirming', () => {
  const places: Place[] = [
    ['secondFactors', 'find'],
    ['secondFactors', 'findPending'],
    ['sessions', 'endAllForUser'],
    ['secondFactors', 'confirm'],
  ]
  it.each(places)(
    'is 503 while %s.%s fails; nothing is active, and the same code confirms later',
    async (...place) => {
      const { host, token, secret } = await waiting()
      const code = codeOf(host, secret)
      const mend = failAt(host, place)
      expectAnswer(
        await post(host, confirmation, { code }, bearer(token)),
        503,
        'temporarily-unavailable',
      )
      mend()
      expect(await host.auth.secondFactors.status('u-alice')).toEqual({
        enabled: false,
        recoveryCodesLeft: 0,
      })
      expectAnswer(await attempt(host), 200)
      expect(host.events.some(({ type }) => type === 'second-factor.enabled')).toBe(false)
      expectAnswer(await post(host, confirmation, { code }, bearer(token)), 200)
      host.clock.advance(30)
      await expectUnharmed(host, codeOf(host, secret), secret)
    },
  )

  it.each(places)('twelve times while %s.%s fails shuts nobody out', async (...place) => {
    const { host, token, secret } = await waiting()
    const mend = failAt(host, place)
    for (let i = 0; i < 12; i += 1)
      await post(host, confirmation, { code: codeOf(host, secret) }, bearer(token))
    mend()
    expectAnswer(await post(host, confirmation, { code: codeOf(host, secret) }, bearer(token)), 200)
    host.clock.advance(30)
    await expectUnharmed(host, codeOf(host, secret), secret)
  })

  it.each(['confirm in the store', 'the whole answer'])(
    'with %s lost leaves the factor on: its next code signs in, and switches it off',
    async (lost) => {
      const { host, token, other, secret } = await waiting()
      const mend =
        lost === 'the whole answer' ? () => {} : loseAnswer(host, ['secondFactors', 'confirm'])
      const confirmed = await post(
        host,
        confirmation,
        { code: codeOf(host, secret) },
        bearer(token),
      )
      expectAnswer(confirmed, lost === 'the whole answer' ? 200 : 503)
      mend()
      expectAnswer(
        await post(host, confirmation, { code: codeOf(host, secret) }, bearer(token)),
        409,
        'totp-already-enabled',
      )
      expectAnswer(await get(host, '/me', bearer(other)), 401, 'Unauthorized')
      expectAnswer(await attempt(host, codeOf(host, secret)), 401, 'totp-invalid')
      host.clock.advance(30)
      expectAnswer(await attempt(host, codeOf(host, secret)), 200)
      host.clock.advance(30)
      expectAnswer(await change(host, disabling, token, codeOf(host, secret)), 200)
      await expectUnharmed(host, undefined, secret)
    },
  )

  it(
    'is done although the session’s row cannot be brought up to date: the recovery codes are ' +
      'shown, a new login is whole',
    async () => {
      const { host, token, secret } = await waiting()
      const mend = failAt(host, ['sessions', 'setMethods'])
      const recoveryCodes = await confirm(host, token, secret)
      mend()
      expect(recoveryCodes).toHaveLength(10)
      host.clock.advance(30)
      const login = await attempt(host, codeOf(host, secret))
      expectAnswer(login, 200)
      await obtainCode(host, login.body.data.authToken)
      await expectUnharmed(host, recoveryCodes[0], secret)
    },
  )

  it('is done although the sessions cannot be ended a second time', async () => {
    const { host, token, other, secret } = await waiting()
    const { endAllForUser } = host.stores.sessions
    let calls = 0
    replace(host.stores.sessions, 'endAllForUser', async (...given: never[]) => {
      calls += 1
      // Each end asks the store twice.
      if (calls === 3) throw new Error('the database is away')
      return (endAllForUser as (...all: never[]) => Promise<unknown>)(...given)
    })
    expect(await confirm(host, token, secret)).toHaveLength(10)
    expectAnswer(await get(host, '/me', bearer(other)), 401, 'Unauthorized')
  })
})

describe.each([disabling, regeneration])('POST %s', (path) => {
  const before: Place[] = [
    ['users', 'findById'],
    ['secondFactors', 'find'],
    ['secondFactors', 'advanceStep'],
  ]
  it.each(before)('is 503 while %s.%s fails, and the same code is good later', async (...place) => {
    const { host, token, secret, recoveryCodes } = await enrolled()
    const mend = failAt(host, place)
    expectAnswer(
      await change(host, path, token, codeOf(host, secret)),
      503,
      'temporarily-unavailable',
    )
    mend()
    expect(await host.auth.secondFactors.status('u-alice')).toEqual({
      enabled: true,
      recoveryCodesLeft: 10,
    })
    expectAnswer(await change(host, path, token, codeOf(host, secret)), 200)
    expectNoSecrets(host, secret, ...recoveryCodes)
  })

  const after: Place[] =
    path === disabling
      ? [
          ['sessions', 'endAllForUser'],
          ['secondFactors', 'deactivate'],
        ]
      : [['secondFactors', 'replaceRecoveryCodes']]
  it.each(after)(
    'is 503 while %s.%s fails; nothing has changed, and the next code does it',
    async (...place) => {
      const { host, token, secret, recoveryCodes } = await enrolled()
      const mend = failAt(host, place)
      expectAnswer(
        await change(host, path, token, codeOf(host, secret)),
        503,
        'temporarily-unavailable',
      )
      mend()
      expect(await host.auth.secondFactors.status('u-alice')).toEqual({
        enabled: true,
        recoveryCodesLeft: 10,
      })
      expect((await get(host, '/me', bearer(token))).status).toBe(200)
      host.clock.advance(30)
      const done = await change(host, path, token, codeOf(host, secret))
      expectAnswer(done, 200)
      const [fresh] = (done.body.data.recoveryCodes ?? []) as string[]
      await expectUnharmed(host, fresh, secret, ...recoveryCodes)
    },
  )
})

describe('switching off', () => {
  it('whose answer was lost is done: the password alone signs in, and a second try says so', async () => {
    const { host, token, secret } = await enrolled()
    const mend = loseAnswer(host, ['secondFactors', 'deactivate'])
    expectAnswer(await change(host, disabling, token, codeOf(host, secret)), 503)
    mend()
    expect(await methodsOf(host.stores.sessions, host.clock())).toEqual([['pwd']])
    host.clock.advance(30)
    expectAnswer(
      await change(host, disabling, token, codeOf(host, secret)),
      409,
      'totp-not-enabled',
    )
    await expectUnharmed(host, undefined, secret)
  })

  it(
    'leaves no factor claimed by a session that the host’s policy holds to one: what cannot be ' +
      'written down does not happen',
    async () => {
      const { host, token, secret } = await enrolled({
        options: { secondFactor: () => 'required' },
      })
      const mend = failAt(host, ['sessions', 'setMethods'])
      expectAnswer(await change(host, disabling, token, codeOf(host, secret)), 503)
      mend()
      expectAnswer(await get(host, '/me', bearer(token)), 200)
      host.clock.advance(30)
      expectAnswer(await change(host, disabling, token, codeOf(host, secret)), 200)
      expect((await methodsOf(host.stores.sessions, host.clock())).flat()).not.toContain('otp')
      expect((await attempt(host)).body.data.enrolmentRequired).toBe(true)
    },
  )
})
