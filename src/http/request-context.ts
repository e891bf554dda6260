import { randomUUID } from 'node:crypto'
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
import type { SayOnce } from './say-once.js'

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
  /** Whether the host itself says whose address it is. */
  readonly areOfHost: boolean
}

/** What contexts need. */
export interface ContextsDeps {
  /** Undefined: by Express's `trust proxy`. */
  readonly clientAddress: ReadClientAddress | undefined
  readonly onFailure: (failure: HostFailure) => void
  readonly sayOnce: SayOnce
}

/** Makes the one reader of who sent a request. */
export function createContexts({ clientAddress: given, ...deps }: ContextsDeps): Contexts {
  if (given === undefined)
    return {
      of: (request) => contextOf(request, clientAddress(request)),
      ofUpgrade: (context) => ({ ...context, ip: null }),
      areOfHost: false,
    }
  return {
    of: (request) => contextOf(request, addressByHost(given, request, deps)),
    ofUpgrade: (context) => context,
    areOfHost: true,
  }
}

function addressByHost(
  given: ReadClientAddress,
  request: IncomingMessage,
  { onFailure, sayOnce }: Omit<ContextsDeps, 'clientAddress'>,
): string | null {
  // Before the host reads it as well.
  refuseEndlessForwarding(request)
  const address = parsedAddress(answerOf(given, request, onFailure))
  if (address !== null) return address
  sayOnce({
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

function contextOf(
  request: IncomingMessage & { readonly id?: unknown },
  ip: string | null,
): RequestContext {
  const given = request.id
  // Requests that imitate Node's may have anything here.
  const userAgent: unknown = request.headers['user-agent']
  return {
    requestId: isRequestId(given) ? String(given) : randomUUID(),
    ip,
    userAgent: typeof userAgent === 'string' ? userAgent.slice(0, maxUserAgentCharacters) : null,
  }
}

// What the host's logger calls the request; anything that could forge a log line is not taken over.
function isRequestId(given: unknown): boolean {
  return (
    Number.isSafeInteger(given) || (typeof given === 'string' && /^[\w.:-]{1,128}$/.test(given))
  )
}
