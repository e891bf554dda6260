import { describe, expect, it } from 'vitest'
import { boundedCache } from '../../src/lib/bounded-cache.js'

const at = (seconds: number) => new Date(seconds * 1000)

describe('a bounded cache', () => {
  it('holds no more than was set within its time, whoever asks again', () => {
    const cache = boundedCache<number>(1000, 5)
    for (let second = 0; second < 100; second += 1) cache.set(`key-${second}`, second, at(second))
    expect(cache.size).toBe(5)
    expect([cache.get('key-95', at(99)), cache.get('key-94', at(99))]).toEqual([95, undefined])
  })

  it('makes room for the newest when it is full', () => {
    const cache = boundedCache<number>(3, 60)
    for (let i = 0; i < 5; i += 1) cache.set(`key-${i}`, i, at(0))
    expect([0, 1, 2, 3, 4].map((i) => cache.get(`key-${i}`, at(1)))).toEqual([
      undefined,
      undefined,
      2,
      3,
      4,
    ])
  })

  it('keeps what was set before its clock was set back, without answering it', () => {
    const cache = boundedCache<number>(10, 5)
    cache.set('old', 1, at(100))
    cache.set('new', 2, at(50))
    expect([cache.get('new', at(51)), cache.get('old', at(51))]).toEqual([2, undefined])
  })
})
