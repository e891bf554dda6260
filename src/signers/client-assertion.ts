import type { CryptoKey, JWK, ProtectedHeaderParameters } from 'jose'
import { decodeProtectedHeader } from 'jose/decode/protected_header'
import {
  JOSEError,
  JWSSignatureVerificationFailed,
  JWTClaimValidationFailed,
  JWTExpired,
} from 'jose/errors'
import { decodeJwt } from 'jose/jwt/decode'
import { ownMembers } from '../lib/check-options.js'

/** Why an assertion is refused. */
export type AssertionProblem =
  | 'assertion-malformed'
  | 'assertion-of-unknown-key'
  | 'unusable-key'
  | 'assertion-signature'
  | 'assertion-times'
  | 'assertion-audience'
  | 'assertion-claims'

/** A valid assertion is accepted once; its id is remembered until it expires. */
export type AssertionVerdict =
  | { readonly problem: null; readonly jti: string; readonly expiresAt: Date }
  | { readonly problem: AssertionProblem }

/** The values that an assertion must match. */
export interface AssertionRules {
  readonly clientId: string
  /** The client's public keys. */
  readonly keys: readonly object[]
  /** Accepted audiences. */
  readonly audiences: readonly string[]
  readonly now: Date
}

/** Algorithms by type and curve of a key, the default first. */
const algorithms: ReadonlyMap<string, readonly string[]> = new Map([
  ['EC P-256', ['ES256']],
  ['OKP Ed25519', ['EdDSA']],
  ['RSA', ['RS256', 'PS256']],
])

/** Algorithms of assertions. */
export const assertionAlgorithms: readonly string[] = [...algorithms.values()].flat()

/** Enough for an assertion with an RSA signature and a thumbprint of its key. */
const maxCharacters = 4096
const maxJtiCharacters = 256
/** Keys of a client; bounds the signature checks of one assertion. */
const maxKeys = 10
/** Maximum lifetime in seconds, so that few ids must be remembered. */
const maxSecondsAhead = 300
/** Tolerated skew of the client's clock, in seconds. */
const clockTolerance = 20

/** The client that an assertion claims, unverified; null if it is not an assertion. */
export function subjectOfAssertion(assertion: string): string | null {
  if (assertion.length > maxCharacters) return null
  try {
    const { sub } = decodeJwt(assertion)
    return typeof sub === 'string' && sub !== '' ? sub : null
  } catch {
    return null
  }
}

/**
 * Verifies a client's assertion, [RFC 7523 §3](https://www.rfc-editor.org/rfc/rfc7523#section-3).
 * The client's key fixes the algorithm. We must be the only audience: another audience could replay
 * the assertion here.
 */
export async function judgeAssertion(
  assertion: string,
  rules: AssertionRules,
): Promise<AssertionVerdict> {
  const header = headerOf(assertion)
  if (header === null) return { problem: 'assertion-malformed' }
  let problem: AssertionProblem = 'assertion-of-unknown-key'
  for (const jwk of fittingKeys(rules.keys, header)) {
    const verified = await verify(assertion, jwk, rules.now)
    if ('claims' in verified) return judgeClaims(verified.claims, rules)
    problem = verified.problem
    // Another key of the client may match.
    if (problem !== 'assertion-signature' && problem !== 'unusable-key') break
  }
  return { problem }
}

const types: ReadonlySet<unknown> = new Set([undefined, 'JWT', 'client-authentication+jwt'])

function headerOf(assertion: string): ProtectedHeaderParameters | null {
  if (assertion.length > maxCharacters) return null
  try {
    const header = ownMembers(decodeProtectedHeader(assertion))
    return types.has(header.typ) ? header : null
  } catch {
    return null
  }
}

function fittingKeys(
  keys: readonly object[],
  { alg, kid }: ProtectedHeaderParameters,
): readonly object[] {
  return keys.slice(0, maxKeys).filter((key) => {
    const jwk = ownMembers(key as JWK)
    return algorithmOf(jwk) === alg && (kid === undefined || jwk.kid === kid)
  })
}

