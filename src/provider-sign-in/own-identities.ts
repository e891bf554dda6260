import type { RequestContext } from '../audit/events.js'
import { AuthError, notSignedIn } from '../errors.js'
import { randomId } from '../lib/secrets.js'
import { isOfDirectory } from '../lib/stored-directory.js'
import type { SignedInRequest } from '../principal/principal.js'
import { markOfMaker } from '../sessions/password-watch.js'
import type { IdentityRecord, IdentityStore } from '../stores/identity-contract.js'
import type { LinkTo } from './provider-flow.js'
import type { ProvidersKit } from './provider-kit.js'
import { type FoundTicket, useTicket, type Vouched } from './tickets.js'
import { identityDigest, isOpenedBy } from './upstream.js'

/** A connected account, as its owner sees it. */
export interface IdentitySummary {
  readonly id: string
  /** The id of the provider. */
  readonly provider: string
  /** The label that its owner knows it by; null without. */
  readonly label: string | null
  readonly createdAt: Date
  readonly lastUsedAt: Date | null
}

/** How a user came to be connected. */
export type LinkedHow = 'asked' | 'email' | 'created'

/** The accounts elsewhere that a user is connected with, oldest first. Rejects with 503. */
export async function listIdentities(
  { identities }: ProvidersKit,
  userId: string,
): Promise<readonly IdentitySummary[]> {
  return (await ownRows(identities, userId)).map(summaryOf)
}

/**
 * The facts of a connection: the vouched identity, the way, and the password mark of the session.
 */
interface Linking {
  readonly vouched: Pick<Vouched, 'accounts' | 'identity'>
  readonly how: LinkedHow
  readonly passwordMark?: string | null
}

/**
 * Connects an identity with a user. `identity-in-use`: 409, it is another user's, and stays so.
 * Resolves with the one that is there if it is this user's already. Rejects with 503.
 */
export async function linkIdentity(
  { identities, clock, audit }: ProvidersKit,
  userId: string,
  { vouched, how, passwordMark = null }: Linking,
  context: RequestContext,
): Promise<{ readonly row: IdentityRecord; readonly isNew: boolean }> {
  const { accounts: provider, identity } = vouched
  const { issuer, subject } = identity
  const row: IdentityRecord = {
    provider,
    subject,
    issuer,
    userId,
    id: randomId(),
    label: labelOf(identity),
    passwordMark,
    createdAt: clock(),
    lastUsedAt: null,
  }
  // An address does not connect again what its owner has disconnected.
  const { outcome } = await identities.link(row, { unlessUnlinked: how === 'email' })
  if (outcome === 'linked') {
    audit({ type: 'identity.linked', userId, provider, how }, context)
    return { row, isNew: true }
  }
  const before = await identities.find(provider, subject)
  if (before?.userId === userId && before.issuer === issuer) return { row: before, isNew: false }
  throw new AuthError('identity-in-use')
}

/**
 * Connects the identity of a ticket with a user who is signed in, and still is afterwards. Throws
 * 400 `proof-refused`, 401, 409 `identity-in-use`, 503.
 */
export async function linkByTicket(
  kit: ProvidersKit,
  ticket: FoundTicket,
  { userId, sessionId }: LinkTo,
  context: RequestContext,
): Promise<IdentitySummary> {
  const { session, user } = await requireSignedIn(kit, userId, sessionId)
  await useTicket(kit, ticket, context)
  const passwordMark = markOfMaker(session, user)
  const linking = { vouched: ticket, how: 'asked', passwordMark } as const
  const { row, isNew } = await linkIdentity(kit, userId, linking, context)
  // A thief whose session has ended in this moment must keep no way in.
  await requireSignedIn(kit, userId, sessionId).catch(async (error: unknown) => {
    if (isNew) await kit.identities.unlink(userId, row.id, { unlessLast: false })
    throw error
  })
  return summaryOf(row)
}

/**
 * Removes one, and ends the sessions that it has opened. The caller has required a fresh sign-in.
 * Throws 401, 404, 409 `last-sign-in-method`, 503.
 */
export async function unlinkIdentity(
  kit: ProvidersKit,
  { session }: Pick<SignedInRequest, 'session'>,
  id: string,
  context: RequestContext,
): Promise<void> {
  const { identities, sessions, providerOf } = kit
  const { userId } = session
  const mine = await ownRows(identities, userId)
  const meant = mine.find((one) => one.id === id)
  if (meant === undefined) throw noIdentity()
  await sessions.requireLive(session)
  const { provider } = meant
  const unlessLast = await hasNoOtherWay(kit, userId)
  // An account of a provider that the host has removed is no way in.
  const others = mine.filter((one) => one !== meant && providerOf(one.provider) !== undefined)
  if (unlessLast && others.length === 0) throw new AuthError('last-sign-in-method')
  // Before and after the removal: if it fails, the user tries again.
  await endOpenedBy(kit, meant, context)
  const { outcome } = await identities.unlink(userId, id, { unlessLast })
  if (outcome === 'last') throw new AuthError('last-sign-in-method')
  if (outcome === 'unknown') throw noIdentity()
  kit.audit({ type: 'identity.unlinked', userId, provider }, context)
  await endOpenedBy(kit, meant, context)
}

// The entry of a directory is not the user's to remove.
async function ownRows(identities: IdentityStore, userId: string): Promise<IdentityRecord[]> {
  return (await identities.listForUser(userId)).filter((row) => !isOfDirectory(row))
}

function summaryOf({ id, provider, label, createdAt, lastUsedAt }: IdentityRecord) {
  return { id, provider, label, createdAt, lastUsedAt }
}

/** The label by which its owner knows an account elsewhere; null without. */
export function labelOf({ email, username, name }: Vouched['identity']): string | null {
  return email ?? username ?? name ?? null
}

async function requireSignedIn(
  { sessions, users }: ProvidersKit,
  userId: string,
  sessionId: string,
): Promise<Pick<SignedInRequest, 'session' | 'user'>> {
  const session = await sessions.findLive(sessionId)
  const user = session?.userId === userId ? await users.findById(userId) : null
  if (session === null || user === null || user.disabled === true)
    throw notSignedIn('session ended or unknown')
  return { session, user }
}

// The row is read again: the guard's row may be some seconds old.
async function hasNoOtherWay(
  { users, passkeyStore, owesPassword }: ProvidersKit,
  userId: string,
): Promise<boolean> {
  const user = await users.findById(userId)
  // A password that no door takes is no way in.
  if (user !== null && (await owesPassword(user))) return false
  const passkeys = (await passkeyStore?.listForUser(userId)) ?? []
  return passkeys.length === 0
}

// A sign-in that is under way looks for the identity again after its session is stored, so one of
// the two sees the other.
async function endOpenedBy(
  { sessions }: ProvidersKit,
  { userId, provider: accounts, subject }: IdentityRecord,
  context: RequestContext,
): Promise<void> {
  const digests = { identity: identityDigest({ accounts, identity: { subject } }) }
  const all = await sessions.listForUser(userId)
  const opened = all.filter((session) => isOpenedBy(session, null, digests))
  for (const session of opened) await sessions.end(session, 'identity-unlinked', context)
}

/** The error is also for an identity of another user, whose existence is not revealed. */
export function noIdentity(): AuthError {
  return new AuthError('not-found', { clientMessage: 'There is no such connected account.' })
}
