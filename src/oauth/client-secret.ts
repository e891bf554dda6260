import { equalDigests } from '../lib/constant-time.js'
import { sha256 } from '../lib/digest.js'
import { randomSecret } from '../lib/random.js'

/** A new secret of a client, and what the server keeps of it. */
export interface ClientSecret {
  /** For the client's operator, once: it is stored nowhere. */
  readonly secret: string
  /** For the client's `secretHashes`. */
  readonly hash: string
}

const hashPrefix = 'sha256:'
/** Of a secret that is shown. Ours have 50; a host may have brought longer ones along. */
const maxSecretCharacters = 512

/**
 * Makes a secret for a client that can keep one
 * ([RFC 6749 §2.3.1](https://www.rfc-editor.org/rfc/rfc6749#section-2.3.1)): `mar_cs_` and 256
 * random bits in base64url, which a client may form-encode for Basic or not without a difference.
 *
 * So many random bits cannot be guessed, hence the hash is plain SHA-256 and no password hash.
 * Never make one of a secret that a person has thought up.
 *
 * @example
 * ```ts
 * import { generateClientSecret } from 'messaging-auth-router'
 *
 * const { secret, hash } = generateClientSecret()
 * process.stdout.write(`for the wiki: ${secret}\nfor secretHashes: ${hash}\n`)
 * ```
 */
export function generateClientSecret(): ClientSecret {
  const secret = `mar_cs_${randomSecret()}`
  return { secret, hash: hashOf(secret) }
}

/**
 * Whether a client has this secret. Two digests are compared, however many there are, so that the
 * time tells neither which of two fits nor whether a client has any.
 *
 * @param secretHashes - of the client; nothing but the first two count
 */
export function isSecretOf(secretHashes: readonly string[] | undefined, secret: string): boolean {
  const [first = '', second = ''] = secretHashes ?? []
  // What is too long is refused, and read no further than that.
  const shown = hashOf(secret.slice(0, maxSecretCharacters))
  const isFirst = isSame(first, shown)
  const isSecond = isSame(second, shown)
  return (isFirst || isSecond) && secret.length <= maxSecretCharacters
}

function hashOf(secret: string): string {
  return `${hashPrefix}${sha256(secret)}`
}

// Compared with itself where there is none: the work is the same, and the answer is not asked for.
function isSame(stored: string, shown: string): boolean {
  const isHash = stored.startsWith(hashPrefix) && stored.length === shown.length
  const digest = (isHash ? stored : shown).slice(hashPrefix.length)
  return equalDigests(digest, shown.slice(hashPrefix.length)) && isHash
}
