import type { RequestContext } from '../audit/events.js'
import { randomId } from '../lib/secrets.js'
import type { RequiredAction } from '../principal/required-actions.js'
import type { SessionRecord } from '../stores/contract.js'
import { newRefreshToken } from '../tokens/refresh-token.js'
import { newSessionSecret } from '../tokens/session-secret.js'
import type { Me } from '../users/me.js'
import type { ApprovedSignIn } from './approved-sign-in.js'
import type { PasswordMarks } from './password-watch.js'
import type { AskedLifetime } from './session-times.js'
import type { UserSessionsKit } from './sessions-kit.js'
import type { SignInTokens } from './sign-in-options.js'

/** The settings of an approved sign-in. */
export interface SessionRequest {
  readonly approved: ApprovedSignIn
  /** `cookie`: no tokens, but the secret for a cookie. */
  readonly tokens: SignInTokens | 'cookie'
  /** Undefined: the router's lifetimes. */
  readonly lifetime: AskedLifetime | undefined
  /** Default: the marks of the approved user's hash. */
  readonly marks?: PasswordMarks | undefined
  /** The identity at a provider that signs in. Default: none. */
  readonly upstream?: string | undefined
  /** When the user has signed in. Default: now. */
  readonly authenticatedAt?: Date | undefined
  /** False: the caller makes room for it, beside its own checks. Default: true. */
  readonly makesRoom?: boolean
}

/** A stored session and its tokens. */
export interface IssuedSession {
  readonly session: SessionRecord
  /** The access token or authToken, or the secret with `cookie`. */
  readonly token: string
  /** Seconds until `token` expires. */
  readonly expiresIn: number
  /** When `token` expires. */
  readonly expiresAt: Date
  /** Null unless requested. */
  readonly refreshToken: string | null
}

/** A session after a sign-in. */
export interface OpenedSession extends IssuedSession {
  readonly me: Me
  /** What the user must do before the session opens anything. */
  readonly required: readonly RequiredAction[]
  /** The token of the browser, if it is remembered. */
  readonly rememberToken: string | null
}

/** Opens a session with its tokens. Rejects with 503; no session exists then. */
export type IssueSession = (
  request: SessionRequest,
  context: RequestContext,
) => Promise<IssuedSession>

type Issuing = Pick<
  UserSessionsKit,
  'sessions' | 'accessTokens' | 'longestSession' | 'accessTokenLifetime' | 'clock'
>

/**
 * Tokens are signed before the session is stored: a failing signer leaves no session behind, and a
 * token without a session is useless.
 */
export function createIssueSession(kit: Issuing): IssueSession {
  const { sessions, accessTokens, clock } = kit
  // Seconds.
  const tokenLifetimes = { session: kit.longestSession, refreshable: kit.accessTokenLifetime }

  async function issueSecret(request: SessionRequest, context: RequestContext) {
    const { approved, lifetime, marks, upstream } = request
    const id = randomId()
    const now = clock()
    const { authenticatedAt = now } = request
    const { secret, secretHash } = newSessionSecret('browser', id)
    const refresh = null
    const given = { id, approved, scope: '*', authenticatedAt, refresh, lifetime, marks, upstream }
    const session = sessions.draft({ ...given, kind: 'browser', secretHash }, context)
    await sessions.start(session, context, request.makesRoom)
    const { expiresAt } = session
    const expiresIn = Math.floor((expiresAt.getTime() - now.getTime()) / 1000)
    return { session, token: secret, expiresIn, expiresAt, refreshToken: null }
  }

  return async function issueSession(request, context) {
    const { approved, tokens, lifetime, marks, upstream } = request
    if (tokens === 'cookie') return issueSecret(request, context)
    const id = randomId()
    const now = clock()
    const { authenticatedAt = now } = request
    const { token: refreshToken, refresh } =
      tokens === 'refreshable' ? newRefreshToken(id) : { token: null, refresh: null }
    const given = { id, approved, scope: '*', authenticatedAt, refresh, lifetime, marks, upstream }
    const session = sessions.draft({ ...given, kind: 'login' }, context)
    const issued = await accessTokens.issue(session, tokenLifetimes[tokens], now)
    await sessions.start(session, context, request.makesRoom)
    return { session, ...issued, refreshToken }
  }
}
