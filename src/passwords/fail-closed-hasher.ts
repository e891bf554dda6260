import { AuthError } from '../errors.js'
import { type HostCall, type HostFailure, UnexpectedAnswer } from '../lib/host-call.js'
import type { PasswordHasher } from './contract.js'

/** The hasher as it may be relied on: nothing is left out, and nothing but a 503 or the caller's own fault is thrown. */
export type FailClosedHasher = Required<Omit<PasswordHasher, 'concurrency'>>

/**
 * The hasher behind its contract: a failure, and silence, is a 503. `canRead` and `needsRehash` are asked for known users only, so
 * their failures must not show: a hash that cannot be judged is one that cannot be read, and is not replaced.
 */
export function failClosedHasher(
  hasher: PasswordHasher,
  call: HostCall,
  onFailure: (failure: HostFailure) => void,
): FailClosedHasher {
  const judge = (operation: string, work: () => unknown) => {
    try {
      const answer = work()
      // A promise is no answer here, and its rejection would end the process if nobody caught it.
      if (answer instanceof Promise) answer.catch(() => {})
      if (typeof answer === 'boolean') return answer
      onFailure({ operation, error: 'the answer is not a boolean' })
    } catch {
      onFailure({ operation, error: 'it threw' })
    }
    return false
  }
  return {
    hash: async (plain) => {
      const hashed = await call('passwords.hash', () => hashOrRefusal(hasher, plain))
      if (typeof hashed !== 'string') throw hashed
      return hashed
    },
    verify: (plain, hash) => call('passwords.verify', () => hasher.verify(plain, hash)),
    needsRehash: (hash) => judge('passwords.needsRehash', () => hasher.needsRehash(hash)),
    canRead: (hash) => judge('passwords.canRead', () => hasher.canRead?.(hash) ?? true),
  }
}

// A password that cannot be hashed is the caller's fault, not an outage.
async function hashOrRefusal(hasher: PasswordHasher, plain: string): Promise<string | AuthError> {
  try {
    const hashed: unknown = await hasher.hash(plain)
    if (typeof hashed === 'string' && hashed !== '') return hashed
    throw new UnexpectedAnswer('the hash is not a non-empty string')
  } catch (error) {
    if (error instanceof AuthError && error.code === 'invalid-request') return error
    throw error
  }
}
