import {
  CompactSign,
  type CryptoKey,
  decodeProtectedHeader,
  errors,
  type JWTVerifyOptions,
  jwtVerify,
  type ProtectedHeaderParameters,
} from 'jose'
import { AuthConfigError, notSignedIn } from '../errors.js'
import type { AccessTokenClaims, JsonWebKeySet, KeyRing, TokenSigner } from './contract.js'
import { type CheckedKey, type ImportedKey, importSigningKey, type SigningKey } from './key-material.js'
import { listRing } from './list-ring.js'

/** Options of {@link joseSigner}. */
export interface JoseSignerOptions {
  /** Who signs: an absolute URL, compared exactly (`iss`). No default. */
  readonly issuer: string
  /** Whom the token is for, compared exactly (`aud`). No default: a token without an audience is good everywhere. */
  readonly audience: string
  /**
   * A `keyRing()`; or a list: the first signs and must be private, all of them verify. To rotate a list, first add the new key at its end
   * in every process, then put it first, and take the old one out when its last token has ended.
   */
  readonly keys: readonly SigningKey[] | KeyRing
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
  const { issuer, audience, clock, clockTolerance, ring } = checkOptions(options)
  const importOnce = createImporter()

  return {
    async sign(claims) {
      const key = await importOnce((await ring.snapshot()).active)
      // Not `SignJWT`: it clones the claims deeply, for setters of which none is needed here.
      const payload = JSON.stringify({ ...claims, client_id: audience, iss: issuer, aud: audience })
      return new CompactSign(new TextEncoder().encode(payload))
        .setProtectedHeader({ alg: key.algorithm, typ: 'at+jwt', kid: key.kid })
        .sign(key.signingKey as CryptoKey)
    },

    async verify(token) {
      const kid = kidOf(token)
      const chosen = (await ring.snapshot(kid)).all.find((key) => key.kid === kid)
      if (chosen === undefined) throw notSignedIn('token names no key of this ring')
      const key = await importOnce(chosen)
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
      const imported = await Promise.all((await ring.snapshot()).all.map(importOnce))
      return { keys: imported.flatMap(({ publicJwk }) => (publicJwk === null ? [] : [{ ...publicJwk }])) }
    },
  }
}

// Each key is imported once; an import that failed is tried again.
function createImporter(): (key: CheckedKey) => Promise<ImportedKey> {
  const imported = new Map<string, Promise<ImportedKey>>()
  return (key) => {
    const known = imported.get(key.kid)
    if (known !== undefined) return known
    const importing = importSigningKey(key).catch((error: unknown) => {
      imported.delete(key.kid)
      throw error
    })
    imported.set(key.kid, importing)
    return importing
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
  if (!Number.isInteger(clockTolerance) || clockTolerance < 0 || clockTolerance > 60) {
    throw new AuthConfigError('joseSigner.clockTolerance', 'is not a whole number from 0 to 60.', 'leave it out for 5 seconds.')
  }
  if (typeof clock !== 'function')
    throw new AuthConfigError('joseSigner.clock', 'is not a function.', 'leave it out, or pass () => Date.')
  const ring = isRing(keys) ? keys : listRing(keys, 'joseSigner.keys')
  return { issuer, audience, clock, clockTolerance, ring }
}

function isRing(keys: JoseSignerOptions['keys']): keys is KeyRing {
  return typeof (keys as Partial<KeyRing> | null | undefined)?.snapshot === 'function'
}

function requireText(option: string, value: unknown, what: string): void {
  if (typeof value === 'string' && value.trim() !== '') return
  throw new AuthConfigError(option, 'is not a non-empty string.', `set it to ${what}.`)
}

// Size and header are judged before anything is parsed further (RFC 8725 §3.10).
function kidOf(token: string): string {
  if (token.length > longestToken) throw notSignedIn('token longer than 4096 characters')
  const header = readHeader(token)
  const foreign = Object.keys(header).find((name) => !knownHeaders.has(name))
  if (foreign !== undefined) throw notSignedIn('token header carries a member that is never sent')
  if (typeof header.kid !== 'string') throw notSignedIn('token names no key')
  return header.kid
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
