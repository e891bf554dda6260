import { hkdfSync } from 'node:crypto'
import { hmacSha256 } from '../lib/digest.js'
import type { LoginIdentifier } from '../users/contract.js'

/** Replaces how identifiers are made canonical. Gets a checked identifier, returns the value to look up. */
export type CanonicalIdentifier = (identifier: LoginIdentifier) => string | Promise<string>

/**
 * The default: e-mail addresses and user names in lower case, `user` as it was typed, since it may be an id in which case
 * counts.
 */
export function lowerCaseNames({ kind, value }: LoginIdentifier): string {
  return kind === 'user' ? value : value.toLowerCase()
}

/**
 * Makes the digest by which identifiers are counted and reported. It is keyed where the host has an encryption key, since an unknown
 * identifier is often a mistyped password; all processes with the same key count together. Case never makes two of one.
 */
export function identifierDigest(encryptionKeys: readonly Buffer[]): (value: string) => string {
  const key = Buffer.from(hkdfSync('sha256', encryptionKeys[0] ?? '', '', 'messaging-auth-router:identifier', 32))
  return (value) => hmacSha256(key, value.toLowerCase())
}
