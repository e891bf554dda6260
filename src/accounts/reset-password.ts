import { z } from 'zod'
import { signedInIdentifier } from '../account/prove-password.js'
import type { RequestContext } from '../audit/events.js'
import { ok } from '../http/answer.js'
import type { Endpoint, EndpointRequest } from '../http/endpoint.js'
import { parseInput } from '../http/input.js'
import { parseIdentifier } from '../login/login-request.js'
import { mustChangePassword } from '../principal/required-actions.js'
import type { AuthUser, LoginIdentifier, UserContact } from '../users/contract.js'
import type { AccountsKit } from './accounts-server.js'
import {
  hashPassword,
  newPasswordText,
  type PasswordsKit,
  putBack,
  requireAnother,
  requireGood,
} from './new-password.js'
import type { FoundProof, MarkOf } from './proofs.js'

/** Seconds in which a link for a new password works. */
const resetLifetime: number = 30 * 60

/** `POST /auth/password/forgot`: mails a link for a new password, if the name has an account. */
export function forgotPasswordEndpoint(kit: AccountsKit): Endpoint {
  return async function forgot({ context, readJson }) {
    // 400, 413, 415, 429, 503
    await forgotPassword(kit, parseIdentifier(await readJson()), context)
    return { status: 202, body: { status: 'success', data: { expiresIn: resetLifetime } } }
  }
}

/** The request that a browser was about to make when its user asked for a link. */
export interface MailedWayBack {
  /** The query of the sign-in page. */
  readonly request: string
  /** The random value of the browser. In any other browser, the link leads back to no app. */
  readonly browser: string
}

/**
 * Asks for a link to set a new password. Tells nobody whether the name has an account: it resolves
 * before anything is looked up. Throws 400, 429 and 503.
 */
export async function forgotPassword(
  kit: AccountsKit,
  given: LoginIdentifier,
  context: RequestContext,
  wayBack: MailedWayBack | null = null,
): Promise<void> {
  const identifier = await kit.canonical(given)
  await kit.throttle.takeMailRequest(kit.digestIdentifier(identifier).name, context)
  kit.afterAnswer.run(async () => {
    const user = await kit.users.findByIdentifier(identifier)
    if (user !== null) await sendReset(kit, user, context, null, wayBack)
  })
}

/**
 * Mails a user a link for a new password, or where the directory changes it. `ofSupport`: the
 * contact, in a call by a support desk, whose mail does not count; `wayBack`: the request that the
 * browser was about to make. False: disabled, without a proven address, or too many mails. Rejects
 * with 503.
 */
export async function sendReset(
  { contacts, accountsOptions, proofs, mails, linkTo, passwordElsewhere }: AccountsKit,
  user: AuthUser,
  context: RequestContext,
  ofSupport: UserContact | null = null,
  wayBack: MailedWayBack | null = null,
): Promise<boolean> {
  const contact = ofSupport ?? (await contacts.findContact(user.id))
  const email = contact?.email ?? null
  if (user.disabled === true || contact === null || email === null) return false
  if (!contact.emailVerified && !accountsOptions.resetUnproven) return false
  const to = { address: email, user, locale: contact.locale }
  // A support desk can send one, however many links strangers have asked for.
  if (ofSupport === null && (await mails.take(to, 'reset-password', context)) !== null) return false
  const elsewhere = await passwordElsewhere?.(user.id)
  if (elsewhere) {
    const { url } = elsewhere
    mails.send(to, { kind: 'password-elsewhere', ...(url !== null && { url }) }, context)
    return true
  }
  const { token, expiresAt } = await proofs.openLink({
    purpose: 'reset',
    userId: user.id,
    mark: proofs.markOf(passwordParts(user)),
    sealed: { email, ...wayBack },
    lifetime: resetLifetime,
  })
  const url = linkTo('reset', token)
  mails.send(to, { kind: 'reset-password', url, expiresAt }, context)
  return true
}

// The mark of a password. A link that was mailed before the password changed sets none.
function passwordParts({ id, passwordHash }: AuthUser): MarkOf {
  return ['password', id, passwordHash]
}

/** The body of `POST /auth/password/reset`. */
export const resetRequest: z.ZodObject<{ token: z.ZodString; password: z.ZodString }> = z.object({
  token: z.string().min(1),
  password: newPasswordText,
})

/** `POST /auth/password/reset`: sets a new password by the link in a mail. */
export function resetPasswordEndpoint(kit: PasswordsKit): Endpoint {
  return kit.throttle.limitFailures('password-reset', async function reset(request) {
    // 400, 413, 415
    const given = parseInput(resetRequest, await request.readJson())
    // 400, 429, 503
    await resetPassword(kit, given, request)
    return ok({ status: 'success', data: {} })
  })
}

/** How often a password is set again that somebody else has replaced. */
const rounds = 5

/** The request that brings a new password. */
export type PasswordRequest = Pick<EndpointRequest, 'context' | 'aborted'>

/**
 * Sets the new password for the holder of the link. Signs nobody in, and takes no second factor
 * away. Throws 400 `proof-refused` or `password-refused`, 503.
 */
