import { afterEach, describe, expect, it, vi } from 'vitest'
import { type Command, type Count, memoryCounter } from '../../src/throttle/counter.js'

afterEach(() => vi.useRealTimers())

const settings = { keyPrefix: 'test', points: 2, duration: 60 }
const month = 30 * 86_400
const pass = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000)

function counting(limits: Partial<typeof settings> = {}, maxKeys?: number) {
  const counter = memoryCounter({ ...settings, ...limits }, maxKeys)
  const run = (what: Command['do'], key = 'key', more: Partial<Command> = {}) =>
    counter.run({ do: what, of: counter, key, ...more }) as Count
  const consumedOf = (key = 'key') => run('get', key).consumed
  return { counter, run, consumedOf }
}

describe('a counter in memory', () => {
  it('forgets the least recently used key beyond its cap, and no other', () => {
    const { run, consumedOf } = counting({}, 3)
    for (const key of ['a', 'b', 'c', 'a', 'd']) run('take', key)
    expect(['a', 'b', 'c', 'd'].map(consumedOf)).toEqual([2, 0, 1, 1])
  })

  it('takes a refused attempt for a use of its key', () => {
    const { run, consumedOf } = counting({ points: 1 }, 2)
    for (const key of ['a', 'b', 'a', 'c']) run('take', key)
    expect(['a', 'b', 'c'].map(consumedOf)).toEqual([1, 0, 1])
  })

  it('holds no more keys than its cap, whatever comes', () => {
    const { counter, run } = counting({ duration: month }, 100)
    for (let i = 0; i < 1000; i += 1) run('take', `key${i}`)
    expect(counter.size).toBe(100)
  })

  it('lets go of what has ended before it lets go of anything else', () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const { run, consumedOf } = counting({}, 4)
    run('set', 'pause', { points: 9, seconds: 3600 })
    for (const key of ['a', 'b', 'c']) run('take', key)
    pass(61)
    for (const key of ['d', 'e', 'd']) run('take', key)
    expect(['pause', 'a', 'd'].map(consumedOf)).toEqual([9, 0, 2])
  })

  it.each([60, month])('counts for a window of %i seconds, and then from one again', (duration) => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const { run, consumedOf } = counting({ duration })
    const end = Date.now() + duration * 1000
    expect(run('take')).toEqual({
      consumed: 1,
      allowed: true,
      remaining: 1,
      seconds: duration,
      endsAt: end,
    })
    pass(duration - 1)
    expect(run('take')).toMatchObject({ consumed: 2, allowed: true, remaining: 0, seconds: 1 })
    expect(run('take')).toMatchObject({ allowed: false, remaining: 0, seconds: 1, endsAt: end })
    pass(1)
    expect(consumedOf()).toBe(0)
    expect(run('take')).toMatchObject({ consumed: 1, allowed: true, remaining: 1 })
  })

  it('rounds the seconds that are left up', () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const { run } = counting()
    run('take')
    pass(0.001)
    expect(run('take').seconds).toBe(60)
  })

  it('sets a key for 30 days, anew each time, and no timer of Node’s overflows', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const warnings: string[] = []
    const onWarning = (warning: Error) => void warnings.push(warning.name)
    process.on('warning', onWarning)
    const { run, consumedOf } = counting({ duration: 2 * month })
    run('set', 'key', { points: 3, seconds: 10 })
    run('set', 'key', { points: 1, seconds: month })
    await new Promise((resolve) => setTimeout(resolve, 20))
    process.off('warning', onWarning)
    expect(warnings).toEqual([])
    pass(month - 1)
    expect(consumedOf()).toBe(1)
    pass(1)
    expect(consumedOf()).toBe(0)
  })

  it('counts up beyond its limit, and is emptied for one caller', () => {
    const { run, consumedOf } = counting()
    expect(run('add', 'key', { points: 3 })).toMatchObject({ consumed: 3, remaining: 0 })
    expect(run('add').consumed).toBe(4)
    expect([run('clear').consumed, run('clear').consumed]).toEqual([4, 0])
    expect(consumedOf()).toBe(0)
    expect(run('take').consumed).toBe(1)
  })

  it('gives back no more than was taken', () => {
    const { run, consumedOf } = counting()
    run('take')
    expect(run('giveBack', 'key', { points: 3 }).consumed).toBe(0)
    expect(run('giveBack', 'another').consumed).toBe(0)
    for (const allowed of [true, true, false]) expect(run('take').allowed).toBe(allowed)
    expect(run('giveBack').consumed).toBe(1)
    expect(consumedOf()).toBe(1)
  })

  it('tells who withdraws how many of them were there, until the key is cleared', () => {
    const { run } = counting()
    run('add', 'key', { points: 3 })
    expect(run('withdraw', 'key', { points: 2 }).consumed).toBe(1)
    expect(run('withdraw', 'key', { points: 2 }).consumed).toBe(-1)
    expect(run('giveBack').consumed).toBe(-1)
    expect(run('add').consumed).toBe(0)
  })

  it('keeps nothing of what was given back, so that attempts which cost no hash push nobody out', () => {
    const { counter, run, consumedOf } = counting({}, 3)
    run('take', 'wrong')
    for (let i = 0; i < 10; i += 1) {
      run('take', `refunded${i}`)
      expect(run('giveBack', `refunded${i}`).consumed).toBe(0)
    }
    expect([counter.size, consumedOf('wrong')]).toEqual([1, 1])
  })
})

describe('the windows of a counter in memory', () => {
  const many = (run: (what: 'take', key: string) => unknown, count: number) => {
    for (let i = 0; i < count; i += 1) run('take', `key${i}`)
  }

  it('are swept out once they have ended, although nobody comes again, and leave no timer behind', () => {
    vi.useFakeTimers()
    const { counter, run } = counting()
    many(run, 3)
    vi.advanceTimersByTime(59_999)
    expect(counter.size).toBe(3)
    vi.advanceTimersByTime(1)
    expect(counter.size).toBe(0)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('are swept out 5,000 at a time, so that no request waits for all of them', () => {
    vi.useFakeTimers()
    const { counter, run } = counting()
    many(run, 12_000)
    const sizes = [60_000, 1000, 1000, 1000].map((milliseconds) => {
      vi.advanceTimersByTime(milliseconds)
      return counter.size
    })
    expect(sizes).toEqual([7000, 2000, 0, 0])
  })

  it('are looked through once in their duration, as long as none has ended', () => {
    vi.useFakeTimers()
    const { counter, run } = counting()
    run('take', 'key')
    vi.advanceTimersByTime(50_000)
    run('set', 'key')
    // It ends at 110 s: not at the sweep after 60 s, and the next one comes after 120 s.
    vi.advanceTimersByTime(69_999)
    expect(counter.size).toBe(1)
    vi.advanceTimersByTime(1)
    expect(counter.size).toBe(0)
  })

  it('of 30 days are swept out no sooner than they have ended, with one timer for all of them', () => {
    vi.useFakeTimers()
    const { counter, run } = counting({ duration: month })
    many(run, 5)
    expect(vi.getTimerCount()).toBe(1)
    vi.advanceTimersByTime(month * 1000 - 1)
    expect(counter.size).toBe(5)
    vi.advanceTimersByTime(month * 1000)
    expect(counter.size).toBe(0)
  })
})
