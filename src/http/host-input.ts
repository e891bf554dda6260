import type { IncomingMessage } from 'node:http'
import { noRequest, type RequestContext } from '../audit/events.js'
import { invalidRequest } from '../errors.js'
import { ownMembers } from '../lib/check-options.js'
import { isHostId, isOneLine } from '../lib/texts.js'
import type { JsonBody } from './body.js'

/**
 * The request that a host passes on: Express's or Node's.
 *
 * Throws 400 for anything else: limits need its address.
 */
export function requireRequest(given: unknown): IncomingMessage {
  const { headers, socket } = (given ?? {}) as Partial<IncomingMessage>
  const isRequest = [headers, socket].every((part) => typeof part === 'object' && part !== null)
  if (isRequest) return given as IncomingMessage
  throw invalidRequest([{ path: 'request', message: 'Invalid input: expected a request' }])
}

/** What a host passes on of a form, as a body. Throws 400 for what is no object. */
export function bodyOf(given: unknown): JsonBody {
  if (typeof given === 'object' && given !== null && !Array.isArray(given)) return given as JsonBody
  throw invalidRequest([{ path: '', message: 'Invalid input: expected an object' }])
}

/** The own members of options from a host; undefined counts as no options. */
export function requireOptions<Options>(given: Options): Options {
  return ownMembers(given)
}

/** Options of every action of the host on an account or a client. */
export interface HostAction {
  /**
   * Who of your staff acts, such as `support:ada`; `actor` of the events. 1 to 200 characters
   * without control characters, else 400. Default: none.
   */
  readonly by?: string
}

/** Checked options, and the context of the events. */
export interface ReadAction<Options> {
  readonly options: Options
  readonly context: RequestContext
}

/**
 * Reads the options of an action of the host. Throws 400 for invalid options, and for a `by` that
 * could forge a line of a log.
 */
export function readAction<Options extends HostAction>(
  given: Options | undefined,
): ReadAction<Partial<Options>> {
  // Without a prototype: a polluted one could add an option.
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

/** The context of an action without further options. Throws 400. */
export function contextOfAction(given: HostAction | undefined): RequestContext {
  return readAction(given).context
}

/**
 * Throws 400 for what is no id: a numeric one matches nothing in a store, and "0 sessions ended"
 * would look like a valid answer.
 */
export function requireIds(ids: Readonly<Record<string, unknown>>): void {
  const wrong = Object.entries(ids).filter(([, id]) => !isHostId(id))
  if (wrong.length === 0) return
  throw invalidRequest(wrong.map(([path]) => ({ path, message: 'Invalid input: expected an id' })))
}

function isActor(by: unknown): boolean {
  if (typeof by !== 'string' || by.trim() === '' || by.length > 200) return false
  return isOneLine(by)
}
