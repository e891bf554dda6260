import { z } from 'zod'
import type { Audit, RequestContext } from '../audit/events.js'
import { AuthError } from '../errors.js'
import { ok } from '../http/answer.js'
import type { Endpoint, EndpointRequest } from '../http/endpoint.js'
import { parseInput } from '../http/input.js'
import { ownerOf } from '../principal/account-owner.js'
import type { SignedIn, SignedInRequest } from '../principal/principal.js'
import type { Sessions } from '../sessions/sessions.js'
import type { Throttle } from '../throttle/throttle.js'
import type { AuthUser, UserStore } from '../users/contract.js'
import type { Contacts } from './contacts.js'
import { isOfSession } from './email.endpoint.js'
import type { FormerAddresses } from './former-addresses.js'
import type { LinkTo } from './links.js'
import type { Mails } from './mails.js'
import type { FoundProof, Proofs } from './proofs.js'
import { requireCode } from './require-code.js'

/** The body of `POST /auth/email/confirm`. */
export const confirmEmailRequest: z.ZodObject<{ requestId: z.ZodString; code: z.ZodString }> =
  z.object({ requestId: z.string().min(1).max(100), code: z.string().min(1).max(64) })

/**
 * Confirms an address by the code that was mailed there. Throws 400 `proof-refused`, 409
 * `superseded`, 429, and 503, also where the mail to the former address finds no place.
 */
export type ConfirmEmail = (
  asking: Pick<SignedInRequest, 'session' | 'user'>,
  given: { readonly requestId: string; readonly code: string },
  request: Pick<EndpointRequest, 'context'>,
) => Promise<void>

export interface ConfirmEmailDeps {
  readonly proofs: Proofs
  readonly throttle: Pick<Throttle, 'takeMailedCode' | 'giveBackMailedCode'>
  readonly formerAddresses: FormerAddresses
  readonly sessions: Pick<Sessions, 'requireLive'>
  readonly contacts: Contacts
  readonly updateEmail: NonNullable<UserStore['updateEmail']>
  readonly markEmailVerified: NonNullable<UserStore['markEmailVerified']>
  readonly mails: Mails
  readonly linkTo: LinkTo
  readonly audit: Audit
}

export function createConfirmEmail(deps: ConfirmEmailDeps): ConfirmEmail {
  const { proofs, contacts, formerAddresses, updateEmail, markEmailVerified, audit } = deps

  async function verify(user: AuthUser, proof: FoundProof, context: RequestContext) {
    const email = proof.sealed['to'] ?? ''
    if (!(await markEmailVerified(user.id, email)))
      throw proofs.refusal('overtaken', proof.record, context)
    if (!(await proofs.consume(proof))) throw proofs.refusal('void', proof.record, context)
    audit({ type: 'address.verified', userId: user.id }, context)
  }

  // The host's write decides.
  async function write(
    userId: string,
    proof: FoundProof,
    { from, to }: Change,
    context: RequestContext,
  ) {
    const { outcome } = await updateEmail(userId, from, to)
    if (outcome === 'taken') throw proofs.refusal('taken', proof.record, context)
    if (outcome === 'superseded') throw new AuthError('superseded')
  }

  async function change(user: AuthUser, proof: FoundProof, context: RequestContext) {
    const { from = null, to = null, undoBy = null, since = null } = proof.sealed
    if (to === null || since === null) throw proofs.refusal('unreadable', proof.record, context)
    const contact = await contacts.findContact(user.id)
    // A repeat after a crash finds the new address in place.
    const isWritten = contact?.email === to && contact.emailVerified
    if (!isWritten) await formerAddresses.requireNone(user.id)
    const work = async () => {
      if (!isWritten) await write(user.id, proof, { from, to }, context)
    }
    const undo = undoBy === null ? null : { undoBy, since, locale: contact?.locale }
    const notice = undo === null ? await work() : await undoably(deps, user, undo, work)
    await useUp(deps, proof, notice ?? noNotice, context)
    audit({ type: 'address.changed', userId: user.id }, context)
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

/** The mail to the former address. */
interface Notice {
  send(context: RequestContext): void
  release(): void
}

const noNotice: Notice = { send() {}, release() {} }

// Before the proof is used up: after a crash here, the same code completes what is missing.
async function useUp(
  { proofs }: ConfirmEmailDeps,
  proof: FoundProof,
  notice: Notice,
  context: RequestContext,
): Promise<void> {
  const { userId } = proof.record
  try {
    if (userId !== null) await proofs.voidForUser(userId, ['reset', 'verify-address'])
    if (!(await proofs.consume(proof))) throw proofs.refusal('void', proof.record, context)
    notice.send(context)
  } catch (error) {
    // Whoever has won has told it. After an outage it is told here: the address is another one.
    if (error instanceof AuthError && error.status < 500) notice.release()
    else notice.send(context)
    throw error
  }
}

// The link that undoes it is stored before the address is another one, and its mail has a place.
async function undoably(
  { mails, formerAddresses, linkTo }: ConfirmEmailDeps,
  user: AuthUser,
  { undoBy, since, locale }: Undo,
  work: () => Promise<void>,
): Promise<Notice> {
  const place = mails.reserve()
  try {
    const change = { userId: user.id, from: undoBy, since }
    const { token, expiresAt, cancel } = await formerAddresses.open(change)
    // After an outage it may be written all the same.
    await work().catch(async (error: unknown) => {
      if (error instanceof AuthError && error.status < 500) await cancel().catch(() => {})
      throw error
    })
    const url = linkTo('undo-address', token)
    const to = { email: undoBy, user, locale }
    const content = { kind: 'address-changed', url, expiresAt } as const
    return { release: place.release, send: (context) => place.send(to, content, context) }
  } catch (error) {
    place.release()
    throw error
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

/** Who can undo it, and from which sign-in on. */
interface Undo {
  readonly undoBy: string
  readonly since: string
  readonly locale: string | null | undefined
}
