import type { KeyObject } from 'node:crypto'
import type { ProtectedHeaderParameters } from 'jose'
import { decodeProtectedHeader } from 'jose/decode/protected_header'
import { JOSEError } from 'jose/errors'
import { type JWTVerifyOptions, jwtVerify } from 'jose/jwt/verify'
import { AuthConfigError, notSignedIn } from '../errors.js'
import {
  callable,
  checkOptions,
  fitting,
  optionsOf,
  systemClock,
  text,
  whole,
} from '../lib/check-options.js'
import { UnexpectedAnswer } from '../lib/host-call.js'
import type { AccessTokenClaims, JsonWebKeySet, KeyRing, TokenSigner } from './contract.js'
import {
  type CheckedKey,
  type ImportedKey,
  importSigningKey,
  type SigningKey,
} from './key-material.js'
import { listRing } from './list-ring.js'
import { compactJws } from './signing-algorithms.js'

/** Options of {@link joseSigner}. */
export interface JoseSignerOptions {
  /** Who signs: an absolute URL, compared exactly (`iss`). No default. */
  readonly issuer: string
  /**
   * Whom the token is for, compared exactly (`aud`). No default: a token without an audience is
   * good everywhere.
   */
  readonly audience: string
  /**
   * A `keyRing()`; or a list of JWKs, each as an object or as its JSON text: the first signs and
   * must be private, all of them verify. To rotate a list, first add the new key at its end in
   * every process, then put it first, and take the old one out when its last token has ended. An
   * `undefined` entry, as from a missing environment variable, is refused by name.
   */
  readonly keys: readonly (SigningKey | string | undefined)[] | KeyRing
  /** Skew of clocks that is forgiven, in seconds, 0-60. Default 5. */
  readonly clockTolerance?: number
  /** Default: the system's clock. For tests. */
  readonly clock?: () => Date
}

// RFC 8725 §3.10: a token of ours fits easily; anything larger is not parsed at all.
const maxTokenCharacters = 4096
const knownHeaders = new Set(['alg', 'kid', 'typ'])

/**
 * Signs access tokens with `node:crypto` and verifies them with jose, as JWTs of
 * [RFC 9068](https://www.rfc-editor.org/rfc/rfc9068) (`typ: at+jwt`) that always carry a `kid`.
 *
 * The algorithm is fixed by the key and never taken from the token
 * ([RFC 8725 §3.1](https://www.rfc-editor.org/rfc/rfc8725#section-3.1)); `jku`, `jwk`, `x5u`,
 * `crit` and any other header beyond `alg`, `kid`, `typ` is refused; an unknown `kid` is refused
 * without fetching anything.
 *
 * @throws AuthConfigError at once, for a weak or malformed key, a missing issuer or a missing
 * audience
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
  const { issuer, audience, clock, clockTolerance, keys } = checkOptions(rules, options)
  const ring = isRing(keys) ? keys : listRing(withoutRing(keys), 'joseSigner.keys')
  const importOnce = createImporter()

  async function verifyAt(token: string, tolerance: number): Promise<AccessTokenClaims> {
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
      clockTolerance: tolerance,
      currentDate: clock(),
    }
    return checkedClaims(await verifySignature(token, key, verification), audience)
  }

  return {
    async sign(claims) {
      const { active } = await ring.snapshot()
      if (active === null) {
        throw new UnexpectedAnswer(
          'the signing key whose time it is cannot be opened with the encryption keys of this ring',
        )
      }
      const { algorithm, kid, signingKey } = await importOnce(active)
      const header = JSON.stringify({ alg: algorithm, typ: 'at+jwt', kid })
      const payload = JSON.stringify({ ...claims, client_id: audience, iss: issuer, aud: audience })
      const token = await compactJws(algorithm, signingKey as KeyObject, header, payload)
      // No guard would take it. Better an outage that is told now than a user who is signed in
      // nowhere.
      if (token.length <= maxTokenCharacters) return token
      throw new UnexpectedAnswer(
        `a token of ${token.length} characters is refused by ${maxTokenCharacters}: is its scope ` +
          'too long?',
      )
    },

    verify: (token) => verifyAt(token, clockTolerance),

    // By an endless tolerance: jose knows no other way to leave the time out.
    verifyExpired: (token) => verifyAt(token, Number.MAX_SAFE_INTEGER),

    async publicKeys(): Promise<JsonWebKeySet> {
      const imported = await Promise.all((await ring.snapshot()).all.map(importOnce))
      return {
        keys: imported.flatMap(({ publicJwk }) => (publicJwk === null ? [] : [{ ...publicJwk }])),
      }
    },

    ready: () => ring.ready(),
    ...(ring.longestToken !== undefined && { longestToken: ring.longestToken }),
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

const rules = {
  factory: 'joseSigner',
  schema: optionsOf({
    // jose treats an undefined issuer or audience as "do not check".
    issuer: text(),
    audience: text(),
    keys: fitting<JoseSignerOptions['keys']>(
      (keys) => Array.isArray(keys) || isRing(keys),
      'is neither a list of keys nor a ring.',
    ),
    clockTolerance: whole(0, 60).default(5),
    clock: callable<() => Date>().default(() => systemClock),
  }),
  remedies: {
    issuer: 'set it to the absolute URL of your server.',
    audience: 'set it to a name for the API that accepts these tokens.',
    keys: 'pass [await generateSigningKey()], or the key you stored, or a keyRing().',
  },
}

function isRing(keys: unknown): keys is KeyRing {
  return typeof (keys as Partial<KeyRing> | null | undefined)?.snapshot === 'function'
}

function withoutRing(keys: readonly unknown[]): readonly unknown[] {
  const place = keys.findIndex(isRing)
  if (place < 0) return keys
  throw new AuthConfigError(
    `joseSigner.keys[${place}]`,
    'is a key ring in a list.',
    'pass the ring itself, not in a list: keys: ring.',
  )
}

// Size and header are judged before anything is parsed further (RFC 8725 §3.10).
function kidOf(token: string): string {
  if (token.length > maxTokenCharacters) throw notSignedIn('token longer than 4096 characters')
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
    // Only what jose says about the token is a refusal; a fault of the platform must not look like
    // one.
    if (cause instanceof JOSEError) throw notSignedIn(`token refused: ${cause.code}`)
    throw cause
  }
}

// RFC 9068 §2.2. jose checks that claims are present, not that they are of the right type; `aud` as
// a list would let a token name others besides us.
function checkedClaims(
  payload: Readonly<Record<string, unknown>>,
  audience: string,
): AccessTokenClaims {
  const { sub, sid, iat, exp, jti, auth_time, amr, scope, aud } = payload
  const texts = [sub, sid, jti].every((value) => typeof value === 'string' && value !== '')
  const times = [iat, exp, auth_time].every((value) => Number.isSafeInteger(value))
  const methods = Array.isArray(amr) && amr.every((value) => typeof value === 'string')
  if (!texts || !times || !methods || typeof scope !== 'string' || aud !== audience) {
    throw notSignedIn('token claims incomplete or of the wrong type')
  }
  return { sub, sid, iat, exp, jti, auth_time, amr, scope } as AccessTokenClaims
}
