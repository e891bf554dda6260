import { type Audit, noRequest, type RequestContext, type SignInRefusal } from '../events.js'
import { siteOf } from '../http/client-address.js'
import { randomSecret } from '../lib/random.js'
import type { AdmittedHasher } from '../passwords/admitted-hasher.js'
import type { AuthUser } from '../users/contract.js'

/** Whether the password was right, and if not, why. Only the audit stream is told why. */
export type PasswordVerdict =
  | { readonly right: true; readonly user: AuthUser }
  | { readonly right: false; readonly reason: SignInRefusal; readonly userId: string | null }

/** Judges a password for a user, or for nobody; not at all once `gone` was aborted before its turn. */
export type VerifyPassword = (
  user: AuthUser | null,
  password: string,
  context: RequestContext,
  gone?: AbortSignal | null,
) => Promise<PasswordVerdict>

/**
 * Makes the judge of passwords. It does the same work for a wrong password, an unknown name, a user without a password and a
 * damaged hash, so that nobody can ask by the clock whether an account exists (ASVS V6.3.8).
 */
export function createVerifyPassword(hasher: AdmittedHasher, audit: Audit): VerifyPassword {
  const dummyHash = createDummyHash(hasher)

  return async (user, password, context, gone = null) => {
    // Asked for before anything is known about the user, so that the first login of a process takes longer for everyone alike.
    const dummy = await dummyHash()
    const stored: unknown = user?.passwordHash ?? null
    const readable = typeof stored === 'string' && hasher.canRead(stored)
    const asker = { source: siteOf(context.ip), context, gone }
    const matches = await hasher.verify(password, readable ? stored : dummy, asker)

    if (user === null) return { right: false, reason: 'unknown-user', userId: null }
    if (stored === null) return { right: false, reason: 'no-password', userId: user.id }
    if (!readable) {
      audit({ type: 'password.unreadable', userId: user.id }, context)
      return { right: false, reason: 'unreadable-hash', userId: user.id }
    }
    // Exactly true: a hasher that answers a forgotten promise, or an error object, must let nobody in.
    return matches === true ? { right: true, user } : { right: false, reason: 'wrong-password', userId: user.id }
  }
}

function createDummyHash(hasher: AdmittedHasher): () => Promise<string> {
  let pending: Promise<string> | undefined
  return () => {
    pending ??= hasher.hash(randomSecret(), { source: 'router', context: noRequest, gone: null }).catch((error: unknown) => {
      pending = undefined
      throw error
    })
    return pending
  }
}
