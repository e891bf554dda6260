import { firstEntry } from '../lib/map-order.js'
import type { Command, Count, Counter, LimiterSettings } from './counter.js'

/** Keys that one counter holds at most. */
const defaultMaxKeys = 250_000

/** Seconds: the longest a timer of Node's can take, as it counts milliseconds in 31 bits. */
const longestTimer = Math.floor((2 ** 31 - 1) / 1000)

/** How many keys a sweep looks at: a millisecond's work. */
const sweptAtOnce = 5000

interface Window {
  readonly consumed: number
  /** By the wall clock, in milliseconds of the epoch. */
  readonly end: number
}

/** Whether a command adds its points, or takes them off. */
const signs = { take: 1, add: 1, set: 1, giveBack: -1, withdraw: -1, get: 0, clear: 0 } as const

/**
 * Makes a counter in the memory of this process that holds at most `maxKeys` keys, 250,000 unless
 * told: beyond them the least recently used is forgotten, and with it a pause or what somebody has
 * failed so far. A key takes some 280 bytes, so a full counter 70 MB.
 *
 * Without a cap, memory would be what an attacker chooses. With it, to push the counts of others
 * out an attacker needs 250,000 wrong passwords, each of them hashed, in one window: an attempt
 * that was given back leaves nothing behind. That is hours of this process's work. A host that must
 * withstand it keeps its counters in a store.
 *
 * It answers at once, so nothing comes between two steps of a command.
 */
export function memoryCounter(
  { keyPrefix, points: limit, duration }: LimiterSettings,
  maxKeys: number = defaultMaxKeys,
): Counter & { readonly size: number } {
  const { windows, use } = createWindows(maxKeys, duration)

  function run(command: Command): Count {
    // Without a prototype: a polluted one must not say how much a guess counts, or for how long.
    const own = { __proto__: null, ...command }
    const { do: what, key, points = 1, seconds = duration } = own
    const now = Date.now()
    const found = windows.get(key)
    const goesOn = what !== 'set' && found !== undefined && found.end > now
    const begun: Window = { consumed: 0, end: now + seconds * 1000 }
    const { consumed: used, end } = goesOn ? found : begun
    const allowed = what !== 'take' || used < limit
    let consumed = used + Number(allowed) * points * signs[what]
    // Never more than were taken; and what was overdrawn stays so.
    if (what === 'giveBack') consumed = Math.max(consumed, Math.min(used, 0))
    // Nothing stays of what was given back.
    if (what === 'clear' || consumed === 0) windows.delete(key)
    else if (what !== 'get') use(key, { consumed, end }, now)
    const remaining = Math.max(0, limit - consumed)
    return { consumed, allowed, remaining, seconds: Math.ceil((end - now) / 1000), endsAt: end }
  }

  return {
    keyPrefix,
    points: limit,
    duration,
    run,
    get size() {
      return windows.size
    },
  }
}

function createWindows(maxKeys: number, duration: number) {
  // The least recently used first.
  const windows = new Map<string, Window>()
  const leastRecentlyUsed = firstEntry(windows)
  let inTurn = windows.entries()
  let isSweepDue = false

  function forgetOver(count: number, now: number): number {
    const before = windows.size
    for (let left = Math.min(count, before); left > 0; left -= 1) {
      let next = inTurn.next()
      if (next.done === true) {
        inTurn = windows.entries()
        next = inTurn.next()
      }
      const [key, { end }] = next.value as [string, Window]
      if (end <= now) windows.delete(key)
    }
    return before - windows.size
  }

  // The client that has filled it may never come again. Some keys at a time: all at once would make
  // every request wait.
  function sweepIn(wait: number): void {
    isSweepDue = true
    const timer = setTimeout(() => {
      isSweepDue = false
      const forgotten = forgetOver(sweptAtOnce, Date.now())
      if (windows.size > 0) sweepIn(forgotten > 0 ? 1 : duration)
    }, Math.min(wait, longestTimer) * 1000)
    timer.unref()
  }

  // Puts the key last, since it is the most recently used; `firstEntry` asks for another object.
  // What is over goes first, two keys with each use.
  function use(key: string, window: Window, now: number): void {
    windows.delete(key)
    windows.set(key, window)
    forgetOver(2, now)
    if (windows.size > maxKeys) windows.delete((leastRecentlyUsed() as [string, Window])[0])
    if (!isSweepDue) sweepIn(duration)
  }

  return { windows, use }
}
