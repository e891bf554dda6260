import { z } from 'zod'
import type { RequestContext } from '../audit/events.js'
import { invalidRequest } from '../errors.js'
import { ok } from '../http/answer.js'
import type { Endpoint } from '../http/endpoint.js'
import { parseInput } from '../http/input.js'
import { sha256 } from '../lib/secrets.js'
import type { AuthUser, EmailChange, UserContact } from '../users/contract.js'
import type { AccountsKit, AddressKit } from './accounts-server.js'
import { channelOf } from './addresses.js'
import type { AddressChannel } from './channel.js'
import { forgetFormer, isOwnersLink } from './former-addresses.js'
import { hashPassword, newPasswordText, requireAnother, requireGood } from './new-password.js'
import { type FoundProof, mailedElsewhere } from './proofs.js'
import { type PasswordRequest, passwordReplaced } from './reset-password.js'

/** The body of `POST /auth/email/undo`: the token, and the new password of a user who has one. */
export const undoEmailRequest: z.ZodObject<{
  token: z.ZodString
  password: z.ZodOptional<typeof newPasswordText>
}> = z.object({ token: z.string().min(1), password: newPasswordText.optional() })

/** Seconds: longer than the link works. */
const noteLifetime = 73 * 60 * 60

/** How often a write is repeated that somebody else has overtaken. */
const rounds = 5

/** Whether an undo sets a new password of this user. */
export function undoAsksPassword({ users }: AccountsKit, { passwordHash }: AuthUser): boolean {
  return users.updatePasswordHash !== undefined && passwordHash !== null
}

/**
 * `POST /auth/email/undo` and `/auth/phone/undo`: takes a change back, by the link in a mail. Each
 * takes the links of both channels: a page of the host's cannot tell them apart.
 */
export function undoAddressEndpoint(kits: readonly AddressKit[]): Endpoint {
  const [kit] = kits as readonly [AddressKit, ...AddressKit[]]
  return kit.throttle.limitFailures('email-undo', async function undo(request) {
    // 400, 413, 415
    const { token, password } = parseInput(undoEmailRequest, await request.readJson())
    // 400, 429, 503
    await undoAddress(kits, { token, password }, request)
    return ok({ status: 'success', data: {} })
  })
}

/**
 * Takes a change of the address back, whatever the address is by now. The holder of the link had
 * the former address, and has not made the change. Sets the new password in the same step, so that
 * nobody who knows the old one is quicker, ends all sessions, and removes the ways in that were
 * added since, or in the three days before the change. Throws 400 `proof-refused`,
 * `password-refused`, or `invalid-request` without a password that is needed, and 503.
 */
export async function undoAddress(
  kits: readonly AddressKit[],
  { token, password }: { readonly token: string; readonly password: string | undefined },
  request: PasswordRequest,
): Promise<void> {
  const { context } = request
  const { kit, proof } = await findUndo(kits, token, context)
  const { proofs, audit } = kit
  const user = await ownerOfProof(kit, proof, context)
  // Checked before a try is taken: a password that the rules refuse costs no try.
  const own = await newHash(kit, user, password, request)
  await proofs.takeTry(proof, context)
  // A thief who has changed the address before the number has got the link.
  if (!(await isOwnersLink(kit, proof))) throw proofs.refusal('overtaken', proof.record, context)
  const hash = own === null ? null : await firstHash(kit, proof, { user, password, own }, request)
  const contact = await takeAccountBack(kit, proof, hash, context)
  await proofs.voidForUser(user.id, mailedElsewhere)
  // This is the last step: after an earlier crash, the link completes the missing steps.
  if (!(await proofs.consume(proof))) throw proofs.refusal('void', proof.record, context)
  audit({ type: 'address.undone', userId: user.id, ...channelOf(kit.channel) }, context)
  if (hash !== null) audit({ type: 'password.reset', userId: user.id }, context)
  await tellTakenAway(kit, contact, proof, context)
  // Other links lead back to addresses that are not the user's any more.
  await forgetFormer(kit, user.id, proof.sealed['from'] ?? '').catch(() => {})
}

/** The proof of a link, and the kit of its channel. Throws 400 `proof-refused`, 503. */
export async function findUndo(
  kits: readonly AddressKit[],
  token: string,
  context: RequestContext,
): Promise<{ readonly kit: AddressKit; readonly proof: FoundProof }> {
  const [any] = kits as readonly [AddressKit, ...AddressKit[]]
  const proof = await any.proofs.findLink('undo-address', token, context)
  const kit = kits.find(({ channel }) => channel.name === proof.sealed['channel'])
  if (kit !== undefined) return { kit, proof }
  throw any.proofs.refusal('unreadable', proof.record, context)
}

// Null: no password is set.
async function newHash(
  kit: AddressKit,
  user: AuthUser,
  password: string | undefined,
  request: PasswordRequest,
): Promise<string | null> {
  if (!undoAsksPassword(kit, user)) return null
  if (password === undefined)
    throw invalidRequest([{ path: 'password', message: 'Invalid input: expected string' }])
  await requireGood(kit, user, password, request.context)
  await requireAnother(kit, user, password, request)
  return hashPassword(kit, password, request)
}

