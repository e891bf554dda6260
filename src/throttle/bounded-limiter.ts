import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { keyWindows } from './key-windows.js'
import type { Limiter, LimiterSettings } from './limits.js'

/** The most keys of one counter. */
const mostKeys = 250_000

/**
 * Makes a counter in the memory of this process that holds at most `most` keys, 250,000 unless told: beyond them the least recently used
 * is forgotten, and with it a pause or what somebody has failed so far. A key takes some 280 bytes, so a full counter 70 MB.
 *
 * Without a cap, memory would be what an attacker chooses. With it, whoever wants to push others' counts out needs 250,000 wrong
 * passwords, each of them hashed, in one window: an attempt that was given back leaves nothing behind. That is hours of this process's
 * work. A host that must withstand it keeps its counters in a store.
 */
export function boundedLimiter(settings: LimiterSettings, most: number = mostKeys): Limiter {
  // No duration of its own: it would set a timer for each key, and one of more than 24.8 days fires at once, so that a limit of 30 days
  // would be none.
  const memory = new RateLimiterMemory({ ...settings, keyPrefix: '', duration: 0 })
  const windows = keyWindows(most, settings.duration, (key) => void memory.delete(key))

  const timed = (key: string, { remainingPoints, consumedPoints, isFirstInDuration }: RateLimiterRes) =>
    new RateLimiterRes(remainingPoints, Math.max(0, windows.endOf(key) - Date.now()), consumedPoints, isFirstInDuration)

  // The limiter in memory changes its keys at once and only answers later, so nothing comes between two of these steps.
  const change = (name: 'consume' | 'penalty' | 'reward') => (key: string, points?: number) => {
    windows.use(key, settings.duration, false)
    return memory[name](key, points).then(
      (answer) => timed(key, answer),
      (refusal: RateLimiterRes) => Promise.reject(timed(key, refusal)),
    )
  }

  const rewardInMemory = change('reward')
  async function reward(key: string, points?: number): Promise<RateLimiterRes> {
    const answering = rewardInMemory(key, points)
    const uses = windows.usesOf(key)
    const answer = await answering
    // Only if nobody has taken a point since the answer was made: theirs would be forgotten with it.
    if (answer.consumedPoints === 0 && windows.usesOf(key) === uses) windows.forget(key)
    return answer
  }

  return {
    points: settings.points,
    consume: change('consume'),
    penalty: change('penalty'),
    reward,
    async get(key) {
      if (windows.endOf(key) <= Date.now()) return null
      const answer = await memory.get(key)
      return answer && timed(key, answer)
    },
    async set(key, points, seconds) {
      windows.use(key, seconds, true)
      return timed(key, await memory.set(key, points, 0))
    },
    async delete(key) {
      const isThere = windows.endOf(key) > 0
      windows.forget(key)
      return isThere
    },
  }
}
