import type { z } from 'zod'
import type { EndFormerSessions } from '../account/session-management.js'
import type { Audit } from '../audit/events.js'
import { AuthError } from '../errors.js'
import { ok } from '../http/answer.js'
import type { Endpoint, EndpointRequest } from '../http/endpoint.js'
import { parseInput } from '../http/input.js'
import { ownerOf } from '../principal/account-owner.js'
import type { SignedIn, SignedInRequest } from '../principal/principal.js'
import type { Sessions } from '../sessions/sessions.js'
import { type Proof, proofRequest } from '../sign-in-again.js'
import type { UserStore } from '../users/contract.js'
import { type NewPasswords, newPasswordText } from './new-password.js'
import type { Proofs } from './proofs.js'
import type { ProvePresent } from './prove-present.js'

/** The body of `POST /auth/password/change`: the new password, and a proof. */
export const changePasswordRequest: z.ZodObject<
  (typeof proofRequest)['shape'] & { newPassword: z.ZodString }
> = proofRequest.extend({
  newPassword: newPasswordText,
})

/**
 * Sets the new password of a signed-in user, and ends the user's other sessions. Resolves with how
 * many. `beforehand` is called when only the change itself can still fail. Throws 400
 * `password-refused`, 401, 403, 409 `superseded`, 429, 503.
 */
export type ChangePassword = (
  asking: Pick<SignedInRequest, 'session' | 'user'>,
  given: { readonly newPassword: string; readonly proof: Proof },
  request: EndpointRequest,
  beforehand?: () => Promise<void>,
) => Promise<number>

export interface ChangePasswordDeps {
  /** Resolves with the user whose password was verified; null if it was not asked for. */
  readonly provePresent: ProvePresent
  readonly newPasswords: NewPasswords
  readonly updatePasswordHash: NonNullable<UserStore['updatePasswordHash']>
  readonly sessions: Pick<Sessions, 'requireLive'>
  readonly endFormerSessions: EndFormerSessions
  readonly proofs: Pick<Proofs, 'voidForUser'>
  readonly audit: Audit
}

export function createChangePassword(deps: ChangePasswordDeps): ChangePassword {
  const { provePresent, newPasswords, sessions, endFormerSessions, proofs, audit } = deps
  return async function changePassword(asking, { newPassword, proof }, request, beforehand) {
    const { context } = request
    // Before the proof: a password that our own rules refuse uses up no code.
    await newPasswords.requireGood(asking.user, newPassword, context, true)
    const proved = await provePresent(asking, proof, request)
    // The hash that was verified: if another one is stored by now, the change is not this user's.
    const user = proved?.user ?? asking.user
    // Asked elsewhere, so not for whoever has nothing but a session.
    await newPasswords.requireGood(asking.user, newPassword, context)
    const hash = await newPasswords.hash(newPassword, request)
    await beforehand?.()
    if (!(await deps.updatePasswordHash(user.id, user.passwordHash, hash)))
      throw new AuthError('superseded')
    // A reset or an undo that has ended this session meanwhile wins.
    await sessions.requireLive(asking.session).catch(async (error: unknown) => {
      if (user.passwordHash !== null)
        await deps.updatePasswordHash(user.id, hash, user.passwordHash)
      throw error
    })
    const { id: sessionId } = asking.session
    const revoked = await endFormerSessions(user.id, context, sessionId)
    await proofs.voidForUser(user.id, ['reset', 'sign-in'])
    audit({ type: 'password.changed', userId: user.id, sessionId }, context)
    return revoked
  }
}

/** `POST /auth/password/change`: sets a new password for the signed-in user. */
export function changePasswordEndpoint(
  signedIn: SignedIn,
  changePassword: ChangePassword,
): Endpoint {
  return async function change(request) {
    // 401, 403
    const asking = await ownerOf(signedIn, request)
    // 400, 413, 415
    const given = parseInput(changePasswordRequest, await request.readJson())
    const { newPassword, password, code, passkey } = given
    // By name: what is left over would inherit from a polluted Object.prototype.
    const proof = { password, code, passkey }
    // 400, 401, 403, 409, 429, 503
    const revoked = await changePassword(asking, { newPassword, proof }, request)
    return ok({ status: 'success', data: { revoked } })
  }
}
