import { z } from 'zod'
import type { RequestContext } from '../audit/events.js'
import { AuthError, invalidRequest } from '../errors.js'
import { ok } from '../http/answer.js'
import { siteOf } from '../http/client-address.js'
import type { Endpoint, EndpointRequest } from '../http/endpoint.js'
import { parseInput, requireOptions } from '../http/input.js'
import type { SignInKit } from '../kits/sign-in-kit.js'
import { isHostId, isWellFormed } from '../lib/texts.js'
import { minLengthFor, type PasswordReason } from '../passwords/password-rules.js'
import { ownerOf, type SignedInRequest } from '../principal/principal.js'
import { mustChangePassword } from '../principal/required-actions.js'
import { type Proof, type Proved, proofRequest } from '../sign-in-again.js'
import type { AuthUser, UserStore } from '../users/contract.js'
import type { AccountsKit } from './accounts-server.js'
import type { Newcomer } from './newcomer.js'

/** A new password in a body: a text that a hasher compares as it is. */
export const newPasswordText: z.ZodString = z
  .string()
  .min(1)
  .refine(isWellFormed, 'Invalid input: lone surrogates')
  .refine((text) => !text.includes('\0'), 'Invalid input: a NUL character')

/** Of a form. Throws 400. */
export function requireNewPassword(password: string): void {
  if (!newPasswordText.safeParse(password).success) throw new AuthError('invalid-request')
}

/** The least number of characters of this user's new password. Rejects with 503. */
export async function minLengthOf(
  { accountsOptions, hasSecondFactor }: AccountsKit,
  user: AuthUser,
): Promise<number> {
  return minLengthFor(accountsOptions.passwordRules, await hasSecondFactor(user))
}

/** The rules for new passwords, for the host's own forms. */
export interface PasswordsForHost {
  /**
   * Why a new password is refused; an empty list if it is accepted. With `userId`, also by the
   * known data of that user. Hash it with `auth.hashPassword`, and call `auth.passwordChanged`
   * after you have stored it. Rejects with `AuthError`: `invalid-request` for a value that is no
   * password, `temporarily-unavailable`.
   *
   * @example
   * ```ts
   * import type { AuthRouter } from 'messaging-auth-router'
   *
   * declare const auth: AuthRouter
   * const { reasons, minLength } = await auth.passwords.check('correct horse', { userId: '42' })
   * const hint = reasons.includes('too-short') ? `Use ${minLength} characters or more.` : ''
   * ```
   */
  check(plain: string, options?: { readonly userId?: string }): Promise<PasswordVerdict>
}

/** The verdict of the rules on a new password. */
export interface PasswordVerdict {
  /** Empty if it is accepted. */
  readonly reasons: readonly PasswordReason[]
  /** The least number of characters for this user. */
  readonly minLength: number
}

/** `auth.passwords`. */
export function passwordsForHost(kit: AccountsKit): PasswordsForHost {
  return {
    async check(plain, options = {}) {
      const { userId } = requireOptions(options)
      if (userId === undefined) return judge(kit, null, plain)
      const user = isHostId(userId) ? await kit.contacts.findById(userId) : null
      if (user !== null) return judge(kit, user, plain)
      throw invalidRequest([{ path: 'userId', message: 'Invalid input: no such user' }])
    },
  }
}

/** Throws 403 `password-elsewhere` for the user of a directory, who has no password here; 503. */
export async function requireOwnPassword(
  { passwordElsewhere }: AccountsKit,
  { id }: Pick<AuthUser, 'id'>,
): Promise<void> {
  const elsewhere = await passwordElsewhere?.(id)
  if (elsewhere == null) return
  const { name, url } = elsewhere
  throw new AuthError('password-elsewhere', { details: { name, url } })
}

/**
 * Throws 400 `password-refused` if the rules refuse it, 403 `password-elsewhere`, 503.
 * `withoutBreached`: the check for leaked passwords does not run yet.
 */
