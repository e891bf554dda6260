import type { Capability } from '../http/capability.js'
import type { SignedIn } from '../principal/principal.js'
import type { Sessions } from '../sessions/sessions.js'
import type { AuthorizationCodeStore } from '../stores/code-contract.js'
import type { Throttle } from '../throttle/throttle.js'
import { createAuthorizationCodes } from './authorization-code.js'
import { authorizeEndpoint } from './authorize.endpoint.js'
import { createIssueForHost, type IssueAuthorizationCode } from './issue-for-host.js'
import { type TokenDeps, tokenEndpoint } from './token.endpoint.js'

/** Authorization codes with PKCE: issued to a signed-in client or to the host, and exchanged. */
export interface Pkce extends Capability {
  readonly issueAuthorizationCode: IssueAuthorizationCode
}

/** What {@link createPkce} needs. */
export interface PkceDeps extends Omit<TokenDeps, 'codes' | 'sessions'> {
  readonly store: Pick<AuthorizationCodeStore, 'save' | 'find' | 'consume'>
  readonly signedIn: SignedIn
  readonly sessions: TokenDeps['sessions'] & Pick<Sessions, 'standIn'>
  readonly throttle: Pick<Throttle, 'takeIssue' | 'limitFailures'>
  /** Seconds a code lives. */
  readonly codeLifetime: number
}

/** Makes the endpoints of PKCE, and the issuing of codes for the host's own sign-in page. */
export function createPkce(deps: PkceDeps): Pkce {
  const { users, sessions, signedIn, decideSignIn, throttle, clock, audit } = deps
  const codes = createAuthorizationCodes({
    store: deps.store,
    standIn: sessions.standIn,
    takeIssue: throttle.takeIssue,
    lifetime: deps.codeLifetime,
    clock,
    audit,
  })
  const token = tokenEndpoint({
    codes,
    users,
    decideSignIn,
    factorStands: deps.factorStands,
    passwordStands: deps.passwordStands,
    passwordWatch: deps.passwordWatch,
    sessions,
    accessTokens: deps.accessTokens,
    accessTokenLifetime: deps.accessTokenLifetime,
    clock,
    audit,
  })
  return {
    routes: [
      ['/auth/pkce/authorize', { POST: authorizeEndpoint(signedIn, decideSignIn, codes) }],
      ['/auth/pkce/token', { POST: throttle.limitFailures('token', token) }, 'oauth'],
    ],
    close: null,
    issueAuthorizationCode: createIssueForHost({ users, decideSignIn, codes, clock, audit }),
  }
}
