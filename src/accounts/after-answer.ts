import { randomInt } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { AuthError } from '../errors.js'

/**
 * Work that starts after its request was answered, so that neither the bytes nor the time of an
 * answer tell who has an account.
 */
export interface AfterAnswer {
  /** Plans the work. Throws 503 if too much waits already. */
  run(work: () => Promise<void>): void
  /** How many pieces of work are planned or under way. */
  waiting(): number
  /** Waits for them, at most so many milliseconds. */
  settled(milliseconds: number): Promise<void>
}

/** Pieces of work at once: a flood of requests must not pile up in memory. */
const mostAtOnce = 1000

export function createAfterAnswer(): AfterAnswer {
  const underWay = new Set<Promise<void>>()
  return {
    run(work) {
      if (underWay.size >= mostAtOnce)
        throw new AuthError('temporarily-unavailable', {
          retryAfter: 2,
          message: 'too many mails are being prepared',
        })
      const mine = somewhatLater()
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

// At a random time: right after the answer, the work would hold up the next request of the same
// client, who could tell by that how much work there was.
function somewhatLater(): Promise<void> {
  return setTimeout(randomInt(20, 120))
}
