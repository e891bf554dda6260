import type { Capability } from '../http/capability.js'
import type { SignedIn } from '../principal/principal.js'
import type { Sessions } from '../sessions/sessions.js'
import type { ProveAgain } from '../sign-in-again.js'
import { createMakeNamedToken, type MakeNamedTokenDeps } from './make-named-token.js'
import {
  endNamedTokensEndpoint,
  listNamedTokensEndpoint,
  makeNamedTokenEndpoint,
} from './named-tokens.endpoint.js'
import { createNamedTokensForHost, type NamedTokensForHost } from './named-tokens-for-host.js'

/** Tokens for bots and scripts, each with a name, a scope and an expiry of its own. */
export interface NamedTokens extends Capability {
  readonly namedTokens: NamedTokensForHost
}

export interface NamedTokensDeps extends MakeNamedTokenDeps {
  /** Whether users may make named tokens themselves; the host always may. */
  readonly usersMakeNamedTokens: boolean
  readonly signedIn: SignedIn
  readonly proveAgain: ProveAgain
  readonly sessions: Sessions
  readonly clock: () => Date
}

/** The endpoints of `/auth/access-tokens`, and `auth.namedTokens`. */
export function createNamedTokens(deps: NamedTokensDeps): NamedTokens {
  const endpoints = { ...deps, makeNamedToken: createMakeNamedToken(deps) }
  const namedTokens = createNamedTokensForHost(endpoints)
  if (!deps.usersMakeNamedTokens) return { routes: [], namedTokens }
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
    namedTokens,
  }
}
