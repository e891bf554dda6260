import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { describe, expect, it, vi } from 'vitest'
import { type Counter, createCounter } from '../../src/throttle/counter.js'
import { createCounters } from '../../src/throttle/counters.js'
import { giveBackFailures } from '../../src/throttle/failures.js'
import { loginKeys } from '../../src/throttle/login-keys.js'
import { createSecondFactorSlots } from '../../src/throttle/second-factor-slots.js'

const settings = { keyPrefix: 'test', points: 2, duration: 60 }
const atOnce = async <T>(_name: string, work: () => T | Promise<T>) => work()
const keys = loginKeys((...parts) => parts.join('|'), { name: 'alice', exact: 'alice' }, '203.0.113.7')

/** A counter over a limiter of which some methods were replaced, and the names of its failures. */
function counterWith(
  methods: Partial<Record<'consume' | 'penalty' | 'reward' | 'get' | 'set' | 'delete', () => Promise<unknown>>>,
) {
  const failures: string[] = []
  const limiter = Object.assign(new RateLimiterMemory(settings), methods) as RateLimiterAbstract
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
    ['throttle.get', { get: down }, (counter) => counter.has('key')],
    ['throttle.get', { get: down }, (counter) => counter.secondsLeft('key')],
    ['throttle.add', { penalty: down }, (counter) => counter.add('key')],
    ['throttle.set', { set: down }, (counter) => counter.set('key', 1, 60)],
    ['throttle.clear', { delete: down }, (counter) => counter.forget('key')],
    ['throttle.clear', { delete: down }, (counter) => counter.take('key').then(() => counter.collect('key'))],
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
    const { counter } = counterWith({ consume: () => Promise.reject(new RateLimiterRes(0, 1000, 2)), reward })
    expect(await counter.take('key')).toMatchObject({ allowed: false, remaining: 0, seconds: 1 })
    expect(reward).not.toHaveBeenCalled()
  })

  it('takes undefined for a key that is not there, as some limiters answer', async () => {
    const { counter } = counterWith({ get: async () => undefined })
    expect([await counter.has('key'), await counter.secondsLeft('key'), await counter.collect('key')]).toEqual([false, 0, 0])
  })

  it('deletes nothing where there is nothing to collect', async () => {
    const remove = vi.fn(async () => true)
    const { counter } = counterWith({ delete: remove })
    expect(await counter.collect('key')).toBe(0)
    expect(remove).not.toHaveBeenCalled()
  })
})

describe('a complete sign-in', () => {
  async function afterFailures(onThisAccount: number, onAnother: number) {
    const counters = createCounters({}, atOnce)
    for (let i = 0; i < onThisAccount; i += 1) await counters.against.add(keys.against('account', 'u-alice'))
    for (let i = 0; i < onAnother; i += 1) await counters.against.add(keys.against('account', 'u-bob'))
    await counters.paused.set(keys.account, 1, 900)
    await giveBackFailures(counters, keys, 'u-alice')
    return counters.paused.has(keys.account)
  }

  it('lifts the pause that began while its password was judged, if its account alone has made it begin', async () => {
    expect(await afterFailures(5, 0)).toBe(false)
    expect(await afterFailures(6, 0)).toBe(false)
  })

  it('leaves a pause to which guesses at another account of the name have led', async () => {
    expect(await afterFailures(4, 1)).toBe(true)
    expect(await afterFailures(0, 5)).toBe(true)
  })

  it('with nothing against it gives nothing back', async () => {
    const counters = createCounters({}, atOnce)
    const { account, wrong, knownNetwork, unknownNetworks } = counters
    const givingBack = [account, wrong, knownNetwork, unknownNetworks].map((counter) => vi.spyOn(counter, 'giveBack'))
    await giveBackFailures(counters, keys, 'u-alice')
    for (const giveBack of givingBack) expect(giveBack).not.toHaveBeenCalled()
  })
})

describe('the slot of a second-factor code', () => {
  it('comes back when what it was for fails, as that is no wrong code', async () => {
    const counter = createCounter({}, settings, atOnce)
    const slots = createSecondFactorSlots(
      counter,
      (...parts) => parts.join('|'),
      () => {
        throw new Error('refused')
      },
    )
    const attempt = { userId: 'u-alice', enrolling: false }
    const context = { ip: null, userAgent: null, requestId: null }
    const failing = () => slots.withSecondFactorSlot(attempt, context, () => Promise.reject(new Error('down')))
    for (let i = 0; i < 5; i += 1) await expect(failing()).rejects.toThrow('down')
    expect(await slots.withSecondFactorSlot(attempt, context, async () => 'judged')).toBe('judged')
    expect(await counter.has('second-factor|u-alice')).toBe(true)
    expect(await counter.has('enrolment|u-alice')).toBe(false)
  })
})
