import { userNameText } from '../accounts/newcomer.js'
import { AuthError } from '../errors.js'
import type { EndpointRequest } from '../http/endpoint.js'
import type { ProvidersOnPages, TicketOutcome } from '../pages/ports.js'
import { provenEmailOf, suggestedName } from './identity-owner.js'
import { labelOf, linkByTicket, listIdentities, unlinkIdentity } from './own-identities.js'
import { beginFlow, type LinkTo, noneIfRefused } from './provider-flow.js'
import { type ProvidersKit, providerIn } from './provider-kit.js'
import { isFactorDue, signInByTicket } from './sign-in-by-ticket.js'
import { type FoundTicket, findTicket } from './tickets.js'

type Asking = Pick<EndpointRequest, 'context' | 'incoming' | 'setHeaders'>

/** The same flows, tickets and counters as of the endpoints. */
export function createProvidersOnPages(kit: ProvidersKit): ProvidersOnPages {
  const { list, providersOptions, throttle } = kit

  function find(ticket: string, linkTo: LinkTo | null, { incoming, context }: Asking) {
    const browser = kit.providerCookie.read(incoming)
    return findTicket(kit, ticket, { browser, linkTo }, context)
  }

  return {
    list: list.map(({ id, name, logo }) => ({ id, name, logo })),
    only: providersOptions.only,
    somePasswords: providersOptions.passwordFor !== undefined,

    async begin(id, { raw, linkTo }, hints, request) {
      const provider = providerIn(kit, { parameters: { id } })
      await throttle.takeProviderFlow(request.context)
      const begun = await beginFlow(kit, provider, { kind: 'page', raw, linkTo }, hints, request)
      kit.audit({ type: 'provider.started', provider: id }, request.context)
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
          return { outcome: 'logged-in', loggedIn: await signInByTicket(kit, asked, request) }
        } catch (error) {
          return outcomeOf(kit, error, ticket)
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
        .catch(noneIfRefused),

    connect: (text, to, began, request) =>
      throttle.limitRefusals('provider-connect', request, async () => {
        const ticket = await find(text, began, request)
        await linkByTicket(kit, ticket, to, request.context)
      }),

    listOf: (userId) => listIdentities(kit, userId),
    remove: (session, id, context) => unlinkIdentity(kit, { session }, id, context),
  }
}

async function outcomeOf(
  { identities, providerOf }: ProvidersKit,
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
