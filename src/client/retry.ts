import { AuthClientError } from './errors.js'
import { type BasicSignal, pause } from './platform.js'

/** Waits while the server is busy: 503, with `Retry-After`. */
export interface Retry {
  /**
   * Repeats the work while the server answers 503, after the pause that it asks for. Throws the
   * last error after `maxWaitMs`.
   */
  withRetry<T>(work: () => Promise<T>): Promise<T>
  /**
   * Waits `retryAfter` seconds. Resolves with false at once if that ends later than `maxWaitMs`
   * after `since`.
   */
  waitAfter(
    retryAfter: number | undefined,
    since: number,
    signal?: BasicSignal | null,
  ): Promise<boolean>
}

/** The pause if the server names none, in seconds. */
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
