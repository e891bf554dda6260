import { AuthConfigError, AuthError } from '../errors.js'

/**
 * Calls something the host supplied. Every failure (throw, rejection, silence) is a 503, never a
 * 401 and never a pass.
 */
export type HostCall = <T>(operation: string, work: () => T | Promise<T>) => Promise<T>

/**
 * The host's part answered, but with something its contract does not allow. The text is ours, so it
 * is safe to log.
 */
export class UnexpectedAnswer extends Error {
  override readonly name: string = 'UnexpectedAnswer'
}

/** What may be told about a failed call. */
export interface HostFailure {
  readonly operation: string
  readonly error: string
  readonly code?: string
  /** What to do about it, where that is known. */
  readonly hint?: string
  /** The innermost stack frame. */
  readonly frame?: string
}

/** The awaited work gave no answer in time. The work itself may still finish later. */
class TimeoutError extends Error {
  override readonly name: string = 'TimeoutError'
}

/** Makes the one way in which this router calls the host's stores, hooks, signer and hasher. */
export function createHostCall(
  timeoutMs: number,
  onFailure: (failure: HostFailure) => void,
): HostCall {
  return function hostCall(operation, work) {
    return withTimeout(work, timeoutMs).catch((cause: unknown) => {
      onFailure(describeFailure(operation, cause))
      // A part that knows it is overloaded also knows when to come back. Its text is not for
      // clients.
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
 * Runs `work` and rejects with {@link TimeoutError} after `milliseconds`. A synchronous throw
 * becomes a rejection too.
 */
export function withTimeout<T>(work: () => T | Promise<T>, milliseconds: number): Promise<T> {
  // Not `Promise.race`, which makes nine promises where this makes five: every call of a store goes
  // through here.
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
 * What may be told of a failure. Drivers put bound values into their messages, and an unknown
 * identifier is often a mistyped password. So a foreign message is never logged: its class, its
 * code and the place it came from are. Ours hold no values.
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

// Such as ECONNREFUSED or 23505; where a library wraps the error, that of the cause.
function codeOf(failure: unknown): { code?: string } {
  for (const one of [failure, failure instanceof Error ? failure.cause : undefined]) {
    const code = one instanceof Error && 'code' in one ? String(one.code) : ''
    if (/^[\w.-]{1,64}$/.test(code)) return { code }
  }
  return {}
}

// Only what follows the message is read: a message of several lines can look like a frame.
function frameOf({ stack, message }: Error): { frame?: string } {
  const frames = String(stack).split(message).at(-1)?.split('\n') ?? []
  const frame = frames.find((line) => /^\s+at /.test(line))
  return frame === undefined || message === '' ? {} : { frame: frame.trim().slice(3) }
}
