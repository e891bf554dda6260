import type { IncomingMessage } from 'node:http'
import type { RequestContext } from '../audit/events.js'
import type { ReadCredentials } from '../http/credentials.js'
import type { SessionRecord, StoredKind, StoredMethod } from '../stores/contract.js'
import type { AuthUser } from '../users/contract.js'

/** Who is asking: what a guarded handler reads as `req.auth`. */
export interface Principal {
  readonly userId: string
  readonly sessionId: string
  readonly kind: StoredKind
  /** `['*']` means all that the user may do. */
  readonly scope: readonly string[]
  /** When the user last proved who they are. */
  readonly authenticatedAt: Date
  readonly methods: readonly StoredMethod[]
  /** When the presented token ends. */
  readonly expiresAt: Date
}

/** A request's principal, with the rows it was judged by. */
export interface SignedInRequest {
  readonly principal: Principal
  readonly session: SessionRecord
  readonly user: AuthUser
}

/**
 * Which sessions are let in. `complete`: those that have shown every factor the host demands.
 * `may-enrol`: those, too, that still have to set up a second factor, and may do nothing else.
 */
export type AdmittedSessions = 'complete' | 'may-enrol'

/**
 * Finds out who is asking of a route of the host's; throws 400, 401, 403 or 503. Lets in `complete`
 * sessions by default, of every kind, and reads the headers. What a session of its kind and scope
 * may do is asked by the guard.
 */
export type AuthenticateRequest = (
  request: IncomingMessage,
  context: RequestContext,
  admitted?: AdmittedSessions,
  read?: ReadCredentials,
) => Promise<SignedInRequest>

/**
 * Finds out who is asking of an endpoint of the router's own; throws 400, 401, 403 or 503. A named
 * token is 403, and so is a session of a kind that only a newer release knows, unless the endpoint
 * is there for `every-kind`: what a bot may do besides is the host's to say, on its own routes.
 */
export type SignedIn = (
  request: IncomingMessage,
  context: RequestContext,
  admitted?: AdmittedSessions,
  kinds?: 'every-kind',
) => Promise<SignedInRequest>
