import type { IncomingMessage } from 'node:http'
import { noRequest, type RequestContext } from '../audit/events.js'
import { invalidRequest } from '../errors.js'
import { ownMembers } from '../lib/check-options.js'
import { isOneLine } from '../lib/one-line.js'

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

/** What the host's code may say of anything that it does to an account or a client. */
export interface HostAction {
  /**
   * Who of your people does it, such as `support:ada`: `actor` of the events. 1 to 200 characters
   * without control characters, else 400. Default: nobody is named.
   */
  readonly by?: string
}

/** Options that were read, and the context of the events. */
export interface ReadAction<Options> {
  readonly options: Options
  readonly context: RequestContext
}

/**
 * Reads the options of what the host does by itself. Throws 400 for what are none, and for a `by`
 * that could forge a line of a log.
 */
export function readAction<Options extends HostAction>(
  given: Options | undefined,
): ReadAction<Partial<Options>> {
  // Not `{}`: a polluted prototype would name the session that is kept.
  if (given === undefined) return { options: requireOptions({}), context: noRequest }
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw invalidRequest([{ path: 'options', message: 'Invalid input: expected an object' }])
  const options = requireOptions(given)
  const { by } = options
  if (by === undefined) return { options, context: noRequest }
  if (!isActor(by))
    throw invalidRequest([
      { path: 'by', message: 'Invalid input: expected 1 to 200 characters in one line' },
    ])
  return { options, context: { ...noRequest, actor: by } }
}

/** The context alone, of what takes no other option. Throws 400. */
export function contextOfAction(given: HostAction | undefined): RequestContext {
  return readAction(given).context
}

function isActor(by: unknown): boolean {
  if (typeof by !== 'string' || by.trim() === '' || by.length > 200) return false
  return isOneLine(by)
}
