import { z } from 'zod'
import type { RequestContext } from '../audit/events.js'
import { AuthError, invalidRequest } from '../errors.js'
import { ok } from '../http/answer.js'
import type { Endpoint, EndpointRequest } from '../http/endpoint.js'
import { parseInput } from '../http/input.js'
import { mailAddressText, parseMailAddress } from '../lib/addresses.js'
import { ownerOf, type SignedInRequest } from '../principal/principal.js'
import { type Proof, proofRequest } from '../sign-in-again.js'
import type { AuthUser, UserContact, UserStore } from '../users/contract.js'
import type { CheckedAccountsOptions } from './accounts-options.js'
import type { AccountsKit } from './accounts-server.js'
import { isKept, openUndo, requireNoUndo } from './former-addresses.js'
import type { MailContent } from './mails.js'
import { type ProvePresent, provePresent } from './new-password.js'
import {
  type FoundProof,
  type MailedCode,
  type MarkOf,
  type Proofs,
  requireCode,
} from './proofs.js'

/** Seconds in which a mailed code works. */
export const codeLifetime: number = 10 * 60

/** The body of `POST /auth/email/change`: the new address, and a proof. */
export const changeEmailRequest: z.ZodObject<
  (typeof proofRequest)['shape'] & { email: z.ZodString }
> = proofRequest.extend({ email: mailAddressText })

/** A code is on its way; `requestId` and the code confirm the address. */
export interface CodeSent {
  readonly requestId: string
  /** Seconds. */
  readonly expiresIn: number
}

type Asking = Pick<SignedInRequest, 'session' | 'user'>

/** A user's address; null without. */
export interface AddressOfUser {
  readonly email: string | null
  readonly verified: boolean
}

/** Reads the address of a user. Rejects with 503. */
export async function addressOf({ contacts }: AccountsKit, userId: string): Promise<AddressOfUser> {
  return addressIn((await contacts.findContact(userId)) ?? nowhere)
}

function addressIn({ email, emailVerified }: UserContact): AddressOfUser {
  return { email, verified: email !== null && emailVerified }
}

/** `GET /auth/email`: the user's address. */
export function emailStatusEndpoint(kit: AccountsKit): Endpoint {
  return async function emailStatus(request) {
    const { user } = await ownerOf(kit.signedIn, request, 'verify-address')
    const contact = (await kit.contacts.findContact(user.id)) ?? nowhere
    const address = addressIn(contact)
    if (!kit.accountsOptions.emailSecondFactor) return ok({ status: 'success', data: address })
    const secondFactor = contact.emailFactor === true
    return ok({ status: 'success', data: { ...address, secondFactor } })
  }
}

const nowhere: UserContact = { email: null, emailVerified: false }

/** `POST /auth/email/verify`: mails a code to the present address. */
export function verifyEmailEndpoint(kit: AccountsKit): Endpoint {
  return async function verify(request) {
    const asking = await ownerOf(kit.signedIn, request, 'verify-address')
    return accepted(await verifyEmail(kit, asking, request.context))
  }
}

/** Mails a code to the present address. Throws 409 `already-verified`, 429, 503. */
export async function verifyEmail(
  kit: AccountsKit,
  { user, session }: Asking,
  context: RequestContext,
): Promise<CodeSent> {
  await kit.sessions.requireLive(session)
  return sendVerification(kit, user, sessionParts(session.id), context, session)
}

/**
 * Mails a code that proves the present address, for the session or user that the parts mark.
 * `session`: the session that has asked; null if the host has asked. Throws 400, 409
 * `already-verified`, 429, 503.
 */
