import type { IncomingMessage } from 'node:http'
import { invalidRequest } from '../errors.js'
import { ownMembers } from '../lib/check-options.js'

/**
 * The request that a host hands on: Express's, or Node's own.
 *
 * Throws 400 for anything else: without an address nobody could be limited.
 */
export function requireRequest(given: unknown): IncomingMessage {
  const { headers, socket } = (given ?? {}) as Partial<IncomingMessage>
  const isRequest = [headers, socket].every((part) => typeof part === 'object' && part !== null)
  if (isRequest) return given as IncomingMessage
  throw invalidRequest([{ path: 'request', message: 'Invalid input: expected a request' }])
}

/** Options as a host hands them over: own members only. Nothing at all counts as none. */
export function requireOptions<Options>(given: Options): Options {
  return ownMembers(given)
}
