import { AuthError } from '../errors.js'
import type { RequestContext } from '../events.js'
import { createFairQueue, type FairQueue } from './fair-queue.js'
import { createKeptPlaces, type KeptPlaces } from './kept-places.js'
import type { Pace } from './pace.js'
import { createRecentWaits, type WaitTimes } from './recent-waits.js'

/** Who asks for work on a password. */
export interface Asker {
  /** Sources take turns: a client's network, or a part of the router. */
  readonly source: string
  readonly context: RequestContext
  /** Aborted when nobody waits for the answer any more. */
  readonly gone: AbortSignal | null
}

/** Told of each that was refused because the queue was full. */
export type OnRefused = (asker: Asker, waiting: number, retryAfter: number) => void

/** What the waiting room has seen. */
export interface WaitingRoomStats {
  readonly waiting: number
  /** How many sources those who wait come from: networks of clients, and parts of the router and the host. */
  readonly networks: number
  /** Answered with 503 because the queue was full. */
  readonly refused: number
  /** Not worked on, because the client had gone away. */
  readonly abandoned: number
  /** How long they waited for their turn in the last one to two minutes. */
  readonly waitMs: WaitTimes
}

/** Those who wait for the hasher. */
export interface WaitingRoom {
  /** Resolves when its turn has come. Rejects with 503 when there is no place for it, or none any more, or when its client has gone. */
  wait(asker: Asker): Promise<void>
  /** Lets somebody pass who need not wait. */
  pass(asker: Asker): void
  /** Calls the next one; false when nobody waits. */
  callNext(): boolean
  /** Refuses all who wait. */
  close(): void
  stats(): WaitingRoomStats
}

interface Waiting {
  readonly asker: Asker
  readonly since: number
  admit(): void
  refuse(error: AuthError): void
}

/**
 * Makes an empty waiting room. It is bounded in seconds of work and not in entries, since what a client minds is how long it waits. When all
 * is full, the source that has the most waiting gives way: one source can have the whole queue while it is alone, and never keeps others out.
 * For a source that finds no place at all one is kept until it comes again.
 */
export function createWaitingRoom(pace: Pace, onRefused: OnRefused): WaitingRoom {
  const now = () => performance.now()
  const queue = createFairQueue<Waiting>()
  const kept = createKeptPlaces(now)
  const waits = createRecentWaits(now)
  let refused = 0
  let abandoned = 0

  function full(asker: Asker): AuthError {
    const retryAfter = keepPlace(asker.source, queue, kept, pace)
    refused += 1
    onRefused(asker, queue.size, retryAfter)
    return unavailable('too many passwords are waiting', retryAfter)
  }

  function left(): AuthError {
    abandoned += 1
    return unavailable('the client went away before its turn')
  }

  function makeRoomFor(asker: Asker): void {
    const places = pace.places()
    // Whoever has just been served and comes again would otherwise take each place as it comes free, before those who were told to wait.
    // Half of them at most: those who do not come back must not keep everybody else out.
    const forOthers = kept.isFor(asker.source) ? 0 : Math.min(kept.size, Math.floor(places / 2))
    if (queue.size >= places - forOthers) {
      const displaced = queue.makeRoomFor(asker.source)
      if (displaced === undefined) throw full(asker)
      refuse(displaced, full)
    }
    kept.release(asker.source)
  }

  function pass(asker: Asker): void {
    if (asker.gone?.aborted === true) throw left()
    kept.release(asker.source)
    waits.record(0)
  }

  async function wait(asker: Asker): Promise<void> {
    if (asker.gone?.aborted === true) throw left()
    makeRoomFor(asker)
    return new Promise((admit, reject) => {
      const entry: Waiting = { asker, since: now(), admit, refuse: reject }
      queue.add(asker.source, entry)
      // Whoever takes an entry out of the queue answers it: its turn, its displacement, or this.
      asker.gone?.addEventListener('abort', () => queue.remove(asker.source, entry) && reject(left()), { once: true })
    })
  }

  function callNext(): boolean {
    // The hasher has become much slower than when they were let in: better told now than after minutes.
    while (queue.size > 2 * pace.places()) refuse(queue.takeNewestOfLongest(), full)
    const next = queue.take()
    if (next === undefined) return false
    waits.record(now() - next.since)
    next.admit()
    return true
  }

  return {
    wait,
    pass,
    callNext,
    close() {
      for (let next = queue.take(); next !== undefined; next = queue.take()) next.refuse(unavailable('the router is closed'))
    },
    stats: () => ({ waiting: queue.size, networks: queue.sources, refused, abandoned, waitMs: waits.read() }),
  }
}

// Answers in how many seconds to come for it: sooner than the whole queue is worked off, but for a source that has others waiting, and so
// its share.
function keepPlace(source: string, queue: FairQueue<Waiting>, kept: KeptPlaces, pace: Pace): number {
  const all = pace.secondsFor(queue.size)
  if (queue.has(source)) return all
  const seconds = Math.min(all, pace.secondsFor(kept.isFor(source) ? 0 : kept.size))
  kept.keep(source, seconds)
  return seconds
}

function refuse(entry: Waiting | undefined, why: (asker: Asker) => AuthError): void {
  entry?.refuse(why(entry.asker))
}

/** Work on a password that was not begun; nothing has happened. */
export function unavailable(message: string, retryAfter = 1): AuthError {
  return new AuthError('temporarily-unavailable', { retryAfter, message })
}
