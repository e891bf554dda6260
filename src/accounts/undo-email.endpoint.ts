import { z } from 'zod'
import type { Audit, RequestContext } from '../audit/events.js'
import { invalidRequest } from '../errors.js'
import { ok } from '../http/answer.js'
import type { Endpoint, EndpointRequest } from '../http/endpoint.js'
import { parseInput } from '../http/input.js'
import type { VerifyPassword } from '../kits/sign-in-kit.js'
import { sha256 } from '../lib/digest.js'
import type { Throttle } from '../throttle/throttle.js'
import type { AuthUser, UserContact, UserStore } from '../users/contract.js'
import type { Contacts } from './contacts.js'
import type { FormerAddresses } from './former-addresses.js'
import type { Mails } from './mails.js'
import { type NewPasswords, newPasswordText } from './new-password.js'
import type { PasswordReplaced } from './password-replaced.js'
import { type FoundProof, mailedElsewhere, type Proofs } from './proofs.js'

/** The body of `POST /auth/email/undo`: the token, and the new password of a user who has one. */
export const undoEmailRequest: z.ZodObject<{
  token: z.ZodString
  password: z.ZodOptional<typeof newPasswordText>
}> = z.object({ token: z.string().min(1), password: newPasswordText.optional() })

/**
 * Takes a change of the address back, from whatever the address is by now: whoever holds the link
 * had the former address, and has not made the change. Sets the new password in the same step, so
 * that nobody who knows the old one is quicker, ends all sessions, and removes the ways in that
 * were added since, or in the three days before the change. Throws 400 `proof-refused`,
 * `password-refused`, or `invalid-request` without a password that is needed, and 503.
 */
export type UndoEmail = (
  given: { readonly token: string; readonly password: string | undefined },
  request: Pick<EndpointRequest, 'context' | 'aborted'>,
) => Promise<void>

export interface UndoEmailDeps {
  readonly proofs: Proofs
  readonly contacts: Contacts
  readonly updateEmail: NonNullable<UserStore['updateEmail']>
  /** Undefined if the host's users cannot set passwords. */
  readonly updatePasswordHash: UserStore['updatePasswordHash']
  readonly newPasswords: NewPasswords
  readonly verifyPassword: VerifyPassword
  readonly passwordReplaced: PasswordReplaced
  readonly formerAddresses: Pick<FormerAddresses, 'forget'>
  readonly mails: Mails
  readonly audit: Audit
}

/** Seconds: longer than the link works. */
const noteLifetime = 73 * 60 * 60

/** How often a write is repeated that somebody else has overtaken. */
const rounds = 5

/** Whether an undo sets a new password of this user. */
export function undoAsksPassword(
  { updatePasswordHash }: Pick<UndoEmailDeps, 'updatePasswordHash'>,
  { passwordHash }: AuthUser,
): boolean {
  return updatePasswordHash !== undefined && passwordHash !== null
}

export function createUndoEmail(deps: UndoEmailDeps): UndoEmail {
  const { proofs, audit } = deps
  return async function undoEmail({ token, password }, request) {
    const { context } = request
    const proof = await proofs.findLink('undo-address', token, context)
    const user = await ownerOf(deps, proof, context)
    // Before a try is taken: a password that the rules refuse costs none.
    const own = await newHash(deps, user, password, request)
    await proofs.takeTry(proof, context)
    const hash =
      own === null ? null : await firstHash(deps, proof, { user, password, own }, request)
    const contact = await takeAccountBack(deps, proof, hash, request)
    await proofs.voidForUser(user.id, mailedElsewhere)
    // Last: after a crash before it, the same link completes what is missing.
    if (!(await proofs.consume(proof))) throw proofs.refusal('void', proof.record, context)
    audit({ type: 'address.undone', userId: user.id }, context)
    if (hash !== null) audit({ type: 'password.reset', userId: user.id }, context)
    tellTakenAway(deps, contact, proof, context)
    // Other links lead back to addresses that are not the user's any more.
    await deps.formerAddresses.forget(user.id, proof.sealed['from'] ?? '').catch(() => {})
  }
}

