import { userNameText } from '../accounts/newcomer.js'
import { noneIfRefused } from '../accounts/noted-names.js'
import { AuthError } from '../errors.js'
import type { KeptCookie } from '../http/answer.js'
import type { EndpointRequest } from '../http/endpoint.js'
import type { LoggedIn } from '../login/log-in.js'
import type { AskedLifetime } from '../sessions/session-times.js'
import type { AssertionResponse } from '../two-factor/passkey-response.js'
import type { AskedRemember } from '../two-factor/remembered-browser.js'
import { provenEmailOf, suggestedName } from './identity-owner.js'
import { labelOf, linkByTicket } from './own-identities.js'
import { beginFlow, type LinkTo } from './provider-flow.js'
import { type ProvidersKit, providerIn } from './provider-kit.js'
import { isFactorDue, signInByTicket } from './sign-in-by-ticket.js'
import { type FoundTicket, findTicket } from './tickets.js'

// The pages use the flows, tickets and counters of the endpoints: a page is no second set of
// guesses.

type Asking = Pick<EndpointRequest, 'context' | 'incoming' | 'setHeaders'>

/**
 * Begins a flow: the address of the provider, and a cookie for the browser. `raw`: the query of the
 * page. Rejects with 404, 429 and 503.
 */
export async function beginOnPage(
  kit: ProvidersKit,
  id: string,
  { raw, linkTo }: { readonly raw: string; readonly linkTo: LinkTo | null },
  hints: ProviderHints,
  request: EndpointRequest,
): Promise<{ readonly url: string; readonly cookie: KeptCookie }> {
  const provider = providerIn(kit, { parameters: { id } })
  await kit.throttle.takeProviderFlow(request.context)
  const begun = await beginFlow(kit, provider, { kind: 'page', raw, linkTo }, hints, request)
  kit.audit({ type: 'provider.started', provider: id }, request.context)
  return begun
}

/** The hints that a provider gets about the request. */
export interface ProviderHints {
  readonly loginHint?: string | undefined
  readonly prompt?: 'login' | undefined
  /** Seconds. */
  readonly maxAge?: number | undefined
}

/** A ticket, and what its owner adds to it. */
interface TicketLogin {
  readonly ticket: string
  readonly code: string | null
  readonly passkey: AssertionResponse | null
  readonly browser: AskedRemember
  /** For a new user, instead of a name that is taken. */
  readonly username: string | undefined
  readonly lifetime: AskedLifetime | undefined
}

/** The result of a sign-in by a ticket. */
export type TicketOutcome =
  | { readonly outcome: 'logged-in'; readonly loggedIn: LoggedIn }
  /** `error`: `totp-required` or `totp-invalid`. */
  | {
      readonly outcome: 'factor-due'
      readonly error: AuthError
      readonly userId: string
      readonly provider: string
    }
  /** A new user needs another name. */
  | { readonly outcome: 'name-due'; readonly provider: string }
  /** No user has this identity. `canConnect`: one may sign in as usual, and connect it then. */
  | {
      readonly outcome: 'unknown'
      readonly provider: string
      readonly name: string
      readonly canConnect: boolean
    }

/** Signs in by a ticket. Rejects with 400 `proof-refused`, 401, 403, 429 and 503. */
export function signInOnPage(
  kit: ProvidersKit,
  { ticket: text, ...given }: TicketLogin,
  request: Asking,
): Promise<TicketOutcome> {
  return kit.throttle.limitRefusals('provider-finish', request, async () => {
    const ticket = await find(kit, text, null, request)
    const { username } = given
    if (username !== undefined && !userNameText.safeParse(username).success)
      return { outcome: 'name-due', provider: ticket.provider }
    const asked = { ...given, ticket, tokens: 'cookie' } as const
    try {
      return { outcome: 'logged-in', loggedIn: await signInByTicket(kit, asked, request) }
    } catch (error) {
      return outcomeOf(kit, error, ticket)
    }
  })
}

function find(
  kit: ProvidersKit,
  ticket: string,
  linkTo: LinkTo | null,
  { incoming, context }: Asking,
): Promise<FoundTicket> {
  const browser = kit.providerCookie.read(incoming)
  return findTicket(kit, ticket, { browser, linkTo }, context)
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

/**
 * The suggested name of a new user; empty if it is unknown. Changes nothing. Rejects with 400
 * `proof-refused`, 429 and 503.
 */
export function suggestedNameOf(
  kit: ProvidersKit,
  ticket: string,
  request: Asking,
): Promise<string> {
  return kit.throttle.limitRefusals('provider-finish', request, async () => {
    const { identity } = await find(kit, ticket, null, request)
    return suggestedName(identity, provenEmailOf(identity)) ?? ''
  })
}

/**
 * The label by which its owner knows the account of a ticket; null if the ticket is void. Changes
 * nothing. Rejects with 429 and 503.
 */
export function labelOfTicket(
  kit: ProvidersKit,
  ticket: string,
  request: Asking,
): Promise<string | null> {
  return kit.throttle
    .limitRefusals('provider-connect', request, async () => {
      const { identity } = await find(kit, ticket, null, request)
      return labelOf(identity) ?? identity.subject
    })
    .catch(noneIfRefused)
}

/**
 * Connects the account of a ticket. `began`: the session that has asked for it; null if it was to
 * be a sign-in. Rejects with 400 `proof-refused`, 401, 409 `identity-in-use`, 429 and 503.
 */
export function connectOnPage(
  kit: ProvidersKit,
  ticket: string,
  to: LinkTo,
  began: LinkTo | null,
  request: Asking,
): Promise<void> {
  return kit.throttle.limitRefusals('provider-connect', request, async () => {
    const found = await find(kit, ticket, began, request)
    await linkByTicket(kit, found, to, request.context)
  })
}
