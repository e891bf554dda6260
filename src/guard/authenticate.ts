import { AuthError, notSignedIn } from '../errors.js'
import type { Audit, RequestContext } from '../events.js'
import { type PresentedCredentials, readCredentials } from '../http/credentials.js'
import type { AccessTokenClaims } from '../signers/contract.js'
import type { AccessTokens } from '../tokens/access-token.js'
import type { LiveSession, LiveSessions } from './live-sessions.js'
import type { Principal, SignedIn, SignedInRequest } from './principal.js'

/** What judging credentials needs. */
export interface AuthenticateDeps {
  readonly accessTokens: AccessTokens
  readonly requireSession: LiveSessions['require']
  readonly clock: () => Date
}

/** Judges credentials, wherever they were found. Throws 401 or 503. */
export type JudgeCredentials = (credentials: PresentedCredentials, context: RequestContext) => Promise<SignedInRequest>

/**
 * Judges credentials. The token must be ours, belong to whom the client says, and its session must be found and alive: a session
 * that is not there is not signed in, so losing data lets nobody in.
 */
export function createJudgeCredentials({ accessTokens, requireSession, clock }: AuthenticateDeps): JudgeCredentials {
  return async ({ token, userId }, context) => {
    const claims = await accessTokens.verify(token, clock())
    // First, to spare the store.
    if (userId !== null && userId !== claims.sub) throw notSignedIn('token belongs to another user')
    const live = await requireSession(claims.sid, context)
    if (!isOfOneUser(userId, claims, live)) throw notSignedIn('session belongs to another user')
    return { ...live, principal: principalOf(live, claims.scope, new Date(claims.exp * 1000)) }
  }
}

/** Judges the credentials in the headers of a request, and tells the audit stream of each refusal. */
export function createSignedIn(judge: JudgeCredentials, audit: Audit): SignedIn {
  return (request, context) =>
    reportRefusal(audit, context, async () => {
      const credentials = readCredentials(request)
      if (credentials === null) throw notSignedIn('no credentials')
      return judge(credentials, context)
    })
}

/** Runs a judgement; a refusal goes to the audit stream, with the reason that the client is not told. */
export async function reportRefusal<T>(audit: Audit, context: RequestContext, judgement: () => Promise<T>): Promise<T> {
  try {
    return await judgement()
  } catch (error) {
    if (error instanceof AuthError && error.status < 500) audit({ type: 'request.refused', reason: error.message }, context)
    throw error
  }
}

/** Whether token, session and whom the client claims to be, where it does, are of one user. */
export function isOfOneUser(claimed: string | null, { sub }: AccessTokenClaims, { session }: LiveSession): boolean {
  return session.userId === sub && (claimed === null || claimed === sub)
}

/** Who is asking, by a live session and the limits of what was presented. */
export function principalOf({ session }: LiveSession, scope: string, expiresAt: Date): Principal {
  // A date of its own: the session is remembered for other requests, and a handler may do with a date what it likes.
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
