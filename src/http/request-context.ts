import type { IncomingMessage } from 'node:http'
import type { RequestContext } from '../audit/events.js'
import { AuthError } from '../errors.js'
import { describeFailure, type HostFailure } from '../lib/host-call.js'
import type { WarnOnce } from '../lib/logger.js'
import {
  clientAddress,
  connectionAddress,
  parsedAddress,
  refuseEndlessForwarding,
} from './client-address.js'
import { createIdOfRequest, type IdOfRequest, type ReadRequestId } from './request-id.js'

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
