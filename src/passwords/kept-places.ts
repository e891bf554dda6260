/** Places in a queue that are kept for sources which were told to come back. */
export interface KeptPlaces {
  /** Keeps one for so many seconds and a little longer, or renews the one that is kept. Does nothing when too many are. */
  keep(source: string, seconds: number): void
  /** Whether one is kept for this source. */
  isFor(source: string): boolean
  /** The source has come, or needs it no more. */
  release(source: string): void
  /** How many are kept. */
  readonly size: number
}

/** How much later than told a client may come: a request takes its time, and a good client does not come back on the second. */
const graceSeconds = 2

/** So many that a look at each of them costs nothing beside a hash. */
const mostKept = 500

/** Makes an empty record of kept places. */
export function createKeptPlaces(now: () => number): KeptPlaces {
  const until = new Map<string, number>()
  const forgetOver = () => {
    const moment = now()
    for (const [source, end] of until) if (end <= moment) until.delete(source)
  }
  return {
    keep(source, seconds) {
      forgetOver()
      if (until.size < mostKept || until.has(source)) until.set(source, now() + (seconds + graceSeconds) * 1000)
    },
    isFor: (source) => (until.get(source) ?? 0) > now(),
    release: (source) => void until.delete(source),
    get size() {
      forgetOver()
      return until.size
    },
  }
}
