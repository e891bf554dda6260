import type { Audit, RequestContext } from '../events.js'
import type { PasswordHasher } from '../passwords/contract.js'
import type { AuthUser, UserStore } from '../users/contract.js'

/** Brings the stored hash of a user who has just signed in up to the hasher's present setting. */
export type Rehash = (user: AuthUser, password: string, context: RequestContext) => Promise<void>

/**
 * Makes the upgrade of old hashes. It replaces the hash only if it is still the one that was verified, so that a password changed
 * meanwhile stays changed. A failure costs nothing but the upgrade; the next login tries again.
 */
export function createRehash(hasher: PasswordHasher, users: UserStore, audit: Audit): Rehash {
  return async (user, password, context) => {
    const { updatePasswordHash } = users
    const stored = user.passwordHash
    if (updatePasswordHash === undefined || stored === null || !hasher.needsRehash(stored)) return
    try {
      const replaced = await updatePasswordHash(user.id, stored, await hasher.hash(password))
      if (replaced) audit({ type: 'password.rehashed', userId: user.id }, context)
    } catch {
      // Told of by the call that failed. The user is signed in all the same.
    }
  }
}
