import { createHistogram, type RecordableHistogram } from 'node:perf_hooks'

/**
 * How long passwords waited for their turn lately, in milliseconds; 1 stands for one millisecond or
 * less.
 */
export interface WaitTimes {
  readonly p50: number
  readonly p99: number
  readonly max: number
}

/** Remembers the waits of the last one to two minutes. */
export interface RecentWaits {
  record(milliseconds: number): void
  read(): WaitTimes
}

const minute = 60_000
const longest = 3_600_000

/**
 * Makes an empty record. An operator asks how it is now: waits of last night would hide a storm, or
 * keep an alarm ringing. Two histograms take turns, by the time of each call, so it needs no timer
 * and never grows.
 */
export function createRecentWaits(now: () => number): RecentWaits {
  let current = emptyHistogram()
  let before = emptyHistogram()
  let since = now()

  function turn(): void {
    const age = now() - since
    if (age < minute) return
    before = age < 2 * minute ? current : emptyHistogram()
    current = emptyHistogram()
    since = now()
  }

  return {
    record(milliseconds) {
      turn()
      current.record(Math.min(longest, Math.max(1, Math.round(milliseconds))))
    },
    read() {
      turn()
      const both = emptyHistogram()
      both.add(before)
      both.add(current)
      return { p50: both.percentile(50), p99: both.percentile(99), max: both.max }
    },
  }
}

function emptyHistogram(): RecordableHistogram {
  return createHistogram({ lowest: 1, highest: longest, figures: 2 })
}
