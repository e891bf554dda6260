import { AuthClientError } from './errors.js'
import { type BasicSignal, pause } from './platform.js'

/** Waiting for a server that says it is busy: 503, with the time after which to ask again. */
export interface Retry {
  /**
   * Does it again for as long as the server is busy, as late as it asks for. Gives up with the last
   * error when `maxWaitMs` are over.
   */
  withRetry<T>(work: () => Promise<T>): Promise<T>
  /**
   * Waits as an answer asks for; answers false at once where that would be longer than `maxWaitMs`
   * after `since`.
   */
  waitAfter(
    retryAfter: number | undefined,
    since: number,
    signal?: BasicSignal | null,
  ): Promise<boolean>
}

/** Where the server does not say how long it is busy, in seconds. */
const usualPause = 2

export function createRetry(maxWaitMs: number, onBusy: (seconds: number) => void): Retry {
  async function waitAfter(
    retryAfter: number | undefined,
    since: number,
    signal?: BasicSignal | null,
  ): Promise<boolean> {
    const seconds = retryAfter ?? usualPause
    if (Date.now() - since + seconds * 1000 > maxWaitMs) return false
    onBusy(seconds)
    await pause(seconds, signal)
    return true
  }

  async function withRetry<T>(work: () => Promise<T>): Promise<T> {
    const since = Date.now()
    for (;;) {
      try {
        return await work()
      } catch (error) {
        if (!isBusy(error) || !(await waitAfter(error.retryAfter, since))) throw error
      }
    }
  }

  return { withRetry, waitAfter }
}

const isBusy = (error: unknown): error is AuthClientError =>
  error instanceof AuthClientError && error.status === 503
