import { AsyncResource } from 'node:async_hooks'
import { AuthConfigError, AuthError } from '../errors.js'
import { unwatched, type Watching } from './watch.js'

/**
 * Calls a part of the host. Every failure (exception, rejection, no answer) is 503, never 401, and
 * never counts as success. `accept` makes the result of the answer, or throws what is wrong with
 * it, which is a failure, too. Both get `asked`, so that neither need be made for each call.
 */
export type HostCall = <Answer, Result = Answer, Asked = unknown>(
  operation: string,
  work: (asked: Asked) => Answer | Promise<Answer>,
  accept?: (answer: Answer, asked: Asked) => Result,
  asked?: Asked,
) => Promise<Result>

/** Time limit for another server, such as a provider's, which may be asked three times. */
export const otherServerTimeoutMs = 15_000

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

/** A call that has no answer yet. */
interface Waiting {
  readonly operation: string
  /** By `performance.now()`. */
  readonly until: number
  readonly reject: (error: AuthError) => void
}

/** Every call of the host's stores, hooks, signer and hasher goes through this. */
export function createHostCall(
  timeoutMs: number,
  onFailure: (failure: HostFailure) => void,
  watching: Watching = { watch: unwatched },
): HostCall {
  function failed({ operation }: Waiting, cause: unknown): AuthError {
    onFailure(describeFailure(operation, cause))
    // An overloaded part may say when to retry. Its message is not for clients.
    const retryAfter = (cause instanceof AuthError ? cause.retryAfter : undefined) ?? 2
    const message = `${operation} failed`
    return new AuthError('temporarily-unavailable', { message, retryAfter, cause })
  }
  const deadlines = createDeadlines(timeoutMs, failed)

  // Three promises for each call, with that of the store, and few functions: a request makes five
  // to ten calls.
  const ask: HostCall = <Answer, Result, Asked>(
    operation: string,
    work: (asked: Asked) => Answer | Promise<Answer>,
    accept: (answer: Answer, asked: Asked) => Result = unchanged,
    asked?: Asked,
  ) =>
    new Promise<Result>((resolve, reject) => {
      const call = deadlines.begin(operation, reject)
      const fail = (cause: unknown) => {
        if (deadlines.end(call)) reject(failed(call, cause))
      }
      try {
        // The promise of another library may call back twice: this makes one of our own of it.
        Promise.resolve(work(asked as Asked)).then((answer) => {
          try {
            const result = accept(answer, asked as Asked)
            if (deadlines.end(call)) resolve(result)
          } catch (cause) {
            fail(cause)
          }
        }, fail)
      } catch (cause) {
        fail(cause)
      }
    })

  return function hostCall(operation, work, accept, asked) {
    const { watch } = watching
    return watch === unwatched
      ? ask(operation, work, accept, asked)
      : watch(operation, () => ask(operation, work, accept, asked))
  }
}

function unchanged<Answer, Result>(answer: Answer): Result {
  return answer as unknown as Result
}

/** The time limits of calls that all have as long. */
interface Deadlines {
  begin(operation: string, reject: Waiting['reject']): Waiting
  /** False if its time was over before. */
  end(call: Waiting): boolean
}

// One timer for all: most calls are answered within the same turn of the event loop, and a timer
// for each would cost more than many an answer.
function createDeadlines(
  timeoutMs: number,
  failed: (call: Waiting, cause: Error) => AuthError,
): Deadlines {
  // In the order of their beginning, which is that of their end.
  const waiting = new Set<Waiting>()
  // The timer belongs to no request: what the host keeps for one (`AsyncLocalStorage`) must not
  // appear beside the failure of another.
  const ownContext = new AsyncResource('HostCall')
  let timer: NodeJS.Timeout | undefined

  function wakeIn(milliseconds: number): void {
    timer = ownContext.runInAsyncScope(setTimeout, null, expire, Math.ceil(milliseconds))
  }

  function expire(): void {
    timer = undefined
    const now = performance.now()
    for (const call of waiting) {
      if (call.until > now) {
        wakeIn(call.until - now)
        return
      }
      waiting.delete(call)
      call.reject(failed(call, new TimeoutError(`no answer within ${timeoutMs} ms`)))
    }
  }

  return {
    begin(operation, reject) {
      const call = { operation, reject, until: performance.now() + timeoutMs }
      // A process that waits for an answer does not end, and one that waits for none may.
      if (timer === undefined) wakeIn(timeoutMs)
      else if (waiting.size === 0) timer.ref()
      waiting.add(call)
      return call
    },
    end(call) {
      const isInTime = waiting.delete(call)
      if (waiting.size === 0) timer?.unref()
      return isInTime
    },
  }
}

/**
 * Runs `work` and rejects with {@link TimeoutError} after `milliseconds`. A synchronous exception
 * becomes a rejection.
 */
export function withTimeout<T>(work: () => T | Promise<T>, milliseconds: number): Promise<T> {
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
