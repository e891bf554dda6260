import type { RequestContext } from '../audit/events.js'
import { AuthError } from '../errors.js'
import { createFairQueue, type FairQueue } from './fair-queue.js'
import { createRecentWaits, type WaitTimes } from './recent-waits.js'
import { createReservations, type SharedReservations } from './reservations.js'
import type { ServiceTime } from './service-time.js'

/** Who asks for work on a password. */
export interface Requester {
  /** Sources take turns: a client's network, or a part of the router. */
  readonly source: string
  readonly context: RequestContext
  /** Aborted when the client disconnects; absent if there is no client. */
  readonly signal?: AbortSignal | undefined
}

/** Told of each that was refused because the queue was full. */
export type OnRefused = (requester: Requester, waiting: number, retryAfter: number) => void

/** What the queue has seen. */
export interface WaitingRoomStats {
  readonly waiting: number
  /**
   * How many sources those who wait come from: networks of clients, and parts of the router and the
   * host.
   */
  readonly networks: number
  /** Answered with 503 because the queue was full. */
  readonly refused: number
  /** Not worked on, because the client had gone away. */
  readonly abandoned: number
  /** How long they waited for their turn in the last one to two minutes. */
  readonly waitMs: WaitTimes
}

/** Those who wait for the hasher. */
export interface AdmissionQueue {
  /**
   * Says that there is a place for it, or throws 503 and tells when there will be one. A promise
   * where another process has to be asked for it.
   */
  requirePlace(requester: Requester): Promise<void> | undefined
  /**
   * Resolves when its turn has come. Rejects with 503 when it has to give way, or when its client
   * has gone.
   */
  wait(requester: Requester): Promise<void>
  /** Lets somebody pass who need not wait. */
  pass(requester: Requester): void
  /** Calls the next one; false when none waits. */
  callNext(): boolean
  /** Refuses all who wait. */
  close(): void
  stats(): WaitingRoomStats
}

interface Waiting {
  readonly requester: Requester
  readonly since: number
  admit(): void
  refuse(error: AuthError): void
}

export interface AdmissionQueueDeps {
  readonly serviceTime: ServiceTime
  readonly onRefused: OnRefused
  readonly shared: SharedReservations | null
}

/**
 * Makes an empty queue. It is bounded in seconds of work and not in entries, since what a client
 * minds is how long it waits.
 */
export function createAdmissionQueue({
  serviceTime,
  onRefused,
  shared,
}: AdmissionQueueDeps): AdmissionQueue {
  const queue = createFairQueue<Waiting>()
  const reservations = createReservations({
    queue,
    serviceTime,
    shared,
    displace: (entry) => entry.refuse(full(entry.requester)),
  })
  const waits = createRecentWaits(() => performance.now())
  const counts = { refused: 0, abandoned: 0 }

  function full(
    requester: Requester,
    retryAfter = reservations.secondsUntilFree(requester.source),
  ): AuthError {
    counts.refused += 1
    onRefused(requester, queue.size, retryAfter)
    return unavailable('too many passwords are waiting', retryAfter)
  }

  function requireThere({ signal }: Requester): void {
    if (signal?.aborted === true) throw abandoned(counts)
  }

  async function requirePromised(requester: Requester): Promise<void> {
    const seconds = await reservations.promisedElsewhere(requester.source)
    if (seconds !== 0) throw full(requester, seconds ?? undefined)
  }

  return {
    requirePlace(requester) {
      requireThere(requester)
      if (reservations.isFreeFor(requester.source)) return undefined
      if (shared === null) throw full(requester)
      return requirePromised(requester)
    },
    async wait(requester) {
      requireThere(requester)
      reservations.release(requester.source)
      return turn(queue, requester, counts)
    },
    pass(requester) {
      requireThere(requester)
      reservations.release(requester.source)
      waits.record(0)
    },
    callNext() {
      shorten(queue, 2 * serviceTime.capacity(), full)
      const next = queue.take()
      if (next === undefined) return false
      waits.record(performance.now() - next.since)
      next.admit()
      return true
    },
    close() {
      for (let next = queue.take(); next !== undefined; next = queue.take())
        next.refuse(unavailable('the router is closed'))
    },
    stats: () => ({
      waiting: queue.size,
      networks: queue.sources,
      ...counts,
      waitMs: waits.read(),
    }),
  }
}

function turn(
  queue: FairQueue<Waiting>,
  requester: Requester,
  counts: { abandoned: number },
): Promise<void> {
  return new Promise((admit, reject) => {
    const entry: Waiting = { requester, since: performance.now(), admit, refuse: reject }
    queue.add(requester.source, entry)
    const leave = () => {
      // What takes an entry out of the queue answers it: its turn, its displacement, or this.
      if (queue.remove(requester.source, entry)) reject(abandoned(counts))
    }
    requester.signal?.addEventListener('abort', leave, { once: true })
  })
}

// The hasher has become much slower than when they were let in: better told now than after minutes.
function shorten(
  queue: FairQueue<Waiting>,
  maxSize: number,
  full: (requester: Requester) => AuthError,
): void {
  while (queue.size > maxSize) {
    const newest = queue.takeNewestOfLongest()
    newest?.refuse(full(newest.requester))
  }
}

function abandoned(counts: { abandoned: number }): AuthError {
  counts.abandoned += 1
  return unavailable('the client went away before its turn')
}

/** Work on a password that was not begun; nothing has happened. */
export function unavailable(message: string, retryAfter = 1): AuthError {
  return new AuthError('temporarily-unavailable', { retryAfter, message })
}
