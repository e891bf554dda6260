import { type RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible'
import { describe, expect, it, vi } from 'vitest'
import { AuthError } from '../../src/errors.js'
import { type Counter, createCounter } from '../../src/throttle/counter.js'
import { createKnownNetworks } from '../../src/throttle/known-networks.js'
import { createCounters } from '../../src/throttle/limits.js'
import { createSecondFactorLimits } from '../../src/throttle/second-factor-limits.js'
import { memoryLimiter } from '../support/memory-limiter.js'

const settings = { keyPrefix: 'test', points: 2, duration: 60 }
const atOnce = async <T>(_name: string, work: () => T | Promise<T>) => work()

/** A counter over a limiter of which some methods were replaced, and the names of its failures. */
function counterWith(
  methods: Partial<
    Record<'consume' | 'penalty' | 'reward' | 'get' | 'set' | 'delete', () => Promise<unknown>>
  >,
) {
  const failures: string[] = []
  const limiter = Object.assign(memoryLimiter(settings), methods) as RateLimiterAbstract
  const counter = createCounter({ limiter: () => limiter }, settings, (name, work) =>
    Promise.resolve()
      .then(work)
      .catch((error: unknown) => {
        failures.push(`${name}: ${String(error)}`)
        throw error
      }),
  )
  return { counter, failures }
}

describe('a counter that fails', () => {
  const down = () => Promise.reject(new RangeError('down'))
  it.each<[string, Parameters<typeof counterWith>[0], (counter: Counter) => Promise<unknown>]>([
    ['throttle.take', { consume: down }, (counter) => counter.take('key')],
    ['throttle.refund', { reward: down }, (counter) => counter.giveBack('key')],
    ['throttle.refund', { penalty: down }, (counter) => counter.giveBack('key')],
    ['throttle.get', { get: down }, (counter) => counter.valueOf('key')],
    ['throttle.add', { penalty: down }, (counter) => counter.add('key')],
    [
      'throttle.clear',
      { delete: down },
      (counter) => counter.add('key').then(() => counter.collect('key')),
    ],
    ['throttle.set', { set: down }, (counter) => counter.set('key', 1, 60)],
    ['throttle.clear', { delete: down }, (counter) => counter.forget('key')],
  ])('is reported as %s, by its own error', async (operation, methods, use) => {
    const { counter, failures } = counterWith(methods)
    await use(counter).catch(() => undefined)
    expect(failures).toEqual([`${operation}: RangeError: down`])
  })

  it('at once, before it has made a promise, is reported like any other', async () => {
    const { counter, failures } = counterWith({
      consume: () => {
        throw new RangeError('down')
      },
    })
    await expect(counter.take('key')).rejects.toThrow('down')
    expect(failures).toEqual(['throttle.take: RangeError: down'])
  })
})

describe('a counter', () => {
  it('gives nothing back for a refusal that was not counted, as it would be a licence for more', async () => {
    const reward = vi.fn(async () => new RateLimiterRes(0, 1000, 1))
    const { counter } = counterWith({
      consume: () => Promise.reject(new RateLimiterRes(0, 1000, 2)),
      reward,
    })
    expect(await counter.take('key')).toMatchObject({ allowed: false, remaining: 0, seconds: 1 })
    expect(reward).not.toHaveBeenCalled()
  })

  it('takes undefined for a key that is not there, as some limiters answer', async () => {
    const { counter } = counterWith({ get: async () => undefined })
    expect(await counter.valueOf('key')).toBe(0)
  })
})

describe('what is given back', () => {
  it('is never more than was taken: a later window keeps what others have failed in it', async () => {
    const { counter } = counterWith({})
    await counter.giveBack('key', 3)
    expect(await counter.valueOf('key')).toBe(0)
    await counter.take('key')
    await Promise.all([counter.giveBack('key'), counter.giveBack('key'), counter.take('key')])
    expect(await counter.valueOf('key')).toBeGreaterThanOrEqual(0)
    const [one, two, three] = await Promise.all([
      counter.take('key'),
      counter.take('key'),
      counter.take('key'),
    ])
    expect([one, two, three].filter(({ allowed }) => allowed).length).toBeLessThanOrEqual(2)
  })
})

describe('what was refused', () => {
  it('is not given back where the window may be over before it arrives', async () => {
    const reward = vi.fn(async () => new RateLimiterRes(0, 1000, 1))
    const ending = counterWith({
      consume: () => Promise.reject(new RateLimiterRes(0, 1900, 3)),
      reward,
    })
    expect(await ending.counter.take('key')).toMatchObject({ allowed: false, seconds: 2 })
    expect(reward).not.toHaveBeenCalled()
    const running = counterWith({
      consume: () => Promise.reject(new RateLimiterRes(0, 9000, 3)),
      reward,
    })
    await running.counter.take('key')
    expect(reward).toHaveBeenCalledTimes(1)
  })
})

describe('the slot of a second-factor code', () => {
  it('comes back when what it was for fails, as that is no wrong code', async () => {
    const counters = createCounters({}, 60, atOnce)
    const keyOf = (...parts: readonly string[]) => parts.join('|')
    const knownNetworks = createKnownNetworks(counters, keyOf)
    const reportLimit = () => new AuthError('too-many-requests')
    const slots = createSecondFactorLimits({ counters, keyOf, knownNetworks, reportLimit })
    const attempt = { userId: 'u-alice', place: 'login' } as const
    const context = { ip: null, userAgent: null, requestId: null }
    const failing = () =>
      slots.withSecondFactorSlot(attempt, context, () => Promise.reject(new Error('down')))
    for (let i = 0; i < 15; i += 1) await expect(failing()).rejects.toThrow('down')
    expect(await slots.withSecondFactorSlot(attempt, context, async () => 'judged')).toBe('judged')
    expect(await counters.codesPerUser.valueOf('second-factor|u-alice')).toBe(1)
    expect(await counters.codesUntilSignIn.valueOf('second-factor-total|u-alice')).toBe(1)
    expect(await counters.codesPerUser.valueOf('enrolment|u-alice')).toBe(0)
  })
})