export async function resetPassword(
  kit: PasswordsKit,
  { token, password }: { readonly token: string; readonly password: string },
  request: PasswordRequest,
): Promise<void> {
  const { proofs, users } = kit
  const { context } = request
  // From then on, nobody but a thief adds a way in.
  const begun = new Date(kit.clock().getTime() + 1)
  const proof = await proofs.findLink('reset', token, context)
  // Checked before a try is taken: a password that the rules refuse costs no try.
  const owner = await requireUser(kit, proof, context)
  await requireGood(kit, owner, password, context)
  await requireAnother(kit, owner, password, request)
  const hash = await hashPassword(kit, password, request)
  await proofs.takeTry(proof, context)
  const user = await write(kit, proof, { password, hash }, request)
  // This comes before the proof is used up: after a crash here, the link completes the missing
  // steps.
  await endFormer(kit, proof, user, { hash, begun }, context)
  // The link was mailed there.
  const { email = null } = proof.sealed
  if (email !== null) await users.markEmailVerified?.(user.id, email)
  // A thief's codes, whose sessions another process may not know to have ended.
  await proofs.voidForUser(user.id, ['sign-in', 'verify-address', 'change-address'])
  // Names the winner: of two requests that set the same password, one is answered 200.
  if (!(await proofs.consume(proof))) {
    await takeBack(kit, proof, user, hash, context)
    throw proofs.refusal('void', proof.record, context)
  }
  // Other links are worth nothing since the password is another, so an outage here does no harm.
  await proofs.voidForUser(user.id, ['reset']).catch(() => {})
  kit.audit({ type: 'password.reset', userId: user.id }, context)
}

async function requireUser(
  { proofs, users }: PasswordsKit,
  proof: FoundProof,
  context: RequestContext,
): Promise<AuthUser> {
  const { userId } = proof.record
  const user = userId === null ? null : await users.findById(userId)
  if (user !== null && user.disabled !== true) return user
  throw proofs.refusal('no-user', proof.record, context)
}

// The host's write decides. A repeat after a crash finds the new password in place.
async function write(
  kit: PasswordsKit,
  proof: FoundProof,
  { password, hash }: { readonly password: string; readonly hash: string },
  { context, aborted }: PasswordRequest,
): Promise<AuthUser> {
  const { proofs } = kit
  const user = await requireUser(kit, proof, context)
  // A link that was on its way while the address was replaced or taken back is worth nothing.
  const contact = await kit.contacts.findContact(user.id)
  if (contact?.email !== proof.sealed['email'])
    throw proofs.refusal('overtaken', proof.record, context)
  const stands = proofs.isMark(proof, passwordParts(user))
  const isDone = stands
    ? await kit.updatePasswordHash(user.id, user.passwordHash, hash)
    : (await kit.verifyPassword(user, password, context, aborted())).right
  if (isDone) return user
  throw proofs.refusal('overtaken', proof.record, context)
}

// An undo of the address has come between the look at it and the write: a thief's password must
// not stay. If somebody has replaced it since, nothing is written.
async function takeBack(
  kit: PasswordsKit,
  { sealed }: FoundProof,
  former: AuthUser,
  hash: string,
  context: RequestContext,
): Promise<void> {
  const contact = await kit.contacts.findContact(former.id)
  if (contact?.email === sealed['email']) return
  if (!(await putBack(kit, former, hash))) return
  const user = await kit.users.findById(former.id)
  if (user !== null) await passwordReplaced(kit, user, context, kit.clock(), 'reset')
}

// Somebody who was under way may set another password before his session has ended. A temporary one
// is none of those: the desk has decided after the link was used, so the link must not undo that.
async function endFormer(
  kit: PasswordsKit,
  proof: FoundProof,
  user: AuthUser,
  { hash, begun }: { readonly hash: string; readonly begun: Date },
  context: RequestContext,
): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    await passwordReplaced(kit, user, context, begun, 'reset')
    const now = await kit.users.findById(user.id)
    if (now === null || now.passwordHash === hash) return
    if (mustChangePassword(now)) throw kit.proofs.refusal('overtaken', proof.record, context)
    await kit.updatePasswordHash(now.id, now.passwordHash, hash)
  }
}

/**
 * Ends everything that the former password has opened: sessions, known networks and limits, and the
 * ways in that were added by it alone, or since then: since a reset has begun, or since a moment
 * before the change of the address that is undone. Rejects with 503; then the same link completes
 * it.
 */
export async function passwordReplaced(
  kit: AccountsKit,
  user: AuthUser,
  context: RequestContext,
  since: Date,
  by: 'reset' | 'undo',
): Promise<void> {
  const byPassword = kit.accountsOptions.resetKeepsWaysIn ? false : 'unless-factor'
  // A user who had no password has added nothing by a password that is replaced.
  const added = user.passwordHash === null ? false : byPassword
  const which = { byPassword: added, since, sparesLast: false } as const
  if (by === 'undo') await kit.endAfterUndo(user.id, which, context)
  else await kit.endAfterReset(user.id, byPassword === false ? null : which, context)
  await unlock(kit, user)
}

// Guesses at the former password must not keep the owner of the new one out.
async function unlock(kit: AccountsKit, user: AuthUser): Promise<void> {
  const { throttle } = kit
  const email = (await kit.contacts.findContact(user.id))?.email ?? null
  const names: LoginIdentifier[] = [{ kind: 'username', value: user.username }]
  if (email !== null) names.push({ kind: 'email', value: email })
  const canonicals = await Promise.all(names.map(kit.canonical))
  for (const name of [...canonicals, signedInIdentifier(user.id)])
    await throttle.unlockLogin(kit.digestIdentifier(name), user.id)
  await throttle.clearAfterNewPassword(user.id)
  if (kit.accountsOptions.emailSecondFactor)
    await throttle.unlockMails(['second-factor-code'], user.id)
  await kit.channels.phone?.unlock(user.id)
}
