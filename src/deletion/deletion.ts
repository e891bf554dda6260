import type { EndForAccounts } from '../account/session-management.js'
import type { AccountsServer } from '../accounts/accounts-server.js'
import { provenAddress } from '../accounts/email-factor.js'
import {
  createProvePresent,
  createProvePresentOnPage,
  nothingShown,
  owesPassword,
  type ProvePresentDeps,
} from '../accounts/prove-present.js'
import type { Audit } from '../audit/events.js'
import { AuthConfigError } from '../errors.js'
import type { Capability } from '../http/capability.js'
import { contextOfAction, type HostAction, requireIds } from '../http/host-input.js'
import type { DeletionOnPages } from '../pages/account/delete-page.js'
import type { SignedIn } from '../principal/principal.js'
import type { Sessions } from '../sessions/sessions.js'
import type { Throttle } from '../throttle/throttle.js'
import type { UserStore } from '../users/contract.js'
import { askDeletionEndpoint, createAskDeletion } from './ask-deletion.endpoint.js'
import { confirmDeletionEndpoint, createConfirmDeletion } from './confirm-deletion.endpoint.js'
import { createDeleteEverything, type DeleteEverythingDeps } from './delete-everything.js'

/** The deletion of accounts, for the host's own code: a support desk, a rule about old accounts. */
export interface DeletionForHost {
  /**
   * Deletes a user, by `delete` of your users, and everything that the router has of the user.
   * Sessions end first. Also completes a deletion that a crash has interrupted. Rejects with
   * `AuthError`: `invalid-request`, or `temporarily-unavailable`; call it again after the latter.
   * Needs `accounts.deletion`.
   *
   * @example
   * ```ts
   * import type { AuthRouter } from 'messaging-auth-router'
   *
   * declare const auth: AuthRouter
   * await auth.accounts.delete('42', { by: 'support:ada' })
   * ```
   */
  delete(userId: string, options?: HostAction): Promise<void>
}

/** Deleting accounts: the endpoints of `/auth/account`. */
export interface Deletion extends Capability {
  readonly forHost: DeletionForHost
  readonly onPages: DeletionOnPages
}

export interface DeletionDeps
  extends Pick<AccountsServer, 'contacts' | 'proofs' | 'mails' | 'formerAddresses'>,
    ProvePresentDeps,
    Pick<EndForAccounts, 'endDeleted'>,
    Omit<DeleteEverythingDeps, 'deleteUser'> {
  readonly signedIn: SignedIn
  readonly proofs: AccountsServer['proofs']
  readonly sessions: Pick<Sessions, 'requireLive' | 'endAllForUser'>
  readonly users: UserStore
  readonly throttle: Throttle
  readonly audit: Audit
}

/** `users.delete` was checked at the start. */
export function createDeletion(deps: DeletionDeps): Deletion {
  const { signedIn, users, throttle, audit } = deps
  const deleteUser = users.delete ?? refuseWithoutDeletion
  const deleteEverything = createDeleteEverything({ ...deps, deleteUser })
  const parts = { ...deps, deleteEverything }
  const askDeletion = createAskDeletion({ ...parts, provePresent: createProvePresent(deps) })
  const askOnPage = createAskDeletion({ ...parts, provePresent: createProvePresentOnPage(deps) })
  const confirmDeletion = createConfirmDeletion(parts)
  const ask = askDeletionEndpoint(signedIn, askDeletion)
  const confirm = confirmDeletionEndpoint(signedIn, confirmDeletion, throttle)
  return {
    routes: [
      ['/auth/account/delete', { POST: ask }],
      ['/auth/account/delete/confirm', { POST: confirm }],
    ],
    onPages: {
      asksPassword: (user) => owesPassword(deps, user),
      mailsCode: async ({ id }) => provenAddress(await deps.contacts.findContact(id)) !== null,
      async ask(asking, password, request) {
        const proof = { ...nothingShown, password }
        return (await askOnPage(asking, proof, request))?.requestId ?? null
      },
      confirm: (asking, given, request) =>
        throttle.limitRefusals('account-delete', request, () =>
          confirmDeletion(asking, given, request),
        ),
    },
    forHost: {
      async delete(userId, options) {
        const context = contextOfAction(options)
        requireIds({ userId })
        await deleteEverything(userId, context)
        audit({ type: 'account.deleted', userId }, context)
      },
    },
  }
}

async function refuseWithoutDeletion(): Promise<never> {
  throw new AuthConfigError(
    'accounts.deletion',
    'is not configured, which auth.accounts.delete needs.',
    'set it to true, as docs/accounts.md says.',
  )
}

/** `auth.accounts.delete` without the option. */
export const withoutDeletion: DeletionForHost = Object.freeze({ delete: refuseWithoutDeletion })
