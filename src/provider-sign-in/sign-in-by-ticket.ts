import type { Proofs } from '../accounts/proofs.js'
import type { Audit, RequestContext } from '../audit/events.js'
import { AuthError } from '../errors.js'
import type { OpenApproved, OpenedSession } from '../host-sign-in/open-session.js'
import type { EndpointRequest } from '../http/endpoint.js'
import type { ApprovedSignIn } from '../sessions/approved-sign-in.js'
import type { SessionRequest } from '../sessions/issuing.js'
import type { Sessions } from '../sessions/sessions.js'
import type { DecideSignIn } from '../sign-in.js'
import type { IdentityStore } from '../stores/identity-contract.js'
import type { Throttle } from '../throttle/throttle.js'
import type { AssertionResponse } from '../two-factor/passkey-response.js'
import type { AuthUser } from '../users/contract.js'
import type { ConnectedProvider } from './fail-closed-provider.js'
import type { FindOwner } from './find-owner.js'
import type { FoundTicket, Tickets } from './tickets.js'
import { identityDigest, noteSession, sidDigest, upstreamOf } from './upstream.js'

/** What a sign-in by a ticket asks for. */
export interface TicketSignIn extends Pick<SessionRequest, 'tokens' | 'lifetime'> {
  readonly ticket: FoundTicket
  readonly code: string | null
  readonly passkey: AssertionResponse | null
  /** For a new user, instead of a name that is taken. */
  readonly username: string | undefined
}

/**
 * Signs in whoever a provider has identified, by the same decision as every sign-in. While a second
 * factor or a user name is missing, the ticket stays good for what is left of its tries. Throws 400
 * `proof-refused`, 401, 403, 409, 429, 503.
 */
export type SignInByTicket = (
  given: TicketSignIn,
  request: Pick<EndpointRequest, 'context' | 'incoming' | 'setHeaders'>,
) => Promise<OpenedSession>

export interface SignInByTicketDeps {
  readonly findOwner: FindOwner
  readonly decideSignIn: DecideSignIn
  readonly tickets: Pick<Tickets, 'use'>
  readonly openApproved: OpenApproved
  readonly identities: Pick<IdentityStore, 'find' | 'used'>
  readonly sessions: Pick<Sessions, 'end'>
  readonly throttle: Pick<Throttle, 'knownNetworks'>
  readonly proofs: Pick<Proofs, 'openLink' | 'findLink'>
  readonly providerOf: (id: string) => ConnectedProvider | undefined
  /** Seconds that a session may live. */
  readonly longestSession: number
  readonly clock: () => Date
  readonly audit: Audit
}

export function createSignInByTicket(deps: SignInByTicketDeps): SignInByTicket {
  const { findOwner, tickets, openApproved, identities, audit } = deps
  return async function signInByTicket({ ticket, username, ...given }, request) {
    const { context } = request
    const { provider, identity } = ticket
    const user = await findOwner(ticket, username, request)
    const approved = await decide(deps, user, ticket, given, request)
    // If this fails, guesses of strangers may lock the owner out here; the call has reported it.
    const standing = deps.throttle.knownNetworks.standing(user.id, context)
    const network = await standing.catch(() => null)
    await rememberSession(deps, ticket, context)
    // Names the winner, before there is a session.
    await tickets.use(ticket, context)
    const { tokens, lifetime } = given
    const upstream = upstreamOf(provider, identity)
    const opened = await openApproved({ approved, tokens, lifetime, upstream }, context)
    await requireStillConnected(deps, ticket, opened, context)
    // It only informs.
    await identities.used(identity.issuer, identity.subject, deps.clock()).catch(() => {})
    if (!opened.mustEnrol) await network?.remember().catch(() => {})
    const { id: sessionId } = opened.session
    const { methods } = approved
    audit({ type: 'login.succeeded', userId: user.id, sessionId, methods }, context)
    return opened
  }
}

async function decide(
  { decideSignIn, audit }: SignInByTicketDeps,
  user: AuthUser,
  { identity, hasMfa }: FoundTicket,
  { code, passkey: response }: Pick<TicketSignIn, 'code' | 'passkey'>,
  { context, setHeaders }: Pick<EndpointRequest, 'context' | 'setHeaders'>,
): Promise<ApprovedSignIn> {
  const methods = hasMfa ? (['host', 'mfa'] as const) : (['host'] as const)
  const passkey = response && { response, setHeaders }
  const decision = await decideSignIn({ door: 'provider', user, methods, code, passkey, context })
  if (decision.allowed) return decision.approved
  const { reason, error } = decision
  const identifierDigest = identityDigest(identity)
  audit({ type: 'login.failed', reason, identifierDigest, userId: user.id }, context)
  throw error
}

// A provider may end a session that it names by `sid` alone. Before the session: one that its
// logout cannot reach must not exist.
async function rememberSession(
  { proofs, providerOf, longestSession: lifetime, clock }: SignInByTicketDeps,
  { provider, identity: { issuer, subject, sid } }: FoundTicket,
  context: RequestContext,
): Promise<void> {
  if (sid === undefined || providerOf(provider)?.readLogoutToken === undefined) return
  const there = { digest: sidDigest(issuer, sid), lifetime, now: clock() }
  await noteSession(proofs, { ...there, subject }, context)
}

// The identity may have been disconnected meanwhile, which has ended all sessions except this one,
// which did not exist yet.
async function requireStillConnected(
  { identities, sessions }: SignInByTicketDeps,
  { identity }: FoundTicket,
  { session }: OpenedSession,
  context: RequestContext,
): Promise<void> {
  const end = () => sessions.end(session, 'identity-unlinked', context)
  const found = await identities
    .find(identity.issuer, identity.subject)
    .catch(async (error: unknown) => {
      // Otherwise a session would stay whose token nobody has.
      await end()
      throw error
    })
  if (found?.userId === session.userId) return
  await end()
  throw new AuthError('provider-refused', { message: 'the identity was disconnected meanwhile' })
}