// Of several requests with one link the first decides: its hash is noted, and the link goes on with
// its password alone, also after a crash.
async function firstHash(
  { proofs, verifyPassword }: AddressKit,
  { record }: FoundProof,
  {
    user,
    password = '',
    own,
  }: { readonly user: AuthUser; readonly password: string | undefined; readonly own: string },
  { context, aborted }: PasswordRequest,
): Promise<string> {
  const token = sha256(JSON.stringify(['undo', record.idHash]))
  const note = { purpose: 'undo-password', userId: record.userId, mark: null } as const
  try {
    await proofs.openLink({ ...note, sealed: { hash: own }, lifetime: noteLifetime }, token)
    return own
  } catch (error) {
    const found = await proofs.findLink('undo-password', token, context).catch(() => {
      // The store was away.
      throw error
    })
    const passwordHash = found.sealed['hash'] ?? null
    const { right } = await verifyPassword({ ...user, passwordHash }, password, context, aborted())
    if (right && passwordHash !== null) return passwordHash
    throw proofs.refusal('void', record, context)
  }
}

// A reader of a former mailbox could undo a change as well.
async function tellTakenAway(
  { channel }: AddressKit,
  contact: UserContact | null,
  { sealed }: FoundProof,
  context: RequestContext,
): Promise<void> {
  const { address } = channel.addressIn(contact)
  if (address === null || address === sealed['from']) return
  const to = { address, user: null, locale: contact?.locale }
  // A text message costs money, so it is counted as well; without it, all is done all the same.
  const refused =
    channel.name === 'phone' &&
    (await channel.messages.take(to, 'address-undone', context).catch(() => true)) !== null
  if (!refused) channel.messages.send(to, { kind: 'address-undone' }, context)
}

/** The user of a link. Throws 400 `proof-refused`, 503. */
export async function ownerOfProof(
  { proofs, contacts }: AccountsKit,
  { record }: FoundProof,
  context: RequestContext,
): Promise<AuthUser> {
  const user = record.userId === null ? null : await contacts.findById(record.userId)
  if (user !== null) return user
  throw proofs.refusal('no-user', record, context)
}

// The password comes first: from here on, nobody signs in by the former password. Somebody who was
// under way may set another password before his session has ended: then all steps are done once
// more.
async function takeAccountBack(
  kit: AddressKit,
  proof: FoundProof,
  hash: string | null,
  context: RequestContext,
): Promise<UserContact | null> {
  const before = await ownerOfProof(kit, proof, context)
  let contact: UserContact | null = null
  for (let round = 0; round < rounds; round += 1) {
    if (hash !== null) await setPassword(kit, proof, hash, context)
    contact ??= await bringBack(kit, proof, context)
    await passwordReplaced(kit, before, context, new Date(proof.sealed['since'] ?? 0), 'undo')
    const { passwordHash } = await ownerOfProof(kit, proof, context)
    if (passwordHash === (hash ?? before.passwordHash)) return contact
    // There is a password now that nobody has asked the owner about: the link asks for one.
    if (hash === null) break
  }
  throw kit.proofs.refusal('overtaken', proof.record, context)
}

// A thief may change the password at the same moment.
async function setPassword(
  kit: AddressKit,
  proof: FoundProof,
  hash: string,
  context: RequestContext,
): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    const { id, passwordHash } = await ownerOfProof(kit, proof, context)
    if (passwordHash === hash) return
    if (await kit.users.updatePasswordHash?.(id, passwordHash, hash)) return
  }
  throw kit.proofs.refusal('overtaken', proof.record, context)
}

// Returns the contact as it was. A repeat after a crash finds the former address in place.
async function bringBack(
  kit: AddressKit,
  { record, sealed }: FoundProof,
  context: RequestContext,
): Promise<UserContact | null> {
  const { proofs, contacts, channel } = kit
  const { from = null } = sealed
  const { userId } = record
  // Without a former one, the present one goes.
  if (userId === null || (from === null && channel.remove === undefined))
    throw proofs.refusal('unreadable', record, context)
  for (let round = 0; round < rounds; round += 1) {
    const contact = await contacts.findContact(userId)
    const { address } = channel.addressIn(contact)
    if (address === from) return contact
    const outcome = await replace(channel, userId, address, from)
    if (outcome === 'taken') throw proofs.refusal('taken', record, context)
    if (outcome === 'changed') return contact
  }
  throw proofs.refusal('overtaken', record, context)
}

// A thief with the owner's SIM card may have proven the former number in another account: then the
// present one goes all the same.
async function replace(
  { update, remove }: AddressChannel,
  userId: string,
  address: string | null,
  from: string | null,
): Promise<EmailChange> {
  const outcome = from === null ? 'taken' : (await update(userId, address, from)).outcome
  if (outcome !== 'taken' || remove === undefined) return outcome
  return address === null ? 'changed' : (await remove(userId, address)).outcome
}