/**
 * The one algorithm of a key; null if we support none. An RSA key without `alg` means RS256, the
 * most common.
 */
function algorithmOf({ kty, crv, alg, use = 'sig' }: JWK): string | null {
  const offered = algorithms.get(kty === 'RSA' ? kty : `${kty} ${crv}`)
  if (use !== 'sig' || offered === undefined) return null
  return offered.find((one) => alg === undefined || alg === one) ?? null
}

type Claims = Readonly<Record<string, unknown>>

async function verify(
  assertion: string,
  jwk: object,
  now: Date,
): Promise<{ readonly claims: Claims } | { readonly problem: AssertionProblem }> {
  const key = await importOnce(jwk)
  if (key === null) return { problem: 'unusable-key' }
  const { jwtVerify } = await import('jose/jwt/verify')
  try {
    const { payload } = await jwtVerify(assertion, key, {
      algorithms: [algorithmOf(ownMembers(jwk as JWK)) as string],
      currentDate: now,
      clockTolerance,
    })
    return { claims: ownMembers(payload) }
  } catch (cause) {
    return { problem: problemOf(cause) }
  }
}

// Only an error of jose refuses the assertion; a fault of the platform must not look like one.
function problemOf(cause: unknown): AssertionProblem {
  if (cause instanceof JWSSignatureVerificationFailed) return 'assertion-signature'
  if (cause instanceof JWTExpired) return 'assertion-times'
  if (cause instanceof JWTClaimValidationFailed && cause.claim === 'nbf') return 'assertion-times'
  if (cause instanceof JOSEError) return 'assertion-malformed'
  throw cause
}

const imported = new WeakMap<object, Promise<CryptoKey | null>>()

function importOnce(jwk: object): Promise<CryptoKey | null> {
  const known = imported.get(jwk)
  if (known !== undefined) return known
  const importing = importPublic(ownMembers(jwk as JWK))
  imported.set(jwk, importing)
  return importing
}

const minRsaBits = 2048

async function importPublic(jwk: JWK): Promise<CryptoKey | null> {
  const { kty, crv, x, y, n, e } = jwk
  const members = Object.entries({ kty, crv, x, y, n, e })
  const bare = Object.fromEntries(members.filter(([, value]) => value !== undefined))
  const { importJWK } = await import('jose/key/import')
  try {
    const key = (await importJWK(bare, algorithmOf(jwk) as string)) as CryptoKey
    // RFC 7518 §3.3.
    const { modulusLength: bits = minRsaBits } = key.algorithm as { modulusLength?: number }
    return bits < minRsaBits ? null : key
  } catch {
    return null
  }
}

// @auth/core sends a list of the issuer and the token endpoint, which are both ours. With a foreign
// audience in the list, the assertion could come from there.
// RFC 7519 §4.1.3, https://www.rfc-editor.org/rfc/rfc7519#section-4.1.3
function isForUsAlone(aud: unknown, audiences: readonly string[]): boolean {
  const named: readonly unknown[] = Array.isArray(aud) ? aud : [aud]
  const isOurs = (one: unknown) => audiences.some((own) => own === one)
  return named.length > 0 && named.length <= audiences.length && named.every(isOurs)
}

function judgeClaims(
  { iss, sub, aud, exp, jti }: Claims,
  { clientId, audiences, now }: AssertionRules,
): AssertionVerdict {
  if (iss !== clientId || sub !== clientId) return { problem: 'assertion-claims' }
  if (!isForUsAlone(aud, audiences)) return { problem: 'assertion-audience' }
  if (typeof jti !== 'string' || jti === '' || jti.length > maxJtiCharacters)
    return { problem: 'assertion-claims' }
  const seconds = now.getTime() / 1000
  if (typeof exp !== 'number' || exp > seconds + maxSecondsAhead + clockTolerance)
    return { problem: 'assertion-times' }
  // Remembered as long as the tolerance accepts it, in whole seconds like jose.
  const until = Math.floor(exp) + clockTolerance + 1
  return { problem: null, jti, expiresAt: new Date(until * 1000) }
}
