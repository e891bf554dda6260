import { z } from 'zod'
import type { EndAllSessions } from '../account/session-management.js'
import type { Audit, RequestContext } from '../audit/events.js'
import { ok } from '../http/answer.js'
import type { Endpoint } from '../http/endpoint.js'
import { parseInput } from '../http/input.js'
import type { Throttle } from '../throttle/throttle.js'
import type { AuthUser, UserContact, UserStore } from '../users/contract.js'
import type { Contacts } from './contacts.js'
import { type FoundProof, mailedPurposes, type Proofs } from './proofs.js'
import type { SendReset } from './reset-link.js'

/** The body of `POST /auth/email/undo`. */
export const undoEmailRequest: z.ZodObject<{ token: z.ZodString }> = z.object({
  token: z.string().min(1),
})

/**
 * Takes a change of the address back, and ends all sessions: whoever holds the link had the former
 * address, and has not made the change. Throws 400 `proof-refused`, 503.
 */
export type UndoEmail = (token: string, context: RequestContext) => Promise<void>

export interface UndoEmailDeps {
  readonly proofs: Proofs
  readonly contacts: Contacts
  readonly updateEmail: NonNullable<UserStore['updateEmail']>
  readonly endAfterUndo: EndAllSessions
  readonly sendReset: SendReset
  readonly throttle: Pick<Throttle, 'forgetAddressChange'>
  readonly audit: Audit
}

/** Among them are links and codes that went to the address that is undone. */
const mailedElsewhere = mailedPurposes.filter((purpose) => purpose !== 'undo-address')

export function createUndoEmail(deps: UndoEmailDeps): UndoEmail {
  const { proofs, contacts, audit } = deps

  // The host's write decides. A repeat after a crash finds the former address in place.
  async function write(user: AuthUser, proof: FoundProof, context: RequestContext) {
    const { from = null, to = null } = proof.sealed
    if (from === null) throw proofs.refusal('unreadable', proof.record, context)
    const contact = await contacts.findContact(user.id)
    if (contact?.email === from) return contact
    const { outcome } = await deps.updateEmail(user.id, to, from)
    if (outcome === 'taken') throw proofs.refusal('taken', proof.record, context)
    if (outcome === 'superseded') throw proofs.refusal('overtaken', proof.record, context)
    const undone: UserContact = { ...contact, email: from, emailVerified: true }
    return undone
  }

  return async function undoEmail(token, context) {
    const proof = await proofs.findLink('undo-address', token, context)
    const { userId } = proof.record
    const user = userId === null ? null : await contacts.findById(userId)
    if (user === null) throw proofs.refusal('no-user', proof.record, context)
    await proofs.takeTry(proof, context)
    const contact = await write(user, proof, context)
    // Before the proof is used up: after a crash here, the same link completes what is missing.
    await deps.endAfterUndo(user.id, context)
    await proofs.voidForUser(user.id, mailedElsewhere)
    if (!(await proofs.consume(proof))) throw proofs.refusal('void', proof.record, context)
    audit({ type: 'address.undone', userId: user.id }, context)
    // The change is taken back, so an outage from here on is no failure of this request. Other
    // links start from an address that is not the user's any more; the owner can ask for another
    // mail.
    await proofs.voidForUser(user.id, ['undo-address']).catch(() => {})
    await deps.throttle.forgetAddressChange(user.id).catch(() => {})
    // Somebody else may know the password.
    await deps.sendReset(user, context, contact).catch(() => {})
  }
}

/** `POST /auth/email/undo`: takes a change of the address back, by the link in a mail. */
export function undoEmailEndpoint(
  undoEmail: UndoEmail,
  { limitFailures }: Pick<Throttle, 'limitFailures'>,
): Endpoint {
  return limitFailures('email-undo', async function undo({ context, readJson }) {
    // 400, 413, 415
    const { token } = parseInput(undoEmailRequest, await readJson())
    // 400, 429, 503
    await undoEmail(token, context)
    return ok({ status: 'success', data: {} })
  })
}
