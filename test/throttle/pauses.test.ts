import { afterEach, describe, expect, it, vi } from 'vitest'
import { guess, guessedAt, right, statusesOf } from '../support/guessing.js'
import type { TestHost } from '../support/host.js'

afterEach(() => vi.useRealTimers())

const minutes = (count: number) => count * 60
const wait = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000)
const fakeDate = () => vi.useFakeTimers({ toFake: ['Date'] })

/** Guesses until it is refused, and answers for how many seconds. */
async function pauseOf(host: TestHost): Promise<number> {
  expect(await statusesOf(5, () => guess(host))).toEqual([401, 401, 401, 401, 401])
  const refused = await right(host)
  expect(refused.status).toBe(429)
  expect(refused.body.details).toEqual({ retryAfter: Number(refused.headers['retry-after']) })
  return Number(refused.headers['retry-after'])
}

describe('the pause after five wrong passwords', () => {
  it('doubles each time, up to a day, and has five fresh tries after it', async () => {
    const host = await guessedAt()
    fakeDate()
    for (const expected of [15, 30, 60, 120, 240, 480, 960, 1440, 1440]) {
      expect(await pauseOf(host)).toBe(minutes(expected))
      wait(minutes(expected) - 1)
      expect((await right(host)).status).toBe(429)
      wait(2)
    }
    expect((await right(host)).status).toBe(200)
  })

  it('begins anew at 15 minutes after a complete sign-in', async () => {
    const host = await guessedAt()
    fakeDate()
    expect(await pauseOf(host)).toBe(minutes(15))
    wait(minutes(15) + 1)
    expect(await pauseOf(host)).toBe(minutes(30))
    wait(minutes(30) + 1)
    expect((await right(host)).status).toBe(200)
    expect(await pauseOf(host)).toBe(minutes(15))
  })

  it('begins anew after a day without one, and not sooner', async () => {
    const host = await guessedAt()
    fakeDate()
    expect(await pauseOf(host)).toBe(minutes(15))
    wait(minutes(15) + 86_400 - 10)
    expect(await pauseOf(host)).toBe(minutes(30))
    wait(minutes(30) + 86_400 + 10)
    expect(await pauseOf(host)).toBe(minutes(15))
  })

  it('needs five within the window: four, and later four more, begin none', async () => {
    const host = await guessedAt()
    fakeDate()
    for (let window = 0; window < 3; window += 1) {
      expect(await statusesOf(4, () => guess(host))).toEqual([401, 401, 401, 401])
      wait(961)
    }
    expect((await right(host)).status).toBe(200)
  })

  it('has the length of the limit that the host sets', async () => {
    const host = await guessedAt({ throttle: { account: { points: 5, duration: 60 } } })
    fakeDate()
    expect(await pauseOf(host)).toBe(60)
    wait(61)
    expect(await pauseOf(host)).toBe(120)
  })

  it('tells in the RateLimit headers how it stands, whatever the answer', async () => {
    const host = await guessedAt()
    fakeDate()
    const standing = (response: { headers: Record<string, string> }) =>
      ['limit', 'remaining', 'reset'].map((name) => response.headers[`ratelimit-${name}`])
    expect(standing(await guess(host))).toEqual(['5', '4', '900'])
    wait(100)
    expect(standing(await right(host))).toEqual(['5', '3', '800'])
    await statusesOf(5, () => guess(host))
    expect(standing(await guess(host))).toEqual(['5', '0', '900'])
    wait(901)
    await statusesOf(4, () => guess(host))
    // The answer that begins a pause tells of it, and not of the window it was counted in.
    expect(standing(await guess(host))).toEqual(['5', '0', '1800'])
  })
})
