import { AuthError, notSignedIn } from '../errors.js'
import type { Audit } from '../events.js'
import { type PresentedCredentials, readCredentials } from '../http/credentials.js'
import type { Sessions } from '../sessions/sessions.js'
import type { AccessTokenClaims } from '../signers/contract.js'
import type { SessionRecord } from '../stores/contract.js'
import type { AccessTokens } from '../tokens/access-token.js'
import type { UserStore } from '../users/contract.js'
import type { Principal, SignedIn } from './principal.js'

/** What judging a request needs. */
export interface AuthenticateDeps {
  readonly accessTokens: AccessTokens
  readonly sessions: Sessions
  readonly users: UserStore
  readonly clock: () => Date
  readonly audit: Audit
}

/**
 * Judges the credentials of one request. The token must be ours, belong to whom the client says, and its session must be found
 * and alive: a session that is not there is not signed in, so losing data lets nobody in.
 */
export function createSignedIn(deps: AuthenticateDeps): SignedIn {
  const judge: SignedIn = async (request, context) => {
    const credentials = readCredentials(request) ?? refuse('no credentials')
    const claims = await deps.accessTokens.verify(credentials.token, deps.clock())
    refuseForeignUserId(credentials, claims)
    const session = await liveSession(deps.sessions, claims)
    const user = await deps.users.findById(session.userId)
    if (user === null || user.disabled === true) throw notSignedIn('user is disabled or gone')
    await deps.sessions.markSeen(session, context)
    return { principal: principalOf(claims, session), session, user }
  }

  return async (request, context) => {
    try {
      return await judge(request, context)
    } catch (error) {
      if (error instanceof AuthError && error.status < 500) {
        deps.audit({ type: 'request.refused', reason: error.message }, context)
      }
      throw error
    }
  }
}

function refuseForeignUserId({ userId }: PresentedCredentials, { sub }: AccessTokenClaims): void {
  if (userId !== null && userId !== sub) throw notSignedIn('token belongs to another user')
}

async function liveSession(sessions: Sessions, { sid, sub }: AccessTokenClaims): Promise<SessionRecord> {
  const session = await sessions.findLive(sid)
  if (session === null) throw notSignedIn('session ended or unknown')
  if (session.userId !== sub) throw notSignedIn('session belongs to another user')
  return session
}

function principalOf(claims: AccessTokenClaims, session: SessionRecord): Principal {
  return Object.freeze({
    userId: session.userId,
    sessionId: session.id,
    kind: session.kind,
    scope: Object.freeze(claims.scope.split(' ').filter((part) => part !== '')),
    authenticatedAt: session.authenticatedAt,
    methods: session.methods,
    expiresAt: new Date(claims.exp * 1000),
  })
}

function refuse(reason: string): never {
  throw notSignedIn(reason)
}