export async function requireGood(
  kit: AccountsKit,
  user: AuthUser,
  password: string,
  context: RequestContext,
  withoutBreached = false,
): Promise<void> {
  await requireOwnPassword(kit, user)
  const { reasons, minLength } = await judge(kit, user, password, withoutBreached)
  if (reasons.length === 0) return
  kit.audit({ type: 'password.refused-by-rules', userId: user.id, reasons }, context)
  throw new AuthError('password-refused', { details: { reasons, minLength } })
}

/** Judges the password of somebody who is not a user yet. Rejects with 400 and 503. */
export async function judgeNewcomer(
  { judgePassword, accountsOptions, totpIssuer: serviceName }: AccountsKit,
  newcomer: Newcomer,
  password: string,
): Promise<PasswordVerdict> {
  const { email } = newcomer
  const owner = { user: null, newcomer, email, hasSecondFactor: false, serviceName }
  const reasons = await judgePassword(password, owner)
  return { reasons, minLength: accountsOptions.passwordRules.minLength }
}

async function judge(
  kit: AccountsKit,
  user: AuthUser | null,
  password: unknown,
  withoutBreached = false,
): Promise<PasswordVerdict> {
  const contact = user && (await kit.contacts.findContact(user.id))
  const hasSecondFactor = user !== null && (await kit.hasSecondFactor(user))
  const email = contact?.email ?? null
  const owner = { user, email, hasSecondFactor, serviceName: kit.totpIssuer, withoutBreached }
  const reasons = await kit.judgePassword(password, owner)
  return { reasons, minLength: minLengthFor(kit.accountsOptions.passwordRules, hasSecondFactor) }
}

/**
 * The work waits in the queue of that network's logins, so that it delays no other network. Rejects
 * with 503.
 */
export async function hashPassword(
  { hasher }: AccountsKit,
  password: string,
  { context, aborted }: Pick<EndpointRequest, 'context' | 'aborted'>,
): Promise<string> {
  return hasher.hash(password, { source: siteOf(context.ip), context, signal: aborted() })
}

/** The parts of a host whose users can set passwords. */
export interface PasswordsKit extends AccountsKit {
  readonly updatePasswordHash: NonNullable<UserStore['updatePasswordHash']>
}

/** The body of `POST /auth/password/change`: the new password, and a proof. */
export const changePasswordRequest: z.ZodObject<
  (typeof proofRequest)['shape'] & { newPassword: z.ZodString }
> = proofRequest.extend({
  newPassword: newPasswordText,
})

/** `POST /auth/password/change`: sets a new password for the signed-in user. */
export function changePasswordEndpoint(kit: PasswordsKit): Endpoint {
  return async function change(request) {
    // 401, 403
    const asking = await ownerOf(kit.signedIn, request, 'change-password')
    // 400, 413, 415
    const given = parseInput(changePasswordRequest, await request.readJson())
    const { newPassword, password, code, passkey } = given
    // The proof is made by name: a rest object would inherit from a polluted Object.prototype.
    const proof = { password, code, passkey }
    // 400, 401, 403, 409, 429, 503
    const revoked = await changePassword(kit, asking, { newPassword, proof }, request, {
      prove: provePresent,
    })
    return ok({ status: 'success', data: { revoked } })
  }
}

/**
 * Sets the new password of a signed-in user, and ends the user's other sessions. Resolves with how
 * many. `beforehand` is called when only the change itself can still fail. Throws 400
 * `password-refused`, 401, 403, 409 `superseded`, 429, 503.
 */
export async function changePassword(
  kit: PasswordsKit,
  asking: Pick<SignedInRequest, 'session' | 'user'>,
  { newPassword, proof }: { readonly newPassword: string; readonly proof: Proof },
  request: EndpointRequest,
  { prove, beforehand }: { prove: ProvePresent; beforehand?: () => Promise<void> },
): Promise<number> {
  const { sessions, updatePasswordHash } = kit
  const { context } = request
  // This is checked before the proof: a password that our own rules refuse uses up no code.
  await requireGood(kit, asking.user, newPassword, context, true)
  const proved = await prove(kit, asking, proof, request)
  // The hash that was verified: if another one is stored by now, the change is not this user's.
  const user = proved?.user ?? asking.user
  // Another server may be asked here, so it is not asked for a user who has nothing but a session.
  await requireGood(kit, asking.user, newPassword, context)
  await requireAnother(kit, user, newPassword, request)
  const hash = await hashPassword(kit, newPassword, request)
  await beforehand?.()
  if (!(await updatePasswordHash(user.id, user.passwordHash, hash)))
    throw new AuthError('superseded')
  // A reset or an undo that has ended this session meanwhile wins.
  await sessions.requireLive(asking.session).catch(async (error: unknown) => {
    await putBack(kit, user, hash)
    throw error
  })
  const { id: sessionId } = asking.session
  const revoked = await kit.endFormerSessions(user.id, context, sessionId)
  await kit.proofs.voidForUser(user.id, ['reset', 'sign-in'])
  kit.audit({ type: 'password.changed', userId: user.id, sessionId }, context)
  return revoked
}

