import { constants, createHmac, type KeyObject, sign } from 'node:crypto'
import { promisify } from 'node:util'
import { ownMembers } from '../lib/check-options.js'
import type { KeyAlgorithm } from './key-material.js'

type SignBytes = (bytes: Buffer, key: KeyObject) => Buffer | Promise<Buffer>

const signElsewhere = promisify(sign)

/**
 * The offered algorithms of [RFC 7518 §3.1](https://www.rfc-editor.org/rfc/rfc7518#section-3.1) and
 * [RFC 8037 §3.1](https://www.rfc-editor.org/rfc/rfc8037#section-3.1).
 *
 * Elliptic curves and HMAC sign on the main thread, which takes less time than a thread switch. RSA
 * takes milliseconds, so it signs in the thread pool.
 */
const signatures: Readonly<Record<KeyAlgorithm, SignBytes>> = {
  // R and S concatenated, RFC 7518 §3.4; OpenSSL's default is DER.
  ES256: (bytes, key) => sign('sha256', bytes, ownMembers({ key, dsaEncoding: 'ieee-p1363' })),
  EdDSA: (bytes, key) => sign(null, bytes, ownMembers({ key })),
  PS256: (bytes, key) => signElsewhere('sha256', bytes, ownMembers({ key, ...pss })),
  RS256: (bytes, key) => signElsewhere('sha256', bytes, ownMembers({ key, ...pkcs1 })),
  HS256: (bytes, key) => createHmac('sha256', key).update(bytes).digest(),
}

/** The offered algorithms. */
export const signingAlgorithms: readonly string[] = Object.keys(signatures)

// RFC 7518 §3.3. Explicit instead of a platform default.
const pkcs1 = { padding: constants.RSA_PKCS1_PADDING }
// The salt has the length of the hash, RFC 7518 §3.5.
const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }

/**
 * Signs a JWS in the compact serialization,
 * [RFC 7515 §3.1](https://www.rfc-editor.org/rfc/rfc7515#section-3.1) and
 * [§7.1](https://www.rfc-editor.org/rfc/rfc7515#section-7.1). The header must name the algorithm.
 *
 * With `node:crypto`: Web Crypto takes twice the time for elliptic curves.
 *
 * @param header - its JSON text
 */
export async function compactJws(
  algorithm: KeyAlgorithm,
  key: KeyObject,
  header: string,
  payload: string,
): Promise<string> {
  const signingInput = `${base64url(header)}.${base64url(payload)}`
  const signature = await signatures[algorithm](Buffer.from(signingInput, 'latin1'), key)
  return `${signingInput}.${signature.toString('base64url')}`
}

function base64url(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64url')
}
