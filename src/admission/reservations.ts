import type { FairQueue } from './fair-queue.js'
import type { ServiceTime } from './service-time.js'

/** Who may join the queue, and who is told to come back when. */
export interface Reservations {
  /**
   * Whether there is a place for this source; one that has more waiting may have to give way for
   * it.
   */
  isFreeFor(source: string): boolean
  /**
   * Seconds until a place is free that is reserved for this source. The same however often it asks:
   * who comes too early gains no place by it, and loses none.
   */
  secondsUntilFree(source: string): number
  /**
   * What another process has promised this source: 0 when it may join now, which it can once;
   * seconds while it is too early; null when nothing was promised. Never rejects.
   */
  promisedElsewhere(source: string): Promise<number | null>
  /** The source has come. */
  release(source: string): void
}

export interface ReservationDeps<Entry extends object> {
  readonly queue: FairQueue<Entry>
  readonly serviceTime: ServiceTime
  /** Null where each process has clients of its own. */
  readonly shared: SharedReservations | null
  /** Refuses an entry that has to give way. */
  readonly displace: (entry: Entry) => void
}

/**
 * Makes the rule. While there is room, all who come may wait. When all is full, a source that has
 * much waiting gives way to one that has less. Any other is told when a place is free for it, and
 * gets it alone: else those who were just served and come again would take each place as it comes
 * free.
 */
export function createReservations<Entry extends object>({
  queue,
  serviceTime,
  shared,
  displace,
}: ReservationDeps<Entry>): Reservations {
  const times = createReservedTimes(() => performance.now())
  // A promise is kept also where the hasher has become slower since, within twice the places there
  // are.
  const mayExceed = () => queue.size < 2 * serviceTime.capacity()

  function reserve(source: string): number {
    // A source that has its share waiting comes again when that has been worked off: it may be many
    // clients behind one address.
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
      if (dueIn !== null && dueIn <= 0 && mayExceed()) return true
      // All who were promised a place and are here wait already; one more delays none of them by
      // more than a password.
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
      return dueIn !== null && dueIn > 0 ? asSeconds(dueIn) : reserve(source)
    },
    async promisedElsewhere(source) {
      if (shared === null || times.dueIn(source) !== null) return null
      const seconds = await shared.dueIn(source)
      if (seconds === null || seconds > 0) return seconds
      return mayExceed() && (await shared.redeem(source)) ? 0 : null
    },
    release(source) {
      if (times.dueIn(source) === null) return
      times.release(source)
      void shared?.redeem(source)
    },
  }
}

function asSeconds(milliseconds: number): number {
  return Math.max(1, Math.ceil(milliseconds / 1000))
}

/** What other processes have promised, where they share a store of counters. */
export interface SharedReservations {
  /** Tells the others; never rejects. */
  promise(source: string, seconds: number): void
  /**
   * Whole seconds until a place that another process has promised; null where none has. Never
   * rejects.
   */
  dueIn(source: string): Promise<number | null>
  /** Uses it up; true for one caller. Never rejects. */
  redeem(source: string): Promise<boolean>
}

/** When each source was told to come back. */
interface ReservedTimes {
  /** Milliseconds until the source's place is free; 0 or less when it is; null when it has none. */
  dueIn(source: string): number | null
  /** Reserves the next place; answers when it is free, as above. */
  make(source: string, state: QueueState): number
  /** The source has come, or needs it no more. */
  release(source: string): void
  /**
   * How many places are held back for others than this source, that are free within so many
   * milliseconds.
   */
  heldFor(otherThan: string, within: number): number
}

/** What decides when the next place is free. Milliseconds. */
interface QueueState {
  /** From one place to the next. */
  readonly interval: number
  /** Before there is any: more wait than there are places. */
  readonly backlog: number
  /** Before the source's own share has been worked off. */
  readonly ownShare: number
}

/**
 * How long a place is held back for a client that is late: a good one does not come back on the
 * second.
 */
const graceMs = 2000

/**
 * How long a place is still granted to a client that comes later than it was told: between two
 * processes it may be sent to the other one first.
 */
const validMs = 60_000

/** No client is told to come back later than that. */
const maxMs = 300_000

/** So many that a look at each of them costs nothing beside a hash. */
const maxReservations = 2000

/** Makes an empty list. `now` in milliseconds. */
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
      return due === undefined ? null : due - now()
    },
    make(source, { interval, backlog, ownShare }) {
      const moment = now()
      forgetOver(moment)
      // Whichever is sooner: after a stall of the hasher, what was promised at its pace is far
      // ahead.
      const inLine = moment + backlog + (countAhead(moment) + 1) * interval
      const next = Math.min(Math.max(moment + backlog, last) + interval, inLine, moment + maxMs)
      const due = Math.max(next, moment + ownShare)
      // Beyond that nothing is reserved: the moment is the end of the line, and a place then
      // likely.
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
