import {
  type CryptoKey,
  decodeProtectedHeader,
  errors,
  type JWTVerifyOptions,
  jwtVerify,
  type ProtectedHeaderParameters,
  SignJWT,
} from 'jose'
import { AuthConfigError, notSignedIn } from '../errors.js'
import type { AccessTokenClaims, JsonWebKeySet, TokenSigner } from './contract.js'
import { checkSigningKey, type ImportedKey, importSigningKey, type SigningAlgorithm, type SigningKey } from './key-material.js'

/** Options of {@link joseSigner}. */
export interface JoseSignerOptions {
  /** Who signs: an absolute URL, compared exactly (`iss`). No default. */
  readonly issuer: string
  /** Whom the token is for, compared exactly (`aud`). No default: a token without an audience is good everywhere. */
  readonly audience: string
  /** At least one. The first signs and must be private; all of them verify. To rotate, put the new one first. */
  readonly keys: readonly SigningKey[]
  /** Skew of clocks that is forgiven, in seconds, 0-60. Default 5. */
  readonly clockTolerance?: number
  /** Default: the system's clock. For tests. */
  readonly clock?: () => Date
}

// RFC 8725 §3.10: a token of ours fits easily; anything larger is not parsed at all.
const longestToken = 4096
const knownHeaders = new Set(['alg', 'kid', 'typ'])

/**
 * Signs and verifies access tokens with jose, as RFC 9068 JWTs (`typ: at+jwt`) that always carry a `kid`.
 *
 * The algorithm is fixed by the key and never taken from the token (RFC 8725 §3.1); `jku`, `jwk`, `x5u`, `crit` and any other
 * header beyond `alg`, `kid`, `typ` is refused; an unknown `kid` is refused without fetching anything.
 *
 * @throws AuthConfigError at once, for a weak or malformed key, a missing issuer or a missing audience
 *
 * @example
 * ```ts
 * import { joseSigner, generateSigningKey } from 'messaging-auth-router'
 *
 * const signer = joseSigner({
 *   issuer: 'https://chat.example.com',
 *   audience: 'chat',
 *   keys: [await generateSigningKey()],
 * })
 * ```
 */
export function joseSigner(options: JoseSignerOptions): TokenSigner {
  const { issuer, audience, clock, clockTolerance, algorithms } = checkOptions(options)
  const importAll = () => Promise.all(options.keys.map((key, i) => importSigningKey(key, algorithms[i] as SigningAlgorithm)))
  let imported: Promise<ImportedKey[]> | undefined
  const ring = () => (imported ??= importAll())

  return {
    async sign(claims) {
      const key = (await ring())[0] as ImportedKey
      return new SignJWT({ ...claims, client_id: audience })
        .setProtectedHeader({ alg: key.algorithm, typ: 'at+jwt', kid: key.kid })
        .setIssuer(issuer)
        .setAudience(audience)
        .sign(key.signingKey as CryptoKey)
    },

    async verify(token) {
      const key = chooseKey(token, await ring())
      const verification: JWTVerifyOptions = {
        algorithms: [key.algorithm],
        typ: 'at+jwt',
        issuer,
        audience,
        requiredClaims: ['sub', 'sid', 'iat', 'exp', 'jti'],
        clockTolerance,
        currentDate: clock(),
      }
      return checkedClaims(await verifySignature(token, key, verification), audience)
    },

    async publicKeys(): Promise<JsonWebKeySet> {
      return { keys: (await ring()).flatMap(({ publicJwk }) => (publicJwk === null ? [] : [{ ...publicJwk }])) }
    },
  }
}

