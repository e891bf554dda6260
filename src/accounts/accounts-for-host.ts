import type { IncomingMessage } from 'node:http'
import type { EndForAccounts } from '../account/session-management.js'
import type { EndOptions } from '../account/sessions-for-host.js'
import type { Credentials } from '../account/sign-in-for-host.js'
import {
  bodyOf,
  contextOfAction,
  type HostAction,
  requireIds,
  requireRequest,
} from '../http/host-input.js'
import type { Contexts } from '../http/request-context.js'
import { parseIdentifier } from '../login/login-request.js'
import type { UserStore } from '../users/contract.js'
import type { Contacts } from './contacts.js'
import { type CodeSent, type SendVerification, sessionsOf } from './email.endpoint.js'
import type { ForgotPassword } from './forgot-password.endpoint.js'
import { mailedElsewhere, type Proofs } from './proofs.js'
import type { SendReset } from './reset-link.js'

/** Passwords and addresses of users, for the host's own code: a support desk. */
export interface AccountsForHost {
  /**
   * Mails the user a link to set a new password. False if there is no such user, no proven address,
   * or too many mails went there lately. Rejects with `AuthError`: `invalid-request`,
   * `temporarily-unavailable`.
   *
   * @example
   * ```ts
   * import type { AuthRouter } from 'messaging-auth-router'
   *
   * declare const auth: AuthRouter
   * const isSent = await auth.accounts.sendPasswordReset('42', { by: 'support:ada' })
   * ```
   */
  sendPasswordReset(userId: string, options?: HostAction): Promise<boolean>
  /**
   * `POST /auth/password/forgot` for a form of your own: exactly one of `email`, `username` and
   * `user`. The same for every name, and the same limits. Rejects with `AuthError`:
   * `invalid-request`, `too-many-requests`, `temporarily-unavailable`.
   */
  forgotPassword(
    request: IncomingMessage,
    name: Omit<Credentials, 'password' | 'code'>,
  ): Promise<void>
  /**
   * Mails the user a code that proves the present address, after a sign-up for example. Pass
   * `requestId` to the client: `POST /auth/email/confirm` takes the code in any session of this
   * user. Null if there is no such user. Rejects with `AuthError`: `invalid-request` without an
   * address, `already-verified`, `too-many-requests`, `temporarily-unavailable`.
   *
   * @example
   * ```ts
   * import type { AuthRouter } from 'messaging-auth-router'
   *
   * declare const auth: AuthRouter
   * const sent = await auth.accounts.sendVerification('42')
   * const answer = { requestId: sent?.requestId }
   * ```
   */
  sendVerification(userId: string, options?: HostAction): Promise<CodeSent | null>
  /**
   * Ends everything that could sign this user in without a new proof: sessions, codes, mailed links
   * and known networks. The password and the second factor stay; so do passkeys and connected
   * accounts, unless `waysIn` says otherwise. Resolves with the number of ended sessions. Rejects
   * like `sendPasswordReset`; then call it again.
   *
   * @example
   * ```ts
   * import type { AuthRouter } from 'messaging-auth-router'
   *
   * declare const auth: AuthRouter
   * const waysIn = { addedSince: new Date('2026-11-27T14:00:00Z') }
   * await auth.accounts.endEverything('42', { by: 'support:ada', waysIn })
   * ```
   */
  endEverything(userId: string, options?: Omit<EndOptions, 'except'>): Promise<number>
}

export interface AccountsForHostDeps {
  readonly forgotPassword: ForgotPassword
  readonly contexts: Pick<Contexts, 'of'>
  readonly users: Pick<UserStore, 'findById'>
  readonly sendReset: SendReset
  readonly contacts: Pick<Contacts, 'findContact'>
  readonly sendVerification: SendVerification
  readonly endEverySession: EndForAccounts['endEverySession']
  readonly proofs: Pick<Proofs, 'voidForUser'>
}

export function createAccountsForHost(deps: AccountsForHostDeps): AccountsForHost {
  return {
    async sendPasswordReset(userId, options) {
      const context = contextOfAction(options)
      requireIds({ userId })
      const user = await deps.users.findById(userId)
      // With the contact it does not count: strangers' requests must not stop a support desk.
      const contact = user && (await deps.contacts.findContact(user.id))
      return user !== null && (await deps.sendReset(user, context, contact))
    },
    async forgotPassword(request, name) {
      const context = deps.contexts.of(requireRequest(request))
      await deps.forgotPassword(parseIdentifier(bodyOf(name)), context)
    },
    async sendVerification(userId, options) {
      const context = contextOfAction(options)
      requireIds({ userId })
      const user = await deps.users.findById(userId)
      return user && deps.sendVerification(user, sessionsOf(user.id), context, null)
    },
    async endEverything(userId, options) {
      const ended = await deps.endEverySession(userId, options)
      // The owner's way back after a theft stays.
      await deps.proofs.voidForUser(userId, mailedElsewhere)
      return ended
    },
  }
}
