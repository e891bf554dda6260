/** How long the hasher needs for a password, and what that means for those who wait. */
export interface ServiceTime {
  /** Records one finished hash. */
  record(milliseconds: number, failed: boolean): void
  /** How long one takes, in milliseconds. */
  readonly meanMs: number
  /** How many may wait. */
  capacity(): number
  /** Milliseconds in which so many are worked off. */
  workMs(count: number): number
}

/** Until the first has been measured: bcrypt at cost 12. */
const firstGuessMs = 200
/** The mean follows the last runs, about so many. */
const runsInMean = 8

/**
 * Makes the measure of a hasher that does `concurrency` pieces of work at once, and may have
 * `maxWait` seconds of work waiting.
 */
export function createServiceTime(concurrency: number, maxWait: number): ServiceTime {
  let meanMs = firstGuessMs
  // The guess counts as one: the first work of a process is slow because its thread has only just
  // started.
  let measured = 1
  // Never less than two: with room for one only, the first to come would keep all others out.
  const capacity = () =>
    Math.max(2, Math.floor((maxWait * 1000 * concurrency) / Math.max(1, meanMs)))
  return {
    record(milliseconds, failed) {
      // A failure that came at once was no work, and says nothing about how long work takes. One
      // after a long silence does.
      if (failed && milliseconds < meanMs) return
      measured = Math.min(runsInMean, measured + 1)
      meanMs += (milliseconds - meanMs) / measured
    },
    get meanMs() {
      return Math.round(meanMs * 10) / 10
    },
    capacity,
    workMs: (count) => (count * meanMs) / concurrency,
  }
}
