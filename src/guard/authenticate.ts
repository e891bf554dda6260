import type { IncomingMessage } from 'node:http'
import type { Audit, RequestContext } from '../audit/events.js'
import { AuthError, notSignedIn } from '../errors.js'
import {
  type PresentedCredentials,
  type ReadCredentials,
  readCredentials,
} from '../http/credentials.js'
import type { SessionKit } from '../kits/session-kit.js'
import {
  type AdmittedSessions,
  type AuthenticateRequest,
  contextOf,
  type Principal,
  type SignedIn,
  type SignedInRequest,
} from '../principal/principal.js'
import type { LiveSession } from '../sessions/live-sessions.js'
import type { UsedPairs } from '../sessions/sessions.js'
import type { AccessTokenClaims } from '../signers/contract.js'
import type { SessionRecord } from '../stores/contract.js'
import { isKnownKind } from '../stores/stored-values.js'
import {
  endOfSecret,
  isSecretOf,
  namedTokenPrefix,
  type PresentedSecret,
  readSessionSecret,
} from '../tokens/session-secret.js'
import { noteKeyOfToken } from './key-marks.js'
import { closedToActors, type Required, requireAllowed } from './scope.js'

/**
 * Verifies credentials, wherever they were found. Throws 401, 403 or 503. Admits only `complete`
 * sessions by default.
 */
export type Authenticate = (
  credentials: PresentedCredentials,
  context: RequestContext,
  admitted?: AdmittedSessions,
) => Promise<SignedInRequest>

/**
 * Authenticates a request synchronously, from caches. Null means: authenticate it the slow way.
 * Never throws.
 */
export type Recognise = (request: IncomingMessage, read?: ReadCredentials) => SignedInRequest | null

/** How requests are authenticated: the same sessions, found in the way that each caller needs. */
export interface Authentication {
  readonly authenticate: Authenticate
  readonly recognise: Recognise
  readonly authenticateRequest: AuthenticateRequest
  readonly signedIn: SignedIn
}

/**
 * The guards of the host's routes use `authenticateRequest`, which reports each refusal to the
 * audit stream. The router's own endpoints use `signedIn`: most requests are recognised
 * synchronously, and named tokens, apps and actors are refused unless the endpoint admits them.
 */
export function createAuthentication(kit: SessionKit, usedPairs: UsedPairs): Authentication {
  const { audit } = kit
  const authenticate = createAuthenticate(kit, usedPairs)
  const recognise = createRecognise(kit, usedPairs)

  const authenticateRequest: AuthenticateRequest = (
    request,
    context,
    admitted = 'complete',
    read = readCredentials,
  ) =>
    reportRefusal(audit, context, async () => {
      const credentials = read(request)
      if (credentials === null) throw notSignedIn('no credentials')
      return authenticate(credentials, context, admitted)
    })

  const signedIn: SignedIn = async (request, context, admitted, kinds) => {
    const asking = recognise(request) ?? (await authenticateRequest(request, context, admitted))
    const { principal } = asking
    const isActing = principal.actor !== null
    if (kinds === 'every-kind' || (isActing ? kinds === 'acting' : isKnownKind(principal.kind)))
      return asking
    return reportRefusal(audit, contextOf(principal, context), async () => {
      throw isActing
        ? closedToActors()
        : new AuthError('forbidden', { message: 'no endpoint for a session of this kind' })
    })
  }

  return { authenticate, recognise, authenticateRequest, signedIn }
}

/**
 * The token must be ours and belong to the user that the client names, and its session must be
 * alive. A missing session counts as ended, so losing data lets nobody in.
 */
function createAuthenticate(kit: SessionKit, usedPairs: UsedPairs): Authenticate {
  const { accessTokens, liveSessions, clock } = kit
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
    const { token, userId, audience } = credentials
    const secret = secretIn(credentials)
    if (secret !== null) return bySecret(secret, userId, context, admitted)
    const claims = await accessTokens.verify(token, clock(), audience)
    // This is checked first, to save a read of the store.
    if (userId !== null && userId !== claims.sub) throw notSignedIn('token belongs to another user')
    const live = await liveSessions.require(claims.sid, context, admitted)
    if (!isOfOneUser(userId, claims, live)) throw notSignedIn('session belongs to another user')
    usedPairs.note(claims, live.session, context)
    return { ...live, principal: principalByToken(live, claims, token) }
  }
}

