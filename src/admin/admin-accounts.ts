import type { EndForUser } from '../account/sessions-for-host.js'
import { createProofs } from '../accounts/proofs.js'
import { createDeleteEverything } from '../deletion/delete-everything.js'
import { createDeletionForHost, type DeletionForHost } from '../deletion/deletion.js'
import { AuthConfigError } from '../errors.js'
import { contextOfAction, type HostAction, requireIds } from '../http/host-input.js'
import { failClosed, unread } from '../lib/check-answer.js'
import type { HostCall } from '../lib/host-call.js'
import {
  createInvitationsMade,
  type InvitationsForHost,
} from '../registration/invitations-for-host.js'
import { failClosedIdentities } from '../stores/fail-closed-identities.js'
import { failClosedConsents } from '../stores/fail-closed-oauth-stores.js'
import { failClosedPasskeys } from '../stores/fail-closed-passkeys.js'
import { failClosedProofs } from '../stores/fail-closed-proofs.js'
import { type AdminUsers, type CheckedAdminOptions, without } from './admin-options.js'

/** Whole accounts, and the invitations to make one. */
export interface AdminAccounts
  extends DeletionForHost,
    Pick<InvitationsForHost, 'invitations' | 'revokeInvitation'> {
  /**
   * Disables a user by `users.disable`, and then ends all sessions. Returns how many ended. Rejects
   * as `delete`; call it again after `temporarily-unavailable`.
   */
  disable(userId: string, options?: HostAction): Promise<number>
}

interface AdminAccountsDeps
  extends Pick<
    Parameters<typeof createDeleteEverything>[0] & Parameters<typeof createProofs>[0],
    'sessions' | 'totp' | 'audit' | 'clock'
  > {
  readonly call: HostCall
  readonly endForUser: EndForUser
}

export function createAdminAccounts(
  { stores, users, encryptionKeys }: CheckedAdminOptions,
  deps: AdminAccountsDeps,
): AdminAccounts {
  const { call, endForUser } = deps
  const host = failClosed<AdminUsers>('users', users, call, { delete: unread, disable: unread })
  const proofStore = stores.proofs && failClosedProofs(stores.proofs, call)
  const proofs = proofStore && createProofs({ ...deps, proofStore, encryptionKeys })
  const deleteEverything = createDeleteEverything({
    ...deps,
    endDeleted: (userId, context) => endForUser(userId, 'account-deleted', undefined, context),
    proofs: proofs ?? { async voidForUser() {} },
    passkeyServer: stores.passkeys && { passkeyStore: failClosedPasskeys(stores.passkeys, call) },
    identities: stores.identities && failClosedIdentities(stores.identities, call),
    oauthServer: stores.consents && { consents: failClosedConsents(stores.consents, call) },
    deleteUser: async (userId) => host.delete?.(userId),
  })
  const deletion = createDeletionForHost({ ...deps, deleteEverything })
  const methods = ['invitations', 'revokeInvitation'] as const
  return {
    ...(proofs ? createInvitationsMade({ ...deps, proofs }) : without('proofs', methods)),
    async delete(userId, options) {
      requireMethod(host, 'delete')
      await deletion.delete(userId, options)
    },
    async disable(userId, options) {
      requireMethod(host, 'disable')
      const context = contextOfAction(options)
      requireIds({ userId })
      // First, or the user signs in again in between.
      await host.disable?.(userId)
      return endForUser(userId, 'revoked', undefined, context)
    },
  }
}

function requireMethod(users: AdminUsers, method: keyof AdminUsers): void {
  if (users[method] !== undefined) return
  throw new AuthConfigError(
    `users.${method}`,
    'is missing: only your own code can do that to your users.',
    `pass users: { async ${method}(userId) { … } }, as docs/operations.md says.`,
  )
}
