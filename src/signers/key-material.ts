import { createPrivateKey, createPublicKey, type JsonWebKey, sign, verify } from 'node:crypto'
import { type CryptoKey, calculateJwkThumbprint, exportJWK, generateKeyPair, importJWK, type JWK } from 'jose'
import { AuthConfigError } from '../errors.js'

/**
 * Algorithms for access tokens. `ES256` is the default. `HS256` needs no public key but lets every verifier forge, so it is
 * for one service that talks to itself. RSA with PKCS#1 v1.5 (`RS256`) is not offered (ASVS V11.6.1).
 */
export type SigningAlgorithm = 'ES256' | 'EdDSA' | 'PS256' | 'HS256'

/**
 * A signing key as a JSON Web Key (RFC 7517), ready for `JSON.stringify` and a secret manager. With the private part it signs
 * and verifies; a public one only verifies, which is all a retired key needs.
 */
export interface SigningKey extends JWK {
  readonly kty: string
  /** Default: what the key type allows (`EC` P-256: ES256, `OKP` Ed25519: EdDSA, `RSA`: PS256, `oct`: HS256). */
  readonly alg?: string
  /** Default: the RFC 7638 thumbprint. */
  readonly kid?: string
}

/** A key that has passed every check, imported once: jose is 1.7 times slower with raw bytes than with a CryptoKey. */
export interface ImportedKey {
  readonly kid: string
  readonly algorithm: SigningAlgorithm
  readonly signingKey: CryptoKey | null
  readonly verifyingKey: CryptoKey
  /** Null for HS256: a symmetric key has no public part. */
  readonly publicJwk: JWK | null
}

const publicMembers = ['kty', 'crv', 'x', 'y', 'n', 'e'] as const
const smallestRsaModulus = 3072 / 8
const smallestSecret = 32

/**
 * Makes a new signing key. Keep it where you keep passwords, and give every process the same one: a key made at start-up ends
 * all access tokens with every restart.
 *
 * @param algorithm default `ES256`
 * @returns the private key as a JWK with `kid` and `alg`; hand it to `joseSigner({ keys: [key] })`
 *
 * @example
 * ```ts
 * import { generateSigningKey } from 'messaging-auth-router'
 *
 * process.stdout.write(JSON.stringify(await generateSigningKey()))
 * ```
 */
export async function generateSigningKey(algorithm: SigningAlgorithm = 'ES256'): Promise<SigningKey> {
  if (algorithm === 'HS256') {
    const secret = crypto.getRandomValues(new Uint8Array(smallestSecret))
    return withKid({ kty: 'oct', k: Buffer.from(secret).toString('base64url'), alg: algorithm })
  }
  const { privateKey } = await generateKeyPair(algorithm, { extractable: true, modulusLength: 3072 })
  return withKid({ ...(await exportJWK(privateKey)), alg: algorithm })
}

async function withKid(jwk: JWK): Promise<SigningKey> {
  return { ...jwk, kty: jwk.kty as string, kid: await calculateJwkThumbprint(jwk) }
}

/** Everything about a key that can be known without waiting. Throws {@link AuthConfigError} naming the key's place. */
export function checkSigningKey(key: unknown, option: string): SigningAlgorithm {
  const remedy = 'pass the JWK that generateSigningKey() made, or one of P-256, Ed25519, RSA >= 3072 bits or 32 random bytes.'
  if (typeof key !== 'object' || key === null) throw new AuthConfigError(option, 'is not a JSON Web Key.', remedy)
  const jwk = key as SigningKey
  const natural = naturalAlgorithm(jwk)
  if (natural === null) throw new AuthConfigError(option, 'is of a type that is not offered.', remedy)
  if (jwk.alg !== undefined && jwk.alg !== natural) {
    throw new AuthConfigError(`${option}.alg`, `${String(jwk.alg)} does not fit the key.`, `leave it out, or set ${natural}.`)
  }
  if (jwk.kid !== undefined && (typeof jwk.kid !== 'string' || jwk.kid === '')) {
    throw new AuthConfigError(`${option}.kid`, 'is not a non-empty string.', 'leave it out; the thumbprint is used then.')
  }
  const problem = weakness(jwk) ?? malformation(jwk)
  if (problem !== null) throw new AuthConfigError(option, problem, remedy)
  return natural
}

