import { fromBase64Url } from '../platform.js'
import type { Begun } from './begun.js'
import { OAuthError } from './query.js'

/** Claims about the user. */
export interface Claims {
  /** The user's id. */
  readonly sub: string
  readonly name?: string
  readonly preferred_username?: string
  readonly [claim: string]: unknown
}

/** Allowed difference between clocks, in seconds. */
const skew = 60

/**
 * Reads an ID token from the token endpoint. The TLS connection to it replaces the check of the
 * signature ([OpenID Connect Core §3.1.3.7](https://openid.net/specs/openid-connect-core-1_0.html),
 * 6). Throws OAuthError.
 */
export function readIdToken(
  idToken: unknown,
  { issuer, nonce, maxAge }: Begun,
  clientId: string,
  now: number,
): Claims {
  const claims = claimsOf(idToken)
  const { iss, aud, exp, sub, auth_time: at } = claims
  const seconds = now / 1000
  const isRight =
    iss === issuer &&
    aud === clientId &&
    claims['nonce'] === nonce &&
    typeof sub === 'string' &&
    typeof exp === 'number' &&
    exp > seconds - skew &&
    (maxAge === null || (typeof at === 'number' && at > seconds - maxAge - skew))
  if (isRight) return claims as Claims
  throw new OAuthError('wrong-id-token', 'The ID token does not answer what was asked.')
}

function claimsOf(idToken: unknown): Readonly<Record<string, unknown>> {
  try {
    const [, payload = ''] = String(idToken).split('.')
    // The payload is UTF-8, which decodeURIComponent decodes.
    const bytes = Array.from(fromBase64Url(payload), (byte) => byte.toString(16).padStart(2, '0'))
    return Object(JSON.parse(decodeURIComponent(bytes.map((byte) => `%${byte}`).join(''))))
  } catch {
    return {}
  }
}
