import {
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  type JsonWebKey,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto'
import type { CryptoKey, JWK } from 'jose'
import { AuthConfigError } from '../errors.js'
import { ownMembers } from '../lib/check-options.js'
import { sha256 } from '../lib/secrets.js'

/**
 * Algorithms for access tokens. `ES256` is the default. `HS256` is for one service that verifies
 * its own tokens: every verifier can also forge them. RSA with PKCS#1 v1.5 (`RS256`) is only
 * offered for ID tokens (ASVS V11.6.1).
 */
export type SigningAlgorithm = 'ES256' | 'EdDSA' | 'PS256' | 'HS256'

/**
 * Algorithms of keys. The algorithms of access tokens; `ES256` also for ID tokens, `RS256` only for
 * ID tokens.
 */
export type KeyAlgorithm = SigningAlgorithm | 'RS256'

/** The two kinds of keys, which no list or ring may mix. */
export type KeyPurpose = 'access-tokens' | 'rs256'

/** The kind of a key with this algorithm. */
export function purposeOf(algorithm: unknown): KeyPurpose {
  return algorithm === 'RS256' ? 'rs256' : 'access-tokens'
}

/**
 * A signing key as a JSON Web Key ([RFC 7517](https://www.rfc-editor.org/rfc/rfc7517)), ready for
 * `JSON.stringify` and a secret manager. A private key signs and verifies; a public key only
 * verifies, which is enough for a retired one.
 */
export interface SigningKey extends JWK {
  readonly kty: string
  /**
   * Default: by the key type (`EC` P-256: ES256, `OKP` Ed25519: EdDSA, `RSA`: PS256, `oct`: HS256;
   * RS256 in `joseSigner.rs256`).
   */
  readonly alg?: string
  /** Default: the thumbprint of [RFC 7638](https://www.rfc-editor.org/rfc/rfc7638). */
  readonly kid?: string
}

/** A key that has passed every check. */
export interface CheckedKey {
  readonly jwk: SigningKey
  readonly algorithm: KeyAlgorithm
  readonly kid: string
}

/** An imported key. */
export interface ImportedKey {
  readonly kid: string
  readonly algorithm: KeyAlgorithm
  /** Null for a public key. */
  readonly signingKey: KeyObject | null
  /** jose is 1.7 times slower with raw bytes than with a CryptoKey. */
  readonly verifyingKey: CryptoKey
  /** Null for HS256: a symmetric key has no public part. */
  readonly publicJwk: JWK | null
}

const publicMembers = ['kty', 'crv', 'x', 'y', 'n', 'e'] as const
const minRsaBits = 3072
const minSecretBytes = 32

/**
 * Makes a new signing key. Store it like a password, and give it to every process: a key made at
 * start-up would end all access tokens at each restart.
 *
 * @param algorithm default `ES256`
 * @returns the private key as a JWK with `kid` and `alg`; pass it to `joseSigner({ keys: [key] })`,
 * an `RS256` key to `joseSigner({ rs256: [key] })`
 *
 * @example
 * ```ts
 * import { generateSigningKey } from 'messaging-auth-router'
 *
 * process.stdout.write(JSON.stringify(await generateSigningKey()))
 * ```
 */
export async function generateSigningKey(algorithm: KeyAlgorithm = 'ES256'): Promise<SigningKey> {
  if (algorithm === 'HS256') {
    const secret = crypto.getRandomValues(new Uint8Array(minSecretBytes))
    return withKid({ kty: 'oct', k: Buffer.from(secret).toString('base64url'), alg: algorithm })
  }
  // The functions are loaded here: a process that is given its keys makes none.
  const { exportJWK } = await import('jose/key/export')
  const { generateKeyPair } = await import('jose/key/generate/keypair')
  const { privateKey } = await generateKeyPair(algorithm, {
    extractable: true,
    modulusLength: minRsaBits,
  })
  return withKid({ ...(await exportJWK(privateKey)), alg: algorithm })
}

function withKid(jwk: JWK): SigningKey {
  const key = { ...jwk, kty: jwk.kty as string }
  return { ...key, kid: thumbprint(key) }
}

const remedies: Readonly<Record<KeyPurpose, string>> = {
  'access-tokens':
    'pass the JWK that generateSigningKey() made, or one of P-256, Ed25519, RSA >= 3072 bits or ' +
    '32 random bytes.',
  rs256: "pass the JWK that generateSigningKey('RS256') made, or one of RSA >= 3072 bits.",
}

/**
 * Checks everything about a key that needs no `await`. It may be a JWK or its JSON text. Throws
 * {@link AuthConfigError}, which names the option.
 */
export function checkSigningKey(key: unknown, option: string, purpose: KeyPurpose): CheckedKey {
  const remedy = remedies[purpose]
  // A copy, so that later changes by the caller have no effect. The option decides the use of the
  // key, not its own members.
  const { key_ops, ext: _ext, use, ...members } = ownMembers(parsed(key, option, remedy))
  const jwk: SigningKey = ownMembers({ ...members, kty: String(members['kty']) })
  const natural = naturalAlgorithm(jwk, purpose)
  if (natural === null)
    throw new AuthConfigError(option, 'is of a type that is not offered.', remedy)
  refuseOtherAlgorithm(jwk, natural, option)
  if (jwk.kid !== undefined && (typeof jwk.kid !== 'string' || jwk.kid === '')) {
    throw new AuthConfigError(
      `${option}.kid`,
      'is not a non-empty string.',
      'leave it out; the thumbprint is used then.',
    )
  }
  const problem = misuse(jwk, use, key_ops) ?? weakness(jwk) ?? malformation(jwk)
  if (problem !== null) throw new AuthConfigError(option, problem, remedy)
  return { jwk, algorithm: natural, kid: jwk.kid ?? thumbprint(jwk) }
}

function refuseOtherAlgorithm({ alg }: SigningKey, natural: KeyAlgorithm, option: string): void {
  if (alg === undefined || alg === natural) return
  // The option decides: an RS256 key must not sign access tokens.
  if (alg === 'RS256')
    throw new AuthConfigError(
      `${option}.alg`,
      'RS256 is for ID tokens alone.',
      'pass the key as joseSigner.rs256.',
    )
  const remedy = `leave it out, or set ${natural}.`
  throw new AuthConfigError(`${option}.alg`, `${String(alg)} does not fit the key.`, remedy)
}

// A missing variable may arrive as `JSON.parse(process.env.KEY ?? '{}')`. Errors never repeat the
// text, which is secret.
function parsed(given: unknown, option: string, remedy: string): Readonly<Record<string, unknown>> {
  const isText = typeof given === 'string' && given.trim() !== ''
  const key = isText ? fromJson(given, option, remedy) : given
  const isEmpty =
    key === undefined ||
    key === '' ||
    (typeof key === 'object' && key !== null && Object.keys(key).length === 0)
  if (isEmpty)
    throw new AuthConfigError(option, 'is empty: is an environment variable not set?', remedy)
  if (typeof key === 'object' && key !== null && !Array.isArray(key))
    return key as Record<string, unknown>
  throw new AuthConfigError(option, 'is not a JSON Web Key.', remedy)
}

function fromJson(text: string, option: string, remedy: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new AuthConfigError(option, 'is text, and not the JSON of a JSON Web Key.', remedy)
  }
}

