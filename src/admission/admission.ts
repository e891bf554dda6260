import type { RecordableHistogram } from 'node:perf_hooks'
import type { RequestContext } from '../audit/events.js'
import { AuthError } from '../errors.js'
import type { ShownPassword } from '../passwords/contract.js'
import type { FailClosedHasher } from '../passwords/fail-closed-hasher.js'
import { createFairQueue, type FairQueue } from './fair-queue.js'
import {
  createReservations,
  createServiceTime,
  type ServiceTime,
  type SharedReservations,
} from './reservations.js'

/** The request for work on a password. */
export interface Requester {
  /** Sources take turns. A source is the network of a client, or a part of the router. */
  readonly source: string
  readonly context: RequestContext
  /** Aborted when the client disconnects; absent if there is no client. */
  readonly signal?: AbortSignal | undefined
}

/** Called for each request that was refused because the queue was full. */
export type OnRefused = (requester: Requester, waiting: number, retryAfter: number) => void

/** The state of the queue, and what it has counted. */
export interface WaitingRoomStats {
  /** How many passwords wait. */
  readonly waiting: number
  /** How many sources have passwords waiting: networks of clients, parts of router and host. */
  readonly networks: number
  /** Answered with 503 because the queue was full. */
  readonly refused: number
  /** Not hashed, because the client had disconnected. */
  readonly abandoned: number
  /** Waiting times of the last one to two minutes. */
  readonly waitMs: WaitTimes
}

/** Waiting times in milliseconds; 1 means one millisecond or less. */
export interface WaitTimes {
  readonly p50: number
  readonly p99: number
  readonly max: number
}

/** The state of the queue for passwords, and its counts since the start. */
export interface PasswordStats extends WaitingRoomStats {
  /** Maximum of `running`. */
  readonly concurrency: number
  /** How many passwords the hasher works on. */
  readonly running: number
  readonly completed: number
  /**
   * Answered with 503 because the hasher failed or did not answer, or with 400 for a password that
   * it cannot hash.
   */
  readonly failed: number
  /** Duration of one hash, as a moving average, in milliseconds. */
  readonly meanMs: number
}

/** The bounded queue in front of the hasher. */
export interface Admission {
  /**
   * Does the work when its turn comes. Rejects with 503 if the queue is full, or if the client
   * disconnects before its turn.
   */
  run<T>(requester: Requester, work: () => Promise<T>): Promise<T>
  stats(): PasswordStats
  /** Lets running work finish; refuses everything that waits or comes later. */
  close(): void
}

export interface AdmissionSettings {
  /** How many passwords the hasher works on at once. */
  readonly concurrency: number
  /** Seconds of work that may wait. */
  readonly maxWait: number
  readonly onRefused: OnRefused
  /** Reservations of other processes; undefined if processes share no counters. */
  readonly shared: SharedReservations | undefined
}

/** Each change of who runs is one synchronous section, so no place is given twice. */
export function createAdmission({
  concurrency,
  maxWait,
  onRefused,
  shared,
}: AdmissionSettings): Admission {
  const serviceTime = createServiceTime(concurrency, maxWait)
  const queue = createAdmissionQueue(serviceTime, onRefused, shared)
  let running = 0
  let completed = 0
  let failed = 0
  let closed = false

  // No promise where a place is free: two calls at once would find the same one.
  function enter(requester: Requester): Promise<void> | undefined {
    const asking = running >= concurrency ? queue.requirePlace(requester) : undefined
    return asking === undefined ? takePlace(requester) : asking.then(() => takePlace(requester))
  }

  function takePlace(requester: Requester): Promise<void> | undefined {
    // This is checked after the wait: the router may have been closed, or a thread may be idle by
    // now.
    if (closed) throw unavailable('the router is closed')
    if (running >= concurrency) return queue.wait(requester)
    queue.pass(requester)
    running += 1
    return undefined
  }

  // Passes the place on without releasing it, so that a newcomer cannot take it before the next in
  // the queue wakes up.
  function leave(): void {
    if (!queue.callNext()) running -= 1
  }

  return {
    async run(requester, work) {
      const entering = enter(requester)
      if (entering !== undefined) await entering
      const from = performance.now()
      try {
        const result = await work()
        completed += 1
        serviceTime.record(performance.now() - from, false)
        return result
      } catch (error) {
        failed += 1
        serviceTime.record(performance.now() - from, true)
        throw error
      } finally {
        leave()
      }
    },
    stats: () => ({
      concurrency,
      running,
      ...queue.stats(),
      completed,
      failed,
      meanMs: serviceTime.meanMs,
    }),
    close() {
      closed = true
      queue.close()
    },
  }
}

