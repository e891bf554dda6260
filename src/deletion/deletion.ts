import type { AccountsKit } from '../accounts/accounts-server.js'
import {
  type CodeSent,
  codeLifetime,
  confirmEmailRequest,
  sessionParts,
} from '../accounts/email.js'
import { requireNoUndo } from '../accounts/former-addresses.js'
import { provenAddress } from '../accounts/mails.js'
import { type FoundProof, type Proofs, requireCode } from '../accounts/proofs.js'
import { nothingShown, provePresent, provePresentOnPage } from '../accounts/prove-present.js'
import type { RequestContext } from '../audit/events.js'
import { AuthConfigError, AuthError } from '../errors.js'
import { ok } from '../http/answer.js'
import type { Capability } from '../http/capability.js'
import type { Endpoint } from '../http/endpoint.js'
import { contextOfAction, type HostAction, requireIds } from '../http/host-input.js'
import { parseInput } from '../http/input.js'
import type { DeletionOnPages } from '../pages/ports.js'
import { ownerOf } from '../principal/account-owner.js'
import type { SignedInRequest } from '../principal/principal.js'
import { proofRequest } from '../sign-in-again.js'
import { type DeletingKit, deleteEverything } from './delete-everything.js'

interface DeletionKit extends AccountsKit, DeletingKit {
  readonly proofs: Proofs
}

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

/** `users.delete` was checked at the start. */
export function createDeletion(given: Omit<DeletionKit, 'deleteUser'>): Deletion {
  const kit = { ...given, deleteUser: given.users.delete ?? refuseWithoutDeletion }
  return {
    routes: [
      ['/auth/account/delete', { POST: askEndpoint(kit) }],
      ['/auth/account/delete/confirm', { POST: confirmEndpoint(kit) }],
    ],
    onPages: deletionOnPages(kit),
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
    // By name: what is left over would inherit from a polluted Object.prototype.
    await provePresent(kit, asking, { password, code, passkey }, request)
    // 429, 503
    const sent = await askDeletion(kit, asking, request.context)
    return sent === null
      ? ok({ status: 'success', data: {} })
      : { status: 202, body: { status: 'success', data: sent } }
  }
}

/**
 * Mails a code that deletes the account. A user without a proven address is deleted at once: then
 * it resolves with null. Throws 429, also while a change of the address can be undone, and 503.
 */
async function askDeletion(
  kit: DeletionKit,
  { user, session }: Pick<SignedInRequest, 'session' | 'user'>,
  context: RequestContext,
): Promise<CodeSent | null> {
  const { contacts, proofs, mails } = kit
  await requireNoUndo(kit, user.id)
  const contact = await contacts.findContact(user.id)
  const email = provenAddress(contact)
  if (email === null) {
    await deleteAccount(kit, user.id, context)
    return null
  }
  const to = { email, user, locale: contact?.locale }
  const refused = await mails.take(to, 'confirm-deletion', context)
  if (refused !== null) throw refused
  const mark = proofs.markOf(sessionParts(session.id))
  const asked = { purpose: 'delete', userId: user.id, mark, sealed: {} } as const
  const { requestId, ...mailed } = await proofs.openCode({ ...asked, lifetime: codeLifetime })
  mails.send(to, { kind: 'confirm-deletion', ...mailed }, context)
  return { requestId, expiresIn: codeLifetime }
}

async function deleteAccount(
  kit: DeletionKit,
  userId: string,
  context: RequestContext,
): Promise<void> {
  await deleteEverything(kit, userId, context)
  kit.audit({ type: 'account.deleted', userId }, context)
}

// Deletes the account.
function confirmEndpoint(kit: DeletionKit): Endpoint {
  return kit.throttle.limitFailures('account-delete', async function confirmToDelete(request) {
    // 403, 503
    const asking = await ownerOf(kit.signedIn, request).catch(notSignedIn)
    // 400, 413, 415
    const body = await request.readJson()
    // 401, for whoever does not even send a code.
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

/** Who confirms: the error, if nobody is signed in. */
type Confirming = Pick<SignedInRequest, 'session'> | AuthError

/**
 * Deletes the account by the mailed code, in the session that has asked for it. If a deletion with
 * this code has begun, its session has ended: then the code alone completes it. Throws what
 * `asking` is if it is an error, 400 `proof-refused`, 429, 503; after the latter, call it again.
 */
async function confirmDeletion(
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
  if (!(await proofs.hasBegun(proof))) await requireNoUndo(kit, userId)
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

// The same steps for the page, in the same counters: a page is no second set of guesses.
function deletionOnPages(kit: DeletionKit): DeletionOnPages {
  return {
    asksPassword: kit.owesPassword,
    mailsCode: async ({ id }) => provenAddress(await kit.contacts.findContact(id)) !== null,
    async ask(asking, password, request) {
      await provePresentOnPage(kit, asking, { ...nothingShown, password }, request)
      return (await askDeletion(kit, asking, request.context))?.requestId ?? null
    },
    confirm: (asking, given, request) =>
      kit.throttle.limitRefusals('account-delete', request, () =>
        confirmDeletion(kit, asking, given, request.context),
      ),
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
