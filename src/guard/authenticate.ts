import type { Audit, RequestContext } from '../audit/events.js'
import { AuthError, notSignedIn } from '../errors.js'
import { type PresentedCredentials, readCredentials } from '../http/credentials.js'
import type {
  AdmittedSessions,
  AuthenticateRequest,
  Principal,
  SignedInRequest,
} from '../principal/principal.js'
import type { LiveSession, LiveSessions } from '../sessions/live-sessions.js'
import type { UsedPairs } from '../sessions/used-pairs.js'
import type { AccessTokenClaims } from '../signers/contract.js'
import type { SessionRecord } from '../stores/contract.js'
import type { AccessTokens } from '../tokens/access-token.js'
import {
  endOfSecret,
  isSecretOf,
  namedTokenPrefix,
  type PresentedSecret,
  readSessionSecret,
} from '../tokens/session-secret.js'
import { noteKeyOfToken } from './key-marks.js'

export interface AuthenticateDeps {
  readonly accessTokens: Pick<AccessTokens, 'verify'>
  readonly liveSessions: Pick<LiveSessions, 'require'>
  readonly usedPairs: Pick<UsedPairs, 'note'>
  readonly clock: () => Date
}

/**
 * Finds out whose credentials these are, wherever they were found. Throws 401, 403 or 503. Lets in
 * `complete` sessions by default.
 */
export type Authenticate = (
  credentials: PresentedCredentials,
  context: RequestContext,
  admitted?: AdmittedSessions,
) => Promise<SignedInRequest>

/**
 * The token must be ours, belong to whom the client says, and its session must be found and alive:
 * a session that is not there is not signed in, so losing data lets nobody in.
 */
export function createAuthenticate(deps: AuthenticateDeps): Authenticate {
  const { accessTokens, liveSessions, usedPairs, clock } = deps
  async function bySecret(
    presented: PresentedSecret,
    userId: string | null,
    context: RequestContext,
    admitted: AdmittedSessions,
  ): Promise<SignedInRequest> {
    const isProven = (session: SessionRecord) => isSecretOf(presented, session, clock())
    const live = await liveSessions.require(presented.sessionId, context, admitted, isProven)
    if (userId !== null && userId !== live.session.userId)
      throw notSignedIn('token belongs to another user')
    return { ...live, principal: principalBySecret(live, presented) }
  }

  return async function authenticate(credentials, context, admitted = 'complete') {
    const { token, userId } = credentials
    const secret = secretIn(credentials)
    if (secret !== null) return bySecret(secret, userId, context, admitted)
    const claims = await accessTokens.verify(token, clock())
    // First, to spare the store.
    if (userId !== null && userId !== claims.sub) throw notSignedIn('token belongs to another user')
    const live = await liveSessions.require(claims.sid, context, admitted)
    if (!isOfOneUser(userId, claims, live)) throw notSignedIn('session belongs to another user')
    usedPairs.note(claims, live.session, context)
    return { ...live, principal: principalByToken(live, claims, token) }
  }
}

/**
 * Authenticates the headers of a request, or what is read instead. Each refusal goes to the audit
 * stream.
 */
export function createAuthenticateRequest(
  authenticate: Authenticate,
  audit: Audit,
): AuthenticateRequest {
  return function authenticateRequest(
    request,
    context,
    admitted = 'complete',
    read = readCredentials,
  ) {
    return reportRefusal(audit, context, async () => {
      const credentials = read(request)
      if (credentials === null) throw notSignedIn('no credentials')
      return authenticate(credentials, context, admitted)
    })
  }
}

/**
 * Does the work; a refusal goes to the audit stream, with the reason that the client is not told.
 */
export async function reportRefusal<T>(
  audit: Audit,
  context: RequestContext,
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof AuthError && error.status < 500)
      audit({ type: 'request.refused', reason: error.message }, context)
    throw error
  }
}

/**
 * The secret of a session that is presented; null for a signed token. Throws 401 for what is
 * neither.
 */
export function secretIn({ sentAs, token }: PresentedCredentials): PresentedSecret | null {
  if (typeof token !== 'string') throw notSignedIn('token is no text')
  if (sentAs === 'token' && !token.startsWith(namedTokenPrefix)) return null
  const secret = readSessionSecret(sentAs === 'cookie' ? 'browser' : 'token', token)
  if (secret === null) throw notSignedIn(`malformed ${sentAs}`)
  return secret
}

/** Whether token, session and whom the client claims to be, where it does, are of one user. */
export function isOfOneUser(
  claimed: string | null,
  { sub }: AccessTokenClaims,
  { session }: LiveSession,
): boolean {
  return session.userId === sub && (claimed === null || claimed === sub)
}

/** Who is asking, by a live session whose own secret was presented: as long as both are good. */
export function principalBySecret(live: LiveSession, presented: PresentedSecret): Principal {
  return principalOf(live, live.session.scope, endOfSecret(presented, live.session))
}

/** Who is asking, by a live session and a token of it that was verified. */
export function principalByToken(
  live: LiveSession,
  { scope, exp }: AccessTokenClaims,
  token: string,
): Principal {
  const principal = principalOf(live, scope, new Date(exp * 1000))
  noteKeyOfToken(principal, token)
  return principal
}

/** Who is asking, by a live session and the limits of what was presented. */
export function principalOf({ session }: LiveSession, scope: string, expiresAt: Date): Principal {
  // A date of its own: the session is remembered for other requests, and a handler may do with a
  // date what it likes.
  return Object.freeze({
    userId: session.userId,
    sessionId: session.id,
    kind: session.kind,
    scope: Object.freeze(scope.split(' ').filter((word) => word !== '')),
    authenticatedAt: new Date(session.authenticatedAt),
    methods: session.methods,
    expiresAt,
  })
}
