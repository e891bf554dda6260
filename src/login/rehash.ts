import type { Audit, RequestContext } from '../events.js'
import { siteOf } from '../http/client-address.js'
import type { AdmittedHasher } from '../passwords/admitted-hasher.js'
import type { AuthUser, UserStore } from '../users/contract.js'

/** Brings the stored hash of a user who has just signed in up to the hasher's present setting. Answers the hash that is stored then. */
export type Rehash = (user: AuthUser, password: string, context: RequestContext) => Promise<string | null>

/**
 * Makes the upgrade of old hashes. It replaces the hash only if it is still the one that was verified, so that a password changed
 * meanwhile stays changed. A failure costs nothing but the upgrade; the next login tries again.
 */
export function createRehash(hasher: AdmittedHasher, users: UserStore, audit: Audit): Rehash {
  return async (user, password, context) => {
    const { updatePasswordHash } = users
    const stored = user.passwordHash
    if (updatePasswordHash === undefined || stored === null || !hasher.needsRehash(stored)) return stored
    try {
      // Beside the logins of the same network, so that upgrades after a change of the setting take no turn from anybody else's.
      const hash = await hasher.hash(password, { source: `rehash ${siteOf(context.ip)}`, context, gone: null })
      if (!(await updatePasswordHash(user.id, stored, hash))) return stored
      audit({ type: 'password.rehashed', userId: user.id }, context)
      return hash
    } catch {
      // Told of by the call that failed. The user is signed in all the same.
      return stored
    }
  }
}
