import { RateLimiterMemory } from 'rate-limiter-flexible'
import { describe, expect, it } from 'vitest'
import { createAuthRouter, type LimiterSettings, type ThrottleOptions } from '../../src/index.js'
import { identifierDigests } from '../../src/login/login-request.js'
import { totpCode } from '../../src/testing/testing.js'
import { post } from '../support/client.js'
import {
  cheapHasher,
  encryptionKey,
  password,
  passwordHash,
  startHost,
  type TestHost,
  totpSecret,
} from '../support/host.js'
import { memoryLimiter } from '../support/memory-limiter.js'

const login = async (host: TestHost, body: object) => {
  const { status, body: answer } = await post(host, '/login', body)
  return status === 200 ? 'in' : (answer.error as string)
}
const times = async (count: number, work: () => Promise<string>) => {
  const answers: string[] = []
  for (let i = 0; i < count; i += 1) answers.push(await work())
  return answers
}
const withFactor = async (throttle: ThrottleOptions = {}, passwords = cheapHasher) => {
  const host = await startHost({ options: { throttle, passwords } })
  await host.auth.secondFactors.importTotp({ userId: 'u-alice', secret: totpSecret })
  return host
}

describe('what a network has guessed', () => {
  it('is not wiped by a right login from it', async () => {
    const host = await startHost({
      options: { throttle: { network: { points: 3, duration: 900 } } },
    })
    const guess = () => login(host, { username: 'bob', password: 'wrong' })
    const right = () => login(host, { username: 'alice', password })
    expect(await times(2, guess)).toEqual(['Unauthorized', 'Unauthorized'])
    expect(await times(3, right)).toEqual(['in', 'in', 'in'])
    expect(await times(2, guess)).toEqual(['Unauthorized', 'too-many-requests'])
    // Who has signed in from there goes on; who has not waits, also with the right password.
    expect(await right()).toBe('in')
    host.users.add({ id: 'u-carol', username: 'carol', passwordHash })
    expect(await login(host, { username: 'carol', password })).toBe('too-many-requests')
  })
})

describe('a login that lacks its second factor', () => {
  it.each<[string, ThrottleOptions]>([
    ['account', { account: { points: 2, duration: 900 } }],
    ['network', { network: { points: 2, duration: 900 } }],
  ])('gives its slot back, as its password was right: %s', async (_name, throttle) => {
    const host = await withFactor(throttle)
    expect(await times(5, () => login(host, { username: 'alice', password }))).toEqual(
      Array<string>(5).fill('totp-required'),
    )
    expect(await login(host, { username: 'alice', password: 'wrong' })).toBe('Unauthorized')
    expect(await times(5, () => login(host, { username: 'alice', password }))).toEqual(
      Array<string>(5).fill('totp-required'),
    )
    expect(await login(host, { username: 'alice', password: 'wrong' })).toBe('Unauthorized')
    expect(await login(host, { username: 'alice', password: 'wrong' })).toBe('too-many-requests')
  })
})

/** A hasher that holds up the first so many passwords until it is told to go on. */
function holdingUp(count: number) {
  let left = count
  let reached = () => {}
  let goOn = () => {}
  const allHeld = new Promise<void>((resolve) => {
    reached = resolve
  })
  const released = new Promise<void>((resolve) => {
    goOn = resolve
  })
  const hasher = {
    ...cheapHasher,
    async verify(plain: string, hash: string) {
      if (left > 0) {
        left -= 1
        if (left === 0) reached()
        await released
      }
      return cheapHasher.verify(plain, hash)
    },
  }
  return { hasher, allHeld, goOn }
}

