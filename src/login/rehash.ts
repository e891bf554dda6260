import type { AdmittedHasher } from '../admission/admission.js'
import type { Audit, RequestContext } from '../audit/events.js'
import { siteOf } from '../http/client-address.js'
import { boundedCache } from '../lib/bounded-cache.js'
import type { ShownPassword } from '../passwords/contract.js'
import type { AuthUser } from '../users/contract.js'
import type { ReplaceHash } from './replace-hash.js'

/** Brings the stored hash of a user who has just signed in up to the hasher's present setting. */
export type Rehash = (
  user: AuthUser,
  password: ShownPassword,
  context: RequestContext,
) => Promise<Rehashed>

/** What became of a hash. */
export interface Rehashed {
  /** The hash that is stored now, as far as this login knows. */
  readonly passwordHash: string | null
  /** The new hash, be it stored or not; null where none was made. */
  readonly replacement: string | null
}

/**
 * Makes {@link Rehash}. It replaces the hash only if it is still the one that was verified, so that
 * a password changed meanwhile stays changed. After a failure the next login tries again.
 */
export function createRehash(
  hasher: AdmittedHasher,
  replaceHash: ReplaceHash | null,
  clock: () => Date,
  audit: Audit,
): Rehash {
  const isContested = createContestWatch(clock)
  return async function rehash(user, password, context) {
    const stored = user.passwordHash
    const asItIs = { passwordHash: stored, replacement: null }
    if (replaceHash === null || stored === null || !hasher.needsRehash(stored)) return asItIs
    // Only a password can be hashed anew, and of this one nothing but the digest was seen.
    if (typeof password !== 'string') return asItIs
    let replacement: string | null = null
    try {
      // In the queue after the logins of the same network, so that upgrades delay no others.
      replacement = await hasher.hash(password, {
        source: `rehash ${siteOf(context.ip)}`,
        context,
        gone: null,
      })
      if (!(await replaceHash(user.id, stored, replacement)))
        return { passwordHash: stored, replacement }
      audit({ type: 'password.rehashed', userId: user.id }, context)
      if (isContested(user.id)) audit({ type: 'password.contested', userId: user.id }, context)
      return { passwordHash: replacement, replacement }
    } catch {
      // The call that failed has reported it. The user is signed in all the same.
      return { passwordHash: stored, replacement }
    }
  }
}

/** How often in a day a hash is brought up before somebody else must be bringing it down. */
const contestedRehashes = 3
const daySeconds = 24 * 60 * 60
const maxWatchedUsers = 10_000

/**
 * Says, once a day for each user, that the hash has been brought up for the third time in a day:
 * another part of the host writes it back each time. Within this process, of the last 10,000 users.
 */
function createContestWatch(clock: () => Date): (userId: string) => boolean {
  const rehashes = boundedCache<number>(maxWatchedUsers, daySeconds)
  return function isContested(userId) {
    const now = clock()
    const before = rehashes.get(userId, now)
    if (before === undefined) rehashes.set(userId, 1, now)
    else rehashes.update(userId, before + 1)
    return (before ?? 0) + 1 === contestedRehashes
  }
}
