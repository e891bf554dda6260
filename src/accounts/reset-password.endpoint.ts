import { z } from 'zod'
import type { Audit, RequestContext } from '../audit/events.js'
import { ok } from '../http/answer.js'
import type { Endpoint, EndpointRequest } from '../http/endpoint.js'
import { parseInput } from '../http/input.js'
import type { VerifyPassword } from '../kits/sign-in-kit.js'
import type { Throttle } from '../throttle/throttle.js'
import type { AuthUser, UserStore } from '../users/contract.js'
import type { Contacts } from './contacts.js'
import { type NewPasswords, newPasswordText } from './new-password.js'
import type { PasswordReplaced } from './password-replaced.js'
import type { FoundProof, Proofs } from './proofs.js'
import { passwordParts } from './reset-link.js'

/** The body of `POST /auth/password/reset`. */
export const resetRequest: z.ZodObject<{ token: z.ZodString; password: z.ZodString }> = z.object({
  token: z.string().min(1),
  password: newPasswordText,
})

/**
 * Sets the new password of whoever holds the link. Signs nobody in, and takes no second factor
 * away. Throws 400 `proof-refused` or `password-refused`, 503.
 */
export type ResetPassword = (
  given: { readonly token: string; readonly password: string },
  request: Pick<EndpointRequest, 'context' | 'aborted'>,
) => Promise<void>

export interface ResetPasswordDeps {
  readonly proofs: Proofs
  readonly contacts: Pick<Contacts, 'findContact'>
  readonly users: Pick<UserStore, 'findById' | 'markEmailVerified'>
  readonly updatePasswordHash: NonNullable<UserStore['updatePasswordHash']>
  readonly newPasswords: NewPasswords
  readonly verifyPassword: VerifyPassword
  readonly passwordReplaced: PasswordReplaced
  readonly clock: () => Date
  readonly audit: Audit
}

/** How often a password is set again that somebody else has replaced. */
const rounds = 5

export function createResetPassword(deps: ResetPasswordDeps): ResetPassword {
  const { proofs, contacts, users, newPasswords } = deps

  async function requireUser(proof: FoundProof, context: RequestContext): Promise<AuthUser> {
    const { userId } = proof.record
    const user = userId === null ? null : await users.findById(userId)
    if (user !== null && user.disabled !== true) return user
    throw proofs.refusal('no-user', proof.record, context)
  }

  // The host's write decides. A repeat after a crash finds the new password in place.
  async function write(
    proof: FoundProof,
    password: string,
    hash: string,
    request: Pick<EndpointRequest, 'context' | 'aborted'>,
  ): Promise<AuthUser> {
    const { context, aborted } = request
    const user = await requireUser(proof, context)
    // A link that was on its way while the address was replaced or taken back is worth nothing.
    const contact = await contacts.findContact(user.id)
    if (contact?.email !== proof.sealed['email'])
      throw proofs.refusal('overtaken', proof.record, context)
    const stands = proofs.isMark(proof, passwordParts(user))
    const isDone = stands
      ? await deps.updatePasswordHash(user.id, user.passwordHash, hash)
      : (await deps.verifyPassword(user, password, context, aborted())).right
    if (isDone) return user
    throw proofs.refusal('overtaken', proof.record, context)
  }

  // An undo of the address has come between the look at it and the write: a thief's password must
  // not stay. If somebody has replaced it since, nothing is written.
  async function takeBack(
    { sealed }: FoundProof,
    { id, passwordHash }: AuthUser,
    hash: string,
    context: RequestContext,
  ): Promise<void> {
    const contact = await contacts.findContact(id)
    if (contact?.email === sealed['email'] || passwordHash === null) return
    if (!(await deps.updatePasswordHash(id, hash, passwordHash))) return
    const user = await users.findById(id)
    if (user !== null) await deps.passwordReplaced(user, context, deps.clock(), 'reset')
  }

  return async function resetPassword({ token, password }, request) {
    const { context } = request
    // From then on, nobody but a thief adds a way in.
    const begun = new Date(deps.clock().getTime() + 1)
    const proof = await proofs.findLink('reset', token, context)
    // Before a try is taken: a password that the rules refuse costs none.
    await newPasswords.requireGood(await requireUser(proof, context), password, context)
    const hash = await newPasswords.hash(password, request)
    await proofs.takeTry(proof, context)
    const user = await write(proof, password, hash, request)
    // Before the proof is used up: after a crash here, the same link completes what is missing.
    await endFormer(deps, user, { hash, begun }, context)
    // The link was mailed there.
    const { email = null } = proof.sealed
    if (email !== null) await users.markEmailVerified?.(user.id, email)
    // A thief's codes, whose sessions another process may not know to have ended.
    await proofs.voidForUser(user.id, ['sign-in', 'verify-address', 'change-address'])
    // Names the winner: of two requests that set the same password, one is answered 200.
    if (!(await proofs.consume(proof))) {
      await takeBack(proof, user, hash, context)
      throw proofs.refusal('void', proof.record, context)
    }
    // Other links are worth nothing since the password is another, so an outage here does no harm.
    await proofs.voidForUser(user.id, ['reset']).catch(() => {})
    deps.audit({ type: 'password.reset', userId: user.id }, context)
  }
}

// Somebody who was under way may set another password before his session has ended.
async function endFormer(
  { passwordReplaced, updatePasswordHash, users }: ResetPasswordDeps,
  user: AuthUser,
  { hash, begun }: { readonly hash: string; readonly begun: Date },
  context: RequestContext,
): Promise<void> {
  for (let round = 0; round < rounds; round += 1) {
    await passwordReplaced(user, context, begun, 'reset')
    const now = await users.findById(user.id)
    if (now === null || now.passwordHash === hash) return
    await updatePasswordHash(now.id, now.passwordHash, hash)
  }
}

/** `POST /auth/password/reset`: sets a new password by the link in a mail. */
export function resetPasswordEndpoint(
  resetPassword: ResetPassword,
  { limitFailures }: Pick<Throttle, 'limitFailures'>,
): Endpoint {
  return limitFailures('password-reset', async function reset(request) {
    // 400, 413, 415
    const given = parseInput(resetRequest, await request.readJson())
    // 400, 429, 503
    await resetPassword(given, request)
    return ok({ status: 'success', data: {} })
  })
}
