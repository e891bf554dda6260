import type { RateLimiterMemory } from 'rate-limiter-flexible'
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { SecondFactorStore } from '../../src/index.js'
import { bearer, get, logIn, post } from '../support/client.js'
import {
  type HostSettings,
  password,
  startHost,
  type TestHost,
  totpSecret,
} from '../support/host.js'
import { memoryLimiter } from '../support/memory-limiter.js'
import {
  attempt,
  begin,
  change,
  codeOf,
  confirmation,
  disabling,
  enrolled,
  expectAnswer,
  expectNoSecrets,
  expectUnharmed,
  regeneration,
  replace,
  totp,
  wrongCode,
} from '../support/two-factor.js'

const judgements = vi.hoisted(() => ({ count: 0 }))

// What a guess costs its maker: a judgement of the code, wherever it was asked for.
vi.mock('../../src/two-factor/totp.js', async (original) => {
  const real = await original<typeof import('../../src/two-factor/totp.js')>()
  const matchingStep: typeof real.matchingStep = (...given) => {
    judgements.count += 1
    return real.matchingStep(...given)
  }
  return { ...real, matchingStep }
})

afterEach(() => vi.useRealTimers())

const behindProxy: HostSettings = { before: (app) => void app.set('trust proxy', 1) }
const from = (n: number) => ({ 'X-Forwarded-For': `203.0.113.${n}` })

/** Counts what the store is asked to use up. */
function countUses(store: SecondFactorStore) {
  const uses = { advanceStep: 0, consumeRecoveryCode: 0 }
  for (const name of ['advanceStep', 'consumeRecoveryCode'] as const) {
    const real = store[name].bind(store) as (...given: never[]) => Promise<unknown>
    replace(store, name, (...given) => {
      uses[name] += 1
      return real(...given)
    })
  }
  return uses
}

async function statusesOf(count: number, ask: (i: number) => PromiseLike<{ status: number }>) {
  const statuses: number[] = []
  for (let i = 0; i < count; i += 1) statuses.push((await ask(i)).status)
  return statuses
}

const wrong = (count: number) => Array<number>(count).fill(401)