// RFC 7638 §3.2: the required members in alphabetical order.
function thumbprint(jwk: SigningKey): string {
  const members =
    {
      EC: ['crv', 'kty', 'x', 'y'],
      OKP: ['crv', 'kty', 'x'],
      RSA: ['e', 'kty', 'n'],
      oct: ['k', 'kty'],
    }[jwk.kty] ?? []
  return sha256(
    JSON.stringify(Object.fromEntries(members.map((name) => [name, jwk[name as keyof JWK]]))),
  )
}

function misuse({ d, kty }: SigningKey, use: unknown, operations: unknown): string | null {
  const operation = d === undefined && kty !== 'oct' ? 'verify' : 'sign'
  if (use !== undefined && use !== 'sig') return 'is not for signatures ("use").'
  if (operations === undefined || (Array.isArray(operations) && operations.includes(operation)))
    return null
  return `may not ${operation} ("key_ops").`
}

function naturalAlgorithm({ kty, crv }: SigningKey, purpose: KeyPurpose): KeyAlgorithm | null {
  if (purpose === 'rs256') return kty === 'RSA' ? 'RS256' : null
  if (kty === 'EC') return crv === 'P-256' ? 'ES256' : null
  if (kty === 'OKP') return crv === 'Ed25519' ? 'EdDSA' : null
  if (kty === 'RSA') return 'PS256'
  return kty === 'oct' ? 'HS256' : null
}

