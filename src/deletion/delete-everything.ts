import type { EndForAccounts } from '../account/session-management.js'
import { mailedPurposes, type Proofs } from '../accounts/proofs.js'
import type { RequestContext } from '../audit/events.js'
import type { OAuthServer } from '../oauth/oauth-server.js'
import type { PasskeyServer } from '../passkeys/passkey-server.js'
import type { Sessions } from '../sessions/sessions.js'
import type { IdentityStore } from '../stores/identity-contract.js'
import type { OwnTotp } from '../two-factor/second-factor.js'
import type { UserStore } from '../users/contract.js'

/**
 * Deletes a user, and everything that the router has of the user. Sessions end first. Rejects with
 * 503; then call it again: each step can be repeated.
 */
export type DeleteEverything = (userId: string, context: RequestContext) => Promise<void>

export interface DeleteEverythingDeps {
  readonly endDeleted: EndForAccounts['endDeleted']
  readonly sessions: Pick<Sessions, 'endAllForUser'>
  readonly proofs: Pick<Proofs, 'voidForUser'>
  /** Undefined if the host stores no TOTP seeds. */
  readonly totp: OwnTotp | undefined
  /** Undefined without the option `passkeys`. */
  readonly passkeyServer: Pick<PasskeyServer, 'passkeyStore'> | undefined
  /** Undefined if the host stores no identities. */
  readonly identities: Pick<IdentityStore, 'unlinkAllForUser'> | undefined
  /** Undefined without the option `oauth`. */
  readonly oauthServer: Pick<OAuthServer, 'consents'> | undefined
  readonly deleteUser: NonNullable<UserStore['delete']>
}

export function createDeleteEverything(deps: DeleteEverythingDeps): DeleteEverything {
  const { proofs, totp, passkeyServer, identities } = deps
  return async function deleteEverything(userId, context) {
    await deps.endDeleted(userId, context)
    await proofs.voidForUser(userId, mailedPurposes)
    // Before the factors: a crash in between must leave no user whom the password alone lets in.
    await deps.deleteUser(userId)
    await totp?.store.deactivate(userId)
    await passkeyServer?.passkeyStore.removeAllForUser(userId)
    // Those that replace a passkey. Of a user who has TOTP they stay, so they come after it.
    await totp?.store.deleteKeptRecoveryCodes(userId)
    await identities?.unlinkAllForUser(userId)
    await revokeConsents(deps, userId)
    // A sign-in that was under way found the user still there.
    await deps.sessions.endAllForUser(userId, 'account-deleted', context)
  }
}

async function revokeConsents(
  { oauthServer }: Pick<DeleteEverythingDeps, 'oauthServer'>,
  userId: string,
): Promise<void> {
  const consents = (await oauthServer?.consents.listForUser(userId)) ?? []
  for (const { clientId } of consents) await oauthServer?.consents.revoke(userId, clientId)
}
