import { AuthError } from '../errors.js'
import { TimeoutError, withTimeout } from './timeouts.js'

/** Calls something the host supplied. Every failure (throw, rejection, silence) is a 503, never a 401 and never a pass. */
export type HostCall = <T>(operation: string, work: () => T | Promise<T>) => Promise<T>

/** The host's part answered, but with something its contract does not allow. The text is ours, so it is safe to log. */
export class UnexpectedAnswer extends Error {
  override readonly name: string = 'UnexpectedAnswer'
}

/** What may be told about a failed call. */
export interface HostFailure {
  readonly operation: string
  readonly error: string
  readonly code?: string
  /** The innermost stack frame. */
  readonly frame?: string
}

/** Makes the one way in which this router calls the host's stores, hooks and signer. */
export function createHostCall(timeout: number, onFailure: (failure: HostFailure) => void): HostCall {
  return async (operation, work) => {
    try {
      return await withTimeout(work, timeout)
    } catch (cause) {
      onFailure(describeFailure(operation, cause))
      // A part that knows it is overloaded also knows when to come back.
      if (cause instanceof AuthError && cause.code === 'temporarily-unavailable') throw cause
      throw new AuthError('temporarily-unavailable', { message: `${operation} failed`, retryAfter: 2, cause })
    }
  }
}

// Drivers put bound values into their messages, and an unknown identifier is often a mistyped password. So a foreign
// message is never logged: its class, its code and the place it came from are.
function describeFailure(operation: string, cause: unknown): HostFailure {
  if (!(cause instanceof Error)) return { operation, error: `a thrown ${typeof cause}` }
  if (cause instanceof UnexpectedAnswer || cause instanceof TimeoutError) {
    return { operation, error: `${cause.name}: ${cause.message}` }
  }
  const code = 'code' in cause && (typeof cause.code === 'string' || typeof cause.code === 'number') ? `${cause.code}` : null
  const frame = cause.stack?.split('\n').find((line) => line.trimStart().startsWith('at '))
  return {
    operation,
    error: cause.name,
    ...(code === null ? {} : { code }),
    ...(frame === undefined ? {} : { frame: frame.trim().slice(3) }),
  }
}
