import { AuthError, invalidRequest } from '../errors.js'
import { forgetRejection } from '../lib/async.js'
import { type HostCall, type HostFailure, UnexpectedAnswer } from '../lib/host-call.js'
import type { PasswordHasher, ShownPassword } from './contract.js'

/**
 * The host's hasher with all optional members. Its only errors are 503 and, for a wrong argument,
 * 400.
 */
export interface FailClosedHasher
  extends Required<Pick<PasswordHasher, 'hash' | 'needsRehash' | 'canRead' | 'whyRefused'>> {
  /** Rejects a digest with 400 if the hasher cannot verify digests. */
  verify(shown: ShownPassword, hash: string): Promise<boolean>
  readonly takesDigests: boolean
  /** {@link PasswordHasher.unmatchable}; null if the hasher has none. */
  readonly unmatchable: string | null
}

/**
 * Wraps the hasher: a failure, or no answer in time, is 503. `canRead` and `needsRehash` are called
 * for known users only, so their failures must not be visible: the hash then counts as unreadable
 * and is not replaced.
 */
export function failClosedHasher(
  hasher: PasswordHasher,
  call: HostCall,
  onFailure: (failure: HostFailure) => void,
): FailClosedHasher {
  const judge = (operation: string, work: () => unknown) => {
    try {
      const answer = work()
      forgetRejection(answer)
      if (typeof answer === 'boolean') return answer
      onFailure({ operation, error: 'the answer is not a boolean' })
    } catch {
      onFailure({ operation, error: 'it threw' })
    }
    return false
  }
  return {
    hash: async (plain) => {
      // A client that sends digests has made them of the typed text.
      const text = hasher.verifyDigest === undefined ? composed(plain) : plain
      const hashed = await call('passwords.hash', () => hashOrRefusal(hasher, text))
      if (typeof hashed !== 'string') throw hashed
      return hashed
    },
    verify: (shown, hash) => {
      if (typeof shown === 'string') {
        const text = composed(shown)
        const matching = call('passwords.verify', () => hasher.verify(text, hash))
        if (text === shown) return matching
        // Hashes of another system may be hashes of the typed text.
        return matching.then((matches) =>
          matches === true ? matches : call('passwords.verify', () => hasher.verify(shown, hash)),
        )
      }
      const { verifyDigest } = hasher
      if (verifyDigest === undefined) return Promise.reject(digestNotTaken())
      return call('passwords.verifyDigest', () => verifyDigest.call(hasher, shown.digest, hash))
    },
    takesDigests: hasher.verifyDigest !== undefined,
    unmatchable: hasher.unmatchable ?? null,
    needsRehash: (hash) => judge('passwords.needsRehash', () => hasher.needsRehash(hash)),
    canRead: (hash) => judge('passwords.canRead', () => hasher.canRead?.(hash) ?? true),
    // Only a known reason reaches the audit stream.
    whyRefused: (plain, hash) =>
      judge('passwords.whyRefused', () => isOver72Bytes(hasher.whyRefused?.(plain, hash)))
        ? 'password-over-72-bytes'
        : null,
  }
}

/** Characters. Normalising marks takes quadratic time, and hardly any password is longer. */
const maxComposedChars = 512

// One keyboard types é as one character and another as two: NFC, RFC 8265 §4.2.2.
function composed(plain: string): string {
  // Takes any value that a host passes on; the hasher refuses a value that is no text.
  if (typeof plain !== 'string' || plain.length > maxComposedChars) return plain
  return plain.normalize('NFC')
}

// An object is returned as it is: a promise may reject.
function isOver72Bytes(reason: unknown): unknown {
  return typeof reason === 'object' && reason !== null
    ? reason
    : reason === 'password-over-72-bytes'
}

function digestNotTaken(): AuthError {
  return invalidRequest([{ path: 'password', message: 'Invalid input: expected string' }])
}

// A password that cannot be hashed is a fault of the caller, not an outage.
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
