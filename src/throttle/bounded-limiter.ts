import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import { firstEntry, nextEntry } from '../lib/map-order.js'
import type { Limiter, LimiterSettings } from './limits.js'

/** When a key ends, and how often it was changed. */
interface Use {
  readonly end: number
  readonly changes: number
}

/** The most keys of one counter. */
const mostKeys = 250_000

/** Seconds: the longest a timer of Node's can take, as it counts milliseconds in 31 bits. */
const longestTimer = Math.floor((2 ** 31 - 1) / 1000)

/** How many keys are looked at by a sweep: a millisecond's work. */
const sweptAtOnce = 5000

/**
 * Makes a counter in the memory of this process that holds at most `most` keys, 250,000 unless told: beyond them the least recently used
 * is forgotten, and with it a pause or what somebody has failed so far. A key takes some 500 bytes, so a full counter 130 to 150 MB.
 *
 * Without a cap, memory would be what an attacker chooses. With it, whoever wants to push others' counts out needs 250,000 wrong
 * passwords, each of them hashed, in one window: an attempt that was given back leaves nothing behind. That is hours of this process's
 * work. A host that must withstand it keeps its counters in a store.
 */
export function boundedLimiter(settings: LimiterSettings, most: number = mostKeys): Limiter {
  // The map below says when a key ends, and not the limiter, which would set a timer for each.
  const memory = new RateLimiterMemory({ ...settings, keyPrefix: '', duration: 0 })
  // The least recently used first.
  const keys = new Map<string, Use>()
  const leastRecentlyUsed = firstEntry(keys)
  const next = nextEntry(keys)
  const endOf = (key: string) => keys.get(key)?.end ?? 0
  const isOver = (key: string) => endOf(key) <= Date.now()

  // The limiter in memory changes its keys at once and only answers later, so nothing comes between two of these steps.
  const forget = (key: string) => {
    keys.delete(key)
    return memory.delete(key)
  }

  function use(key: string, seconds: number, anew: boolean): void {
    const now = Date.now()
    const last = keys.get(key)
    const over = last === undefined || last.end <= now
    if (last !== undefined && over) void forget(key)
    keys.delete(key)
    keys.set(key, { end: over || anew ? now + seconds * 1000 : last.end, changes: (last?.changes ?? 0) + 1 })
    // Two with each use: what has ended is gone sooner than it is added.
    forgetOver(2, now)
    if (keys.size > most) void forget((leastRecentlyUsed() as [string, Use])[0])
    sweepIn(settings.duration)
  }

  function forgetOver(count: number, now: number): number {
    const before = keys.size
    for (let left = Math.min(count, before); left > 0; left -= 1) {
      const [key, { end }] = next() as [string, Use]
      if (end <= now) void forget(key)
    }
    return before - keys.size
  }

  // Whoever filled it may never come again. One timer, and some keys at a time: all at once would make every request wait.
  let sweep: NodeJS.Timeout | undefined
  function sweepIn(seconds: number): void {
    sweep ??= setTimeout(() => {
      sweep = undefined
      const forgotten = forgetOver(sweptAtOnce, Date.now())
      if (keys.size > 0) sweepIn(forgotten > 0 ? 1 : settings.duration)
    }, Math.min(seconds, longestTimer) * 1000).unref()
  }

  const timed = (key: string, { remainingPoints, consumedPoints, isFirstInDuration }: RateLimiterRes) =>
    new RateLimiterRes(remainingPoints, Math.max(0, endOf(key) - Date.now()), consumedPoints, isFirstInDuration)

  const change = (name: 'consume' | 'penalty' | 'reward') => (key: string, points?: number) => {
    use(key, settings.duration, false)
    return memory[name](key, points).then(
      (answer) => timed(key, answer),
      (refusal: RateLimiterRes) => Promise.reject(timed(key, refusal)),
    )
  }

  const rewardInMemory = change('reward')
  async function reward(key: string, points?: number): Promise<RateLimiterRes> {
    const answering = rewardInMemory(key, points)
    const changes = keys.get(key)?.changes
    const answer = await answering
    // Only if nobody has taken a point since the answer was made: theirs would be forgotten with it.
    if (answer.consumedPoints === 0 && keys.get(key)?.changes === changes) void forget(key)
    return answer
  }

  return {
    points: settings.points,
    consume: change('consume'),
    penalty: change('penalty'),
    reward,
    get: async (key) => (isOver(key) ? null : memory.get(key).then((answer) => answer && timed(key, answer))),
    async set(key, points, seconds) {
      use(key, seconds, true)
      return timed(key, await memory.set(key, points, 0))
    },
    delete: forget,
  }
}
