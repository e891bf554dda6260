import type { RateLimiterRes } from 'rate-limiter-flexible'
import RateLimiterMemory from 'rate-limiter-flexible/lib/RateLimiterMemory.js'
import Result from 'rate-limiter-flexible/lib/RateLimiterRes.js'
import { firstEntry, nextEntry } from '../lib/map-order.js'

/** So many failures in so many seconds. */
export interface Limit {
  readonly points: number
  /** Seconds. */
  readonly duration: number
}

/** What a limiter of rate-limiter-flexible is made with. */
export interface LimiterSettings extends Limit {
  readonly keyPrefix: string
}

/** What is used of a limiter: its public methods. */
export interface Limiter {
  readonly points: number
  consume(key: string, points?: number): Promise<RateLimiterRes>
  penalty(key: string, points?: number): Promise<RateLimiterRes>
  reward(key: string, points?: number): Promise<RateLimiterRes>
  get(key: string): Promise<RateLimiterRes | null>
  set(key: string, points: number, seconds: number): Promise<unknown>
  delete(key: string): Promise<unknown>
}

/** Keys that one counter holds at most. */
const defaultMaxKeys = 250_000

/**
 * Makes a counter in the memory of this process that holds at most `maxKeys` keys, 250,000 unless
 * told: beyond them the least recently used is forgotten, and with it a pause or what somebody has
 * failed so far. A key takes some 280 bytes, so a full counter 70 MB.
 *
 * Without a cap, memory would be what an attacker chooses. With it, to push the counts of others
 * out an attacker needs 250,000 wrong passwords, each of them hashed, in one window: an attempt
 * that was given back leaves nothing behind. That is hours of this process's work. A host that must
 * withstand it keeps its counters in a store.
 */
export function memoryLimiter(
  settings: LimiterSettings,
  maxKeys: number = defaultMaxKeys,
): Limiter {
  // No duration of its own: it would set a timer for each key, and one of more than 24.8 days fires
  // at once, so that a limit of 30 days would be none.
  const memory = new RateLimiterMemory({ ...settings, keyPrefix: '', duration: 0 })
  const windows = keyWindows(maxKeys, settings.duration, (key) => void memory.delete(key))

  const timed = (
    key: string,
    { remainingPoints, consumedPoints, isFirstInDuration }: RateLimiterRes,
  ) =>
    new Result(
      remainingPoints,
      Math.max(0, windows.endOf(key) - Date.now()),
      consumedPoints,
      isFirstInDuration,
    )

  // The limiter in memory changes its keys at once and only answers later, so nothing comes between
  // two of these steps.
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
    // Only if no other has taken a point since the answer was made: it would be forgotten as well.
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

/** When the windows of a counter's keys end; bounded in keys, and told by the wall clock. */
export interface KeyWindows {
  /** Milliseconds of the epoch; 0 for a key without a window. */
  endOf(key: string): number
  /** How often the key was used in a row; 0 for a key without a window. */
  usesOf(key: string): number
  /**
   * Begins a window of so many seconds for a key that has none, or for any key `anew`; else its
   * window goes on.
   */
  use(key: string, seconds: number, anew: boolean): void
  forget(key: string): void
}

interface Window {
  readonly end: number
  readonly uses: number
}

/** Seconds: the longest a timer of Node's can take, as it counts milliseconds in 31 bits. */
const longestTimer = Math.floor((2 ** 31 - 1) / 1000)

/** How many keys a sweep looks at: a millisecond's work. */
const sweptAtOnce = 5000

/**
 * Makes windows for at most `maxKeys` keys; beyond them the least recently used is forgotten.
 * `onForget` is told of each key that goes, at once. Keys that have ended are swept out every
 * `seconds`, and two of them with each use.
 * @internal
 */
export function keyWindows(
  maxKeys: number,
  seconds: number,
  onForget: (key: string) => void,
): KeyWindows {
  // The least recently used first.
  const windows = new Map<string, Window>()
  const leastRecentlyUsed = firstEntry(windows)
  const next = nextEntry(windows)
  let isSweepDue = false

  function forget(key: string): void {
    windows.delete(key)
    onForget(key)
  }

  function forgetOver(count: number, now: number): number {
    const before = windows.size
    for (let left = Math.min(count, before); left > 0; left -= 1) {
      const [key, { end }] = next() as [string, Window]
      if (end <= now) forget(key)
    }
    return before - windows.size
  }

  // The client that has filled it may never come again. Some keys at a time: all at once would make
  // every request wait.
  function sweepIn(wait: number): void {
    if (isSweepDue) return
    isSweepDue = true
    const timer = setTimeout(() => {
      isSweepDue = false
      const forgotten = forgetOver(sweptAtOnce, Date.now())
      if (windows.size > 0) sweepIn(forgotten > 0 ? 1 : seconds)
    }, Math.min(wait, longestTimer) * 1000)
    timer.unref()
  }

  return {
    endOf: (key) => windows.get(key)?.end ?? 0,
    usesOf: (key) => windows.get(key)?.uses ?? 0,
    forget,
    use(key, length, anew) {
      const now = Date.now()
      const last = windows.get(key)
      const isOn = last !== undefined && last.end > now
      if (last !== undefined && !isOn) forget(key)
      // Deleted first, so that it becomes the most recently used.
      windows.delete(key)
      windows.set(key, {
        end: isOn && !anew ? last.end : now + length * 1000,
        uses: (last?.uses ?? 0) + 1,
      })
      forgetOver(2, now)
      if (windows.size > maxKeys) forget((leastRecentlyUsed() as [string, Window])[0])
      sweepIn(seconds)
    },
  }
}
