import { z } from 'zod'
import type { Audit, RequestContext } from '../audit/events.js'
import { AuthError } from '../errors.js'
import { ok } from '../http/answer.js'
import type { Endpoint, EndpointRequest } from '../http/endpoint.js'
import { parseInput } from '../http/input.js'
import { ownerOf } from '../principal/account-owner.js'
import type { SignedIn, SignedInRequest } from '../principal/principal.js'
import type { Sessions } from '../sessions/sessions.js'
import { undoLifetime } from '../throttle/mail-limits.js'
import type { Throttle } from '../throttle/throttle.js'
import type { AuthUser, UserContact, UserStore } from '../users/contract.js'
import type { Contacts } from './contacts.js'
import { isOfSession } from './email.endpoint.js'
import type { LinkTo } from './links.js'
import type { Mails } from './mails.js'
import type { FoundProof, Proofs } from './proofs.js'
import { requireCode } from './require-code.js'

/** The body of `POST /auth/email/confirm`. */
export const confirmEmailRequest: z.ZodObject<{ requestId: z.ZodString; code: z.ZodString }> =
  z.object({ requestId: z.string().min(1).max(100), code: z.string().min(1).max(64) })

/**
 * Confirms an address by the code that was mailed there. Throws 400 `proof-refused`, 409
 * `superseded`, 429, 503.
 */
export type ConfirmEmail = (
  asking: Pick<SignedInRequest, 'session' | 'user'>,
  given: { readonly requestId: string; readonly code: string },
  request: Pick<EndpointRequest, 'context'>,
) => Promise<void>

export interface ConfirmEmailDeps {
  readonly proofs: Proofs
  readonly throttle: Pick<
    Throttle,
    'takeMailedCode' | 'giveBackMailedCode' | 'takeAddressChange' | 'forgetAddressChange'
  >
  readonly sessions: Pick<Sessions, 'requireLive'>
  readonly contacts: Contacts
  readonly updateEmail: NonNullable<UserStore['updateEmail']>
  readonly markEmailVerified: NonNullable<UserStore['markEmailVerified']>
  readonly mails: Mails
  readonly linkTo: LinkTo
  readonly audit: Audit
}

type EmailOutcome = 'changed' | 'superseded' | 'taken'

export function createConfirmEmail(deps: ConfirmEmailDeps): ConfirmEmail {
  const { proofs, contacts, updateEmail, markEmailVerified, throttle, audit } = deps

  async function verify(user: AuthUser, proof: FoundProof, context: RequestContext) {
    const email = proof.sealed['to'] ?? ''
    if (!(await markEmailVerified(user.id, email)))
      throw proofs.refusal('overtaken', proof.record, context)
    if (!(await proofs.consume(proof))) throw proofs.refusal('void', proof.record, context)
    audit({ type: 'address.verified', userId: user.id }, context)
  }

  // Counted before it is written: a second change would take the first out of reach of its undo.
  async function countChange(userId: string, work: () => Promise<EmailOutcome>) {
    if (!(await throttle.takeAddressChange(userId))) return 'superseded'
    let outcome: EmailOutcome | null = null
    try {
      outcome = await work()
      return outcome
    } finally {
      if (outcome !== 'changed') await throttle.forgetAddressChange(userId)
    }
  }

  // The host's write decides. A repeat after a crash finds the new address in place.
  async function write(
    user: AuthUser,
    proof: FoundProof,
    { from, to }: Change,
    isUndoable: boolean,
    context: RequestContext,
  ): Promise<UserContact | null> {
    const contact = await contacts.findContact(user.id)
    if (contact?.email === to && contact.emailVerified) return contact
    const replace = async () => (await updateEmail(user.id, from, to)).outcome
    const outcome = await (isUndoable ? countChange(user.id, replace) : replace())
    if (outcome === 'taken') throw proofs.refusal('taken', proof.record, context)
    if (outcome === 'superseded') throw new AuthError('superseded')
    return contact
  }

  async function change(user: AuthUser, proof: FoundProof, context: RequestContext) {
    const { from = null, to = null, undoBy = null } = proof.sealed
    if (to === null) throw proofs.refusal('unreadable', proof.record, context)
    const changed = { from, to }
    const contact = await write(user, proof, changed, undoBy !== null, context)
    // Before the proof is used up: after a crash here, the same code completes what is missing.
    const tell =
      undoBy === null ? () => {} : await openUndo(deps, user, { ...changed, from: undoBy }, contact)
    await proofs.voidForUser(user.id, ['reset', 'verify-address'])
    if (!(await proofs.consume(proof))) throw proofs.refusal('void', proof.record, context)
    audit({ type: 'address.changed', userId: user.id }, context)
    tell(context)
    // Each starts from the former address, so none could write by now: an outage does no harm.
    await proofs.voidForUser(user.id, ['change-address']).catch(() => {})
  }

  return async function confirmEmail(asking, { requestId, code }, { context }) {
    await deps.sessions.requireLive(asking.session)
    const purposes = ['verify-address', 'change-address'] as const
    const proof = await proofs.findCode(purposes, requestId, context)
    const { user, session } = asking
    const isHere = isOfSession(proofs, proof, session)
    await requireCode(deps, proof, { code, userId: user.id, isHere }, context)
    if (proof.record.userId !== user.id) throw proofs.refusal('no-user', proof.record, context)
    if (proof.record.purpose === 'verify-address') await verify(user, proof, context)
    else await change(user, proof, context)
  }
}

/** `POST /auth/email/confirm`: confirms an address by a mailed code. */
export function confirmEmailEndpoint(
  signedIn: SignedIn,
  confirmEmail: ConfirmEmail,
  { limitFailures }: Pick<Throttle, 'limitFailures'>,
): Endpoint {
  return limitFailures('email-confirm', async function confirm(request) {
    // 401, 403
    const asking = await ownerOf(signedIn, request)
    // 400, 413, 415
    const given = parseInput(confirmEmailRequest, await request.readJson())
    // 400, 409, 429, 503
    await confirmEmail(asking, given, request)
    return ok({ status: 'success', data: {} })
  })
}

/** A change of the address; from null, if there was none. */
interface Change {
  readonly from: string | null
  readonly to: string
}

// Returns what tells the former address. Without a limit: nobody else learns of the change.
async function openUndo(
  { proofs, mails, linkTo }: Pick<ConfirmEmailDeps, 'proofs' | 'mails' | 'linkTo'>,
  user: AuthUser,
  sealed: { readonly from: string; readonly to: string },
  contact: UserContact | null,
): Promise<(context: RequestContext) => void> {
  const purpose = 'undo-address'
  const asked = { purpose, userId: user.id, mark: null, sealed, lifetime: undoLifetime } as const
  const { token, expiresAt } = await proofs.openLink(asked)
  const content = { kind: 'address-changed', url: linkTo(purpose, token), expiresAt } as const
  const to = { email: sealed.from, user, locale: contact?.locale }
  return (context) => mails.send(to, content, context)
}