export async function sendVerification(
  { contacts, proofs, mails, linkToCode }: AccountsKit,
  user: AuthUser,
  parts: MarkOf,
  context: RequestContext,
  session: Pick<SignedInRequest['session'], 'kind'> | null,
): Promise<CodeSent> {
  const contact = (await contacts.findContact(user.id)) ?? nowhere
  const { email } = contact
  if (email === null)
    throw invalidRequest([{ path: 'email', message: 'This account has no address.' }])
  if (contact.emailVerified) throw new AuthError('already-verified')
  const to = { email, user, locale: contact.locale }
  const refused = await mails.take(to, 'verify-address', context)
  if (refused !== null) throw refused
  const mailed = await proofs.openCode({
    purpose: 'verify-address',
    userId: user.id,
    mark: proofs.markOf(parts),
    sealed: { to: email },
    lifetime: codeLifetime,
  })
  const content = contentOf('verify-address', mailed, linkToCode(session, mailed))
  mails.send(to, content, context)
  return { requestId: mailed.requestId, expiresIn: codeLifetime }
}

/** `POST /auth/email/change`: mails a code to a new address. */
export function changeEmailEndpoint(kit: AccountsKit): Endpoint {
  return async function change(request) {
    const asking = await ownerOf(kit.signedIn, request, 'verify-address')
    const given = parseInput(changeEmailRequest, await request.readJson())
    const { email, password, code, passkey } = given
    // The proof is made by name: a rest object would inherit from a polluted Object.prototype.
    const proof = { password, code, passkey }
    return accepted(await changeEmail(kit, asking, { email, proof }, request, provePresent))
  }
}

/**
 * Mails a code to a new address, and changes nothing yet. The answer does not tell whether another
 * user has the address, or has had it while the change can be undone. Throws 400, 401, 403, 409
 * `already-verified`, 429, 503.
 */
export async function changeEmail(
  kit: AccountsKit,
  asking: Asking,
  { email: typed, proof }: { readonly email: string; readonly proof: Proof },
  request: EndpointRequest,
  prove: ProvePresent,
): Promise<CodeSent> {
  const { proofs, mails } = kit
  const email = requireAddress(typed)
  await prove(kit, asking, proof, request)
  const { user, session } = asking
  await requireNoUndo(kit, user.id)
  const contact = (await kit.contacts.findContact(user.id)) ?? nowhere
  const { email: from, emailVerified, locale } = contact
  if (email === from && emailVerified) throw new AuthError('already-verified')
  const isTaken = await isOfAnother(kit, user.id, email)
  const since = sinceOf(session.authenticatedAt, kit.clock())
  // The attempt counts for the account that asks, not for the owner of the address.
  const refused = await mails.take({ email, user }, 'change-address', request.context)
  if (refused !== null) throw refused
  // If the address is taken, the proof belongs to nobody: it looks like any other proof, and no
  // code confirms it.
  const mailed = await proofs.openCode({
    purpose: 'change-address',
    userId: isTaken ? null : user.id,
    mark: proofs.markOf(sessionParts(session.id)),
    sealed: { from, to: email, undoBy: undoneBy(contact, kit.accountsOptions), since },
    lifetime: codeLifetime,
  })
  const content = contentOf('change-address', mailed, kit.linkToCode(session, mailed))
  if (isTaken) mails.send({ email, user: null, locale }, { kind: 'address-taken' }, request.context)
  else mails.send({ email, user, locale }, content, request.context)
  return { requestId: mailed.requestId, expiresIn: codeLifetime }
}

// A thief may sign in more than once, and clocks of processes differ: an undo removes what was
// added in the three days before the change as well.
function sinceOf(authenticatedAt: Date, now: Date): string {
  return new Date(
    Math.min(authenticatedAt.getTime(), now.getTime() - 72 * 60 * 60_000),
  ).toISOString()
}

function contentOf(
  kind: 'verify-address' | 'change-address',
  { code, expiresAt }: MailedCode,
  url: string | undefined,
): MailContent {
  return { kind, code, expiresAt, ...(url === undefined ? {} : { url }) }
}

/** An address to which mail can be sent. Throws 400. */
export function requireAddress(typed: string): string {
  const email = parseMailAddress(typed)
  if (email !== null) return email
  throw invalidRequest([{ path: 'email', message: 'Invalid input: not an address' }])
}

