import { AuthError } from '../errors.js'
import type { RequestContext } from '../events.js'
import { createFairQueue } from './fair-queue.js'
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
 */
export function createWaitingRoom(pace: Pace, onRefused: OnRefused): WaitingRoom {
  const now = () => performance.now()
  const queue = createFairQueue<Waiting>()
  const waits = createRecentWaits(now)
  let refused = 0
  let abandoned = 0

  function full(asker: Asker): AuthError {
    const retryAfter = pace.secondsFor(queue.size)
    refused += 1
    onRefused(asker, queue.size, retryAfter)
    return unavailable('too many passwords are waiting', retryAfter)
  }

  function left(): AuthError {
    abandoned += 1
    return unavailable('the client went away before its turn')
  }

  function makeRoomFor(asker: Asker): void {
    if (queue.size < pace.places()) return
    const displaced = queue.makeRoomFor(asker.source)
    if (displaced === undefined) throw full(asker)
    refuse(displaced, full)
  }

  function pass(asker: Asker): void {
    if (asker.gone?.aborted === true) throw left()
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

function refuse(entry: Waiting | undefined, why: (asker: Asker) => AuthError): void {
  entry?.refuse(why(entry.asker))
}

/** Work on a password that was not begun; nothing has happened. */
export function unavailable(message: string, retryAfter = 1): AuthError {
  return new AuthError('temporarily-unavailable', { retryAfter, message })
}
