import type { AdmittedHasher } from '../admission/admission.js'
import { type Audit, noRequest } from '../audit/events.js'
import type { SignInRefusal } from '../audit/refusals.js'
import { siteOf } from '../http/client-address.js'
import type { VerifyPassword } from '../kits/sign-in-kit.js'
import { forgetRejection } from '../lib/async.js'
import { randomSecret } from '../lib/secrets.js'
import type { ShownPassword } from '../passwords/contract.js'

/**
 * Does the same work for a wrong password, an unknown name, a user without a password and a damaged
 * hash, so that the time does not reveal whether an account exists (ASVS V6.3.8).
 */
export function createVerifyPassword(hasher: AdmittedHasher, audit: Audit): VerifyPassword {
  const dummyHash = createDummyHash(hasher)

  return async function verifyPassword(user, password, context, signal) {
    // Before the user is looked at: the first login of a process waits for it, whether the user
    // exists or not.
    const dummy = await dummyHash()
    const stored: unknown = user?.passwordHash ?? null
    // The host may have returned a promise by mistake; its rejection must not end the process.
    forgetRejection(stored)
    const readable = typeof stored === 'string' && hasher.canRead(stored)
    const requester = { source: siteOf(context.ip), context, signal }
    const matches = await hasher.verify(password, readable ? stored : dummy, requester)

    if (user === null) return { right: false, reason: 'unknown-user', userId: null }
    if (stored === null) return { right: false, reason: 'no-password', userId: user.id }
    if (!readable) {
      audit({ type: 'password.unreadable', userId: user.id }, context)
      return { right: false, reason: 'unreadable-hash', userId: user.id }
    }
    // Exactly true: a hasher that returns a promise or an error object must let nobody in.
    if (matches === true) return { right: true, user }
    return { right: false, reason: reasonOf(password, stored), userId: user.id }
  }

  function reasonOf(password: ShownPassword, stored: string): SignInRefusal {
    if (typeof password !== 'string') return 'wrong-password'
    return hasher.whyRefused(password, stored) ?? 'wrong-password'
  }
}

function createDummyHash(hasher: AdmittedHasher): () => Promise<string> {
  const { unmatchable } = hasher
  if (unmatchable !== null) return async () => unmatchable
  let pending: Promise<string> | undefined
  return function dummyHash() {
    pending ??= hasher
      .hash(randomSecret(), { source: 'router', context: noRequest })
      .catch((error: unknown) => {
        pending = undefined
        throw error
      })
    return pending
  }
}