function naturalAlgorithm({ kty, crv }: SigningKey): SigningAlgorithm | null {
  if (kty === 'EC') return crv === 'P-256' ? 'ES256' : null
  if (kty === 'OKP') return crv === 'Ed25519' ? 'EdDSA' : null
  if (kty === 'RSA') return 'PS256'
  return kty === 'oct' ? 'HS256' : null
}

// jose signs with an HMAC key of five bytes and an RSA key of 2048 bits without a word.
function weakness({ kty, k, n }: SigningKey): string | null {
  if (kty === 'oct' && byteLength(k) < smallestSecret) return `has ${byteLength(k)} bytes; HS256 needs 32 or more.`
  if (kty === 'RSA' && byteLength(n) < smallestRsaModulus) return `has ${byteLength(n) * 8} bits; RSA needs 3072 or more.`
  return null
}

// Checked by using it: a key whose parts do not belong together imports without a word, and would make every login a 503.
function malformation(jwk: SigningKey): string | null {
  const operation = jwk.d === undefined ? 'verify' : 'sign'
  if (jwk.use !== undefined && jwk.use !== 'sig') return 'is not for signatures ("use").'
  if (jwk.kty === 'oct') return isBase64url(jwk.k) ? null : 'is not base64url.'
  if (jwk.key_ops !== undefined && !jwk.key_ops.includes(operation)) return `may not ${operation} ("key_ops").`
  try {
    const publicKey = createPublicKey({ key: publicPart(jwk) as JsonWebKey, format: 'jwk' })
    if (jwk.d === undefined) return null
    const algorithm = jwk.kty === 'OKP' ? null : 'sha256'
    const signature = sign(algorithm, Buffer.alloc(32), createPrivateKey({ key: jwk as JsonWebKey, format: 'jwk' }))
    return verify(algorithm, Buffer.alloc(32), publicKey, signature) ? null : 'has a private part that belongs to another key.'
  } catch {
    return 'is not a well-formed key.'
  }
}

function isBase64url(text: unknown): boolean {
  return typeof text === 'string' && /^[\w-]+$/.test(text)
}

function publicPart(jwk: SigningKey): JWK {
  return Object.fromEntries(publicMembers.flatMap((name) => (name in jwk ? [[name, jwk[name]]] : []))) as JWK
}

function byteLength(base64url: unknown): number {
  return typeof base64url === 'string' ? Buffer.from(base64url, 'base64url').length : 0
}

/** Imports a key that {@link checkSigningKey} has passed. */
export async function importSigningKey(key: SigningKey, algorithm: SigningAlgorithm): Promise<ImportedKey> {
  const kid = key.kid ?? (await calculateJwkThumbprint(key))
  if (key.kty === 'oct') {
    const secret = await importHmacKey(key.k as string)
    return { kid, algorithm, signingKey: secret, verifyingKey: secret, publicJwk: null }
  }
  const bare = publicPart(key)
  return {
    kid,
    algorithm,
    signingKey: key.d === undefined ? null : ((await importJWK(key, algorithm)) as CryptoKey),
    verifyingKey: (await importJWK(bare, algorithm)) as CryptoKey,
    publicJwk: { ...bare, kid, alg: algorithm, use: 'sig' },
  }
}

function importHmacKey(k: string): Promise<CryptoKey> {
  const parameters = { name: 'HMAC', hash: 'SHA-256' }
  return crypto.subtle.importKey('raw', Buffer.from(k, 'base64url'), parameters, false, ['sign', 'verify'])
}
