import { AuthError } from '../errors.js'
import type { GroundKit } from '../kits/ground-kit.js'
import type { ManagementKit } from '../kits/session-kit.js'
import type { VerifyPassword } from '../kits/sign-in-kit.js'
import type { ProvePassword } from '../principal/principal.js'
import type { LoginIdentifier } from '../users/contract.js'

/**
 * The identifier under which password proofs of a signed-in user are counted. No login can use it:
 * its identifiers contain no control characters. The id is in hex, because the digest ignores case
 * and ids may not.
 */
export function signedInIdentifier(userId: string): LoginIdentifier {
  return { kind: 'user', value: `\u0000${Buffer.from(userId).toString('hex')}` }
}

/** The parts that exist before a sign-in can be decided. */
interface ProvePasswordKit extends GroundKit, ManagementKit {}

/**
 * Checks that a signed-in user knows the password. The attempts count like logins: the thief of a
 * session must not try passwords without limit.
 */
export function createProvePassword(
  { users, throttle, digestIdentifier, audit }: ProvePasswordKit,
  verifyPassword: VerifyPassword,
): ProvePassword {
  return async function provePassword(userId, password, { context, setHeaders, aborted }) {
    const identifier = digestIdentifier(signedInIdentifier(userId))
    const attempt = { identifier, findUserId: async () => userId }
    const slot = await throttle.takePasswordSlot(attempt, context)
    setHeaders(slot.headers)
    let limit: AuthError | null
    try {
      // The row is read again: the guard's row may be some seconds old, and the password changed
      // since.
      const user = await users.findById(userId)
      const verdict = await verifyPassword(
        user?.disabled === true ? null : user,
        password,
        context,
        aborted(),
      )
      if (verdict.right) {
        // The counters are cleared as after a login: a thief's guesses in the same session must not
        // lock the owner out.
        const { user: proven } = verdict
        return await slot.clear(userId, { factorShown: false, work: async () => proven })
      }
      audit({ type: 'password.refused', userId, reason: verdict.reason }, context)
      limit = verdict.reason === 'account-limit' ? verdict.limit : null
    } catch (error) {
      await slot.refund()
      throw error
    }
    await slot.keep(userId)
    if (limit !== null) throw limit
    // `wrong` distinguishes this from an ended session: the client asks again instead of signing
    // out.
    const clientMessage = 'The password is not right.'
    throw new AuthError('Unauthorized', { clientMessage, details: { wrong: 'password' } })
  }
}
