import type { EndForUser } from '../account/sessions-for-host.js'
import { createProofs } from '../accounts/proofs.js'
import { createDeleteEverything } from '../deletion/delete-everything.js'
import type { DeletionForHost } from '../deletion/deletion.js'
import { AuthConfigError } from '../errors.js'
import { contextOfAction, type HostAction, requireIds } from '../http/host-input.js'
import { failClosed, unread } from '../lib/check-answer.js'
import type { HostCall } from '../lib/host-call.js'
import {
  createInvitationsMade,
  type InvitationsMade,
} from '../registration/invitations-for-host.js'
import { failClosedIdentities } from '../stores/fail-closed-identities.js'
import { failClosedConsents } from '../stores/fail-closed-oauth-stores.js'
import { failClosedPasskeys } from '../stores/fail-closed-passkeys.js'
import { failClosedProofs } from '../stores/fail-closed-proofs.js'
import { type AdminUsers, type CheckedAdminOptions, without } from './admin-options.js'

/** Whole accounts, and the invitations to make one. */
export interface AdminAccounts extends DeletionForHost, InvitationsMade {
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
  const { call, endForUser, sessions, totp } = deps
  const host = failClosed<AdminUsers>('users', users, call, { delete: unread, disable: unread })
  const proofStore = stores.proofs && failClosedProofs(stores.proofs, call)
  const proofs = proofStore && createProofs({ ...deps, proofStore, encryptionKeys })
  const deleteEverything = createDeleteEverything({
    sessions,
    totp,
    endDeleted: (userId, context) => endForUser(userId, 'account-deleted', undefined, context),
    proofs: proofs ?? { async voidForUser() {} },
    passkeyServer: stores.passkeys && { passkeyStore: failClosedPasskeys(stores.passkeys, call) },
    identities: stores.identities && failClosedIdentities(stores.identities, call),
    oauthServer: stores.consents && { consents: failClosedConsents(stores.consents, call) },
    deleteUser: async (userId) => host.delete?.(userId),
  })
  const read = (method: keyof AdminUsers, userId: string, options?: HostAction) => {
    if (host[method] === undefined)
      throw new AuthConfigError(
        `users.${method}`,
        'is missing: only your own code can do that to your users.',
        `pass users: { async ${method}(userId) { … } }, as docs/operations.md says.`,
      )
    requireIds({ userId })
    return contextOfAction(options)
  }
  const made: InvitationsMade =
    proofs === undefined ? without('proofs') : createInvitationsMade({ ...deps, proofs })
  return {
    invitations: made.invitations,
    revokeInvitation: made.revokeInvitation,
    async delete(userId, options) {
      const context = read('delete', userId, options)
      await deleteEverything(userId, context)
      deps.audit({ type: 'account.deleted', userId }, context)
    },
    async disable(userId, options) {
      const context = read('disable', userId, options)
      // First, or the user signs in again in between.
      await host.disable?.(userId)
      return endForUser(userId, 'revoked', undefined, context)
    },
  }
}
