import { equalInConstantTime, sha256 } from '../lib/secrets.js'

/**
 * `S256` of [RFC 7636 §4.2](https://www.rfc-editor.org/rfc/rfc7636#section-4.2): a SHA-256 in
 * base64url, 43 characters. `plain` is not supported (ASVS V10.4.6).
 */
export const codeChallengePattern: RegExp = /^[A-Za-z0-9_-]{43}$/

/**
 * [RFC 7636 §4.1](https://www.rfc-editor.org/rfc/rfc7636#section-4.1): 43 to 128 unreserved
 * characters.
 */
export const codeVerifierPattern: RegExp = /^[A-Za-z0-9._~-]{43,128}$/

/** Whether the verifier is the one the challenge was made from. */
export function verifierMatches(verifier: string, challenge: string): boolean {
  return equalInConstantTime(sha256(verifier), challenge)
}
