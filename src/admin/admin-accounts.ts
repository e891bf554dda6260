import { type EndingKit, endForUser } from '../account/sessions-for-host.js'
import { createProofs } from '../accounts/proofs.js'
import type { RequestContext } from '../audit/events.js'
import { deleteEverything } from '../deletion/delete-account.js'
import type { DeletionForHost } from '../deletion/deletion.js'
import { AuthConfigError } from '../errors.js'
import { contextOfAction, type HostAction, requireIds } from '../http/input.js'
import { failClosed, ifThere, unread } from '../lib/check-answer.js'
import { type InvitationsMade, invitationsMade } from '../registration/invitations.js'
import { type AdminUsers, type CheckedAdminOptions, without } from './admin-options.js'

/** Whole accounts, and the invitations to make one. */
export interface AdminAccounts extends DeletionForHost, InvitationsMade {
  /**
   * Disables a user by `users.disable`, and then ends all sessions. Returns how many ended. Rejects
   * as `delete`; call it again after `temporarily-unavailable`.
   */
  disable(userId: string, options?: HostAction): Promise<number>
}

export function createAdminAccounts({ users }: CheckedAdminOptions, kit: EndingKit): AdminAccounts {
  const { call, proofStore } = kit
  const { endAllForUser: endAll } = kit.sessions
  const host = failClosed<AdminUsers>('users', users, call, {
    delete: ifThere(unread),
    disable: ifThere(unread),
  })
  const proofs = proofStore && createProofs({ ...kit, proofStore })
  const deleting = {
    ...kit,
    proofs,
    endDeleted: (userId: string, cause: RequestContext) =>
      endForUser(kit, { userId, reason: 'account-deleted', endAll, cause }),
    deleteUser: async (userId: string) => host.delete?.(userId),
  }
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
    proofs === undefined ? without('proofs') : invitationsMade(kit, proofs)
  return {
    invitations: made.invitations,
    revokeInvitation: made.revokeInvitation,
    async delete(userId, options) {
      const context = read('delete', userId, options)
      await deleteEverything(deleting, userId, context)
      kit.audit({ type: 'account.deleted', userId }, context)
    },
    async disable(userId, options) {
      const context = read('disable', userId, options)
      // This comes first, or the user signs in again in between.
      await host.disable?.(userId)
      return endForUser(kit, { userId, reason: 'revoked', endAll, cause: context })
    },
  }
}
