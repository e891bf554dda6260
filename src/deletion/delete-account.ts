import type { EndAllSessions } from '../account/session-management.js'
import type { AccountsKit } from '../accounts/accounts-server.js'
import { type CodeSent, codeLifetime, sessionParts } from '../accounts/addresses.js'
import { requireNoUndo } from '../accounts/former-addresses.js'
import { provenAddress } from '../accounts/mails.js'
import { type FoundProof, mailedPurposes, type Proofs, requireCode } from '../accounts/proofs.js'
import type { RequestContext } from '../audit/events.js'
import { AuthError } from '../errors.js'
import type { ManagementKit } from '../kits/session-kit.js'
import type { SignedInRequest } from '../principal/principal.js'
import type { UserStore } from '../users/contract.js'

/** The parts that delete a user, in a server and from a terminal. */
export interface DeletingKit extends ManagementKit {
  readonly endDeleted: EndAllSessions
  readonly deleteUser: NonNullable<UserStore['delete']>
  /** Undefined if the host stores no proofs. */
  readonly proofs: Proofs | undefined
}

/**
 * Deletes a user, and everything that the router has of the user. Sessions end first. Rejects with
 * 503; then call it again: each step can be repeated.
 */
export async function deleteEverything(
  kit: DeletingKit,
  userId: string,
  context: RequestContext,
): Promise<void> {
  const { totp, passkeyStore, identities, consentStore } = kit
  await kit.endDeleted(userId, context)
  await kit.proofs?.voidForUser(userId, [...mailedPurposes, 'phone-added', 'seen'])
  // The user is deleted before the factors: a crash in between must leave no user whom the password
  // alone lets in.
  await kit.deleteUser(userId)
  await totp?.store.deactivate(userId)
  await passkeyStore?.removeAllForUser(userId)
  // The recovery codes that replace a passkey. The call keeps the codes of a user who has TOTP, so
  // it comes after TOTP is gone.
  await totp?.store.deleteKeptRecoveryCodes(userId)
  await identities?.unlinkAllForUser(userId)
  const consents = (await consentStore?.listForUser(userId)) ?? []
  for (const { clientId } of consents) await consentStore?.revoke(userId, clientId)
  // A sign-in that was under way found the user still there.
  await kit.sessions.endAllForUser(userId, 'account-deleted', context)
}

export interface DeletionKit extends AccountsKit, DeletingKit {
  readonly proofs: Proofs
}

/**
 * Mails a code that deletes the account. A user without a proven address is deleted at once: then
 * it resolves with null. Throws 429, also while a change of the address can be undone, and 503.
 */
export async function askDeletion(
  kit: DeletionKit,
  { user, session }: Pick<SignedInRequest, 'session' | 'user'>,
  context: RequestContext,
): Promise<CodeSent | null> {
  const { contacts, proofs, mails } = kit
  await requireNoUndo(kit, user.id, kit.channels.email)
  const contact = await contacts.findContact(user.id)
  const email = provenAddress(contact)
  if (email === null) {
    await deleteAccount(kit, user.id, context)
    return null
  }
  const to = { address: email, user, locale: contact?.locale }
  const refused = await mails.take(to, 'confirm-deletion', context)
  if (refused !== null) throw refused
  const mark = proofs.markOf(sessionParts(session.id))
  const asked = { purpose: 'delete', userId: user.id, mark, sealed: {} } as const
  const { requestId, ...mailed } = await proofs.openCode({ ...asked, lifetime: codeLifetime })
  mails.send(to, { kind: 'confirm-deletion', ...mailed }, context)
  return { requestId, expiresIn: codeLifetime }
}

export async function deleteAccount(
  kit: DeletionKit,
  userId: string,
  context: RequestContext,
): Promise<void> {
  await deleteEverything(kit, userId, context)
  kit.audit({ type: 'account.deleted', userId }, context)
}

/** The user who confirms; the error, if nobody is signed in. */
type Confirming = Pick<SignedInRequest, 'session'> | AuthError

/**
 * Deletes the account by the mailed code, in the session that has asked for it. If a deletion with
 * this code has begun, its session has ended: then the code alone completes it. Throws `asking` if
 * it is an error, 400 `proof-refused`, 429, 503; after 503, call it again.
 */
export async function confirmDeletion(
  kit: DeletionKit,
  asking: Confirming,
  { requestId, code }: { readonly requestId: string; readonly code: string },
  context: RequestContext,
): Promise<void> {
  const { proofs } = kit
  const proof = await proofs.findCode(['delete'], requestId, context)
  const { userId } = proof.record
  const isHere = await mayTypeCode(kit, asking, proof)
  await requireCode(kit, proof, { code, userId, isHere }, context)
  // Only a code of a user is right.
  if (userId === null) throw proofs.refusal('no-user', proof.record, context)
  // The address may have changed since the code was mailed.
  if (!(await proofs.hasBegun(proof))) await requireNoUndo(kit, userId, kit.channels.email)
  await proofs.begin(proof)
  await deleteEverything(kit, userId, context)
  if (!(await proofs.consume(proof))) throw proofs.refusal('void', proof.record, context)
  kit.audit({ type: 'account.deleted', userId }, context)
}

// Once the deletion has begun there is no session any more.
async function mayTypeCode(
  { proofs, sessions }: DeletionKit,
  asking: Confirming,
  proof: FoundProof,
): Promise<boolean> {
  if (await proofs.hasBegun(proof)) return true
  if (asking instanceof AuthError) throw asking
  await sessions.requireLive(asking.session)
  return proofs.isMark(proof, sessionParts(asking.session.id))
}
