import type { RequestContext } from '../audit/events.js'
import { AuthError } from '../errors.js'
import { openApproved } from '../host-sign-in/open-session.js'
import type { EndpointRequest } from '../http/endpoint.js'
import type { ApprovedSignIn } from '../sessions/approved-sign-in.js'
import type { OpenedSession, SessionRequest } from '../sessions/issuing.js'
import type { AssertionResponse } from '../two-factor/passkey-response.js'
import type { AskedRemember } from '../two-factor/remembered-browser.js'
import type { AuthUser } from '../users/contract.js'
import { type FoundOwner, findOwner } from './identity-owner.js'
import { linkIdentity } from './own-identities.js'
import type { ProvidersKit } from './provider-kit.js'
import { type FoundTicket, useTicket } from './tickets.js'
import { identityDigest, noteSession, sidDigest, upstreamOf } from './upstream.js'

/** The settings of a sign-in by a ticket. */
export interface TicketSignIn extends Pick<SessionRequest, 'tokens' | 'lifetime'> {
  readonly ticket: FoundTicket
  readonly code: string | null
  readonly passkey: AssertionResponse | null
  readonly browser: AskedRemember
  /** For a new user, instead of a name that is taken. */
  readonly username: string | undefined
}

/**
 * Signs in the user whom a provider has identified, by the same decision as every sign-in. While a
 * second factor or a user name is missing, the ticket stays good for what is left of its tries.
 * Throws 400 `proof-refused`, 401, 403, 409, 429, 503.
 */
export async function signInByTicket(
  kit: ProvidersKit,
  { ticket, username, ...given }: TicketSignIn,
  request: Pick<EndpointRequest, 'context' | 'incoming' | 'setHeaders'>,
): Promise<OpenedSession> {
  const { identities, audit } = kit
  const { context } = request
  const { accounts, identity } = ticket
  const owner = await findOwner(kit, ticket, username, request)
  const { user } = owner
  const approved = await decideAndConnect(kit, owner, { ticket, ...given }, request)
  // If this fails, guesses of strangers may lock the owner out here; the call has reported it.
  const standing = kit.knownNetworks.standing(user.id, context)
  const network = await standing.catch(() => null)
  const { tokens, lifetime, browser } = given
  const from = { upstream: upstreamOf(ticket), authenticatedAt: momentOf(kit, ticket, lifetime) }
  const asked = { approved, tokens, lifetime, ...from }
  const opened = await openApproved(kit, asked, context, browser.remember)
  await requireStillConnected(kit, ticket, opened, owner.isStill, context)
  // It only informs.
  await identities.used(accounts, identity.subject, kit.clock()).catch(() => {})
  if (opened.required.length === 0) await network?.remember().catch(() => {})
  const { id: sessionId } = opened.session
  const { methods } = approved
  audit({ type: 'login.succeeded', userId: user.id, sessionId, methods }, context)
  return opened
}

// Nothing is connected before the sign-in is allowed, and a new user who is not allowed goes again.
async function decideAndConnect(
  kit: ProvidersKit,
  { user, how, takeBack }: FoundOwner,
  given: Pick<TicketSignIn, 'ticket' | 'code' | 'passkey' | 'browser'>,
  request: Pick<EndpointRequest, 'context' | 'setHeaders'>,
): Promise<ApprovedSignIn> {
  const { ticket } = given
  const { context } = request
  const connect = async () => {
    if (how !== null) await linkIdentity(kit, user.id, { vouched: ticket, how }, context)
    if (how === 'created')
      kit.audit({ type: 'account.registered', userId: user.id, invitationId: null }, context)
  }
  try {
    const approved = await decide(kit, user, ticket, given, request)
    await rememberSession(kit, ticket, context)
    // Names the winner, before anything is connected.
    await useTicket(kit, ticket, context)
    await connect()
    return approved
  } catch (error) {
    // If the host has given the new user a factor, the code that is due is for this user.
    if (takeBack !== undefined) await (isFactorDue(error) ? connect().catch(takeBack) : takeBack())
    throw error
  }
}

/** Whether only the second factor is missing. */
export function isFactorDue(error: unknown): boolean {
  const code = error instanceof AuthError ? error.code : ''
  return code === 'totp-required' || code === 'totp-invalid'
}

/** Seconds. */
const oldestSignIn = 3600

// An older sign-in counts as this old: sessions end by their sign-in, and this one begins now.
function momentOf(
  { clock, longestSession }: ProvidersKit,
  { signedInAt }: FoundTicket,
  lifetime: TicketSignIn['lifetime'],
): Date | undefined {
  if (signedInAt === null) return undefined
  const now = clock().getTime()
  const oldest = Math.min(oldestSignIn, (lifetime?.absolute ?? longestSession) / 2) * 1000
  return new Date(Math.min(now, Math.max(signedInAt, now - oldest)))
}

async function decide(
  { decideSignIn, audit }: ProvidersKit,
  user: AuthUser,
  ticket: FoundTicket,
  { code, passkey: response, browser }: Pick<TicketSignIn, 'code' | 'passkey' | 'browser'>,
  { context, setHeaders }: Pick<EndpointRequest, 'context' | 'setHeaders'>,
): Promise<ApprovedSignIn> {
  const methods = ticket.hasMfa ? (['host', 'mfa'] as const) : (['host'] as const)
  const passkey = response && { response, setHeaders }
  const { rememberToken } = browser
  const shown = { methods, code, passkey, rememberToken }
  const decision = await decideSignIn({ door: 'provider', user, ...shown, context })
  if (decision.allowed) return decision.approved
  const { reason, error } = decision
  const identifierDigest = identityDigest(ticket)
  audit({ type: 'login.failed', reason, identifierDigest, userId: user.id }, context)
  throw error
}

// A provider may end a session that it names by `sid` alone. The note is stored before the session:
// a session that its logout cannot reach must not exist.
async function rememberSession(
  { proofs, providerOf, longestSession: lifetime, clock }: ProvidersKit,
  { provider, identity: { subject, sid } }: FoundTicket,
  context: RequestContext,
): Promise<void> {
  if (sid === undefined || providerOf(provider)?.readLogoutToken === undefined) return
  const there = { digest: sidDigest(provider, sid), lifetime, now: clock() }
  await noteSession(proofs, { ...there, subject }, context)
}

// The identity may have been disconnected meanwhile, which has ended all sessions except this one,
// which did not exist yet. The user may also have got another address back, by an undo.
async function requireStillConnected(
  { identities, sessions }: ProvidersKit,
  { accounts, identity }: FoundTicket,
  { session }: OpenedSession,
  isStill: FoundOwner['isStill'],
  context: RequestContext,
): Promise<void> {
  const end = () => sessions.end(session, 'identity-unlinked', context)
  const look = async () => {
    const found = await identities.find(accounts, identity.subject)
    if (found?.userId !== session.userId) return false
    if (isStill === undefined || (await isStill())) return true
    await identities.unlink(session.userId, found.id, { unlessLast: false })
    return false
  }
  const isConnected = await look().catch(async (error: unknown) => {
    // Otherwise a session would stay whose token nobody has.
    await end()
    throw error
  })
  if (isConnected) return
  await end()
  throw new AuthError('provider-refused', { message: 'the identity was disconnected meanwhile' })
}
