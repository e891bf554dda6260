/** How fast the hasher is, and what that means for those who wait. */
export interface Pace {
  /** A piece of work has come to its end after so many milliseconds. */
  took(milliseconds: number, failed: boolean): void
  /** How long one takes, in milliseconds. */
  readonly meanMs: number
  /** How many may wait. */
  places(): number
  /** Whole seconds until so many that wait have been worked off. */
  secondsFor(waiting: number): number
}

/** Until the first has been measured: bcrypt at cost 12. Milliseconds. */
const firstGuess = 200
/** The mean follows the last runs, about so many. */
const runsInMean = 8

/** Makes the measure of a hasher that does `concurrency` pieces of work at once, and may have `maxWait` seconds of work waiting. */
export function createPace(concurrency: number, maxWait: number): Pace {
  let meanMs = firstGuess
  // The guess counts as one: the first work of a process is slow because its thread has only just started.
  let measured = 1
  return {
    took(milliseconds, failed) {
      // A failure that came at once was no work, and says nothing about how long work takes. One after a long silence does.
      if (failed && milliseconds < meanMs) return
      measured = Math.min(runsInMean, measured + 1)
      meanMs += (milliseconds - meanMs) / measured
    },
    get meanMs() {
      return Math.round(meanMs * 10) / 10
    },
    // Never less than two: with one place only, whoever comes first would keep everybody else out.
    places: () => Math.max(2, Math.floor((maxWait * 1000 * concurrency) / Math.max(1, meanMs))),
    // Those that run have to come to an end, too.
    secondsFor: (waiting) => Math.max(1, Math.ceil(((concurrency + waiting) * meanMs) / concurrency / 1000)),
  }
}
