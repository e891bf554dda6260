import { describe, expect, it } from 'vitest'
import { bearer, get, logIn, post } from '../support/client.js'
import { startHost } from '../support/host.js'
import {
  attempt,
  begin,
  change,
  codeOf,
  confirm,
  confirmation,
  disabling,
  enrolled,
  expectAnswer,
  expectUnharmed,
  methodsOf,
  noon,
  regeneration,
} from '../support/two-factor.js'

const plenty = { points: 1000, duration: 900 }
const throttle = { account: plenty, network: plenty, secondFactor: plenty }
const atOnce = <T>(count: number, ask: (i: number) => PromiseLike<T>) =>
  Promise.all(Array.from({ length: count }, (_, i) => ask(i)))
const won = (answers: readonly { status: number }[]) =>
  answers.filter(({ status }) => status === 200)

describe('one code shown 50 times at once', () => {
  it.each(['TOTP code', 'recovery code'])(
    'a %s: over login, switching off and new recovery codes, it works once',
    async (kind) => {
      const { host, token, secret, recoveryCodes } = await enrolled({ options: { throttle } })
      const code = kind === 'TOTP code' ? codeOf(host, secret) : (recoveryCodes[0] as string)
      const paths = [regeneration, disabling]
      const pathOf = (i: number) => (i % 3 === 2 ? '/login' : (paths[i % 3] as string))
      const answers = await atOnce(50, (i) =>
        pathOf(i) === '/login' ? attempt(host, code) : change(host, pathOf(i), token, code),
      )
      for (const { status } of answers) expect([200, 401, 409]).toContain(status)
      const done = [...answers.keys()].map(pathOf).filter((_, i) => answers[i]?.status === 200)
      const byCode = host.events.filter(
        (event) => event.type === 'login.succeeded' && event.methods.length > 1,
      )
      const changes = done.filter((path) => path !== '/login')
      expect([...changes, ...byCode]).toHaveLength(1)
      // The logins that come after switching off are by the password alone.
      if (changes[0] !== disabling) expect(done).toHaveLength(1)
      await host.auth.secondFactors.reset('u-alice')
      await expectUnharmed(host, undefined, secret, ...recoveryCodes)
    },
  )

  it('ten recovery codes are good for ten logins of 100', async () => {
    const { host, secret, recoveryCodes } = await enrolled({ options: { throttle } })
    expect(won(await atOnce(100, (i) => attempt(host, recoveryCodes[i % 10])))).toHaveLength(10)
    expect(await host.auth.secondFactors.status('u-alice')).toEqual({
      enabled: true,
      recoveryCodesLeft: 0,
    })
    await expectUnharmed(host, codeOf(host, secret), secret, ...recoveryCodes)
  })

  it('20 begins at once leave one seed that can be confirmed', async () => {
    const host = await startHost({ now: noon, options: { throttle } })
    const { authToken: token } = await logIn(host)
    const secrets = await atOnce(20, () => begin(host, token))
    expect(new Set(secrets).size).toBe(20)
    const answers = await atOnce(20, (i) =>
      post(host, confirmation, { code: codeOf(host, secrets[i] as string) }, bearer(token)),
    )
    expect(won(answers)).toHaveLength(1)
    const winner = secrets[answers.findIndex(({ status }) => status === 200)] as string
    host.clock.advance(30)
    await expectUnharmed(host, codeOf(host, winner), ...secrets)
  })

  it('a login at the moment of the first code does not outlive it without the factor', async () => {
    for (let round = 0; round < 10; round += 1) {
      const host = await startHost({ now: noon, options: { throttle } })
      const { authToken: token } = await logIn(host)
      const secret = await begin(host, token)
      const [, ...logins] = await Promise.all([
        confirm(host, token, secret),
        ...Array.from({ length: 4 }, () => attempt(host)),
      ])
      const live = await host.stores.sessions.listForUser('u-alice', host.clock())
      // Whoever was let in before the factor was there is out; whoever came later was asked for it.
      for (const login of won(logins) as typeof logins) {
        expectAnswer(await get(host, '/me', bearer(login.body.data.authToken)), 401, 'Unauthorized')
      }
      expect(live.map(({ methods }) => methods)).toEqual([['pwd', 'otp']])
    }
  })
})

describe('switching off, twice at once by two codes', () => {
  const failures = [
    ['is refused', 409, () => {}],
    ['fails', 503, () => Promise.reject(new Error('the database is gone'))],
  ] as const

  it.each(failures)('leaves no session that claims a factor when one %s', async (...failure) => {
    const [, status, fail] = failure
    const { host, token, secret, recoveryCodes } = await enrolled()
    const { secondFactors, sessions } = host.stores
    const { deactivate } = secondFactors
    // The second one comes from beginning to end while the first one is about to write.
    secondFactors.deactivate = async (...given) => {
      secondFactors.deactivate = deactivate
      expectAnswer(await change(host, disabling, token, recoveryCodes[0] as string), 200)
      await fail()
      return deactivate(...given)
    }
    expectAnswer(await change(host, disabling, token, codeOf(host, secret)), status)
    expect(await methodsOf(sessions, host.clock())).toEqual([['pwd']])
  })

  it('gives the session its factor back where the write failed and nothing else came', async () => {
    const { host, token, secret } = await enrolled()
    const { secondFactors, sessions } = host.stores
    const { deactivate } = secondFactors
    secondFactors.deactivate = () => Promise.reject(new Error('the database is gone'))
    expectAnswer(await change(host, disabling, token, codeOf(host, secret)), 503)
    secondFactors.deactivate = deactivate
    expect(await methodsOf(sessions, host.clock())).toEqual([['pwd', 'otp']])
  })
})
