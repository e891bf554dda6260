import { AuthConfigError, AuthError } from '../errors.js'
import { unwatched, type Watching } from './watch.js'

/**
 * Calls a part of the host. Every failure (exception, rejection, no answer) is 503, never 401, and
 * never counts as success.
 */
export type HostCall = <T>(operation: string, work: () => T | Promise<T>) => Promise<T>

/**
 * A part of the host returned a value that violates its contract. The message is ours and safe to
 * log.
 */
export class UnexpectedAnswer extends Error {
  override readonly name: string = 'UnexpectedAnswer'
}

/** Loggable facts about a failed call. */
export interface HostFailure {
  readonly operation: string
  readonly error: string
  readonly code?: string
  /** The remedy, if known. */
  readonly hint?: string
  /** The innermost stack frame. */
  readonly frame?: string
}

/** The work gave no answer in time. It may still finish later. */
class TimeoutError extends Error {
  override readonly name: string = 'TimeoutError'
}

/** Every call of the host's stores, hooks, signer and hasher goes through this. */
export function createHostCall(
  timeoutMs: number,
  onFailure: (failure: HostFailure) => void,
  watching: Watching = { watch: unwatched },
): HostCall {
  return function hostCall(operation, work) {
    const { watch } = watching
    const running =
      watch === unwatched
        ? withTimeout(work, timeoutMs)
        : watch(operation, () => withTimeout(work, timeoutMs))
    return running.catch((cause: unknown) => {
      onFailure(describeFailure(operation, cause))
      // An overloaded part may say when to retry. Its message is not for clients.
      const retryAfter = (cause instanceof AuthError ? cause.retryAfter : undefined) ?? 2
      throw new AuthError('temporarily-unavailable', {
        message: `${operation} failed`,
        retryAfter,
        cause,
      })
    })
  }
}

/**
 * Runs `work` and rejects with {@link TimeoutError} after `milliseconds`. A synchronous exception
 * becomes a rejection.
 */
export function withTimeout<T>(work: () => T | Promise<T>, milliseconds: number): Promise<T> {
  // Not `Promise.race`, which makes nine promises instead of five, in every call of a store.
  return new Promise((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new TimeoutError(`no answer within ${milliseconds} ms`)),
      milliseconds,
    )
    const settle = async () => {
      try {
        resolve(await work())
      } catch (error) {
        reject(error)
      } finally {
        clearTimeout(timer)
      }
    }
    void settle()
  })
}

/**
 * Loggable facts about a failure. Drivers put bound values into their messages, and an unknown
 * identifier is often a mistyped password. So a foreign message is never logged, only its class,
 * its code and its origin. Our own messages contain no values.
 */
export function describeFailure(operation: string, cause: unknown): HostFailure {
  try {
    if (!(cause instanceof Error)) return { operation, error: `a thrown ${typeof cause}` }
    const ours = `${cause.name}: ${cause.message}`
    if (cause instanceof UnexpectedAnswer || cause instanceof TimeoutError)
      return { operation, error: ours }
    if (cause instanceof AuthConfigError)
      return { operation, error: ours, ...codeOf(cause.cause), hint: cause.remedy }
    return { operation, error: nameOf(cause), ...codeOf(cause), ...frameOf(cause) }
  } catch {
    return { operation, error: 'an error that cannot be read' }
  }
}

function nameOf({ name }: Error): string {
  return /^[\w.$ -]{1,64}$/.test(name) ? name : 'Error'
}

// Such as ECONNREFUSED or 23505; if a library wraps the error, the code of the cause.
function codeOf(failure: unknown): { code?: string } {
  for (const one of [failure, failure instanceof Error ? failure.cause : undefined]) {
    const code = one instanceof Error && 'code' in one ? String(one.code) : ''
    if (/^[\w.-]{1,64}$/.test(code)) return { code }
  }
  return {}
}

// Reads only the text after the message: a message of several lines can look like a frame.
function frameOf({ stack, message }: Error): { frame?: string } {
  const frames = String(stack).split(message).at(-1)?.split('\n') ?? []
  const frame = frames.find((line) => /^\s+at /.test(line))
  return frame === undefined || message === '' ? {} : { frame: frame.trim().slice(3) }
}
