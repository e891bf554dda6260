import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible'
import type { Limiter, LimiterSettings } from './limits.js'

/** The most keys of one counter. */
const mostKeys = 250_000

/** Seconds: Node's timers count milliseconds in 31 bits. */
const longestTimer = Math.floor((2 ** 31 - 1) / 1000)

/**
 * Makes a counter in the memory of this process that holds at most `most` keys, 250,000 unless told: beyond them the least recently used
 * is forgotten, and with it a pause or what somebody has failed so far. A key takes some 500 bytes, so a full counter 130 to 150 MB.
 *
 * Without a cap, memory would be what an attacker chooses. With it, whoever wants to push others' counts out needs 250,000 wrong
 * passwords, each of them hashed, in one window: an attempt that was given back leaves nothing behind. That is hours of this process's
 * work. A host that must withstand it keeps its counters in a store.
 */
export function boundedLimiter(settings: LimiterSettings, most: number = mostKeys): Limiter {
  const memory = new RateLimiterMemory(settings)
  // When each key ends, and how often it was changed; the least recently used first.
  const keys = new Map<string, { readonly end: number; readonly changes: number }>()
  const endOf = (key: string) => keys.get(key)?.end ?? 0
  const isOver = (key: string) => endOf(key) <= Date.now()

  // The limiter in memory changes its keys at once and only answers later, so nothing comes between two of these steps.
  const forget = (key: string) => {
    keys.delete(key)
    return memory.delete(key)
  }

  function use(key: string, seconds: number, anew: boolean): { customDuration: number } {
    const over = isOver(key)
    const end = over || anew ? Date.now() + seconds * 1000 : endOf(key)
    const changes = (keys.get(key)?.changes ?? 0) + 1
    if (over) void forget(key)
    keys.delete(key)
    keys.set(key, { end, changes })
    tidy()
    return { customDuration: forTimer(seconds) }
  }

  // Two of the oldest with each use: what has ended is gone sooner than it is added. The limiter's own timers have freed most of it.
  function tidy(): void {
    for (const [index, key] of [...firstOf(keys, 2)].entries()) {
      if (isOver(key) || (index === 0 && keys.size > most)) void forget(key)
    }
  }

  const timed = (key: string, answer: RateLimiterRes) => {
    if (answer.msBeforeNext >= 0) return answer
    const left = Math.max(0, endOf(key) - Date.now())
    return new RateLimiterRes(answer.remainingPoints, left, answer.consumedPoints, answer.isFirstInDuration)
  }

  const change = (name: 'consume' | 'penalty' | 'reward') => (key: string, points?: number) => {
    const options = use(key, settings.duration, false)
    return memory[name](key, points, options).then(
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
    // The limiter answers what has ended, too, as long as its timer has not come.
    get: async (key) => (isOver(key) ? null : memory.get(key).then((answer) => answer && timed(key, answer))),
    async set(key, points, seconds) {
      const { customDuration } = use(key, seconds, true)
      return timed(key, await memory.set(key, points, customDuration))
    },
    delete: forget,
  }
}

// RateLimiterMemory sets a timer for each key, and one of more than 24.8 days fires at once: a limit of 30 days would be none. Those get
// no timer (0), and end by the map above.
function forTimer(seconds: number): number {
  return seconds > longestTimer ? 0 : seconds
}

function* firstOf<Key>(map: ReadonlyMap<Key, unknown>, count: number): Generator<Key> {
  let left = count
  for (const key of map.keys()) {
    if (left === 0) return
    left -= 1
    yield key
  }
}
