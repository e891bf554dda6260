import type { Trace, TraceAttributes } from './watch.js'

/** The members that {@link traceWith} needs of a tracer of `@opentelemetry/api`. */
export interface SpanTracer {
  startActiveSpan(
    name: string,
    options: { attributes: Record<string, string | number> },
    work: (span: TracedSpan) => unknown,
  ): unknown
}

/** The members that {@link traceWith} needs of a span. */
export interface TracedSpan {
  setStatus(status: { code: number }): unknown
  end(): void
}

/** `SpanStatusCode.ERROR`. */
const failed = 2

/**
 * The option `trace` for [OpenTelemetry](https://opentelemetry.io/docs/languages/js/): a span for
 * each request of the router, each call of your stores and hooks, each hash and each request to
 * another server, below the span that is active. Work that fails has the status `ERROR`; its error
 * is not noted, since drivers put values into their messages.
 *
 * @param tracer - of your `@opentelemetry/api`, which this package does not import
 *
 * @example
 * ```ts
 * import type { AuthRouterOptions } from 'messaging-auth-router'
 * import { type SpanTracer, traceWith } from 'messaging-auth-router/opentelemetry'
 *
 * // import { trace } from '@opentelemetry/api'
 * declare const trace: { getTracer(name: string): SpanTracer }
 * const options: Pick<AuthRouterOptions, 'trace'> = { trace: traceWith(trace.getTracer('auth')) }
 * ```
 */
export function traceWith(tracer: SpanTracer): Trace {
  return <T>(name: string, attributes: TraceAttributes, run: () => Promise<T>) => {
    const traced = tracer.startActiveSpan(name, { attributes: { ...attributes } }, async (span) => {
      try {
        return await run()
      } catch (error) {
        span.setStatus({ code: failed })
        throw error
      } finally {
        span.end()
      }
    })
    return traced as Promise<T>
  }
}