// The owner of a mistyped address must not take over the account.
function undoneBy(
  { email, emailVerified }: UserContact,
  { resetUnproven }: CheckedAccountsOptions,
): string | null {
  return emailVerified || resetUnproven ? email : null
}

async function isOfAnother(kit: AccountsKit, userId: string, email: string): Promise<boolean> {
  const identifier = await kit.canonical({ kind: 'email', value: email })
  const other = await kit.users.findByIdentifier(identifier)
  // This is asked for a taken address, too: the time must not tell whether the address is taken.
  const isFormer = await isKept(kit, email, userId)
  return other === null ? isFormer : other.id !== userId
}

function accepted(sent: CodeSent) {
  return { status: 202, body: { status: 'success', data: sent } }
}

/** The mark of a session. A code works only in the session that has asked for it. */
export function sessionParts(sessionId: string): MarkOf {
  return ['session', sessionId]
}

/** Whether this session has asked for the code, or the host has, for any session of the user. */
export function isOfSession(
  proofs: Proofs,
  proof: FoundProof,
  { id, userId }: Pick<SignedInRequest['session'], 'id' | 'userId'>,
): boolean {
  return [sessionParts(id), sessionsOf(userId)].some((parts) => proofs.isMark(proof, parts))
}

/** The mark of all sessions of a user, for a code that the host has asked for. */
export function sessionsOf(userId: string): MarkOf {
  return ['sessions', userId]
}

/** The body of `POST /auth/email/confirm`. */
export const confirmEmailRequest: z.ZodObject<{ requestId: z.ZodString; code: z.ZodString }> =
  z.object({ requestId: z.string().min(1).max(100), code: z.string().min(1).max(64) })

/** A mailed code, and the request that it answers. */
export type ConfirmEmail = z.infer<typeof confirmEmailRequest>

/** The parts of a host whose users can prove and change addresses. */
export interface EmailsKit extends AccountsKit {
  readonly updateEmail: NonNullable<UserStore['updateEmail']>
  readonly markEmailVerified: NonNullable<UserStore['markEmailVerified']>
}

/** `POST /auth/email/confirm`: confirms an address by a mailed code. */
export function confirmEmailEndpoint(kit: EmailsKit): Endpoint {
  return kit.throttle.limitFailures('email-confirm', async function confirm(request) {
    // 401, 403
    const asking = await ownerOf(kit.signedIn, request, 'verify-address')
    // 400, 413, 415
    const given = parseInput(confirmEmailRequest, await request.readJson())
    // 400, 409, 429, 503
    await confirmEmail(kit, asking, given, request.context)
    return ok({ status: 'success', data: {} })
  })
}

/**
 * Confirms an address by the code that was mailed there. Throws 400 `proof-refused`, 409
 * `superseded`, 429, and 503, also where the mail to the former address finds no place.
 */
export async function confirmEmail(
  kit: EmailsKit,
  { user, session }: Asking,
  { requestId, code }: ConfirmEmail,
  context: RequestContext,
): Promise<void> {
  const { proofs } = kit
  await kit.sessions.requireLive(session)
  const purposes = ['verify-address', 'change-address'] as const
  const proof = await proofs.findCode(purposes, requestId, context)
  const isHere = isOfSession(proofs, proof, session)
  await requireCode(kit, proof, { code, userId: user.id, isHere }, context)
  if (proof.record.userId !== user.id) throw proofs.refusal('no-user', proof.record, context)
  if (proof.record.purpose === 'verify-address') await markVerified(kit, user, proof, context)
  else await writeChange(kit, user, proof, context)
}