describe('whoever knows the password, and guesses codes', () => {
  it(
    'has ten judged in an hour of 1,000, from 20 addresses and 50 sessions, over every endpoint ' +
      'that takes one',
    async () => {
      const { host, token, secret, recoveryCodes } = await enrolled({
        ...behindProxy,
        options: {
          throttle: {
            account: { points: 10_000, duration: 900 },
            network: { points: 10_000, duration: 900 },
          },
        },
      })
      const tokens = [token]
      for (let i = 0; i < 49; i += 1) {
        tokens.push(
          (await logIn(host, { username: 'alice', password, code: codeOf(host, secret) }))
            .authToken,
        )
        host.clock.advance(30)
      }
      const uses = countUses(host.stores.secondFactors)
      judgements.count = 0
      const guess = (i: number) => {
        const code = i % 3 === 0 ? 'not-a-code' : wrongCode(host, secret)
        if (i % 2 === 0) return attempt(host, code, from(i % 20))
        const path = i % 4 === 1 ? disabling : regeneration
        return post(
          host,
          path,
          { password, code },
          { ...bearer(tokens[i % 50] as string), ...from(i % 20) },
        )
      }
      const statuses: number[] = []
      for (let i = 0; i < 1000; i += 50) {
        const answers = await Promise.all(Array.from({ length: 50 }, (_, k) => guess(i + k)))
        statuses.push(...answers.map(({ status }) => status))
      }
      expect(statuses.filter((status) => status === 401)).toHaveLength(10)
      expect(statuses.filter((status) => status === 429)).toHaveLength(990)
      expect(judgements.count + uses.consumeRecoveryCode).toBeLessThanOrEqual(10)
      expect(uses.advanceStep).toBe(0)
      expectNoSecrets(host, secret, ...recoveryCodes)
      // The support desk lets the user start again.
      await host.auth.secondFactors.reset('u-alice')
      expectAnswer(await attempt(host), 200)
    },
  )

  it('has another ten an hour later, and no more', async () => {
    const { host, secret } = await enrolled()
    vi.useFakeTimers({ toFake: ['Date'] })
    expect(await statusesOf(12, () => attempt(host, wrongCode(host, secret)))).toEqual([
      ...wrong(10),
      429,
      429,
    ])
    vi.setSystemTime(Date.now() + 3_599_000)
    expectAnswer(await attempt(host, codeOf(host, secret)), 429, 'too-many-requests')
    vi.setSystemTime(Date.now() + 2_000)
    expect(await statusesOf(11, () => attempt(host, wrongCode(host, secret)))).toEqual([
      ...wrong(10),
      429,
    ])
    vi.setSystemTime(Date.now() + 3_601_000)
    await expectUnharmed(host, codeOf(host, secret), secret)
  })

  it.each([disabling, regeneration])(
    'is counted at %s as at a login, in one counter',
    async (path) => {
      const { host, token, secret } = await enrolled()
      expect(await statusesOf(5, () => attempt(host, wrongCode(host, secret)))).toEqual(wrong(5))
      expect(await statusesOf(6, () => change(host, path, token, wrongCode(host, secret)))).toEqual(
        [...wrong(5), 429],
      )
      const limited = await change(host, path, token, codeOf(host, secret))
      expectAnswer(limited, 429, 'too-many-requests')
      expect(limited.headers['ratelimit-remaining']).toBe('0')
      expectAnswer(await attempt(host, codeOf(host, secret)), 429, 'too-many-requests')
      expect(await host.auth.secondFactors.status('u-alice')).toEqual({
        enabled: true,
        recoveryCodesLeft: 10,
      })
      await host.auth.secondFactors.reset('u-alice')
      await expectUnharmed(host, undefined, secret)
    },
  )

  it('is counted at the first code of a seed that waits', async () => {
    const { host, token, secret } = await enrolled()
    await change(host, disabling, token, codeOf(host, secret))
    const next = await begin(host, token)
    const guess = () => post(host, confirmation, { code: wrongCode(host, next) }, bearer(token))
    expect(await statusesOf(11, guess)).toEqual([...wrong(10), 429])
    expectAnswer(
      await post(host, confirmation, { code: codeOf(host, next) }, bearer(token)),
      429,
      'too-many-requests',
    )
    await expectUnharmed(host, undefined, secret, next)
  })

  it('cannot win time by right codes: of a change, those give back their own guess and no other', async () => {
    const { host, token, recoveryCodes, secret } = await enrolled()
    const [one, two, three] = recoveryCodes as [string, string, string]
    expect(await statusesOf(9, () => attempt(host, wrongCode(host, secret)))).toEqual(wrong(9))
    // Ten right codes at once would be more than the one that is left.
    const replaced = await change(host, regeneration, token, one)
    expectAnswer(replaced, 200)
    const [four] = replaced.body.data.recoveryCodes as [string]
    expect([two, three]).not.toContain(four)
    expectAnswer(await change(host, regeneration, token, codeOf(host, secret)), 200)
    expectAnswer(await attempt(host, wrongCode(host, secret)), 401, 'totp-invalid')
    host.clock.advance(30)
    expectAnswer(await attempt(host, codeOf(host, secret)), 429, 'too-many-requests')
    expectNoSecrets(host, secret, ...recoveryCodes)
  })

  it('is not counted where the limiter is out of reach: nothing is judged, 503', async () => {
    const limiter = (settings: ConstructorParameters<typeof RateLimiterMemory>[0]) => {
      const made = memoryLimiter(settings)
      if (settings.keyPrefix === 'mar-2fa')
        made.consume = async () => Promise.reject(new Error('redis is away'))
      return made
    }
    const host = await enrolledWithout({ options: { throttle: { limiter } } })
    judgements.count = 0
    expectAnswer(await attempt(host.host, host.code), 503, 'temporarily-unavailable')
    expectAnswer(await change(host.host, disabling, host.token, host.code), 401)
    expect(judgements.count).toBe(0)
  })
})

/** A host whose alice got her factor from elsewhere; the session `token` has ended with that. */
async function enrolledWithout(settings: HostSettings) {
  const host = await startHost(settings)
  const { authToken: token } = await logIn(host)
  await host.auth.secondFactors.importTotp({ userId: 'u-alice', secret: totpSecret })
  return { host, token, code: codeOf(host, totpSecret) }
}

