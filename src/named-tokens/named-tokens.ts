import type { Audit } from '../audit/events.js'
import type { Capability } from '../http/capability.js'
import type { SignedIn } from '../principal/principal.js'
import type { ProvePassword } from '../principal/prove-password.js'
import type { ApprovedSignIn } from '../sessions/approved-sign-in.js'
import type { Sessions } from '../sessions/sessions.js'
import type { DecideSignIn } from '../sign-in.js'
import type { TakeIssue } from '../throttle/token-limits.js'
import type { UserStore } from '../users/contract.js'
import { createMakeNamedToken, type MakeNamedTokenDeps } from './make-named-token.js'
import {
  endNamedTokensEndpoint,
  listNamedTokensEndpoint,
  makeNamedTokenEndpoint,
} from './named-tokens.endpoint.js'
import { createNamedTokensForHost, type NamedTokensForHost } from './named-tokens-for-host.js'

/** Tokens for bots and scripts, which have a name, a scope and an end of their own. */
export interface NamedTokens extends Capability {
  readonly namedTokens: NamedTokensForHost
}

/** What {@link createNamedTokens} needs. */
export interface NamedTokensDeps {
  /** Whether users may make them by themselves; the host may in any case. */
  readonly forUsers: boolean
  readonly signedIn: SignedIn
  readonly provePassword: ProvePassword
  readonly users: Pick<UserStore, 'findById'>
  readonly decideSignIn: DecideSignIn
  readonly factorStands: (approved: ApprovedSignIn) => Promise<boolean>
  readonly sessions: Sessions
  readonly passwordWatch: MakeNamedTokenDeps['passwordWatch']
  readonly survivesPassword: boolean
  readonly takeIssue: TakeIssue
  readonly clock: () => Date
  readonly audit: Audit
}

/** Makes the endpoints of `/auth/access-tokens`, and `auth.namedTokens`. */
export function createNamedTokens(deps: NamedTokensDeps): NamedTokens {
  const { forUsers, signedIn, provePassword, sessions, clock } = deps
  const { users, decideSignIn, factorStands, takeIssue, audit } = deps
  const makeNamedToken = createMakeNamedToken({
    users,
    decideSignIn,
    factorStands,
    sessions,
    passwordWatch: deps.passwordWatch,
    survivesPassword: deps.survivesPassword,
    takeIssue,
    audit,
  })
  const namedTokens = createNamedTokensForHost({ makeNamedToken, sessions, clock })
  if (!forUsers) return { routes: [], close: null, namedTokens }
  const endpoints = { signedIn, provePassword, makeNamedToken, sessions, clock }
  const make = makeNamedTokenEndpoint(endpoints)
  const list = listNamedTokensEndpoint(endpoints)
  return {
    routes: [
      [
        '/auth/access-tokens',
        { GET: list, POST: make, DELETE: endNamedTokensEndpoint(endpoints, 'all') },
      ],
      ['/auth/access-tokens/:id', { DELETE: endNamedTokensEndpoint(endpoints, 'one') }],
    ],
    close: null,
    namedTokens,
  }
}
