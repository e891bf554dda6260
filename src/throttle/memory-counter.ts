import { firstEntry } from '../lib/bounded-cache.js'
import type { Command, Count, Counter, LimiterSettings } from './counter.js'

/** Maximum number of keys in a counter. */
const defaultMaxKeys = 250_000

/** The longest timer of Node in seconds: it counts milliseconds in 31 bits. */
const longestTimer = Math.floor((2 ** 31 - 1) / 1000)

/** Keys of a sweep: a millisecond of work. */
const sweptAtOnce = 5000

interface Window {
  readonly consumed: number
  /** Milliseconds of the epoch, by the wall clock. */
  readonly end: number
}

/** Whether a command adds its points or removes them. */
const signs = { take: 1, add: 1, set: 1, giveBack: -1, withdraw: -1, get: 0, clear: 0 } as const

/**
 * A counter in the memory of this process with at most `maxKeys` keys, default 250,000. Beyond that
 * it forgets the least recently used key, with its failures. A key takes about 280 bytes, a full
 * counter 70 MB.
 *
 * Without the bound, attackers could fill the memory. With it, an attacker needs 250,000 wrong
 * passwords in one window to displace the counts of others. Each is hashed, which is hours of work
 * for this process; a refunded attempt leaves no key. A host that must withstand that keeps its
 * counters in a store.
 *
 * It returns without a promise, so nothing runs between two steps of a command.
 */
export function memoryCounter(
  { keyPrefix, points: limit, duration }: LimiterSettings,
  maxKeys: number = defaultMaxKeys,
): Counter & { readonly size: number } {
  const { windows, use } = createWindows(maxKeys, duration)

  function run(command: Command): Count {
    // Without a prototype: a polluted one must not add points or a duration.
    const own = { __proto__: null, ...command }
    const { do: what, key, points = 1, seconds = duration } = own
    const now = Date.now()
    const found = windows.get(key)
    const goesOn = what !== 'set' && found !== undefined && found.end > now
    const begun: Window = { consumed: 0, end: now + seconds * 1000 }
    const { consumed: used, end } = goesOn ? found : begun
    const allowed = what !== 'take' || used < limit
    let consumed = used + Number(allowed) * points * signs[what]
    // Never below zero, but an existing negative balance stays.
    if (what === 'giveBack') consumed = Math.max(consumed, Math.min(used, 0))
    // A refunded key leaves nothing behind.
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
  // In order of use, the least recent first.
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

  // Removes expired keys even without further calls, some at a time: all at once would delay every
  // request.
  function sweepIn(wait: number): void {
    isSweepDue = true
    const timer = setTimeout(() => {
      isSweepDue = false
      const forgotten = forgetOver(sweptAtOnce, Date.now())
      if (windows.size > 0) sweepIn(forgotten > 0 ? 1 : duration)
    }, Math.min(wait, longestTimer) * 1000)
    timer.unref()
  }

  // Moves the key to the end, as the most recently used one; `firstEntry` requires another object.
  // Each use first removes up to two expired keys.
  function use(key: string, window: Window, now: number): void {
    windows.delete(key)
    windows.set(key, window)
    forgetOver(2, now)
    if (windows.size > maxKeys) windows.delete((leastRecentlyUsed() as [string, Window])[0])
    if (!isSweepDue) sweepIn(duration)
  }

  return { windows, use }
}