describe('codes that are right, or are no guess', () => {
  it('do not use up the counter: a user may set up and switch off TOTP twenty times', async () => {
    const { host, token, secret } = await enrolled()
    expectAnswer(await change(host, disabling, token, codeOf(host, secret)), 200)
    for (let i = 0; i < 20; i += 1) {
      const next = await begin(host, token)
      expectAnswer(await post(host, confirmation, { code: codeOf(host, next) }, bearer(token)), 200)
      host.clock.advance(30)
      expectAnswer(await change(host, regeneration, token, codeOf(host, next)), 200)
      host.clock.advance(30)
      expectAnswer(await change(host, disabling, token, codeOf(host, next)), 200)
    }
    await expectUnharmed(host, undefined, secret)
  })

  it(
    'a stolen session without the password cannot shut its user out with codes for a seed that ' +
      'is not there',
    async () => {
      const { host, token, secret, recoveryCodes } = await enrolled()
      const send = (path: string) => () =>
        post(host, path, { password: 'wrong', code: '000000' }, bearer(token))
      expect(await statusesOf(15, send(confirmation))).toEqual(Array(15).fill(409))
      expect(await statusesOf(5, send(disabling))).toEqual(wrong(5))
      await expectUnharmed(host, codeOf(host, secret), secret, ...recoveryCodes)
    },
  )

  it('an enrolment that is over, or whose seed cannot be opened, is no guess either', async () => {
    const { host, token, secret } = await enrolled()
    await change(host, disabling, token, codeOf(host, secret))
    const next = await begin(host, token)
    host.clock.advance(600)
    const late = () => post(host, confirmation, { code: codeOf(host, next) }, bearer(token))
    expect(await statusesOf(12, late)).toEqual(Array(12).fill(409))
    const again = await begin(host, token)
    expectAnswer(await post(host, confirmation, { code: codeOf(host, again) }, bearer(token)), 200)
    host.clock.advance(30)
    await expectUnharmed(host, codeOf(host, again), secret, next, again)
  })
})

describe('whoever has stolen a session, and guesses the password', () => {
  const paths = [
    [totp, {}],
    [disabling, { code: '000000' }],
    [regeneration, { code: '000000' }],
  ] as const
  const guess = (host: TestHost, token: string, i: number, headers = {}) => {
    const [path, more] = paths[i % 3] as (typeof paths)[number]
    return post(host, path, { password: `guess ${i}`, ...more }, { ...bearer(token), ...headers })
  }

  it('has five tries in 15 minutes over all endpoints together, and then not even the right one', async () => {
    const { host, token, secret } = await enrolled()
    vi.useFakeTimers({ toFake: ['Date'] })
    expect(await statusesOf(8, (i) => guess(host, token, i))).toEqual([...wrong(5), 429, 429, 429])
    const limited = await change(host, disabling, token, codeOf(host, secret))
    expectAnswer(limited, 429, 'too-many-requests')
    expect(limited.body.details).toEqual({ retryAfter: 900 })
    vi.setSystemTime(Date.now() + 901_000)
    expectAnswer(await change(host, disabling, token, codeOf(host, secret)), 200)
    await expectUnharmed(host, undefined, secret, 'guess 1')
  })

  it('does not shut the user’s own logins out, nor is helped by them', async () => {
    const { host, token, secret } = await enrolled()
    expect(await statusesOf(6, (i) => guess(host, token, i))).toEqual([...wrong(5), 429])
    expectAnswer(await attempt(host, codeOf(host, secret)), 200)
    expectAnswer(await guess(host, token, 0), 429, 'too-many-requests')
    host.clock.advance(30)
    await expectUnharmed(host, codeOf(host, secret), secret)
  })

  it('is stopped at once in 50 guesses at a time', async () => {
    const { host, token, secret } = await enrolled()
    const answers = await Promise.all(Array.from({ length: 50 }, (_, i) => guess(host, token, i)))
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(5)
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(45)
    await expectUnharmed(host, codeOf(host, secret), secret)
  })

  it('burns no code and no recovery code of the user', async () => {
    const { host, token, secret, recoveryCodes } = await enrolled()
    const uses = countUses(host.stores.secondFactors)
    const code = codeOf(host, secret)
    for (const path of [disabling, regeneration]) {
      for (const good of [code, recoveryCodes[0] as string]) {
        expectAnswer(await change(host, path, token, good, 'wrong'), 401, 'Unauthorized')
      }
    }
    expect(uses).toEqual({ advanceStep: 0, consumeRecoveryCode: 0 })
    expect((await get(host, totp, bearer(token))).body.data).toEqual({
      enabled: true,
      recoveryCodesLeft: 10,
    })
    await expectUnharmed(host, recoveryCodes[0], secret)
    expectAnswer(await attempt(host, code), 200)
  })
})
