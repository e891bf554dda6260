import { constants, createHmac, type KeyObject, sign } from 'node:crypto'
import { promisify } from 'node:util'
import type { JWTPayload, ProtectedHeaderParameters } from 'jose'
import type { JWTVerifyOptions } from 'jose/jwt/verify'
import { notSignedIn } from '../errors.js'
import type { Soon } from '../lib/async.js'
import { ownMembers } from '../lib/check-options.js'
import { loadOnce } from '../lib/load-once.js'
import type { ImportedKey, KeyAlgorithm } from './key-material.js'

/** Characters. Our tokens are shorter; longer tokens are not parsed (RFC 8725 §3.10). */
export const maxTokenCharacters = 4096
const knownHeaders = new Set(['alg', 'kid', 'typ'])

// With the first token: a program that only imports the package does not need it.
const loadJose = loadOnce(async () => {
  const [{ decodeProtectedHeader }, { decodeJwt }, { jwtVerify }, { JOSEError }] =
    await Promise.all([
      import('jose/decode/protected_header'),
      import('jose/jwt/decode'),
      import('jose/jwt/verify'),
      import('jose/errors'),
    ])
  return { decodeProtectedHeader, decodeJwt, jwtVerify, JOSEError }
})

/** The unverified header of a token. */
export interface TokenHeader {
  readonly kid: string
  readonly alg: unknown
}

/** Checks size and header before anything else is parsed (RFC 8725 §3.10). */
export async function headerOf(token: string): Promise<TokenHeader> {
  if (token.length > maxTokenCharacters) throw notSignedIn('token longer than 4096 characters')
  const header = readHeader(token, await loadJose())
  const foreign = Object.keys(header).find((name) => !knownHeaders.has(name))
  if (foreign !== undefined) throw notSignedIn('token header carries a member that is never sent')
  if (typeof header.kid !== 'string') throw notSignedIn('token names no key')
  return { kid: header.kid, alg: header.alg }
}

function readHeader(
  token: string,
  { decodeProtectedHeader }: Awaited<ReturnType<typeof loadJose>>,
): ProtectedHeaderParameters {
  try {
    return decodeProtectedHeader(token)
  } catch (cause) {
    throw notSignedIn(`token header unreadable: ${(cause as Error).name}`)
  }
}

/** The audience that a token claims, unverified; null if it claims none or several. */
export async function claimedAudience(token: string): Promise<string | null> {
  if (token.length > maxTokenCharacters) return null
  const { decodeJwt } = await loadJose()
  try {
    const { aud } = decodeJwt(token)
    return typeof aud === 'string' ? aud : null
  } catch {
    return null
  }
}

/** The payload of a token, if this key has signed it and it satisfies `options`. */
export async function verifySignature(
  token: string,
  { verifyingKey, algorithm }: ImportedKey,
  options: JWTVerifyOptions,
): Promise<JWTPayload> {
  const { jwtVerify, JOSEError } = await loadJose()
  try {
    const verification = { ...options, algorithms: [algorithm] }
    return (await jwtVerify(token, verifyingKey, verification)).payload
  } catch (cause) {
    // Only an error of jose refuses the token; a fault of the platform must not look like one.
    if (cause instanceof JOSEError) throw notSignedIn(`token refused: ${cause.code}`)
    throw cause
  }
}

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
export function compactJws(
  algorithm: KeyAlgorithm,
  key: KeyObject,
  header: string,
  payload: string,
): Soon<string> {
  const signingInput = `${base64url(header)}.${base64url(payload)}`
  const signed = signatures[algorithm](Buffer.from(signingInput, 'latin1'), key)
  const withSignature = (bytes: Buffer) => `${signingInput}.${bytes.toString('base64url')}`
  return signed instanceof Promise ? signed.then(withSignature) : withSignature(signed)
}

function base64url(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64url')
}
