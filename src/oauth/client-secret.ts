import { equalDigests, randomSecret, sha256 } from '../lib/secrets.js'

/** A new client secret and its stored form. */
export interface ClientSecret {
  /** For the client's operator, once: it is not stored. */
  readonly secret: string
  /** For the client's `secretHashes`. */
  readonly hash: string
}

const hashPrefix = 'sha256:'

/**
 * The longest secret a client may present. Our secrets have 50 characters; a host may have imported
 * longer secrets.
 */
const maxSecretCharacters = 512

/**
 * Makes a secret for a confidential client ([RFC 6749
 * §2.3.1](https://www.rfc-editor.org/rfc/rfc6749#section-2.3.1)): `mar_cs_` and 256 random bits in
 * base64url, which form encoding for Basic leaves unchanged.
 *
 * 256 random bits cannot be guessed, so the hash is a plain SHA-256, not a password hash. Never
 * hash a secret this way that a person has chosen.
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
 * Whether a client has this secret. Always compares two digests, so that the time tells neither
 * which one matches nor whether the client has any.
 *
 * @param secretHashes - of the client; only the first two count
 *
 * @internal
 */
export function isSecretOf(secretHashes: readonly string[] | undefined, secret: string): boolean {
  const [first = '', second = ''] = secretHashes ?? []
  // Longer secrets are refused; only this much is hashed.
  const shown = hashOf(secret.slice(0, maxSecretCharacters))
  const isFirst = isSame(first, shown)
  const isSecond = isSame(second, shown)
  return (isFirst || isSecond) && secret.length <= maxSecretCharacters
}

function hashOf(secret: string): string {
  return `${hashPrefix}${sha256(secret)}`
}

// Without a stored hash the presented one is compared with itself: the work is the same, and the
// result is ignored.
function isSame(stored: string, shown: string): boolean {
  const isHash = stored.startsWith(hashPrefix) && stored.length === shown.length
  const digest = (isHash ? stored : shown).slice(hashPrefix.length)
  return equalDigests(digest, shown.slice(hashPrefix.length)) && isHash
}
