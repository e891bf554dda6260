import { z } from 'zod'
import type { RequestContext } from '../audit/events.js'
import { AuthError, invalidRequest } from '../errors.js'
import { ok } from '../http/answer.js'
import type { JsonBody } from '../http/body.js'
import type { Endpoint, EndpointRequest } from '../http/endpoint.js'
import { parseInput } from '../http/input.js'
import { mailAddressText, parseMailAddress } from '../lib/addresses.js'
import { type AdmittedSessions, ownerOf, type SignedInRequest } from '../principal/principal.js'
import { type Proof, proofRequest } from '../sign-in-again.js'
import type { AuthUser, UserContact } from '../users/contract.js'
import type { AccountsKit, AddressKit } from './accounts-server.js'
import { type AddressChannel, type AddressOfUser, type Channel, provenIn } from './channel.js'
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

/** The body of `POST /auth/phone/change`: the new number, and a proof. */
export const changePhoneRequest: z.ZodObject<
  (typeof proofRequest)['shape'] & { phone: z.ZodString }
> = proofRequest.extend({ phone: z.string().min(1).max(32) })

/** A code is on its way; `requestId` and the code confirm the address. */
export interface CodeSent {
  readonly requestId: string
  /** Seconds. */
  readonly expiresIn: number
}

type Asking = Pick<SignedInRequest, 'session' | 'user'>

/** Reads the address of a user. Rejects with 503. */
export async function addressOf(
  { contacts, channel }: Pick<AccountsKit, 'contacts'> & { readonly channel: Channel },
  userId: string,
): Promise<AddressOfUser> {
  return channel.addressIn(await contacts.findContact(userId))
}

/** `GET /auth/email` and `/auth/phone`: the user's address. `isFactor`: codes there can be one. */
export function addressStatusEndpoint(
  kit: AccountsKit,
  channel: Channel,
  isFactor: boolean,
): Endpoint {
  return async function addressStatus(request) {
    const { user } = await ownerOf(kit.signedIn, request, admittedTo(channel))
    const contact = await kit.contacts.findContact(user.id)
    const { address, verified } = channel.addressIn(contact)
    const data = { [channel.name]: address, verified }
    if (!isFactor) return ok({ status: 'success', data })
    return ok({ status: 'success', data: { ...data, secondFactor: channel.hasFactor(contact) } })
  }
}

// Only a mail address is proven before a session opens anything.
function admittedTo({ name }: Channel): AdmittedSessions {
  return name === 'email' ? 'verify-address' : 'complete'
}

/** `POST /auth/email/verify` and `/auth/phone/verify`: sends a code to the present address. */
export function verifyAddressEndpoint(kit: AddressKit): Endpoint {
  return async function verify(request) {
    const asking = await ownerOf(kit.signedIn, request, admittedTo(kit.channel))
    return accepted(await verifyAddress(kit, asking, request.context))
  }
}

/** Sends a code to the present address. Throws 409 `already-verified`, 429, 503. */
export async function verifyAddress(
  kit: VerifyingKit,
  { user, session }: Asking,
  context: RequestContext,
): Promise<CodeSent> {
  await kit.sessions.requireLive(session)
  return sendVerification(kit, user, sessionParts(session.id), context, session)
}

/** The parts that prove a present address. */
type VerifyingKit = AccountsKit & { readonly channel: Channel }

async function isClaimed(channel: Channel, userId: string, address: string): Promise<boolean> {
  const { isClaimed: ask }: Partial<AddressChannel> = channel
  return (await ask?.(userId, address)) === true
}

/**
 * Sends a code that proves the present address, for the session or user that the parts mark.
 * `session`: the session that has asked; null if the host has asked. Throws 400, 409
 * `already-verified`, 429, 503.
 */
