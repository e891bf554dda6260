import type { AdmittedHasher } from '../admission/admission.js'
import { type Audit, noRequest, type RequestContext } from '../audit/events.js'
import { siteOf } from '../http/client-address.js'
import type {
  PasswordRefusal,
  PasswordVerdict,
  SignInKit,
  VerifyPassword,
} from '../kits/sign-in-kit.js'
import { forgetRejection, type Soon } from '../lib/async.js'
import { boundedCache } from '../lib/bounded-cache.js'
import { randomSecret } from '../lib/secrets.js'
import type { ShownPassword } from '../passwords/contract.js'
import type { AuthUser } from '../users/contract.js'
import { createReplaceHash, type ReplaceHash } from './replace-hash.js'

/**
 * Does the same work for a wrong password, an unknown name, a user without a password and a damaged
 * hash, so that the time does not reveal whether an account exists (ASVS V6.3.8).
 */
export function createVerifyPassword(
  hasher: AdmittedHasher,
  audit: Audit,
  clock: () => Date,
): VerifyPassword {
  const dummyHash = createDummyHash(hasher)

  return async function verifyPassword(user, password, context, signal) {
    // The dummy is made before the user is looked at: the first login of a process waits for it,
    // whether the user exists or not.
    const making = dummyHash()
    const dummy = making instanceof Promise ? await making : making
    const stored: unknown = user?.passwordHash ?? null
    // The host may have returned a promise by mistake; its rejection must not end the process.
    forgetRejection(stored)
    const readable = typeof stored === 'string' && hasher.canRead(stored)
    const requester = { source: siteOf(context.ip), context, signal }
    const matches = await hasher.verify(password, readable ? stored : dummy, requester)
    return verdictOf({ user, stored, readable, password, matches }, context)
  }

  function verdictOf(
    { user, stored, readable, password, matches }: Verified,
    context: RequestContext,
  ): PasswordVerdict {
    if (user === null) return { right: false, reason: 'unknown-user', userId: null }
    if (stored === null) return { right: false, reason: 'no-password', userId: user.id }
    if (!readable || typeof stored !== 'string') {
      audit({ type: 'password.unreadable', userId: user.id }, context)
      return { right: false, reason: 'unreadable-hash', userId: user.id }
    }
    // Exactly true: a hasher that returns a promise or an error object must let nobody in.
    const { passwordUntil } = user
    if (matches === true && passwordUntil != null && clock() >= passwordUntil)
      return { right: false, reason: 'password-expired', userId: user.id }
    if (matches === true) return { right: true, user, upstream: null }
    return { right: false, reason: reasonOf(password, stored), userId: user.id }
  }

  function reasonOf(password: ShownPassword, stored: string): PasswordRefusal {
    if (typeof password !== 'string') return 'wrong-password'
    return hasher.whyRefused(password, stored) ?? 'wrong-password'
  }
}

/** A password that was compared with the stored hash, or with a dummy. */
interface Verified {
  readonly user: AuthUser | null
  /** Whatever the host has stored. */
  readonly stored: unknown
  readonly readable: boolean
  readonly password: ShownPassword
  readonly matches: boolean
}

function createDummyHash(hasher: AdmittedHasher): () => Soon<string> {
  let dummy: Soon<string> | undefined = hasher.unmatchable ?? undefined
  return function dummyHash() {
    dummy ??= hasher.hash(randomSecret(), { source: 'router', context: noRequest }).then(
      (made) => {
        dummy = made
        return made
      },
      (error: unknown) => {
        dummy = undefined
        throw error
      },
    )
    return dummy
  }
}

/**
 * Replaces the stored hash of a user who has just signed in, if the hasher's settings have changed.
 */
export type Rehash = (
  user: AuthUser,
  password: ShownPassword,
  context: RequestContext,
) => Soon<Rehashed>

/** The outcome of a rehash. */
export interface Rehashed {
  /** The stored hash, as far as this login knows. */
  readonly passwordHash: string | null
  /** The new hash, whether stored or not; null if none was made. */
  readonly replacement: string | null
}

/**
 * The hash is replaced only if it is still the one that was verified, so that a password changed
 * meanwhile stays changed. After a failure the next login tries again.
 */
export function createRehash(kit: SignInKit): Rehash {
  const { hasher, audit, users } = kit
  const { updatePasswordHash } = users
  const replaceHash = updatePasswordHash ? createReplaceHash(kit, updatePasswordHash) : null
  const isContested = createContestWatch(kit.clock)
  return function rehash(user, password, context) {
    const stored = user.passwordHash
    const asItIs = { passwordHash: stored, replacement: null }
    if (replaceHash === null || stored === null || !hasher.needsRehash(stored)) return asItIs
    // A new hash would clear the mark; the user sets another password anyway.
    if (user.mustChangePassword === true) return asItIs
    // A rehash needs the password, and only its digest was sent.
    if (typeof password !== 'string') return asItIs
    return replaceBy(replaceHash, user, { stored, password }, context)
  }

  async function replaceBy(
    replaceHash: ReplaceHash,
    user: AuthUser,
    { stored, password }: { readonly stored: string; readonly password: string },
    context: RequestContext,
  ): Promise<Rehashed> {
    let replacement: string | null = null
    try {
      // The rehash waits after the logins of its network, so that rehashes delay no other login.
      replacement = await hasher.hash(password, {
        source: `rehash ${siteOf(context.ip)}`,
        context,
      })
      if (!(await replaceHash(user.id, stored, replacement)))
        return { passwordHash: stored, replacement }
      audit({ type: 'password.rehashed', userId: user.id }, context)
      if (isContested(user.id)) audit({ type: 'password.contested', userId: user.id }, context)
      return { passwordHash: replacement, replacement }
    } catch {
      // The failed call has reported itself. The user is signed in all the same.
      return { passwordHash: stored, replacement }
    }
  }
}

/** Rehashes of one user in a day from which on something else must be writing the old hash back. */
const contestedRehashes = 3
const daySeconds = 24 * 60 * 60
const maxWatchedUsers = 10_000

/**
 * Reports, once a day per user, that a hash was upgraded for the third time in a day: another part
 * of the host writes the old one back each time. Within this process, for the last 10,000 users.
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