/**
 * Puts the former password of a user back, with its mark and its end, if `hash` is still stored.
 * Resolves with whether it did. Rejects with 503.
 */
export async function putBack(
  { users: { requirePasswordChange }, updatePasswordHash }: PasswordsKit,
  former: AuthUser,
  hash: string,
): Promise<boolean> {
  const { id, passwordHash, passwordUntil = null } = former
  if (passwordHash === null) return false
  // Without the method the mark is the host's own. A password that must not stay is worse.
  return requirePasswordChange === undefined || !mustChangePassword(former)
    ? updatePasswordHash(id, hash, passwordHash)
    : requirePasswordChange(id, hash, passwordHash, passwordUntil)
}

/**
 * Somebody else knows the password that must be changed. Throws 400 `password-refused` for it, and
 * 503.
 */
export async function requireAnother(
  kit: AccountsKit,
  user: AuthUser,
  newPassword: string,
  { context, aborted }: Pick<EndpointRequest, 'context' | 'aborted'>,
): Promise<void> {
  if (!mustChangePassword(user)) return
  // A temporary password that signs in no more is known all the same.
  const withoutEnd = { ...user, passwordUntil: null }
  const { right } = await kit.verifyPassword(withoutEnd, newPassword, context, aborted())
  if (!right) return
  const minLength = await minLengthOf(kit, user)
  throw new AuthError('password-refused', { details: { reasons: ['known'], minLength } })
}

/**
 * Requires what a change of the password or the address and a deletion need: a fresh sign-in, and
 * the password of a user who has one, or a passkey. Throws 401, 403, 429 or 503.
 */
export type ProvePresent = (
  kit: SignInKit,
  asking: Pick<SignedInRequest, 'session' | 'user'>,
  proof: Proof,
  request: EndpointRequest,
) => Promise<Pick<Proved, 'user' | 'passkeyAddedAt'> | null>

/** For requests. The proof is a password, with a code if the user has a factor, or a passkey. */
export const provePresent: ProvePresent = async (kit, asking, proof, request) =>
  requireStrong(kit, asking.user, await kit.requireFresh(asking, proof, request))

/** For the account page, whose user has a fresh sign-in, and types the password beside it. */
export const provePresentOnPage: ProvePresent = async (kit, asking, { password }, request) => {
  await kit.requireFresh(asking, nothingShown, request)
  const proved =
    password === undefined
      ? null
      : { user: await kit.provePassword(asking.user.id, password, request) }
  return requireStrong(kit, asking.user, proved)
}

/** The members are named: an empty object would inherit from a polluted Object.prototype. */
export const nothingShown = { password: undefined, code: undefined, passkey: undefined }

/** A thief of a session adds a passkey with nothing else: one of the last three days may be his. */
const youngPasskeyMs = 72 * 60 * 60_000

// A fresh session alone may be stolen.
async function requireStrong(
  kit: SignInKit,
  user: AuthUser,
  proved: Awaited<ReturnType<ProvePresent>>,
): ReturnType<ProvePresent> {
  const { passkeyAddedAt = new Date(0) } = proved ?? {}
  const isYoung = kit.clock().getTime() - passkeyAddedAt.getTime() < youngPasskeyMs
  if ((proved === null || isYoung) && (await kit.owesPassword(user)))
    throw new AuthError('reauthentication-required')
  return proved
}
