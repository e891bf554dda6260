import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { keyWindows } from '../../src/throttle/memory-limiter.js'

beforeEach(() => vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

const namesOf = (count: number) => Array.from({ length: count }, (_none, i) => `key${i}`)

describe('the windows of keys', () => {
  it('are swept out once they have ended, although nobody comes again, and leave no timer behind', () => {
    const forgotten: string[] = []
    const windows = keyWindows(10, 60, (key) => void forgotten.push(key))
    for (const key of namesOf(3)) windows.use(key, 60, false)
    vi.advanceTimersByTime(59_999)
    expect(forgotten).toEqual([])
    vi.advanceTimersByTime(1)
    expect(forgotten).toEqual(namesOf(3))
    expect(namesOf(3).map(windows.endOf)).toEqual([0, 0, 0])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('are swept out 5,000 at a time, so that no request waits for all of them', () => {
    let forgotten = 0
    const windows = keyWindows(20_000, 60, () => {
      forgotten += 1
    })
    for (const key of namesOf(12_000)) windows.use(key, 60, false)
    const counts = [60_000, 1000, 1000, 1000].map((milliseconds) => {
      vi.advanceTimersByTime(milliseconds)
      return forgotten
    })
    expect(counts).toEqual([5000, 10_000, 12_000, 12_000])
  })

  it('of 30 days are swept out no sooner than they have ended, with one timer for all of them', () => {
    const month = 30 * 86_400
    const forgotten: string[] = []
    const windows = keyWindows(10, month, (key) => void forgotten.push(key))
    for (const key of namesOf(5)) windows.use(key, month, false)
    expect(vi.getTimerCount()).toBe(1)
    vi.advanceTimersByTime(month * 1000 - 1)
    expect(forgotten).toEqual([])
    vi.advanceTimersByTime(month * 1000)
    expect(forgotten.toSorted()).toEqual(namesOf(5))
  })

  it('go on with the next use, but for one that begins anew', () => {
    const windows = keyWindows(10, 60, () => undefined)
    const began = Date.now()
    windows.use('key', 60, false)
    vi.advanceTimersByTime(30_000)
    windows.use('key', 60, false)
    expect([windows.endOf('key'), windows.usesOf('key')]).toEqual([began + 60_000, 2])
    windows.use('key', 60, true)
    expect([windows.endOf('key'), windows.usesOf('key')]).toEqual([began + 90_000, 3])
  })
})
