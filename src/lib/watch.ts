/**
 * Does a piece of work, and notes it in a trace: `run` is the work. Called with the name of the
 * work, such as `POST /auth/refresh` or `sessions.find`, and with attributes, neither of which
 * holds a name, an address or a secret. Call `run` at once, not after an `await`: what the work
 * does in between is otherwise not noted as its part.
 *
 * It cannot change what happens. If it throws, rejects, or never calls `run`, the work is done all
 * the same; called again, `run` gives the promise of the first call.
 *
 * @example
 * ```ts
 * import type { Trace } from 'messaging-auth-router'
 *
 * declare function note(name: string, milliseconds: number): void
 * const trace: Trace = async (name, _attributes, run) => {
 *   const from = performance.now()
 *   try {
 *     return await run()
 *   } finally {
 *     note(name, performance.now() - from)
 *   }
 * }
 * ```
 */
export type Trace = <T>(
  name: string,
  attributes: TraceAttributes,
  run: () => Promise<T>,
) => Promise<T>

/** The known facts about a piece of work before it begins. */
export type TraceAttributes = Readonly<Record<string, string | number>>

/** Does work, and notes how it went. It returns the result of the work, or throws its error. */
export type Watch = <T>(
  operation: string,
  work: () => Promise<T>,
  attributes?: TraceAttributes,
) => Promise<T>

/** The watch of the work at this moment: {@link unwatched} as long as nobody asks for it. */
export interface Watching {
  watch: Watch
}

/** Told of work that has ended. Must not throw. */
export type OnDone = (operation: string, milliseconds: number, failed: boolean) => void

export const unwatched: Watch = (_operation, work) => work()

/** Measures work, and has it traced. */
export function createWatch(onDone: OnDone, trace: Watch): Watch {
  return function watch(operation, work) {
    const from = performance.now()
    const running = trace(operation, work)
    const note = (failed: boolean) => onDone(operation, performance.now() - from, failed)
    running.then(
      () => note(false),
      () => note(true),
    )
    return running
  }
}

/** The host's trace, kept from deciding anything: the work is done once, whatever it does. */
export function createTracing(trace: Trace | undefined): Watch {
  if (trace === undefined) return unwatched
  return function traced<T>(
    operation: string,
    work: () => Promise<T>,
    attributes: TraceAttributes = {},
  ): Promise<T> {
    let running: Promise<T> | undefined
    const run = () => {
      running ??= work()
      return running
    }
    try {
      // Its promise may reject later, and nobody else would handle that.
      Promise.resolve(trace(operation, attributes, run)).catch(() => {})
    } catch {
      // Not ours.
    }
    return run()
  }
}
