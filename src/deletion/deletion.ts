import { confirmEmailRequest } from '../accounts/addresses.js'
import { provePresent } from '../accounts/new-password.js'
import { AuthError } from '../errors.js'
import { ok } from '../http/answer.js'
import type { Capability, Endpoint } from '../http/endpoint.js'
import { contextOfAction, type HostAction, parseInput, requireIds } from '../http/input.js'
import { accountPages } from '../pages/account-form.js'
import type { FormsKit } from '../pages/pages-kit.js'
import { ownerOf } from '../principal/principal.js'
import { proofRequest } from '../sign-in-again.js'
import { askDeletion, confirmDeletion, type DeletionKit, deleteAccount } from './delete-account.js'
import { createDeletePage } from './delete-page.js'

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
}

/** Undefined without the option `accounts.deletion`. */
export function createDeletion(
  given: Omit<DeletionKit, 'deleteUser'>,
  forms: FormsKit | undefined,
): Deletion | undefined {
  const { delete: deleteUser } = given.users
  // This is checked at the start: with the option, the users have it.
  if (!given.accountsOptions.deletion || !deleteUser) return undefined
  const kit = { ...given, deleteUser }
  return {
    routes: [
      ['/auth/account/delete', { POST: askEndpoint(kit) }],
      ['/auth/account/delete/confirm', { POST: confirmEndpoint(kit) }],
      ...(forms === undefined ? [] : accountPages(forms, [createDeletePage(forms, kit)])),
    ],
    forHost: {
      async delete(userId, options) {
        const context = contextOfAction(options)
        requireIds({ userId })
        await deleteAccount(kit, userId, context)
      },
    },
  }
}

// Mails a code that deletes the account.
function askEndpoint(kit: DeletionKit): Endpoint {
  return async function askToDelete(request) {
    // 401, 403
    const asking = await ownerOf(kit.signedIn, request)
    // 400, 413, 415
    const { password, code, passkey } = parseInput(proofRequest, await request.readJson())
    // The proof is made by name: a rest object would inherit from a polluted Object.prototype.
    await provePresent(kit, asking, { password, code, passkey }, request)
    // 429, 503
    const sent = await askDeletion(kit, asking, request.context)
    return sent === null
      ? ok({ status: 'success', data: {} })
      : { status: 202, body: { status: 'success', data: sent } }
  }
}

// Deletes the account.
function confirmEndpoint(kit: DeletionKit): Endpoint {
  return kit.throttle.limitFailures('account-delete', async function confirmToDelete(request) {
    // 403, 503
    const asking = await ownerOf(kit.signedIn, request).catch(notSignedIn)
    // 400, 413, 415
    const body = await request.readJson()
    // 401, for a request without a code.
    if (asking instanceof AuthError && !confirmEmailRequest.safeParse(body).success) throw asking
    const given = parseInput(confirmEmailRequest, body)
    // 400, 401, 429, 503
    await confirmDeletion(kit, asking, given, request.context)
    return ok({ status: 'success', data: {} })
  })
}

function notSignedIn(error: unknown): AuthError {
  if (error instanceof AuthError && error.status === 401) return error
  throw error
}
