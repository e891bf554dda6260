import type { Contacts } from '../accounts/contacts.js'
import { type CodeSent, codeLifetime, sessionParts } from '../accounts/email.endpoint.js'
import { provenAddress } from '../accounts/email-factor.js'
import type { FormerAddresses } from '../accounts/former-addresses.js'
import type { Mails } from '../accounts/mails.js'
import type { Proofs } from '../accounts/proofs.js'
import type { ProvePresent } from '../accounts/prove-present.js'
import type { Audit } from '../audit/events.js'
import { ok } from '../http/answer.js'
import type { Endpoint, EndpointRequest } from '../http/endpoint.js'
import { parseInput } from '../http/input.js'
import { ownerOf } from '../principal/account-owner.js'
import type { SignedIn, SignedInRequest } from '../principal/principal.js'
import { type Proof, proofRequest } from '../sign-in-again.js'
import type { DeleteEverything } from './delete-everything.js'

/**
 * Mails a code that deletes the account. A user without a proven address is deleted at once: then
 * it resolves with null. Throws 401, 403, 429, also while a change of the address can be undone,
 * and 503.
 */
export type AskDeletion = (
  asking: Pick<SignedInRequest, 'session' | 'user'>,
  proof: Proof,
  request: EndpointRequest,
) => Promise<CodeSent | null>

export interface AskDeletionDeps {
  readonly provePresent: ProvePresent
  readonly contacts: Pick<Contacts, 'findContact'>
  readonly formerAddresses: Pick<FormerAddresses, 'requireNone'>
  readonly proofs: Pick<Proofs, 'openCode' | 'markOf'>
  readonly mails: Mails
  readonly deleteEverything: DeleteEverything
  readonly audit: Audit
}

export function createAskDeletion(deps: AskDeletionDeps): AskDeletion {
  const { provePresent, contacts, proofs, mails, deleteEverything, audit } = deps
  return async function askDeletion(asking, proof, request) {
    const { context } = request
    const { user, session } = asking
    await provePresent(asking, proof, request)
    await deps.formerAddresses.requireNone(user.id)
    const contact = await contacts.findContact(user.id)
    const email = provenAddress(contact)
    if (email === null) {
      await deleteEverything(user.id, context)
      audit({ type: 'account.deleted', userId: user.id }, context)
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
}

/** `POST /auth/account/delete`: mails a code that deletes the account. */
export function askDeletionEndpoint(signedIn: SignedIn, askDeletion: AskDeletion): Endpoint {
  return async function deleteAccount(request) {
    // 401, 403
    const asking = await ownerOf(signedIn, request)
    // 400, 413, 415
    const { password, code, passkey } = parseInput(proofRequest, await request.readJson())
    // By name: what is left over would inherit from a polluted Object.prototype.
    const sent = await askDeletion(asking, { password, code, passkey }, request)
    return sent === null
      ? ok({ status: 'success', data: {} })
      : { status: 202, body: { status: 'success', data: sent } }
  }
}
