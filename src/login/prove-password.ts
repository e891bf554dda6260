import { AuthError } from '../errors.js'
import type { Audit } from '../events.js'
import type { EndpointRequest } from '../http/endpoint.js'
import type { Throttle } from '../throttle/throttle.js'
import type { AuthUser, LoginIdentifier, UserStore } from '../users/contract.js'
import type { DigestIdentifier } from './identifier.js'
import type { VerifyPassword } from './verify-password.js'

/** Asks a signed-in user for the password again. Throws 401 for a wrong one, 429 and 503. */
export type ProvePassword = (
  userId: string,
  password: string,
  request: Pick<EndpointRequest, 'context' | 'setHeaders' | 'hungUp'>,
) => Promise<AuthUser>

/**
 * What the counters know a signed-in user by: no identifier of a login, since those hold no control characters. In hex, since the digest
 * makes no difference of case, and ids may.
 */
export function signedInIdentifier(userId: string): LoginIdentifier {
  return { kind: 'user', value: `\u0000${Buffer.from(userId).toString('hex')}` }
}

/** What asking again needs. */
export interface ProvePasswordDeps {
  readonly users: UserStore
  readonly throttle: Throttle
  readonly verifyPassword: VerifyPassword
  /** As for logins: counters hold no names. */
  readonly digestIdentifier: DigestIdentifier
  readonly audit: Audit
}

/**
 * Makes the check that a signed-in user is still the one who knows the password, counted like a login: whoever has got hold of a session
 * must not be able to try passwords at leisure.
 */
export function createProvePassword(deps: ProvePasswordDeps): ProvePassword {
  const { users, throttle, verifyPassword, digestIdentifier, audit } = deps
  return async (userId, password, { context, setHeaders, hungUp }) => {
    const slot = await throttle.takeLoginSlot(digestIdentifier(signedInIdentifier(userId)), context)
    setHeaders(slot.headers)
    try {
      // Not the row that the session was judged by: that may be seconds old, and the password has just been changed.
      const user = await users.findById(userId)
      const verdict = await verifyPassword(user?.disabled === true ? null : user, password, context, hungUp())
      if (verdict.right) {
        // As after a login: a thief who guesses in the same session must not lock its owner out.
        await slot.clear(userId)
        return verdict.user
      }
      audit({ type: 'password.refused', userId, reason: verdict.reason }, context)
    } catch (error) {
      await slot.refund()
      throw error
    }
    setHeaders(await slot.keep(userId))
    // Told apart from a session that is over, so that the client asks again instead of signing the user out.
    throw new AuthError('Unauthorized', { details: { wrong: 'password' } })
  }
}