// jose accepts an HMAC key of five bytes and an RSA key of 2048 bits.
function weakness({ kty, k, n }: SigningKey): string | null {
  if (kty === 'RSA' && bitLength(n) < minRsaBits)
    return `has ${bitLength(n)} bits; RSA needs 3072 or more.`
  if (kty !== 'oct') return null
  const secret = bytesOf(k)
  if (secret.length < minSecretBytes) return `has ${secret.length} bytes; HS256 needs 32 or more.`
  return secret.every((byte) => byte === secret[0]) ? 'is one byte repeated.' : null
}

// The key is checked by signing: a key with mismatched parts imports without an error, and would
// make every login a 503.
function malformation(jwk: SigningKey): string | null {
  if (jwk.kty === 'oct') return isBase64url(jwk.k) ? null : 'is not base64url.'
  try {
    const publicKey = createPublicKey({ key: publicPart(jwk) as JsonWebKey, format: 'jwk' })
    if (jwk.d === undefined) return null
    const algorithm = jwk.kty === 'OKP' ? null : 'sha256'
    const signature = sign(algorithm, Buffer.alloc(32), privateKeyOf(jwk))
    return verify(algorithm, Buffer.alloc(32), publicKey, signature)
      ? null
      : 'has a private part that belongs to another key.'
  } catch {
    return 'is not a well-formed key.'
  }
}

function isBase64url(text: unknown): boolean {
  return typeof text === 'string' && /^[\w-]+$/.test(text)
}

function publicPart(jwk: SigningKey): JWK {
  return ownMembers(
    Object.fromEntries(publicMembers.flatMap((name) => (name in jwk ? [[name, jwk[name]]] : []))),
  ) as JWK
}

function bytesOf(base64url: unknown): Buffer {
  return typeof base64url === 'string' ? Buffer.from(base64url, 'base64url') : Buffer.alloc(0)
}

// Leading zeros do not count.
function bitLength(base64url: unknown): number {
  const bytes = bytesOf(base64url)
  const first = bytes.findIndex((byte) => byte !== 0)
  return first < 0 ? 0 : (bytes.length - first) * 8
}

/** Imports a key that {@link checkSigningKey} has accepted. */
export async function importSigningKey({ jwk, algorithm, kid }: CheckedKey): Promise<ImportedKey> {
  if (jwk.kty === 'oct') {
    const secret = Buffer.from(jwk['k'] as string, 'base64url')
    return {
      kid,
      algorithm,
      signingKey: createSecretKey(secret),
      verifyingKey: await importHmacKey(secret),
      publicJwk: null,
    }
  }
  const { importJWK } = await import('jose/key/import')
  const bare = publicPart(jwk)
  return {
    kid,
    algorithm,
    signingKey: jwk['d'] === undefined ? null : privateKeyOf(jwk),
    verifyingKey: (await importJWK(bare, algorithm)) as CryptoKey,
    publicJwk: { ...bare, kid, alg: algorithm, use: 'sig' },
  }
}

function privateKeyOf(jwk: SigningKey): KeyObject {
  return createPrivateKey({ key: jwk as JsonWebKey, format: 'jwk' })
}

function importHmacKey(secret: Buffer): Promise<CryptoKey> {
  const parameters = { name: 'HMAC', hash: 'SHA-256' }
  return crypto.subtle.importKey('raw', secret, parameters, false, ['verify'])
}
