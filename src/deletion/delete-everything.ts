import type { EndAllSessions } from '../account/session-management.js'
import { mailedPurposes, type Proofs } from '../accounts/proofs.js'
import type { RequestContext } from '../audit/events.js'
import type { ManagementKit } from '../kits/session-kit.js'
import type { UserStore } from '../users/contract.js'

/** What deletes a user, in a server and from a terminal. */
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
  await kit.proofs?.voidForUser(userId, mailedPurposes)
  // Before the factors: a crash in between must leave no user whom the password alone lets in.
  await kit.deleteUser(userId)
  await totp?.store.deactivate(userId)
  await passkeyStore?.removeAllForUser(userId)
  // Those that replace a passkey. Of a user who has TOTP they stay, so they come after it.
  await totp?.store.deleteKeptRecoveryCodes(userId)
  await identities?.unlinkAllForUser(userId)
  const consents = (await consentStore?.listForUser(userId)) ?? []
  for (const { clientId } of consents) await consentStore?.revoke(userId, clientId)
  // A sign-in that was under way found the user still there.
  await kit.sessions.endAllForUser(userId, 'account-deleted', context)
}