describe('a counter', () => {
  it(
    'never falls below nothing: slots that come back after it was cleared are no licence for ' +
      'more',
    async () => {
      const { hasher, allHeld, goOn } = holdingUp(4)
      const host = await withFactor({}, hasher)
      const inFlight = Promise.all(
        Array.from({ length: 4 }, () => login(host, { username: 'alice', password })),
      )
      await allHeld
      expect(
        await login(host, {
          username: 'alice',
          password,
          code: totpCode(totpSecret, host.clock()),
        }),
      ).toBe('in')
      goOn()
      expect(await inFlight).toEqual(Array<string>(4).fill('totp-required'))
      const guesses = await times(7, () => login(host, { username: 'alice', password: 'wrong' }))
      expect(guesses.filter((answer) => answer === 'Unauthorized')).toHaveLength(5)
      expect(guesses.slice(5)).toEqual(['too-many-requests', 'too-many-requests'])
    },
  )

  it('is never shared by two limits, even where one store keeps them all', async () => {
    const digest = identifierDigests([Buffer.from(encryptionKey, 'base64')])
    const accountKey = `${digest({ kind: 'username', value: 'eve' }).name}:127.0.0.1`
    // Users whose ids are what the other limits count by.
    for (const id of [accountKey, '127.0.0.1']) {
      const shared = memoryLimiter({ points: 1, duration: 900 }) as unknown as {
        _memoryStorage: unknown
      }
      const limiter = (settings: LimiterSettings) =>
        Object.assign(memoryLimiter(settings), { _memoryStorage: shared._memoryStorage })
      const host = await startHost({
        options: { throttle: { secondFactor: { points: 2, duration: 900 }, limiter } },
      })
      host.users.add({ id, username: 'eve', passwordHash })
      await host.auth.secondFactors.importTotp({ userId: id, secret: totpSecret })
      const guesses = await times(3, () =>
        login(host, { username: 'eve', password, code: 'wrong' }),
      )
      expect(guesses).toEqual(['totp-invalid', 'totp-invalid', 'too-many-requests'])
    }
  })

  it.each(['mar-login', 'mar-network', 'mar-2fa'])(
    'that fails with an error is an outage, whatever the error carries: %s',
    async (prefix) => {
      const failing = (settings: LimiterSettings) =>
        settings.keyPrefix === prefix
          ? {
              consume: () =>
                Promise.reject(
                  Object.assign(new Error('redis down'), {
                    msBeforeNext: 5000,
                    remainingPoints: 0,
                  }),
                ),
            }
          : {}
      const limiter = (settings: LimiterSettings) =>
        Object.assign(memoryLimiter(settings), failing(settings))
      const host = await withFactor({ limiter })
      const response = await post(host, '/login', { username: 'alice', password, code: '000000' })
      expect(response.status).toBe(503)
      expect(response.body.error).toBe('temporarily-unavailable')
      expect(host.events.map(({ type }) => type)).not.toContain('login.throttled')
    },
  )
})

const method = () => {}
/** What a second copy of rate-limiter-flexible in the same process exports. */
const AnotherCopy = {
  RateLimiterMemory: class RateLimiterMemory {
    readonly points = 1
    readonly duration = 30 * 24 * 3600
    readonly consume = method
    readonly penalty = method
    readonly reward = method
    readonly get = method
    readonly set = method
    readonly delete = method
  },
}

describe('throttle.limiter', () => {
  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['an empty object', {}],
    ['half a limiter', { consume: () => {}, reward: () => {} }],
    ...['consume', 'penalty', 'reward', 'get', 'set', 'delete'].map((name): [string, unknown] => [
      `a limiter without ${name}`,
      Object.assign(memoryLimiter({ points: 1, duration: 1 }), { [name]: undefined }),
    ]),
    [
      'one that forgets known networks at once',
      new RateLimiterMemory({ points: 1, duration: 30 * 24 * 3600 }),
    ],
    [
      'one of a class that extends it',
      new (class Ours extends RateLimiterMemory {})({ points: 1, duration: 30 * 24 * 3600 }),
    ],
    ['one of another copy of the package', new AnotherCopy.RateLimiterMemory()],
    ['a promise of one', Promise.resolve(memoryLimiter({ points: 1, duration: 1 }))],
  ])('that answers %s is refused at the start', async (_name, answer) => {
    const { users, stores } = await startHost()
    const signer = { sign: async () => 'x', verify: async () => ({}) as never }
    const options = {
      users,
      ...stores,
      signer,
      encryptionKeys: [encryptionKey],
      throttle: { limiter: () => answer as never },
    }
    expect(() => createAuthRouter(options)).toThrow(
      expect.objectContaining({
        name: 'AuthConfigError',
        option: 'throttle.limiter',
        remedy: expect.stringMatching(/\w/),
      }),
    )
  })
})