/** The requests that wait for the hasher. */
interface AdmissionQueue {
  /**
   * Reserves a place, or throws 503 with `retryAfter`. Returns a promise only if another process
   * must be asked.
   */
  requirePlace(requester: Requester): Promise<void> | undefined
  /** Resolves at its turn. Rejects with 503 if it is displaced or its client disconnects. */
  wait(requester: Requester): Promise<void>
  /** Notes a request that need not wait. */
  pass(requester: Requester): void
  /** Starts the next one; false if none waits. */
  callNext(): boolean
  /** Refuses all that wait. */
  close(): void
  stats(): WaitingRoomStats
}

interface Waiting {
  readonly requester: Requester
  readonly since: number
  admit(): void
  refuse(error: AuthError): void
}

/** Bounded in seconds of work, not in entries: clients care about the waiting time. */
function createAdmissionQueue(
  serviceTime: ServiceTime,
  onRefused: OnRefused,
  shared: SharedReservations | undefined,
): AdmissionQueue {
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

  function requireConnected({ signal }: Requester): void {
    if (signal?.aborted === true) throw abandoned(counts)
  }

  async function requirePromised(requester: Requester): Promise<void> {
    const seconds = await reservations.promisedElsewhere(requester.source)
    if (seconds !== 0) throw full(requester, seconds)
  }

  return {
    requirePlace(requester) {
      requireConnected(requester)
      if (reservations.isFreeFor(requester.source)) return undefined
      if (shared === undefined) throw full(requester)
      return requirePromised(requester)
    },
    async wait(requester) {
      requireConnected(requester)
      reservations.release(requester.source)
      return turn(queue, requester, counts)
    },
    pass(requester) {
      requireConnected(requester)
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
      // The entry is settled by the one code that removes it: its turn, its displacement, or this
      // line.
      if (queue.remove(requester.source, entry)) reject(abandoned(counts))
    }
    requester.signal?.addEventListener('abort', leave, { once: true })
  })
}

// The hasher may have become much slower since they joined: an early 503 beats minutes of waiting.
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
  return unavailable('the client disconnected before its turn')
}

// The work has not begun, so nothing has happened.
function unavailable(message: string, retryAfter = 1): AuthError {
  return new AuthError('temporarily-unavailable', { retryAfter, message })
}

/** The waiting times of the last one to two minutes. */
interface RecentWaits {
  record(milliseconds: number): void
  read(): WaitTimes
}

const minute = 60_000
const longest = 3_600_000

/**
 * Only recent values: the values of last night would hide a present overload, or keep an alarm
 * ringing. Two histograms take turns, driven by the calls, so it needs no timer and never grows.
 */
function createRecentWaits(now: () => number): RecentWaits {
  let current = emptyHistogram()
  let before = emptyHistogram()
  let since = now()

  function rotate(): void {
    const age = now() - since
    if (age < minute) return
    before = age < 2 * minute ? current : emptyHistogram()
    current = emptyHistogram()
    since = now()
  }

  return {
    record(milliseconds) {
      rotate()
      current.record(Math.min(longest, Math.max(1, Math.round(milliseconds))))
    },
    read() {
      rotate()
      const both = emptyHistogram()
      both.add(before)
      both.add(current)
      return { p50: both.percentile(50), p99: both.percentile(99), max: both.max }
    },
  }
}

function emptyHistogram(): RecordableHistogram {
  // It is loaded with the first router: a program that only imports the package does not need it.
  const { createHistogram } = process.getBuiltinModule('node:perf_hooks')
  return createHistogram({ lowest: 1, highest: longest, figures: 2 })
}

/** The host's hasher behind the queue. */
export interface AdmittedHasher
  extends Pick<
    FailClosedHasher,
    'needsRehash' | 'canRead' | 'whyRefused' | 'takesDigests' | 'unmatchable'
  > {
  hash(plain: string, requester: Requester): Promise<string>
  verify(shown: ShownPassword, hash: string, requester: Requester): Promise<boolean>
}

/** The time limit of the hasher begins with the work, not with the wait. */
export function admittedHasher(hasher: FailClosedHasher, admission: Admission): AdmittedHasher {
  return {
    hash: (plain, requester) => admission.run(requester, () => hasher.hash(plain)),
    verify: (shown, hash, requester) => admission.run(requester, () => hasher.verify(shown, hash)),
    needsRehash: hasher.needsRehash,
    canRead: hasher.canRead,
    whyRefused: hasher.whyRefused,
    takesDigests: hasher.takesDigests,
    unmatchable: hasher.unmatchable,
  }
}