/**
 * Recognises requests whose token and session were authenticated a moment ago, without a promise,
 * which would be most of a guard's cost. It admits nobody whom `authenticate` would refuse. It
 * refuses nothing itself: a case that is unclear, must be recorded or must be reported is left to
 * `authenticate`.
 */
function createRecognise(kit: SessionKit, usedPairs: UsedPairs): Recognise {
  const { accessTokens, liveSessions, clock } = kit

  function bySecret(secret: PresentedSecret, userId: string | null, now: Date) {
    const live = liveSessions.remembered(secret.sessionId, now)
    if (live === undefined || !isSecretOf(secret, live.session, now)) return null
    if (userId !== null && userId !== live.session.userId) return null
    const { session, user } = live
    return { session, user, principal: principalBySecret(live, secret) }
  }

  function byToken({ token, userId, audience }: PresentedCredentials, now: Date) {
    const claims = accessTokens.remembered(token, now, audience)
    const live = claims && liveSessions.remembered(claims.sid, now)
    if (claims === undefined || live === undefined || !isOfOneUser(userId, claims, live))
      return null
    if (!usedPairs.isNoted(claims, now)) return null
    // Members by name: a spread takes as long as everything else here.
    const { session, user } = live
    return { session, user, principal: principalByToken(live, claims, token) }
  }

  return function recognise(request, read = readCredentials) {
    try {
      const presented = read(request)
      if (presented === null) return null
      const secret = secretIn(presented)
      return secret === null
        ? byToken(presented, clock())
        : bySecret(secret, presented.userId, clock())
    } catch {
      // `authenticate` refuses and reports malformed credentials.
      return null
    }
  }
}

/**
 * Does the work. A refusal goes to the audit stream with its reason, which the client does not
 * learn.
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

/** The principal, if it meets this. A refusal goes to the audit stream, with the actor. */
export function reportUnlessAllowed(
  audit: Audit,
  context: RequestContext,
  principal: Principal,
  required: Required,
): Promise<Principal> {
  return reportRefusal(audit, contextOf(principal, context), async () => {
    requireAllowed(principal, required)
    return principal
  })
}

/** The presented session secret; null for a signed token. Throws 401 for anything else. */
export function secretIn({
  sentAs,
  token,
  audience,
}: PresentedCredentials): PresentedSecret | null {
  if (typeof token !== 'string') throw notSignedIn('token is not a string')
  if (sentAs === 'token' && !token.startsWith(namedTokenPrefix)) return null
  // Only a signed token says which API it is for.
  if (audience !== undefined) throw notSignedIn('token for another API')
  const secret = readSessionSecret(sentAs === 'cookie' ? 'browser' : 'token', token)
  if (secret === null) throw notSignedIn(`malformed ${sentAs}`)
  return secret
}

/** Whether token, session and the user id sent by the client, if any, name the same user. */
function isOfOneUser(
  claimed: string | null,
  { sub }: AccessTokenClaims,
  { session }: LiveSession,
): boolean {
  return session.userId === sub && (claimed === null || claimed === sub)
}

/**
 * The principal of a live session whose own secret was presented. It ends with the secret or the
 * session.
 */
function principalBySecret(live: LiveSession, presented: PresentedSecret): Principal {
  return principalOf(live, live.session.scope, endOfSecret(presented, live.session))
}

/** The principal of a live session and a verified token of it. */
function principalByToken(
  live: LiveSession,
  { scope, exp }: AccessTokenClaims,
  token: string,
): Principal {
  const principal = principalOf(live, scope, new Date(exp * 1000))
  noteKeyOfToken(principal, token)
  return principal
}

/** The principal of a live session, with the scope and end of the credentials. */
export function principalOf({ session }: LiveSession, scope: string, expiresAt: Date): Principal {
  // A copy of the date: the session is cached for other requests, and a handler may change its
  // date.
  return Object.freeze({
    userId: session.userId,
    sessionId: session.id,
    kind: session.kind,
    scope: Object.freeze(scope.split(' ').filter((word) => word !== '')),
    authenticatedAt: new Date(session.authenticatedAt),
    methods: session.methods,
    expiresAt,
    actor: session.actorId === undefined ? null : actorOf(session.actorId, session),
  })
}

function actorOf(id: string, { actorSessionId }: SessionRecord): Principal['actor'] {
  return Object.freeze({ id, sessionId: actorSessionId ?? null })
}
