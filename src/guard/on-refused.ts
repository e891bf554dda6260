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
 * Lets the host answer a refusal. Its `next()` hands the error on, and never the request; what it
 * throws or rejects with is the error then.
 */
export async function handOver(
  onRefused: OnRefused,
  error: AuthError,
  request: IncomingMessage,
  response: ServerResponse,
  next: (error?: unknown) => void,
): Promise<void> {
  try {
    // By any falsy value, and behind `app.use` by 'route' or 'router', Express would go on to the
    // route.
    const handOn = (given: unknown) => next(given instanceof Error ? given : error)
    await onRefused(error, request, response, handOn)
  } catch (failure) {
    // Of an answer that is out already there is nothing left to say.
    if (!response.headersSent) next(failure instanceof Error ? failure : error)
  }
}