// Null: no password is set.
async function newHash(
  deps: UndoEmailDeps,
  user: AuthUser,
  password: string | undefined,
  request: Parameters<UndoEmail>[1],
): Promise<string | null> {
  if (!undoAsksPassword(deps, user)) return null
  if (password === undefined)
    throw invalidRequest([{ path: 'password', message: 'Invalid input: expected string' }])
  await deps.newPasswords.requireGood(user, password, request.context)
  return deps.newPasswords.hash(password, request)
}

// Of several requests with one link the first decides: its hash is noted, and the link goes on with
// its password alone, also after a crash.
async function firstHash(
  { proofs, verifyPassword }: UndoEmailDeps,
  { record }: FoundProof,
  {
    user,
    password = '',
    own,
  }: { readonly user: AuthUser; readonly password: string | undefined; readonly own: string },
  { context, aborted }: Parameters<UndoEmail>[1],
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

// Whoever reads a former mailbox could undo a change as well.
function tellTakenAway(
  { mails }: UndoEmailDeps,
  contact: UserContact | null,
  { sealed }: FoundProof,
  context: RequestContext,
): void {
  const { email = null, locale } = contact ?? {}
  if (email === null || email === sealed['from']) return
  mails.send({ email, user: null, locale }, { kind: 'address-undone' }, context)
}

async function ownerOf(
  { proofs, contacts }: UndoEmailDeps,
  { record }: FoundProof,
  context: RequestContext,
): Promise<AuthUser> {
  const user = record.userId === null ? null : await contacts.findById(record.userId)
  if (user !== null) return user
  throw proofs.refusal('no-user', record, context)
}

// The password first: from here on, nobody signs in by the former one. Somebody who was under way
// may set another one before his session has ended: then all of it once more.
async function takeAccountBack(
  deps: UndoEmailDeps,
  proof: FoundProof,
  hash: string | null,
  { context }: Parameters<UndoEmail>[1],
): Promise<UserContact | null> {
  const before = await ownerOf(deps, proof, context)
  let contact: UserContact | null = null
  for (let round = 0; round < rounds; round += 1) {
    if (hash !== null) await setPassword(deps, proof, hash, context)
    contact ??= await bringBack(deps, proof, context)
    await deps.passwordReplaced(before, context, new Date(proof.sealed['since'] ?? 0), 'undo')
    const { passwordHash } = await ownerOf(deps, proof, context)
    if (passwordHash === (hash ?? before.passwordHash)) return contact
    // There is a password now that nobody has asked the owner about: the link asks for one.
    if (hash === null) break
  }
  throw deps.proofs.refusal('overtaken', proof.record, context)
}

// A thief may change the password at the same moment.
async function setPassword(
  deps: UndoEmailDeps,
  proof: FoundProof,
  hash: string,
  context: RequestContext,
): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    const { id, passwordHash } = await ownerOf(deps, proof, context)
    if (passwordHash === hash) return
    if (await deps.updatePasswordHash?.(id, passwordHash, hash)) return
  }
  throw deps.proofs.refusal('overtaken', proof.record, context)
}

// Returns the contact as it was. A repeat after a crash finds the former address in place.
async function bringBack(
  { proofs, contacts, updateEmail }: UndoEmailDeps,
  { record, sealed }: FoundProof,
  context: RequestContext,
): Promise<UserContact | null> {
  const { from = null } = sealed
  const { userId } = record
  if (from === null || userId === null) throw proofs.refusal('unreadable', record, context)
  for (let round = 0; round < rounds; round += 1) {
    const contact = await contacts.findContact(userId)
    const email = contact?.email ?? null
    if (email === from) return contact
    const { outcome } = await updateEmail(userId, email, from)
    if (outcome === 'taken') throw proofs.refusal('taken', record, context)
    if (outcome !== 'superseded') return contact
  }
  throw proofs.refusal('overtaken', record, context)
}

/** `POST /auth/email/undo`: takes a change of the address back, by the link in a mail. */
export function undoEmailEndpoint(
  undoEmail: UndoEmail,
  { limitFailures }: Pick<Throttle, 'limitFailures'>,
): Endpoint {
  return limitFailures('email-undo', async function undo(request) {
    // 400, 413, 415
    const { token, password } = parseInput(undoEmailRequest, await request.readJson())
    // 400, 429, 503
    await undoEmail({ token, password }, request)
    return ok({ status: 'success', data: {} })
  })
}
