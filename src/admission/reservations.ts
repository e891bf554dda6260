import type { FairQueue } from './fair-queue.js'

/** Decides which sources may join the queue, and when the others shall come back. */
export interface Reservations {
  /** Whether this source may join. May displace an entry of a source that has more. */
  isFreeFor(source: string): boolean
  /**
   * Seconds until the place that is reserved for this source is free. Repeated calls do not change
   * it: a client that comes too early neither gains nor loses a place.
   */
  secondsUntilFree(source: string): number
  /**
   * The promise of another process to this source: 0 if the source may join now, once; the seconds
   * to wait if it is too early; undefined without a promise. Never rejects.
   */
  promisedElsewhere(source: string): Promise<number | undefined>
  /** Call it when the source has joined. */
  release(source: string): void
}

export interface ReservationSettings<Entry extends object> {
  readonly queue: FairQueue<Entry>
  readonly serviceTime: ServiceTime
  /** Undefined if processes share no counters. */
  readonly shared: SharedReservations | undefined
  /** Refuses an entry that is displaced. */
  readonly displace: (entry: Entry) => void
}

/**
 * While there is room, every request may wait. In a full queue, a source with many entries gives
 * way to a source with fewer. Any other source is told when a place will be free, and that place is
 * reserved for it: otherwise clients that were just served would take each free place again.
 */
export function createReservations<Entry extends object>({
  queue,
  serviceTime,
  shared,
  displace,
}: ReservationSettings<Entry>): Reservations {
  const times = createReservedTimes(() => performance.now())
  // A promise holds even if the hasher has become slower since, up to twice the capacity.
  const mayExceed = () => queue.size < 2 * serviceTime.capacity()

  function reserve(source: string): number {
    // A source that has its share in the queue, perhaps many clients behind one address, comes back
    // when that share is done.
    const ownTurns = Math.min(queue.size, queue.countOf(source) * queue.sources)
    const due = times.make(source, {
      interval: serviceTime.workMs(1),
      backlog: serviceTime.workMs(Math.max(0, queue.size - serviceTime.capacity())),
      ownShare: ownTurns === 0 ? 0 : serviceTime.workMs(ownTurns) + serviceTime.meanMs,
    })
    const seconds = asSeconds(due)
    shared?.promise(source, seconds)
    return seconds
  }

  return {
    isFreeFor(source) {
      const dueIn = times.dueIn(source)
      if (dueIn !== undefined && dueIn <= 0 && mayExceed()) return true
      // One more in an empty queue delays the holder of a promise by one password at most.
      if (queue.size === 0) return true
      if (
        queue.size + times.heldFor(source, serviceTime.workMs(serviceTime.capacity())) <
        serviceTime.capacity()
      )
        return true
      const displaced = queue.makeRoomFor(source)
      if (displaced !== undefined) displace(displaced)
      return displaced !== undefined
    },
    secondsUntilFree(source) {
      const dueIn = times.dueIn(source)
      return dueIn !== undefined && dueIn > 0 ? asSeconds(dueIn) : reserve(source)
    },
    async promisedElsewhere(source) {
      if (shared === undefined || times.dueIn(source) !== undefined) return undefined
      const seconds = await shared.dueIn(source)
      if (seconds === undefined || seconds > 0) return seconds
      return mayExceed() && (await shared.redeem(source)) ? 0 : undefined
    },
    release(source) {
      if (times.dueIn(source) === undefined) return
      times.release(source)
      void shared?.redeem(source)
    },
  }
}

function asSeconds(milliseconds: number): number {
  return Math.max(1, Math.ceil(milliseconds / 1000))
}

/** The promises of all processes, in a shared store of counters. */
export interface SharedReservations {
  /** Stores a promise; never rejects. */
  promise(source: string, seconds: number): void
  /**
   * Whole seconds until the promised place is free; undefined without a promise. Never rejects.
   */
  dueIn(source: string): Promise<number | undefined>
  /** Consumes the promise; true for one caller only. Never rejects. */
  redeem(source: string): Promise<boolean>
}

