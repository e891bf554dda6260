import { setTimeout } from 'node:timers/promises'
import { AuthError } from '../errors.js'

/**
 * Work that starts after its request was answered, so that neither the bytes nor the time of an
 * answer tell who has an account.
 */
export interface Later {
  /** Starts the work after the answer. Throws 503 if too much waits already. */
  run(work: () => Promise<void>): void
  /** How many pieces of work are under way. */
  waiting(): number
  /** Waits for the work under way, at most so many milliseconds. */
  settled(milliseconds: number): Promise<void>
}

/** Pieces of work at once: a flood of requests must not pile up in memory. */
const mostAtOnce = 100

export function createLater(): Later {
  const underWay = new Set<Promise<void>>()
  return {
    run(work) {
      if (underWay.size >= mostAtOnce)
        throw new AuthError('temporarily-unavailable', {
          retryAfter: 2,
          message: 'too many mails are being prepared',
        })
      const mine = afterAnswer()
        .then(work)
        // The failed call has reported itself, and the client has its answer.
        .catch(() => {})
        .finally(() => underWay.delete(mine))
      underWay.add(mine)
    },
    waiting: () => underWay.size,
    async settled(milliseconds) {
      await Promise.race([
        Promise.all(underWay),
        setTimeout(milliseconds, undefined, { ref: false }),
      ])
    },
  }
}

// The answer is written in the microtasks that follow the endpoint's return.
function afterAnswer(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}
