import { createPace } from './pace.js'
import { type Asker, createWaitingRoom, type OnRefused, unavailable, type WaitingRoomStats } from './waiting-room.js'

/** The state of the queue for passwords, and what became of those that were in it since the start. */
export interface PasswordStats extends WaitingRoomStats {
  /** How many are worked on at once. */
  readonly concurrency: number
  readonly running: number
  readonly completed: number
  /** Answered with 503 because the hasher failed, or did not answer; or with 400, for a password it cannot hash. */
  readonly failed: number
  /** How long one takes, as a moving average, in milliseconds. */
  readonly meanMs: number
}

/** Stands in front of the hasher: so many at once, and so many seconds of work waiting. */
export interface Admission {
  /** Does the work when its turn comes. Rejects with 503 when the queue is full, or when the client has gone before its turn. */
  run<T>(asker: Asker, work: () => Promise<T>): Promise<T>
  stats(): PasswordStats
  /** Lets running work finish, and refuses those who wait and those who come. */
  close(): void
}

/** What admission needs. */
export interface AdmissionDeps {
  /** How much work the hasher does at once. */
  readonly concurrency: number
  /** Seconds of work that may wait. */
  readonly maxWait: number
  readonly onRefused: OnRefused
}

/** Makes the admission to the hasher. Each change of who runs is one synchronous section, so no place is given twice. */
export function createAdmission({ concurrency, maxWait, onRefused }: AdmissionDeps): Admission {
  const pace = createPace(concurrency, maxWait)
  const room = createWaitingRoom(pace, onRefused)
  let running = 0
  let completed = 0
  let failed = 0
  let closed = false

  async function enter(asker: Asker): Promise<void> {
    if (closed) throw unavailable('the router is closed')
    if (running >= concurrency) return room.wait(asker)
    room.pass(asker)
    running += 1
  }

  // The place is handed on, not given back: whoever comes before the next one has woken up finds it taken.
  function leave(): void {
    if (!room.callNext()) running -= 1
  }

  return {
    async run(asker, work) {
      await enter(asker)
      const from = performance.now()
      try {
        const result = await work()
        completed += 1
        pace.took(performance.now() - from, false)
        return result
      } catch (error) {
        failed += 1
        pace.took(performance.now() - from, true)
        throw error
      } finally {
        leave()
      }
    },
    stats: () => ({ concurrency, running, ...room.stats(), completed, failed, meanMs: pace.meanMs }),
    close() {
      closed = true
      room.close()
    },
  }
}
