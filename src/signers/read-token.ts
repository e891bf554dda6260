import type { JWTPayload, ProtectedHeaderParameters } from 'jose'
import { decodeProtectedHeader } from 'jose/decode/protected_header'
import { JOSEError } from 'jose/errors'
import { decodeJwt } from 'jose/jwt/decode'
import type { JWTVerifyOptions } from 'jose/jwt/verify'
import { notSignedIn } from '../errors.js'
import type { ImportedKey } from './key-material.js'

/**
 * Characters. Our tokens are shorter; longer ones are not parsed (RFC 8725 §3.10).
 */
export const maxTokenCharacters = 4096
const knownHeaders = new Set(['alg', 'kid', 'typ'])

/** The unverified header of a token. */
export interface TokenHeader {
  readonly kid: string
  readonly alg: unknown
}

/** Checks size and header before anything else is parsed (RFC 8725 §3.10). */
export function headerOf(token: string): TokenHeader {
  if (token.length > maxTokenCharacters) throw notSignedIn('token longer than 4096 characters')
  const header = readHeader(token)
  const foreign = Object.keys(header).find((name) => !knownHeaders.has(name))
  if (foreign !== undefined) throw notSignedIn('token header carries a member that is never sent')
  if (typeof header.kid !== 'string') throw notSignedIn('token names no key')
  return { kid: header.kid, alg: header.alg }
}

function readHeader(token: string): ProtectedHeaderParameters {
  try {
    return decodeProtectedHeader(token)
  } catch (cause) {
    throw notSignedIn(`token header unreadable: ${(cause as Error).name}`)
  }
}

/** The audience that a token claims, unverified; null if it claims none or several. */
export function claimedAudience(token: string): string | null {
  if (token.length > maxTokenCharacters) return null
  try {
    const { aud } = decodeJwt(token)
    return typeof aud === 'string' ? aud : null
  } catch {
    return null
  }
}

// Loaded with the first token: whoever only imports the package does not need it.
let verifying: Promise<typeof import('jose/jwt/verify')> | undefined

/** The payload of a token, if this key has signed it and it satisfies `options`. */
export async function verifySignature(
  token: string,
  { verifyingKey, algorithm }: ImportedKey,
  options: JWTVerifyOptions,
): Promise<JWTPayload> {
  verifying ??= import('jose/jwt/verify')
  const { jwtVerify } = await verifying
  try {
    const verification = { ...options, algorithms: [algorithm] }
    return (await jwtVerify(token, verifyingKey, verification)).payload
  } catch (cause) {
    // Only an error of jose refuses the token; a fault of the platform must not look like one.
    if (cause instanceof JOSEError) throw notSignedIn(`token refused: ${cause.code}`)
    throw cause
  }
}
