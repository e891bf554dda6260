import type { ShownPassword } from '../passwords/contract.js'
import type { FailClosedHasher } from '../passwords/fail-closed-hasher.js'
import {
  createAdmissionQueue,
  type OnRefused,
  type Requester,
  unavailable,
  type WaitingRoomStats,
} from './admission-queue.js'
import type { SharedReservations } from './reservations.js'
import { createServiceTime } from './service-time.js'

/**
 * The state of the queue for passwords, and what became of those that were in it since the start.
 */
export interface PasswordStats extends WaitingRoomStats {
  /** How many are worked on at once. */
  readonly concurrency: number
  readonly running: number
  readonly completed: number
  /**
   * Answered with 503 because the hasher failed, or did not answer; or with 400, for a password it
   * cannot hash.
   */
  readonly failed: number
  /** How long one takes, as a moving average, in milliseconds. */
  readonly meanMs: number
}

/** Stands in front of the hasher: so many at once, and so many seconds of work waiting. */
export interface Admission {
  /**
   * Does the work when its turn comes. Rejects with 503 when the queue is full, or when the client
   * has gone before its turn.
   */
  run<T>(requester: Requester, work: () => Promise<T>): Promise<T>
  stats(): PasswordStats
  /** Lets running work finish, and refuses those who wait and those who come. */
  close(): void
}

export interface AdmissionDeps {
  /** How much work the hasher does at once. */
  readonly concurrency: number
  /** Seconds of work that may wait. */
  readonly maxWait: number
  readonly onRefused: OnRefused
  /** What other processes have promised; null where each has clients of its own. */
  readonly shared: SharedReservations | null
}

/**
 * Makes the admission to the hasher. Each change of who runs is one synchronous section, so no
 * place is given twice.
 */
export function createAdmission({
  concurrency,
  maxWait,
  onRefused,
  shared,
}: AdmissionDeps): Admission {
  const serviceTime = createServiceTime(concurrency, maxWait)
  const queue = createAdmissionQueue({ serviceTime, onRefused, shared })
  let running = 0
  let completed = 0
  let failed = 0
  let closed = false

  async function enter(requester: Requester): Promise<void> {
    const asking = running >= concurrency ? queue.requirePlace(requester) : undefined
    // Not awaited where nobody is asked: two that come together must not find the same place.
    if (asking !== undefined) await asking
    // Asked after it: the router may have been closed, or its threads have come to rest, in the
    // meantime.
    if (closed) throw unavailable('the router is closed')
    if (running >= concurrency) return queue.wait(requester)
    queue.pass(requester)
    running += 1
  }

  // The place is handed on, not given back: whoever comes before the next one has woken up finds it
  // taken.
  function leave(): void {
    if (!queue.callNext()) running -= 1
  }

  return {
    async run(requester, work) {
      await enter(requester)
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

/** The host's hasher as the router uses it: whoever wants work done says on whose behalf. */
export interface AdmittedHasher
  extends Pick<
    FailClosedHasher,
    'needsRehash' | 'canRead' | 'whyRefused' | 'takesDigests' | 'unmatchable'
  > {
  hash(plain: string, requester: Requester): Promise<string>
  verify(shown: ShownPassword, hash: string, requester: Requester): Promise<boolean>
}

/**
 * Puts the admission in front of a hasher. The time limit of the hasher begins when the work does,
 * not when it is queued.
 */
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
