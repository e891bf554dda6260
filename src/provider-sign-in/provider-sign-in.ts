import type { BeforeRegister } from '../accounts/accounts-options.js'
import type { Audit } from '../audit/events.js'
import { ok } from '../http/answer.js'
import type { Capability } from '../http/capability.js'
import type { Endpoint } from '../http/endpoint.js'
import type { SignInKit } from '../kits/sign-in-kit.js'
import type { HostCall } from '../lib/host-call.js'
import type { CallbackPages } from '../pages/page-providers.js'
import type { ProvidersOnPages } from '../pages/ports.js'
import type { SignedIn } from '../principal/principal.js'
import type { Sessions } from '../sessions/sessions.js'
import type { DecideSignIn } from '../sign-in.js'
import type { RequireFresh } from '../sign-in-again.js'
import type { IdentityStore } from '../stores/identity-contract.js'
import type { Throttle } from '../throttle/throttle.js'
import type { AuthUser, LoginIdentifier, UserStore } from '../users/contract.js'
import { backchannelLogoutEndpoint } from './backchannel-logout.endpoint.js'
import { callbackEndpoint } from './callback.endpoint.js'
import { type CreateOwner, createCreateOwner } from './create-owner.js'
import { createFindOwner } from './find-owner.js'
import { finishEndpoint } from './finish.endpoint.js'
import {
  connectIdentityEndpoint,
  linkIdentityEndpoint,
  listIdentitiesEndpoint,
  unlinkIdentityEndpoint,
} from './identities.endpoint.js'
import { createOwnIdentities, type OwnIdentities } from './own-identities.js'
import { createProviderFlows } from './provider-flow.js'
import type { ProviderProofs, ProviderServer } from './provider-server.js'
import { createProvidersOnPages } from './providers-on-pages.js'
import type { CheckedProvidersOptions } from './providers-options.js'
import { createSignInByTicket } from './sign-in-by-ticket.js'
import { createStart, leadToProviderEndpoint, startEndpoint } from './start.endpoint.js'
import { createTickets } from './tickets.js'

export interface ProviderSignInDeps extends ProviderServer, SignInKit {
  readonly providersOptions: CheckedProvidersOptions
  readonly identities: IdentityStore
  readonly proofs: ProviderProofs
  readonly users: UserStore
  readonly canonical: (identifier: LoginIdentifier) => Promise<LoginIdentifier>
  readonly hasSecondFactor: (user: AuthUser) => Promise<boolean>
  /** Undefined without the option `accounts`. */
  readonly beforeRegister: BeforeRegister | undefined
  readonly isKept: (email: string) => Promise<boolean>
  /** Undefined without the option `oauth`. */
  readonly callbackPages: CallbackPages | undefined
  readonly issuer: string
  readonly hasPasskey: (userId: string) => Promise<boolean>
  readonly mayUsePassword: ((user: AuthUser) => Promise<boolean>) | undefined
  readonly decideSignIn: DecideSignIn
  readonly signedIn: SignedIn
  readonly requireFresh: RequireFresh
  readonly sessions: Sessions
  readonly throttle: Throttle
  readonly encryptionKeys: readonly Buffer[]
  /** Seconds that a session may live. */
  readonly longestSession: number
  readonly call: HostCall
  readonly clock: () => Date
  readonly audit: Audit
}

/** Signing in with the account of somebody else. */
export interface ProviderSignIn extends Capability {
  readonly ownIdentities: OwnIdentities
  readonly onPages: ProvidersOnPages
}

/** The endpoints of `/auth/providers` and `/auth/identities`. */
export function createProviderSignIn(deps: ProviderSignInDeps): ProviderSignIn {
  const { providersOptions, providerIn } = deps
  const { unknown, returnTo } = providersOptions
  const tickets = createTickets(deps)
  const flows = createProviderFlows(deps)
  const ownIdentities = createOwnIdentities({ ...deps, tickets })
  const findOwner = createFindOwner({ ...deps, unknown, createOwner: ownerMaker(deps) })
  const signInByTicket = createSignInByTicket({
    ...deps,
    findOwner,
    tickets,
    ownIdentities,
  })
  const starting = { ...deps, returnTo, flows }
  const { addressFor, goalIn } = createStart(starting)
  const own = { ...deps, ownIdentities, tickets, addressFor }
  const callback = callbackEndpoint({ ...deps, flows, tickets })
  const lead = leadToProviderEndpoint(starting, goalIn)
  return {
    routes: [
      ['/auth/providers', { GET: listEndpoint(deps) }],
      ['/auth/providers/finish', { POST: finishEndpoint({ ...deps, tickets, signInByTicket }) }],
      ['/auth/providers/:id/start', { POST: startEndpoint(providerIn, addressFor) }],
      ['/auth/providers/:id/open', { GET: lead, HEAD: null }],
      ['/auth/providers/:id/callback', { GET: callback, POST: callback, HEAD: null }],
      ['/auth/providers/:id/backchannel-logout', { POST: backchannelLogoutEndpoint(deps) }],
      [
        '/auth/identities',
        { GET: listIdentitiesEndpoint(own), POST: connectIdentityEndpoint(own) },
      ],
      [
        '/auth/identities/:id',
        { POST: linkIdentityEndpoint(own), DELETE: unlinkIdentityEndpoint(own) },
      ],
    ],
    ownIdentities,
    onPages: createProvidersOnPages({ ...own, flows, signInByTicket }),
  }
}

function ownerMaker(deps: ProviderSignInDeps): CreateOwner | undefined {
  const { create, nameIsFree, delete: deleteUser } = deps.users
  const { unknown } = deps.providersOptions
  // Checked at the start: with `create`, the users have all three.
  if (unknown !== 'create' || !create || !nameIsFree || !deleteUser) return undefined
  return createCreateOwner({ ...deps, create, nameIsFree, deleteUser, unknown })
}

/** `GET /auth/providers`: the providers, for the buttons of a client. */
function listEndpoint({ list }: Pick<ProviderSignInDeps, 'list'>): Endpoint {
  const providers = list.map(({ id, name }) => ({ id, name }))
  return async function listProviders() {
    return ok({ status: 'success', data: { providers } })
  }
}
