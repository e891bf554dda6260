import { afterEach, describe, expect, it, vi } from 'vitest'
import type { LimiterSettings } from '../../src/index.js'
import { guess, guessedAt, right, statusesOf } from '../support/guessing.js'
import { memoryLimiter } from '../support/memory-limiter.js'

afterEach(() => vi.useRealTimers())

const wait = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000)
const fakeDate = () => vi.useFakeTimers({ toFake: ['Date'] })

describe('after five wrong passwords', () => {
  it(
    'a name waits in that network until the window ends, as long each time, and has five fresh ' +
      'tries after it',
    async () => {
      const host = await guessedAt()
      fakeDate()
      for (let round = 0; round < 4; round += 1) {
        expect((await guess(host)).status).toBe(401)
        wait(100)
        expect(await statusesOf(4, () => guess(host))).toEqual([401, 401, 401, 401])
        const refused = await right(host)
        expect([refused.status, refused.headers['retry-after'], refused.body.details]).toEqual([
          429,
          '800',
          { retryAfter: 800 },
        ])
        wait(799)
        expect((await right(host)).status).toBe(429)
        wait(2)
      }
      expect((await right(host)).status).toBe(200)
    },
  )

  it('of two windows nothing adds up: four, and later four more', async () => {
    const host = await guessedAt()
    fakeDate()
    for (let window = 0; window < 3; window += 1) {
      expect(await statusesOf(4, () => guess(host))).toEqual([401, 401, 401, 401])
      wait(901)
    }
    expect((await right(host)).status).toBe(200)
  })

  it('the wait has the length of the limit that the host sets', async () => {
    const host = await guessedAt({ throttle: { account: { points: 5, duration: 60 } } })
    fakeDate()
    for (let round = 0; round < 2; round += 1) {
      await statusesOf(5, () => guess(host))
      expect((await right(host)).headers['retry-after']).toBe('60')
      wait(61)
    }
  })

  it('refused tries make it no longer', async () => {
    const host = await guessedAt()
    fakeDate()
    await statusesOf(5, () => guess(host))
    wait(890)
    expect(await statusesOf(20, () => guess(host))).toEqual(Array(20).fill(429))
    wait(11)
    expect((await right(host)).status).toBe(200)
  })

  it('the RateLimit headers tell how the name stands in this network, whatever the answer', async () => {
    const host = await guessedAt()
    fakeDate()
    const standing = (response: { headers: Record<string, string> }) =>
      ['limit', 'remaining', 'reset'].map((name) => response.headers[`ratelimit-${name}`])
    expect(standing(await guess(host))).toEqual(['5', '4', '900'])
    wait(100)
    expect(standing(await right(host))).toEqual(['5', '3', '800'])
    for (const remaining of ['4', '3', '2', '1', '0', '0'])
      expect(standing(await guess(host))).toEqual(['5', remaining, '900'])
  })
})

it('a right password takes back what failed before it, however late the counters answer', async () => {
  let isSlow = false
  const limiter = (settings: LimiterSettings) => {
    const memory = memoryLimiter(settings)
    const consume = memory.consume.bind(memory)
    memory.consume = async (...args) => {
      const answer = await consume(...args)
      if (isSlow) await new Promise((resolve) => setTimeout(resolve, 200))
      return answer
    }
    return memory
  }
  const host = await guessedAt({ throttle: { limiter } })
  for (let turn = 0; turn < 3; turn += 1) {
    isSlow = false
    expect(await statusesOf(3, () => guess(host))).toEqual([401, 401, 401])
    isSlow = true
    expect((await right(host)).status).toBe(200)
  }
})