async function markVerified(
  { proofs, markEmailVerified, audit }: EmailsKit,
  user: AuthUser,
  proof: FoundProof,
  context: RequestContext,
): Promise<void> {
  const email = proof.sealed['to'] ?? ''
  if (!(await markEmailVerified(user.id, email)))
    throw proofs.refusal('overtaken', proof.record, context)
  if (!(await proofs.consume(proof))) throw proofs.refusal('void', proof.record, context)
  audit({ type: 'address.verified', userId: user.id }, context)
}

async function writeChange(
  kit: EmailsKit,
  user: AuthUser,
  proof: FoundProof,
  context: RequestContext,
): Promise<void> {
  const { proofs } = kit
  const { from = null, to = null, undoBy = null, since = null } = proof.sealed
  if (to === null || since === null) throw proofs.refusal('unreadable', proof.record, context)
  const contact = await kit.contacts.findContact(user.id)
  // A repeat after a crash finds the new address in place.
  const isWritten = contact?.email === to && contact.emailVerified
  if (!isWritten) await requireNoUndo(kit, user.id)
  // The host's write decides.
  const work = async () => {
    if (isWritten) return
    const { outcome } = await kit.updateEmail(user.id, from, to)
    if (outcome === 'taken') throw proofs.refusal('taken', proof.record, context)
    if (outcome === 'superseded') throw new AuthError('superseded')
  }
  const undo = undoBy === null ? null : { undoBy, since, locale: contact?.locale }
  const notice = undo === null ? await work() : await undoably(kit, user, undo, work)
  try {
    await useUp(kit, proof, notice ?? noNotice, !isWritten, context)
  } catch (error) {
    // After an outage the same code is sent again, and that call reports the change.
    const isOver = error instanceof AuthError && error.status < 500
    if (!isWritten && isOver) kit.audit({ type: 'address.changed', userId: user.id }, context)
    throw error
  }
  kit.audit({ type: 'address.changed', userId: user.id }, context)
  // Each starts from the former address, so none could write by now: an outage does no harm.
  await proofs.voidForUser(user.id, ['change-address']).catch(() => {})
}

/** The mail to the former address. */
interface Notice {
  send(context: RequestContext): void
  release(): void
}

const noNotice: Notice = { send() {}, release() {} }

// This comes before the proof is used up: after a crash here, the code completes the missing steps.
async function useUp(
  { proofs }: EmailsKit,
  proof: FoundProof,
  notice: Notice,
  hasWritten: boolean,
  context: RequestContext,
): Promise<void> {
  const { userId } = proof.record
  try {
    if (userId !== null) await proofs.voidForUser(userId, ['reset', 'verify-address'])
    if (!(await proofs.consume(proof))) throw proofs.refusal('void', proof.record, context)
    notice.send(context)
  } catch (error) {
    // Whoever has ended everything meanwhile has voided the code, and the address has changed all
    // the same. Another call that has used the code up has sent the notice for a repeat.
    if (!hasWritten && error instanceof AuthError && error.status < 500) notice.release()
    else notice.send(context)
    throw error
  }
}

// Before the address changes, the link that undoes the change is stored, and its mail has a place.
async function undoably(
  kit: EmailsKit,
  user: AuthUser,
  { undoBy, since, locale }: Undo,
  work: () => Promise<void>,
): Promise<Notice> {
  const place = kit.mails.reserve()
  try {
    const change = { userId: user.id, from: undoBy, since }
    const { token, expiresAt, cancel } = await openUndo(kit, change)
    // After an outage, the change may have been written nevertheless.
    await work().catch(async (error: unknown) => {
      if (error instanceof AuthError && error.status < 500) await cancel().catch(() => {})
      throw error
    })
    const url = kit.linkTo('undo-address', token)
    const to = { email: undoBy, user, locale }
    const content = { kind: 'address-changed', url, expiresAt } as const
    return { release: place.release, send: (context) => place.send(to, content, context) }
  } catch (error) {
    place.release()
    throw error
  }
}

/** The address that can undo the change, and the moment since which an undo removes ways in. */
interface Undo {
  readonly undoBy: string
  readonly since: string
  readonly locale: string | null | undefined
}