export async function sendVerification(
  { contacts, proofs, channel, linkToCode }: VerifyingKit,
  user: AuthUser,
  parts: MarkOf,
  context: RequestContext,
  session: Pick<SignedInRequest['session'], 'kind'> | null,
): Promise<CodeSent> {
  const contact = await contacts.findContact(user.id)
  const { address, verified } = channel.addressIn(contact)
  if (address === null)
    throw invalidRequest([{ path: channel.name, message: 'This account has no address.' }])
  if (verified && !(await isClaimed(channel, user.id, address)))
    throw new AuthError('already-verified')
  const to = { address, user, locale: contact?.locale }
  const refused = await channel.messages.take(to, 'verify-address', context)
  if (refused !== null) throw refused
  const mailed = await proofs.openCode({
    purpose: 'verify-address',
    userId: user.id,
    mark: proofs.markOf(parts),
    sealed: { channel: channel.name, to: address },
    lifetime: codeLifetime,
  })
  const content = contentOf('verify-address', mailed, linkToCode(session, mailed))
  channel.messages.send(to, content, context)
  return { requestId: mailed.requestId, expiresIn: codeLifetime }
}

/** `POST /auth/email/change` and `/auth/phone/change`: sends a code to a new address. */
export function changeAddressEndpoint(kit: AddressKit): Endpoint {
  return async function change(request) {
    const asking = await ownerOf(kit.signedIn, request, admittedTo(kit.channel))
    const body = await request.readJson()
    const { address, proof } = readChange(kit.channel, body)
    return accepted(await changeAddress(kit, asking, { address, proof }, request, provePresent))
  }
}

// The channel says which, and the proof is made by name: a polluted Object.prototype adds nothing.
function readChange({ name }: Channel, body: JsonBody) {
  if (name === 'email') {
    const { email: address, password, code, passkey } = parseInput(changeEmailRequest, body)
    return { address, proof: { password, code, passkey } }
  }
  const { phone: address, password, code, passkey } = parseInput(changePhoneRequest, body)
  return { address, proof: { password, code, passkey } }
}

/**
 * Sends a code to a new address, and changes nothing yet. The answer does not tell whether another
 * user has the address, or has had it while the change can be undone. Throws 400, 401, 403, 409
 * `already-verified`, 429, 503.
 */
