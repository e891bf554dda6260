import type { IncomingMessage } from 'node:http'
import type { RequestContext } from '../audit/events.js'
import { AuthError } from '../errors.js'
import { describeFailure, type HostFailure } from '../lib/host-call.js'
import {
  clientAddress,
  connectionAddress,
  parsedAddress,
  refuseEndlessForwarding,
} from './client-address.js'
import { createIdOfRequest, type IdOfRequest, type ReadRequestId } from './request-id.js'
import type { WarnOnce } from './warn-once.js'

/** Says whose request it is, where Express's `trust proxy` does not. */
export type ReadClientAddress = (request: IncomingMessage) => string | null | undefined

/** The context of a request, as events and sessions record it. */
export interface Contexts {
  /** Throws 400 and 503, and AuthConfigError for a proxy setting that trusts everybody. */
  of(request: IncomingMessage): RequestContext
  /**
   * What may be noted in the session of the address of an upgrade: nothing, unless the host says
   * whose it is. No Express has seen an upgrade, and so no proxy setting.
   */
  ofUpgrade(context: RequestContext): RequestContext
  /** What the request is called, before anything else of it is looked at. Never throws. */
  readonly idOf: IdOfRequest
  /** Whether the host itself says whose address it is. */
  readonly areOfHost: boolean
}

export interface ContextsDeps {
  /** Undefined: by Express's `trust proxy`. */
  readonly clientAddress: ReadClientAddress | undefined
  /** Undefined: by `request.id` and the header. */
  readonly requestId: ReadRequestId | undefined
  readonly onFailure: (failure: HostFailure) => void
  readonly warnOnce: WarnOnce
}

/** Makes the one reader of who sent a request. */
export function createContexts({
  clientAddress: given,
  requestId,
  ...deps
}: ContextsDeps): Contexts {
  const idOf = createIdOfRequest(requestId, deps.warnOnce)
  const addressOf =
    given === undefined
      ? clientAddress
      : (request: IncomingMessage) => addressByHost(given, request, deps)
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
  { onFailure, warnOnce }: Omit<ContextsDeps, 'clientAddress' | 'requestId'>,
): string | null {
  // Before the host reads it as well.
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

// Limits are counted by the answer, so without one nobody can be let in.
function answerOf(
  given: ReadClientAddress,
  request: IncomingMessage,
  onFailure: ContextsDeps['onFailure'],
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

/** Characters of a user agent that are kept. */
const maxUserAgentCharacters = 512

function userAgentOf({ headers }: IncomingMessage): string | null {
  // Requests that imitate Node's may have anything here.
  const userAgent: unknown = headers['user-agent']
  return typeof userAgent === 'string' ? userAgent.slice(0, maxUserAgentCharacters) : null
}
