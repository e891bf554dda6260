import type { JWTPayload, ProtectedHeaderParameters } from 'jose'
import { decodeProtectedHeader } from 'jose/decode/protected_header'
import { JOSEError } from 'jose/errors'
import { type JWTVerifyOptions, jwtVerify } from 'jose/jwt/verify'
import { notSignedIn } from '../errors.js'
import type { ImportedKey } from './key-material.js'

/**
 * RFC 8725 §3.10: a token of ours fits easily; anything larger is not parsed at all. Characters.
 */
export const maxTokenCharacters = 4096
const knownHeaders = new Set(['alg', 'kid', 'typ'])

/** What the header of a token says, of which nothing is proven. */
export interface TokenHeader {
  readonly kid: string
  readonly alg: unknown
}

/** Judges size and header, before anything is parsed further (RFC 8725 §3.10). */
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

/** The payload of a token that this key has signed, and that is as `options` want it. */
export async function verifySignature(
  token: string,
  { verifyingKey, algorithm }: ImportedKey,
  options: JWTVerifyOptions,
): Promise<JWTPayload> {
  try {
    const verification = { ...options, algorithms: [algorithm] }
    return (await jwtVerify(token, verifyingKey, verification)).payload
  } catch (cause) {
    // Only what jose says about the token is a refusal; a fault of the platform must not look like
    // one.
    if (cause instanceof JOSEError) throw notSignedIn(`token refused: ${cause.code}`)
    throw cause
  }
}
