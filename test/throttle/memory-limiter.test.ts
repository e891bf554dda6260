import { afterEach, describe, expect, it, vi } from 'vitest'
import { memoryLimiter } from '../../src/throttle/memory-limiter.js'

afterEach(() => vi.useRealTimers())

const settings = { keyPrefix: 'test', points: 2, duration: 60 }
const month = 30 * 86_400
const pass = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000)
const consumedOf = async (limiter: ReturnType<typeof memoryLimiter>, key: string) =>
  (await limiter.get(key))?.consumedPoints ?? null

describe('a counter in memory', () => {
  it('forgets the least recently used key beyond its cap, and no other', async () => {
    const limiter = memoryLimiter(settings, 3)
    for (const key of ['a', 'b', 'c', 'a', 'd']) await limiter.consume(key)
    expect(await Promise.all(['a', 'b', 'c', 'd'].map((key) => consumedOf(limiter, key)))).toEqual([
      2,
      null,
      1,
      1,
    ])
  })

  it('holds no more keys than its cap, whatever comes', async () => {
    const limiter = memoryLimiter({ ...settings, duration: month }, 100)
    for (let i = 0; i < 1000; i += 1) await limiter.consume(`key${i}`)
    const left = await Promise.all(
      Array.from({ length: 1000 }, (_none, i) => consumedOf(limiter, `key${i}`)),
    )
    expect(left.filter((consumed) => consumed !== null)).toHaveLength(100)
  })

  it('lets go of what has ended before it lets go of anything else', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const limiter = memoryLimiter(settings, 4)
    await limiter.set('pause', 9, 3600)
    for (const key of ['a', 'b', 'c']) await limiter.consume(key)
    pass(61)
    await limiter.get('pause')
    for (const key of ['d', 'e', 'd']) await limiter.consume(key)
    expect(await consumedOf(limiter, 'a')).toBe(null)
    expect(await consumedOf(limiter, 'd')).toBe(2)
  })

  it.each([60, month])(
    'counts for a window of %i seconds, and then from one again',
    async (duration) => {
      vi.useFakeTimers({ toFake: ['Date'] })
      const limiter = memoryLimiter({ ...settings, duration })
      await limiter.consume('key')
      await new Promise((resolve) => setTimeout(resolve, 5))
      pass(duration - 1)
      expect(await limiter.consume('key')).toMatchObject({ consumedPoints: 2, remainingPoints: 0 })
      const refusal = limiter.consume('key')
      await expect(refusal).rejects.toMatchObject({ consumedPoints: 3 })
      const { msBeforeNext } = await refusal.catch((error: { msBeforeNext: number }) => error)
      expect(msBeforeNext).toBeGreaterThan(900)
      expect(msBeforeNext).toBeLessThanOrEqual(1000)
      pass(1.1)
      expect(await consumedOf(limiter, 'key')).toBe(null)
      expect(await limiter.consume('key')).toMatchObject({ consumedPoints: 1 })
    },
  )

  it('sets a key for 30 days, after short ones too, and no timer of Node’s overflows', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    const warnings: string[] = []
    const onWarning = (warning: Error) => void warnings.push(warning.name)
    process.on('warning', onWarning)
    const limiter = memoryLimiter(settings)
    await limiter.set('key', 1, 10)
    await limiter.set('key', 1, month)
    await new Promise((resolve) => setTimeout(resolve, 20))
    process.off('warning', onWarning)
    expect(warnings).toEqual([])
    pass(month - 1)
    expect(await consumedOf(limiter, 'key')).toBe(1)
    pass(2)
    expect(await consumedOf(limiter, 'key')).toBe(null)
  })

  it('counts up, down and not at all', async () => {
    const limiter = memoryLimiter(settings)
    expect(await limiter.penalty('key', 3)).toMatchObject({ consumedPoints: 3 })
    expect(await limiter.reward('key', 1)).toMatchObject({ consumedPoints: 2 })
    await limiter.delete('key')
    expect(await limiter.get('key')).toBe(null)
    expect(await limiter.consume('key')).toMatchObject({ consumedPoints: 1 })
  })

  it('keeps nothing of what was given back, so that attempts which cost no hash push nobody out', async () => {
    const limiter = memoryLimiter(settings, 3)
    await limiter.consume('wrong')
    for (let i = 0; i < 10; i += 1) {
      await limiter.consume(`refunded${i}`)
      expect(await limiter.reward(`refunded${i}`)).toMatchObject({ consumedPoints: 0 })
      expect(await limiter.get(`refunded${i}`)).toBe(null)
    }
    expect(await consumedOf(limiter, 'wrong')).toBe(1)
  })

  it('does not forget a point that is taken while another comes back', async () => {
    const limiter = memoryLimiter(settings)
    await limiter.consume('key')
    await Promise.all([limiter.reward('key'), limiter.consume('key')])
    expect(await consumedOf(limiter, 'key')).toBe(1)
  })

  it('gives out no point twice to callers at once, at the moment a window ends too', async () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    for (const duration of [60, month]) {
      const limiter = memoryLimiter({ ...settings, duration })
      await limiter.consume('key', 2)
      pass(duration)
      const results = await Promise.allSettled(
        Array.from({ length: 20 }, () => limiter.consume('key')),
      )
      expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(2)
    }
  })
})