/** When each source shall come back. */
interface ReservedTimes {
  /** Milliseconds until the source's place is free, 0 or less if it is; undefined without one. */
  dueIn(source: string): number | undefined
  /** Reserves the next place; returns the milliseconds until it is free. */
  make(source: string, state: QueueState): number
  release(source: string): void
  /** How many places of other sources are free within `within` milliseconds. */
  heldFor(otherThan: string, within: number): number
}

/** Times that decide when the next place is free, in milliseconds. */
interface QueueState {
  /** The time from one place to the next. */
  readonly interval: number
  /** Until the first place is free, if the queue exceeds its capacity. */
  readonly backlog: number
  /** Until the source's own entries are done. */
  readonly ownShare: number
}

/** How long a place is kept for a late client: a polite one is not exact to the second. */
const graceMs = 2000

/**
 * How long a promise is valid after its time: a load balancer may first send the client to another
 * process.
 */
const validMs = 60_000

/** Upper bound of a promise. */
const maxMs = 300_000

/** Few enough that a loop over them costs little beside a hash. */
const maxReservations = 2000

/** `now` in milliseconds. */
function createReservedTimes(now: () => number): ReservedTimes {
  const moments = new Map<string, number>()
  let last = Number.NEGATIVE_INFINITY

  function forgetOver(moment: number): void {
    for (const [source, due] of moments) {
      if (due + validMs <= moment) moments.delete(source)
    }
  }

  function countAhead(moment: number): number {
    let ahead = 0
    for (const due of moments.values()) if (due > moment) ahead += 1
    return ahead
  }

  return {
    dueIn(source) {
      forgetOver(now())
      const due = moments.get(source)
      return due === undefined ? undefined : due - now()
    },
    make(source, { interval, backlog, ownShare }) {
      const moment = now()
      forgetOver(moment)
      // The earlier one: after a stall of the hasher, promises made at its slow pace are far ahead.
      const inLine = moment + backlog + (countAhead(moment) + 1) * interval
      const next = Math.min(Math.max(moment + backlog, last) + interval, inLine, moment + maxMs)
      const due = Math.max(next, moment + ownShare)
      // Beyond the bound nothing is reserved, but a place is likely at that time.
      if (moments.size >= maxReservations) return due - moment
      if (due === next) last = next
      moments.set(source, due)
      return due - moment
    },
    release: (source) => void moments.delete(source),
    heldFor(otherThan, within) {
      const moment = now()
      let held = 0
      for (const [source, due] of moments) {
        if (source !== otherThan && due + graceMs > moment && due <= moment + within) held += 1
      }
      return held
    },
  }
}

/** The speed of the hasher, and how many passwords may wait at that speed. */
export interface ServiceTime {
  /** Records one finished hash. */
  record(milliseconds: number, failed: boolean): void
  /** Duration of one hash, in milliseconds. */
  readonly meanMs: number
  /** How many may wait. */
  capacity(): number
  /** Milliseconds to hash `count` passwords. */
  workMs(count: number): number
}

/** Used until the first measurement: bcrypt at cost 12. */
const firstGuessMs = 200
/** The moving average follows about this many runs. */
const runsInMean = 8

/** For a hasher with `concurrency` threads, with up to `maxWait` seconds of work waiting. */
export function createServiceTime(concurrency: number, maxWait: number): ServiceTime {
  let meanMs = firstGuessMs
  // The guess counts as one measurement: the first hash of a process is slow, since its thread has
  // just started.
  let measured = 1
  // At least two: with one place, the first client would keep all others out.
  const capacity = () =>
    Math.max(2, Math.floor((maxWait * 1000 * concurrency) / Math.max(1, meanMs)))
  return {
    record(milliseconds, failed) {
      // A quick failure is not a measurement; a failure after a time limit is one.
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
