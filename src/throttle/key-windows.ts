import { firstEntry, nextEntry } from '../lib/map-order.js'

/** When the windows of a counter's keys end; bounded in keys, and told by the wall clock. */
export interface KeyWindows {
  /** Milliseconds of the epoch; 0 for a key without a window. */
  endOf(key: string): number
  /** How often the key was used in a row; 0 for a key without a window. */
  usesOf(key: string): number
  /** Begins a window of so many seconds for a key that has none, or for any key `anew`; else its window goes on. */
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
 * Makes windows for at most `most` keys; beyond them the least recently used is forgotten. `onForget` is told of each key that goes, at
 * once. Keys that have ended are swept out every `seconds`, and two of them with each use.
 */
export function keyWindows(most: number, seconds: number, onForget: (key: string) => void): KeyWindows {
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

  // Whoever has filled it may never come again. Some keys at a time: all at once would make every request wait.
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
      windows.set(key, { end: isOn && !anew ? last.end : now + length * 1000, uses: (last?.uses ?? 0) + 1 })
      forgetOver(2, now)
      if (windows.size > most) forget((leastRecentlyUsed() as [string, Window])[0])
      sweepIn(seconds)
    },
  }
}
