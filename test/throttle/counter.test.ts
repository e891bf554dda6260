import { type RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible'
import { describe, expect, it, vi } from 'vitest'
import { AuthError } from '../../src/errors.js'
import { createHostCall } from '../../src/lib/host-call.js'
import { type Command, type Count, createAsk, createCounter } from '../../src/throttle/counter.js'
import { createKnownNetworks, type NetworkLimitsKit } from '../../src/throttle/known-networks.js'
import { createCounters } from '../../src/throttle/limits.js'
import { createSecondFactorLimits } from '../../src/throttle/second-factor-limits.js'
import { kitOf } from '../support/kit-of.js'
import { memoryLimiter } from '../support/memory-limiter.js'

const settings = { keyPrefix: 'test', points: 2, duration: 60 }
type Methods = Partial<
  Record<'consume' | 'penalty' | 'reward' | 'get' | 'set' | 'delete', () => Promise<unknown>>
>

/** A counter over a limiter of which some methods were replaced, and what its failures are. */
function counterWith(methods: Methods, timeLimit = 2000) {
  const failures: string[] = []
  const limiter = Object.assign(memoryLimiter(settings), methods) as RateLimiterAbstract
  const of = createCounter({ limiter: () => limiter }, settings)
  const call = createHostCall(timeLimit, ({ operation, error }) => {
    failures.push(`${operation}: ${error}`)
  })
  const ask = createAsk(call)
  const all = (...whats: Partial<Command>[]) =>
    ask(whats.map((what) => ({ do: 'take', of, key: 'key', ...what }) as Command))
  const one = async (what: Command['do'], points?: number) =>
    (await all({ do: what, ...(points === undefined ? {} : { points }) }))[0] as Count
  return { all, one, failures }
}

describe('a counter that fails', () => {
  const down = () => Promise.reject(new RangeError('down'))
  it.each<[string, Methods, Command['do']]>([
    ['throttle.take', { consume: down }, 'take'],
    ['throttle.refund', { reward: down }, 'giveBack'],
    ['throttle.refund', { penalty: down }, 'giveBack'],
    ['throttle.refund', { reward: down }, 'withdraw'],
    ['throttle.get', { get: down }, 'get'],
    ['throttle.add', { penalty: down }, 'add'],
    ['throttle.set', { set: down }, 'set'],
    ['throttle.clear', { delete: down }, 'clear'],
  ])('is reported as %s, by its own error', async (operation, methods, what) => {
    const { one, failures } = counterWith(methods)
    expect(await one(what)).toEqual({ failure: expect.any(AuthError) })
    expect(failures).toEqual([`${operation}: RangeError`])
  })

  it('at once, before it has made a promise, is reported like any other', async () => {
    const { one, failures } = counterWith({
      consume: () => {
        throw new RangeError('down')
      },
    })
    expect(await one('take')).toEqual({ failure: expect.any(AuthError) })
    expect(failures).toEqual(['throttle.take: RangeError'])
  })

  it('leaves the answers of those that were asked with it as they are', async () => {
    const { all, failures } = counterWith({ get: down })
    const answers = await all({ do: 'take' }, { do: 'get' }, { do: 'take' })
    expect(answers).toMatchObject([{ consumed: 1 }, { failure: {} }, { consumed: 2 }])
    expect(failures).toEqual(['throttle.get: RangeError'])
  })

  it('by its silence costs one time limit for all, and what has answered counts', async () => {
    const { all, failures } = counterWith({ get: () => new Promise(() => {}) }, 20)
    const answers = await all({ do: 'take' }, { do: 'get' }, { do: 'get' })
    expect(answers).toMatchObject([{ consumed: 1 }, { failure: {} }, { failure: {} }])
    expect(failures).toHaveLength(1)
  })
})

describe('a counter', () => {
  it('gives nothing back for a refusal that was not counted, as it would be a licence for more', async () => {
    const reward = vi.fn(async () => new RateLimiterRes(0, 1000, 1))
    const { one } = counterWith({
      consume: () => Promise.reject(new RateLimiterRes(0, 9000, 2)),
      reward,
    })
    expect(await one('take')).toMatchObject({ allowed: false, remaining: 0, seconds: 9 })
    expect(reward).not.toHaveBeenCalled()
  })

  it('takes undefined for a key that is not there, as some limiters answer', async () => {
    const { one } = counterWith({ get: async () => undefined })
    expect((await one('get')).consumed).toBe(0)
  })
})

describe('what is given back', () => {
  it('is never more than was taken: a later window keeps what others have failed in it', async () => {
    const { all, one } = counterWith({})
    await one('giveBack', 3)
    expect((await one('get')).consumed).toBe(0)
    await one('take')
    await all({ do: 'giveBack' }, { do: 'giveBack' }, { do: 'take' })
    expect((await one('get')).consumed).toBeGreaterThanOrEqual(0)
    const three = (await all({}, {}, {})) as Count[]
    expect(three.filter(({ allowed }) => allowed).length).toBeLessThanOrEqual(2)
  })
})

describe('what was refused', () => {
  it('is not given back where the window may be over before it arrives', async () => {
    const reward = vi.fn(async () => new RateLimiterRes(0, 1000, 1))
    const ending = counterWith({
      consume: () => Promise.reject(new RateLimiterRes(0, 1900, 3)),
      reward,
    })
    expect(await ending.one('take')).toMatchObject({ allowed: false, seconds: 2 })
    expect(reward).not.toHaveBeenCalled()
    const running = counterWith({
      consume: () => Promise.reject(new RateLimiterRes(0, 9000, 3)),
      reward,
    })
    await running.one('take')
    expect(reward).toHaveBeenCalledTimes(1)
  })
})

describe('the slot of a second-factor code', () => {
  it('comes back when what it was for fails, as that is no wrong code', async () => {
    const counters = createCounters({}, 60)
    const keyOf = (...parts: readonly string[]) => parts.join('|')
    const ask = createAsk(createHostCall(2000, () => undefined))
    const knownNetworks = createKnownNetworks(counters, keyOf, ask, async ({ remember }) => [
      remember,
    ])
    const reportLimit = () => new AuthError('too-many-requests')
    const kit = kitOf<NetworkLimitsKit>({ counters, keyOf, ask, knownNetworks, reportLimit })
    const slots = createSecondFactorLimits(kit)
    const attempt = { userId: 'u-alice', place: 'login' } as const
    const context = { ip: null, userAgent: null, requestId: null }
    const failing = () =>
      slots.withSecondFactorSlot(attempt, context, () => Promise.reject(new Error('down')))
    for (let i = 0; i < 15; i += 1) await expect(failing()).rejects.toThrow('down')
    expect(await slots.withSecondFactorSlot(attempt, context, async () => 'judged')).toBe('judged')
    const { codesPerUser, codesUntilSignIn } = counters
    const standing = await ask([
      { do: 'get', of: codesPerUser, key: 'account|u-alice' },
      { do: 'get', of: codesUntilSignIn, key: 'account|u-alice' },
      { do: 'get', of: codesPerUser, key: 'account|u-alice.enrolment' },
    ])
    expect(standing).toMatchObject([{ consumed: 1 }, { consumed: 1 }, { consumed: 0 }])
  })
})
