import type { Capability } from '../http/capability.js'
import type { SignedIn } from '../principal/principal.js'
import { createRequireRecentSignIn } from '../sessions/recent-sign-in.js'
import type { Sessions } from '../sessions/sessions.js'
import type { AuthorizationCodeStore } from '../stores/code-contract.js'
import type { TakeIssue } from '../throttle/issue-limits.js'
import type { Throttle } from '../throttle/throttle.js'
import { createAuthorizationCodes } from './authorization-code.js'
import { authorizeEndpoint } from './authorize.endpoint.js'
import { createIssueForHost, type IssueAuthorizationCode } from './issue-for-host.js'
import { type TokenDeps, tokenEndpoint } from './token.endpoint.js'

/**
 * Authorization codes with PKCE: issued to a signed-in client or to the host, and exchanged for
 * tokens.
 */
export interface Pkce extends Capability {
  readonly issueAuthorizationCode: IssueAuthorizationCode
}

export interface PkceDeps extends Omit<TokenDeps, 'codes'> {
  readonly codeStore: Pick<AuthorizationCodeStore, 'save' | 'find' | 'consume'>
  readonly signedIn: SignedIn
  readonly sessions: Sessions
  readonly takeIssue: TakeIssue
  readonly throttle: Pick<Throttle, 'limitFailures'>
  /** Lifetime of a code, in seconds. */
  readonly codeLifetime: number
  /** The oldest sign-in, in seconds, of a session that asks for a code; false: any age. */
  readonly maxSignInAge: number | false
}

/** The endpoints of PKCE, and `auth.issueAuthorizationCode` for the host's own sign-in page. */
export function createPkce(deps: PkceDeps): Pkce {
  const { maxSignInAge, sessions, throttle, clock } = deps
  const requireRecentSignIn = createRequireRecentSignIn(maxSignInAge, sessions, clock)
  const codes = createAuthorizationCodes(deps)
  const parts = { ...deps, codes, requireRecentSignIn }
  const token = throttle.limitFailures('token', tokenEndpoint(parts))
  return {
    routes: [
      ['/auth/pkce/authorize', { POST: authorizeEndpoint(parts) }],
      ['/auth/pkce/token', { POST: token }, 'oauth'],
    ],
    issueAuthorizationCode: createIssueForHost(parts),
  }
}
