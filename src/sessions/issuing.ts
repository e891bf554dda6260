import type { RequestContext } from '../audit/events.js'
import { randomId } from '../lib/random.js'
import type { SessionRecord } from '../stores/contract.js'
import type { AccessTokens } from '../tokens/access-token.js'
import { newRefreshToken } from '../tokens/refresh-token.js'
import { newSessionSecret } from '../tokens/session-secret.js'
import type { ApprovedSignIn } from './approved-sign-in.js'
import type { PasswordMarks } from './password-watch.js'
import type { AskedLifetime } from './session-times.js'
import type { Sessions } from './sessions.js'
import type { SignInTokens } from './sign-in-options.js'

/** What a sign-in that was approved is to get. */
export interface SessionRequest {
  readonly approved: ApprovedSignIn
  /** `cookie`: none, but the secret that a page's cookie holds. */
  readonly tokens: SignInTokens | 'cookie'
  /** Undefined: the router's own. */
  readonly lifetime: AskedLifetime | undefined
  /** Left out: of the hash of the user who was approved. */
  readonly marks?: PasswordMarks | undefined
}

/** A session that stands, and its tokens. */
export interface IssuedSession {
  readonly session: SessionRecord
  /** Or the secret, where that was asked for. */
  readonly token: string
  /** Seconds, of the token. */
  readonly expiresIn: number
  /** Of the token. */
  readonly expiresAt: Date
  /** Null unless it was asked for. */
  readonly refreshToken: string | null
}

/** Opens a session with its tokens. Rejects with 503, and then there is none. */
export type IssueSession = (
  request: SessionRequest,
  context: RequestContext,
) => Promise<IssuedSession>

export interface IssueSessionDeps {
  readonly sessions: Pick<Sessions, 'draft' | 'start'>
  readonly accessTokens: Pick<AccessTokens, 'issue'>
  /** Seconds, of `session` and of `refreshable` tokens. */
  readonly tokenLifetimes: Readonly<Record<SignInTokens, number>>
  readonly clock: () => Date
}

/**
 * Makes what opens the session of a sign-in. Tokens are signed before anything is stored: a signer
 * that fails leaves no session behind, and a token without a session is worth nothing.
 */
export function createIssueSession(deps: IssueSessionDeps): IssueSession {
  const { sessions, accessTokens, tokenLifetimes, clock } = deps

  async function issueSecret(request: SessionRequest, context: RequestContext) {
    const { approved, lifetime, marks } = request
    const id = randomId()
    const authenticatedAt = clock()
    const { secret, secretHash } = newSessionSecret('browser', id)
    const given = { id, approved, scope: '*', authenticatedAt, refresh: null, lifetime, marks }
    const session = sessions.draft({ ...given, kind: 'browser', secretHash }, context)
    await sessions.start(session, context)
    const { expiresAt } = session
    const expiresIn = Math.floor((expiresAt.getTime() - authenticatedAt.getTime()) / 1000)
    return { session, token: secret, expiresIn, expiresAt, refreshToken: null }
  }

  return async function issueSession(request, context) {
    const { approved, tokens, lifetime, marks } = request
    if (tokens === 'cookie') return issueSecret(request, context)
    const id = randomId()
    const authenticatedAt = clock()
    const { token: refreshToken, refresh } =
      tokens === 'refreshable' ? newRefreshToken(id) : { token: null, refresh: null }
    const session = sessions.draft(
      { id, approved, kind: 'login', scope: '*', authenticatedAt, refresh, lifetime, marks },
      context,
    )
    const issued = await accessTokens.issue(session, tokenLifetimes[tokens], authenticatedAt)
    await sessions.start(session, context)
    return { session, ...issued, refreshToken }
  }
}
