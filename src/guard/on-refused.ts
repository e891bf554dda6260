import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AuthError } from '../errors.js'

/** Answers a refusal in the host's own words. */
export type OnRefused = (
  error: AuthError,
  request: IncomingMessage,
  response: ServerResponse,
  next: (error?: unknown) => void,
) => unknown

/**
 * Lets the host answer a refusal. Its `next()` passes the error on, never the request. If the host
 * throws or rejects with an error, that error is passed on instead.
 */
export async function handOver(
  onRefused: OnRefused,
  error: AuthError,
  request: IncomingMessage,
  response: ServerResponse,
  next: (error?: unknown) => void,
): Promise<void> {
  try {
    // Express would continue to the route on any falsy value, and behind `app.use` on 'route' or
    // 'router'.
    const handOn = (given: unknown) => next(given instanceof Error ? given : error)
    await onRefused(error, request, response, handOn)
  } catch (failure) {
    // The answer may have been sent already.
    if (!response.headersSent) next(failure instanceof Error ? failure : error)
  }
}