export async function changeAddress(
  kit: AddressKit,
  asking: Asking,
  { address: typed, proof }: { readonly address: string; readonly proof: Proof },
  request: EndpointRequest,
  prove: ProvePresent,
): Promise<CodeSent> {
  const { proofs, channel } = kit
  const to = await channel.requireAddress(typed)
  await prove(kit, asking, proof, request)
  const { user, session } = asking
  await requireNoUndo(kit, user.id, channel)
  const contact = await kit.contacts.findContact(user.id)
  const { address: from, verified } = channel.addressIn(contact)
  if (to === from && verified) throw new AuthError('already-verified')
  const isTaken = await isOfAnother(kit, user.id, to)
  const since = sinceOf(session.authenticatedAt, kit.clock())
  // The attempt counts for the account that asks, not for the owner of the address.
  const refused = await channel.messages.take(
    { address: to, user },
    'change-address',
    request.context,
  )
  if (refused !== null) throw refused
  // If a mail address is taken, the proof belongs to nobody: it looks like any other proof, and no
  // code confirms it. A number is not a person for ever: its present owner may take it over.
  // An undo goes back to a proven number, or to none: the link in the mail proves no number.
  const back = verified || channel.remove === undefined ? from : null
  const isNobodys = isTaken && channel.takeOver === undefined
  const mailed = await proofs.openCode({
    purpose: 'change-address',
    userId: isNobodys ? null : user.id,
    mark: proofs.markOf(sessionParts(session.id)),
    sealed: { channel: channel.name, from, back, to, undoBy: undoneBy(kit, contact), since },
    lifetime: codeLifetime,
  })
  const content = contentOf('change-address', mailed, kit.linkToCode(session, mailed))
  const locale = contact?.locale
  if (isNobodys)
    channel.messages.send(
      { address: to, user: null, locale },
      { kind: 'address-taken' },
      request.context,
    )
  else channel.messages.send({ address: to, user, locale }, content, request.context)
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

// The address that is told of a change and can undo it. The owner of a mistyped address must not
// take over the account; and a message to a number has no link: a change of it is undone by mail.
function undoneBy(
  { channel, accountsOptions }: AddressKit,
  contact: UserContact | null,
): string | null {
  if (contact === null) return null
  const { email, emailVerified } = contact
  const isHis = emailVerified || (channel.name === 'email' && accountsOptions.resetUnproven)
  return isHis ? email : null
}

async function isOfAnother(kit: AddressKit, userId: string, address: string): Promise<boolean> {
  const identifier = await kit.canonical(kit.channel.identifierOf(address))
  const other = await kit.users.findByIdentifier(identifier)
  // This is asked for a taken address, too: the time must not tell whether the address is taken.
  const isFormer = await isKept(kit, address, userId)
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

/** `POST /auth/email/confirm` and `/auth/phone/confirm`: confirms an address by a code. */
export function confirmAddressEndpoint(kit: AddressKit): Endpoint {
  return kit.throttle.limitFailures('email-confirm', async function confirm(request) {
    // 401, 403
    const asking = await ownerOf(kit.signedIn, request, admittedTo(kit.channel))
    // 400, 413, 415
    const given = parseInput(confirmEmailRequest, await request.readJson())
    // 400, 409, 429, 503
    await confirmAddress(kit, asking, given, request.context)
    return ok({ status: 'success', data: {} })
  })
}

/**
 * Confirms an address by the code that was sent there. Throws 400 `proof-refused`, 409
 * `superseded`, 429, and 503, also where the mail to the former address finds no place.
 */
export async function confirmAddress(
  kit: AddressKit,
  { user, session }: Asking,
  { requestId, code }: ConfirmEmail,
  context: RequestContext,
): Promise<void> {
  const { proofs, channel } = kit
  await kit.sessions.requireLive(session)
  const purposes = ['verify-address', 'change-address'] as const
  const proof = await proofs.findCode(purposes, requestId, context)
  const isHere = isOfSession(proofs, proof, session) && proof.sealed['channel'] === channel.name
  await requireCode(kit, proof, { code, userId: user.id, isHere }, context)
  if (proof.record.userId !== user.id) throw proofs.refusal('no-user', proof.record, context)
  if (proof.record.purpose === 'verify-address')
    await markVerified(kit, { user, session }, proof, context)
  else await writeChange(kit, { user, session }, proof, context)
  // Only now: a code that is right, but is not used up, would count more than once.
  await channel.messages.giveBack({ address: proof.sealed['to'] ?? '', user }, 'verify-address')
}

async function markVerified(
  { proofs, channel, contacts, audit }: AddressKit,
  { user, session }: Asking,
  proof: FoundProof,
  context: RequestContext,
): Promise<void> {
  const address = proof.sealed['to'] ?? ''
  // It becomes a way in by this session. One that was proven before is proven once more.
  if (provenIn(channel, await contacts.findContact(user.id)) !== address)
    await channel.noteAdded?.(user, session, address)
  if (!(await channel.markVerified(user.id, address)))
    throw proofs.refusal('overtaken', proof.record, context)
  if (!(await proofs.consume(proof))) throw proofs.refusal('void', proof.record, context)
  audit({ type: 'address.verified', userId: user.id, ...channelOf(channel) }, context)
}

/** The channel of an event; left out for mail. */
export function channelOf({ name }: Channel): { readonly channel?: 'phone' } {
  return name === 'email' ? {} : { channel: name }
}

async function writeChange(
  kit: AddressKit,
  { user, session }: Asking,
  proof: FoundProof,
  context: RequestContext,
): Promise<void> {
  const { proofs, channel } = kit
  const { from = null, back = null, to = null, undoBy = null, since = null } = proof.sealed
  if (to === null || since === null) throw proofs.refusal('unreadable', proof.record, context)
  const contact = await kit.contacts.findContact(user.id)
  // A repeat after a crash finds the new address in place.
  const present = channel.addressIn(contact)
  const isWritten = present.address === to && present.verified
  if (!isWritten) await requireNoUndo(kit, user.id, channel)
  // The host's write decides.
  const write = async () => {
    await channel.noteAdded?.(user, session, to)
    const { outcome } = await channel.update(user.id, from, to)
    if (outcome === 'superseded') throw new AuthError('superseded')
    if (outcome === 'changed') await requireLive()
    return outcome
  }
  // A number is a way in: whoever has ended the session meanwhile has looked for it too early.
  const requireLive = async () => {
    const { remove } = channel
    if (remove === undefined) return
    await kit.sessions.requireLive(session).catch(async (error: unknown) => {
      await (back === null ? remove(user.id, to) : channel.update(user.id, to, back))
      throw error
    })
  }
  const work = async () => {
    if (isWritten || (await write()) !== 'taken') return
    await channel.takeOver?.(user.id, to)
    if (channel.takeOver === undefined || (await write()) === 'taken')
      throw proofs.refusal('taken', proof.record, context)
  }
  // A support desk that has ended everything meanwhile wants no change of that session.
  const takeBack = async () => {
    if (isWritten || from === null || present.address !== from || !present.verified) return false
    if ((await kit.sessions.findLive(session.id)) !== null) return false
    return (await channel.update(user.id, to, from)).outcome === 'changed'
  }
  const undo = undoBy === null ? null : { from: back, undoBy, since, locale: contact?.locale }
  const notice = undo === null ? await work() : await undoably(kit, user, undo, work)
  const changed = { type: 'address.changed', userId: user.id, ...channelOf(channel) } as const
  const report = () => kit.audit(changed, context)
  await useUp(kit, proof, { notice: notice ?? noNotice, isWritten, takeBack, report }, context)
  report()
  // Each starts from the former address, so none could write by now: an outage does no harm.
  await proofs.voidForUser(user.id, ['change-address']).catch(() => {})
}

/** The mail to the former address. */
interface Notice {
  send(context: RequestContext): void
  release(): void
}

const noNotice: Notice = { send() {}, release() {} }

/** A change whose code is not used up yet. */
interface Written {
  readonly notice: Notice
  /** Whether another call has written it. */
  readonly isWritten: boolean
  /** Brings the former address back, if the session has ended meanwhile; whether it did. */
  readonly takeBack: () => Promise<boolean>
  readonly report: () => void
}

// This comes before the proof is used up: after a crash here, the code completes the missing steps.
async function useUp(
  { proofs }: AddressKit,
  proof: FoundProof,
  { notice, isWritten, takeBack, report }: Written,
  context: RequestContext,
): Promise<void> {
  const { userId } = proof.record
  try {
    if (userId !== null) await proofs.voidForUser(userId, ['reset', 'verify-address'])
    if (!(await proofs.consume(proof))) throw proofs.refusal('void', proof.record, context)
    notice.send(context)
  } catch (error) {
    // After an outage the same code is sent again, and that call reports the change.
    const isOver = error instanceof AuthError && error.status < 500
    const isBack = isOver && (await takeBack().catch(() => false))
    // Another call that has used the code up has sent the notice for a repeat.
    if (isBack || (isWritten && isOver)) notice.release()
    else notice.send(context)
    if (isOver && !isWritten && !isBack) report()
    throw error
  }
}

// Before the address changes, the link that undoes the change is stored, and its mail has a place.
async function undoably(
  kit: AddressKit,
  user: AuthUser,
  { from, undoBy, since, locale }: Undo,
  work: () => Promise<void>,
): Promise<Notice> {
  const place = kit.mails.reserve()
  try {
    const change = { userId: user.id, from, since, by: undoBy }
    const { token, expiresAt, cancel } = await openUndo(kit, change)
    // After an outage, the change may have been written nevertheless.
    await work().catch(async (error: unknown) => {
      if (error instanceof AuthError && error.status < 500) await cancel().catch(() => {})
      throw error
    })
    const url = kit.linkTo('undo-address', token)
    const to = { address: undoBy, user, locale }
    const kind = kit.channel.name === 'email' ? 'address-changed' : 'phone-changed'
    const content = { kind, url, expiresAt } as const
    return { release: place.release, send: (context) => place.send(to, content, context) }
  } catch (error) {
    place.release()
    throw error
  }
}

/** The former address, who can undo the change, and since when an undo removes ways in. */
interface Undo {
  readonly from: string | null
  readonly undoBy: string
  readonly since: string
  readonly locale: string | null | undefined
}
