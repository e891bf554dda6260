import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { noRequest, type RequestContext } from '../audit/events.js'
import { AuthError } from '../errors.js'
import { describeFailure, type HostFailure } from '../lib/host-call.js'
import type { WarnOnce } from '../lib/logger.js'
import {
  clientAddress,
  connectionAddress,
  parsedAddress,
  refuseEndlessForwarding,
} from './client-address.js'
import { ownHeader } from './cookies.js'

/** The host's function for the client's address, instead of Express's `trust proxy`. */
export type ReadClientAddress = (request: IncomingMessage) => string | null | undefined

/** Makes the context of a request, which events and sessions record. */
export interface Contexts {
  /** Throws 400 and 503, and AuthConfigError for a proxy setting that trusts everybody. */
  of(request: IncomingMessage): RequestContext
  /**
   * The context that a session may store for an upgrade: without the address, unless the host
   * supplies it. Express does not see upgrades, so its proxy setting does not apply.
   */
  ofUpgrade(context: RequestContext): RequestContext
  /** The id of the request, readable before anything else. Never throws. */
  readonly idOf: IdOfRequest
  /** Whether the host supplies the address. */
  readonly areOfHost: boolean
}

export interface ContextSettings {
  /** Undefined: Express's `trust proxy` decides. */
  readonly clientAddress: ReadClientAddress | undefined
  /** Undefined: from `request.id` or the header. */
  readonly requestId: ReadRequestId | undefined
  readonly onFailure: (failure: HostFailure) => void
  readonly warnOnce: WarnOnce
}

export function createContexts({
  clientAddress: given,
  requestId,
  ...reporting
}: ContextSettings): Contexts {
  const idOf = createIdOfRequest(requestId, reporting.warnOnce)
  const addressOf =
    given === undefined
      ? clientAddress
      : (request: IncomingMessage) => addressByHost(given, request, reporting)
  return {
    of(request) {
      const requestId = idOf(request)
      return { requestId, ip: addressOf(request), userAgent: userAgentOf(request) }
    },
    ofUpgrade: given === undefined ? (context) => ({ ...context, ip: null }) : (context) => context,
    idOf,
    areOfHost: given !== undefined,
  }
}

function addressByHost(
  given: ReadClientAddress,
  request: IncomingMessage,
  { onFailure, warnOnce }: Omit<ContextSettings, 'clientAddress' | 'requestId'>,
): string | null {
  // Before the host's function reads it.
  refuseEndlessForwarding(request)
  const address = parsedAddress(answerOf(given, request, onFailure))
  if (address !== null) return address
  warnOnce({
    code: 'MAR_NO_ADDRESS',
    level: 'warn',
    message:
      'clientAddress() answered no IP address: the address of the connection is used instead, ' +
      'which all clients of a proxy share with their limits. ' +
      'Remedy: answer one address as text, such as 203.0.113.7.',
  })
  return connectionAddress(request)
}

// Limits count by this address, so a failure refuses the request.
function answerOf(
  given: ReadClientAddress,
  request: IncomingMessage,
  onFailure: ContextSettings['onFailure'],
): unknown {
  try {
    return given(request)
  } catch (cause) {
    onFailure(describeFailure('clientAddress', cause))
    throw new AuthError('temporarily-unavailable', {
      retryAfter: 1,
      message: 'clientAddress failed',
      cause,
    })
  }
}

/** Characters of a user agent that are stored. */
const maxUserAgentCharacters = 512

function userAgentOf({ headers }: IncomingMessage): string | null {
  // A framework that imitates Node's requests may have any value here.
  const userAgent: unknown = headers['user-agent']
  return typeof userAgent === 'string' ? userAgent.slice(0, maxUserAgentCharacters) : null
}

/** The host's function for the id of a request in its own log. */
export type ReadRequestId = (request: IncomingMessage) => string | number | null | undefined

/** The id of a request in events; always the same for one request. */
export type IdOfRequest = (request: IncomingMessage & { readonly id?: unknown }) => string

// By request, and for upgrades by connection, so that the writer of an answer finds the id.
const known = new WeakMap<object, string>()

/** The id of a request, or of the upgrade on a connection; undefined before it is known. */
export function requestIdOf(asked: object | undefined): string | undefined {
  return asked && known.get(asked)
}

/** A context with the id and nothing else of the request. */
export function contextOfId(asked: object | undefined): RequestContext {
  return { ...noRequest, requestId: requestIdOf(asked) ?? null }
}

/** Gives the connection of an upgrade, which has no response, the id of its request. */
export function noteUpgrade(request: IncomingMessage): void {
  const id = known.get(request)
  if (id !== undefined) known.set(request.socket, id)
}

/**
 * The id comes from the host's function, else from `request.id`, which loggers set, else from the
 * header `X-Request-Id`, else it is random.
 */
function createIdOfRequest(given: ReadRequestId | undefined, warnOnce: WarnOnce): IdOfRequest {
  const byHost = given === undefined ? () => null : careful(given, warnOnce)
  return function idOfRequest(request) {
    const before = known.get(request)
    if (before !== undefined) return before
    const id =
      byHost(request) ??
      formed(request.id) ??
      formed(ownHeader(request, 'x-request-id')) ??
      randomUUID()
    known.set(request, id)
    return id
  }
}

// A request must not fail because of its id.
function careful(
  given: ReadRequestId,
  warnOnce: WarnOnce,
): (request: IncomingMessage) => string | null {
  return (request) => {
    const answer = attempt(() => given(request))
    if (answer === null || answer === undefined) return null
    const id = formed(answer)
    if (id === null)
      warnOnce({
        code: 'MAR_NO_REQUEST_ID',
        level: 'warn',
        message:
          'requestId() threw, or answered neither a whole number nor a text of 1 to 128 letters, ' +
          'digits and . _ : -, so requests are called as without it. ' +
          'Remedy: answer such a text, or null.',
      })
    return id
  }
}

const failed = Symbol('failed')

function attempt(work: () => unknown): unknown {
  try {
    return work()
  } catch {
    return failed
  }
}

// A client may set the header, so an id that could forge a log line or a header is ignored.
function formed(given: unknown): string | null {
  if (Number.isSafeInteger(given)) return String(given)
  return typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given) ? given : null
}
