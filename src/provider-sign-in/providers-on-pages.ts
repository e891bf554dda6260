import { userNameText } from '../accounts/newcomer.js'
import type { Audit } from '../audit/events.js'
import { AuthError } from '../errors.js'
import type { BrowserCookie } from '../http/cookies.js'
import type { EndpointRequest } from '../http/endpoint.js'
import type { ProvidersOnPages, TicketOutcome } from '../pages/ports.js'
import type { IdentityStore } from '../stores/identity-contract.js'
import type { Throttle } from '../throttle/throttle.js'
import { suggestedName } from './create-owner.js'
import { labelOf, type OwnIdentities } from './own-identities.js'
import type { LinkTo, ProviderFlows } from './provider-flow.js'
import type { ProviderServer } from './provider-server.js'
import type { CheckedProvidersOptions } from './providers-options.js'
import { provenEmailOf } from './refused-identity.js'
import { isFactorDue, type SignInByTicket } from './sign-in-by-ticket.js'
import type { FoundTicket, Tickets } from './tickets.js'

export interface ProvidersOnPagesDeps
  extends Pick<ProviderServer, 'list' | 'providerIn' | 'providerOf'> {
  readonly providersOptions: Pick<CheckedProvidersOptions, 'only' | 'passwordFor'>
  readonly providerCookie: BrowserCookie
  readonly flows: Pick<ProviderFlows, 'begin'>
  readonly tickets: Pick<Tickets, 'find'>
  readonly signInByTicket: SignInByTicket
  readonly ownIdentities: OwnIdentities
  readonly identities: Pick<IdentityStore, 'find'>
  readonly throttle: Pick<Throttle, 'takeProviderFlow' | 'limitRefusals'>
  readonly audit: Audit
}

type Asking = Pick<EndpointRequest, 'context' | 'incoming' | 'setHeaders'>

/** The same flows, tickets and counters as of the endpoints. */
export function createProvidersOnPages(deps: ProvidersOnPagesDeps): ProvidersOnPages {
  const { list, providersOptions, flows, ownIdentities, throttle } = deps

  function find(ticket: string, linkTo: LinkTo | null, { incoming, context }: Asking) {
    const browser = deps.providerCookie.read(incoming)
    return deps.tickets.find(ticket, { browser, linkTo }, context)
  }

  return {
    list: list.map(({ id, name, logo }) => ({ id, name, logo })),
    only: providersOptions.only,
    somePasswords: providersOptions.passwordFor !== undefined,

    async begin(id, { raw, linkTo }, hints, request) {
      const provider = deps.providerIn({ parameters: { id } })
      await throttle.takeProviderFlow(request.context)
      const begun = await flows.begin(provider, { kind: 'page', raw, linkTo }, hints, request)
      deps.audit({ type: 'provider.started', provider: id }, request.context)
      return begun
    },

    signIn: ({ ticket: text, ...given }, request) =>
      throttle.limitRefusals('provider-finish', request, async () => {
        const ticket = await find(text, null, request)
        const { username } = given
        if (username !== undefined && !userNameText.safeParse(username).success)
          return { outcome: 'name-due', provider: ticket.provider }
        const asked = { ...given, ticket, tokens: 'cookie' } as const
        try {
          return { outcome: 'logged-in', loggedIn: await deps.signInByTicket(asked, request) }
        } catch (error) {
          return outcomeOf(deps, error, ticket)
        }
      }),

    suggestedName: (text, request) =>
      throttle.limitRefusals('provider-finish', request, async () => {
        const { identity } = await find(text, null, request)
        return suggestedName(identity, provenEmailOf(identity)) ?? ''
      }),

    labelOf: (text, request) =>
      throttle
        .limitRefusals('provider-connect', request, async () => {
          const { identity } = await find(text, null, request)
          return labelOf(identity) ?? identity.subject
        })
        .catch((error: unknown) => {
          if (error instanceof AuthError && error.code === 'proof-refused') return null
          throw error
        }),

    connect: (text, to, began, request) =>
      throttle.limitRefusals('provider-connect', request, async () => {
        const ticket = await find(text, began, request)
        await ownIdentities.linkByTicket(ticket, to, request.context)
      }),

    listOf: (userId) => ownIdentities.list(userId),
    remove: (session, id, context) => ownIdentities.unlink({ session }, id, context),
  }
}

async function outcomeOf(
  { identities, providerOf }: Pick<ProvidersOnPagesDeps, 'identities' | 'providerOf'>,
  error: unknown,
  { provider, accounts, identity: { subject } }: FoundTicket,
): Promise<TicketOutcome> {
  if (!(error instanceof AuthError)) throw error
  if (error.code === 'username-taken') return { outcome: 'name-due', provider }
  if (isFactorDue(error)) {
    const owner = await identities.find(accounts, subject)
    // The user got a factor in this moment: an address connects nobody then.
    if (owner === null) throw new AuthError('provider-refused')
    return { outcome: 'factor-due', error, userId: owner.userId, provider }
  }
  const { reason, canConnect } = error.details ?? {}
  if (reason !== 'not-connected') throw error
  const name = providerOf(provider)?.name ?? provider
  return { outcome: 'unknown', provider, name, canConnect: canConnect === true }
}
