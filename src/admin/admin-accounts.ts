import { type EndingKit, endForUser } from '../account/sessions-for-host.js'
import { createProofs, mailedElsewhere, type Proofs } from '../accounts/proofs.js'
import {
  setTemporaryPassword,
  type TemporaryPassword,
  type TemporaryPasswordKit,
} from '../accounts/temporary-password.js'
import type { RequestContext } from '../audit/events.js'
import { deleteEverything } from '../deletion/delete-account.js'
import type { DeletionForHost } from '../deletion/deletion.js'
import { AuthConfigError, AuthError } from '../errors.js'
import { contextOfAction, type HostAction, requireIds } from '../http/input.js'
import { bool, failClosed, ifThere, unread } from '../lib/check-answer.js'
import { isOfDirectory } from '../lib/stored-directory.js'
import type { PasswordHasher } from '../passwords/contract.js'
import { type InvitationsMade, invitationsMade } from '../registration/invitations.js'
import type { IdentityStore } from '../stores/identity-contract.js'
import { type AdminUsers, type CheckedAdminOptions, without } from './admin-options.js'

/** Whole accounts, and the invitations to make one. */
export interface AdminAccounts extends DeletionForHost, InvitationsMade {
  /**
   * Disables a user by `users.disable`, and then ends all sessions. Returns how many ended. Rejects
   * as `delete`; call it again after `temporarily-unavailable`.
   */
  disable(userId: string, options?: HostAction): Promise<number>
  /** `auth.accounts.setTemporaryPassword`. Needs `passwords`, and both methods of `users`. */
  setTemporaryPassword(userId: string, options?: HostAction): Promise<TemporaryPassword | null>
}

interface AdminAccountsKit extends EndingKit {
  readonly identities: IdentityStore | undefined
}

/** Those of the file; each says what is missing. */
export function createAdminAccounts(
  { users, passwords }: CheckedAdminOptions,
  kit: AdminAccountsKit,
): AdminAccounts {
  const { call, proofStore } = kit
  const { endAllForUser: endAll } = kit.sessions
  const host = failClosed<AdminUsers>('users', users, call, {
    delete: ifThere(unread),
    disable: ifThere(unread),
    findById: ifThere(unread),
    requirePasswordChange: ifThere(bool),
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
    async setTemporaryPassword(userId, options) {
      return setTemporaryPassword(makingFor(kit, host, passwords, proofs), userId, options)
    },
  }
}

function makingFor(
  kit: AdminAccountsKit,
  users: AdminUsers,
  passwords: PasswordHasher | undefined,
  proofs: Proofs | undefined,
): TemporaryPasswordKit {
  if (passwords === undefined)
    throw new AuthConfigError(
      'passwords',
      'is missing, and the new password must be hashed.',
      'pass the hasher of the servers, such as bcryptHasher().',
    )
  const { endAllForUser: endAll } = kit.sessions
  return {
    ...kit,
    users,
    hash: (plain) => kit.call('passwords.hash', () => passwords.hash(plain)),
    requireOwn: (user) => requireNoDirectory(kit, user.id),
    async endEverything(userId, cause) {
      await endForUser(kit, { userId, reason: 'revoked', endAll, cause })
      await proofs?.voidForUser(userId, mailedElsewhere)
    },
  }
}

async function requireNoDirectory({ identities }: AdminAccountsKit, userId: string): Promise<void> {
  if ((await identities?.listForUser(userId))?.some(isOfDirectory) === true)
    throw new AuthError('password-elsewhere')
}