function checkOptions(options: JoseSignerOptions) {
  const known = new Set(['issuer', 'audience', 'keys', 'clockTolerance', 'clock'])
  for (const name of Object.keys(options)) {
    if (!known.has(name))
      throw new AuthConfigError(`joseSigner.${name}`, 'is not an option.', `remove it; known: ${[...known].join(', ')}.`)
  }
  const { issuer, audience, keys, clockTolerance = 5, clock = () => new Date() } = options
  // jose treats an undefined issuer or audience as "do not check".
  requireText('joseSigner.issuer', issuer, 'the absolute URL of your server')
  requireText('joseSigner.audience', audience, 'a name for the API that accepts these tokens')
  if (!Array.isArray(keys) || keys.length === 0) {
    throw new AuthConfigError('joseSigner.keys', 'holds no key.', 'pass [await generateSigningKey()], or the key you stored.')
  }
  if (!Number.isInteger(clockTolerance) || clockTolerance < 0 || clockTolerance > 60) {
    throw new AuthConfigError('joseSigner.clockTolerance', 'is not a whole number from 0 to 60.', 'leave it out for 5 seconds.')
  }
  const algorithms = keys.map((key, i) => checkSigningKey(key, `joseSigner.keys[${i}]`))
  refuseUnusableRing(keys)
  return { issuer, audience, clock, clockTolerance, algorithms }
}

function refuseUnusableRing(keys: readonly SigningKey[]): void {
  const [first] = keys
  if (first?.kty !== 'oct' && first?.d === undefined) {
    throw new AuthConfigError('joseSigner.keys[0]', 'is public and cannot sign.', 'put the private key first.')
  }
  const kids = keys.flatMap(({ kid }) => (kid === undefined ? [] : [kid]))
  if (new Set(kids).size !== kids.length) {
    throw new AuthConfigError('joseSigner.keys', 'hold the same kid twice.', 'give each key a kid of its own, or none.')
  }
}

function requireText(option: string, value: unknown, what: string): void {
  if (typeof value === 'string' && value.trim() !== '') return
  throw new AuthConfigError(option, 'is not a non-empty string.', `set it to ${what}.`)
}

function chooseKey(token: string, ring: readonly ImportedKey[]): ImportedKey {
  if (token.length > longestToken) throw notSignedIn('token longer than 4096 characters')
  const header = readHeader(token)
  const foreign = Object.keys(header).find((name) => !knownHeaders.has(name))
  if (foreign !== undefined) throw notSignedIn('token header carries a member that is never sent')
  const key = ring.find(({ kid }) => kid === header.kid)
  if (key === undefined) throw notSignedIn('token names no key of this ring')
  return key
}

function readHeader(token: string): ProtectedHeaderParameters {
  try {
    return decodeProtectedHeader(token)
  } catch (cause) {
    throw notSignedIn(`token header unreadable: ${(cause as Error).name}`)
  }
}

async function verifySignature(token: string, key: ImportedKey, options: JWTVerifyOptions) {
  try {
    return (await jwtVerify(token, key.verifyingKey, options)).payload
  } catch (cause) {
    // Only what jose says about the token is a refusal; a fault of the platform must not look like one.
    if (cause instanceof errors.JOSEError) throw notSignedIn(`token refused: ${cause.code}`)
    throw cause
  }
}

// RFC 9068 §2.2. jose checks that claims are present, not that they are of the right type; `aud` as a list would let
// a token name others besides us.
function checkedClaims(payload: Readonly<Record<string, unknown>>, audience: string): AccessTokenClaims {
  const { sub, sid, iat, exp, jti, auth_time, amr, scope, aud } = payload
  const texts = [sub, sid, jti].every((value) => typeof value === 'string' && value !== '')
  const times = [iat, exp, auth_time].every((value) => Number.isSafeInteger(value))
  const methods = Array.isArray(amr) && amr.every((value) => typeof value === 'string')
  if (!texts || !times || !methods || typeof scope !== 'string' || aud !== audience) {
    throw notSignedIn('token claims incomplete or of the wrong type')
  }
  return { sub, sid, iat, exp, jti, auth_time, amr, scope } as AccessTokenClaims
}
