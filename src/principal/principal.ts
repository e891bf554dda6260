import type { IncomingMessage } from 'node:http'
import type { RequestContext } from '../audit/events.js'
import { AuthError } from '../errors.js'
import type { ReadCredentials } from '../http/credentials.js'
import type { EndpointRequest } from '../http/endpoint.js'
import type { SessionRecord, StoredKind, StoredMethod } from '../stores/contract.js'
import type { AuthUser } from '../users/contract.js'
import type { RequiredAction } from './required-actions.js'

/** The authenticated caller; guarded handlers read it as `req.auth`. */
export interface Principal {
  readonly userId: string
  readonly sessionId: string
  readonly kind: StoredKind
  /** `['*']` means everything that the user may do. */
  readonly scope: readonly string[]
  /** When the user last authenticated. */
  readonly authenticatedAt: Date
  readonly methods: readonly StoredMethod[]
  /** When the presented token expires. */
  readonly expiresAt: Date
  /** The member of your staff who acts for the user; null if it is the user. */
  readonly actor: PrincipalActor | null
}

/** Who acts for a user. */
export interface PrincipalActor {
  readonly id: string
  /** The actor's own session, with which this one ends; null if your code has named none. */
  readonly sessionId: string | null
}

/** The context of a request with the actor, so that its events name both. */
export function contextOf({ actor }: Principal, context: RequestContext): RequestContext {
  return actor === null ? context : { ...context, actor: actor.id }
}

/** A request's principal, with its session and user. */
export interface SignedInRequest {
  readonly principal: Principal
  readonly session: SessionRecord
  readonly user: AuthUser
}

/** A signed-in user who asks for something. */
export type AskingUser = Pick<SignedInRequest, 'session' | 'user'>

/**
 * Which sessions are accepted. `complete`: those whose users have done everything that is required.
 * An action: also those whose users must do this next. `any`: also all others.
 */
export type AdmittedSessions = 'complete' | 'any' | RequiredAction

/**
 * Authenticates a request to a route of the host, by its headers; throws 400, 401, 403 or 503.
 * Accepts `complete` sessions of every kind by default. The guard then checks kind and scope.
 */
export type AuthenticateRequest = (
  request: IncomingMessage,
  context: RequestContext,
  admitted?: AdmittedSessions,
  read?: ReadCredentials,
) => Promise<SignedInRequest>

/**
 * Authenticates a request to an endpoint of the router; throws 400, 401, 403 or 503. Named tokens,
 * and sessions of an unknown kind, are 403 unless the endpoint accepts `every-kind`: bots use the
 * routes of the host. So is somebody who acts for the user, unless it accepts `acting` or that: all
 * else is closed to them, also what is added later.
 */
export type SignedIn = (
  request: IncomingMessage,
  context: RequestContext,
  admitted?: AdmittedSessions,
  kinds?: AdmittedKinds,
) => Promise<SignedInRequest>

/** Kinds that an endpoint accepts besides those of people. */
export type AdmittedKinds = 'every-kind' | 'acting'

/**
 * The signed-in user, if the request may manage the account. A token of a limited scope may not
 * (ASVS V8.2.1). Throws 401, 403 or 503.
 */
export async function ownerOf(
  signedIn: SignedIn,
  { incoming, context }: EndpointRequest,
  admitted: AdmittedSessions = 'complete',
  kinds?: AdmittedKinds,
): Promise<SignedInRequest> {
  const asking = await signedIn(incoming, context, admitted, kinds)
  if (asking.principal.scope.includes('*')) return asking
  throw new AuthError('forbidden', {
    message: 'a token with a limited scope cannot manage the account',
  })
}

/** Asks a signed-in user for the password again. Throws 401 for a wrong one, 429 and 503. */
export type ProvePassword = (
  userId: string,
  password: string,
  request: Pick<EndpointRequest, 'context' | 'setHeaders' | 'aborted'>,
) => Promise<AuthUser>
