import { hkdfSync } from 'node:crypto'
import { hmacSha256 } from '../lib/digest.js'
import { type HostCall, UnexpectedAnswer } from '../lib/host-call.js'
import type { IdentifierDigests } from '../throttle/login-keys.js'
import type { LoginIdentifier } from '../users/contract.js'

/** Replaces how identifiers are made canonical. Gets a checked identifier, returns the value to look up. */
export type CanonicalIdentifier = (identifier: LoginIdentifier) => string | Promise<string>

/**
 * The default: e-mail addresses and user names in lower case and Unicode form NFKC, `user` as it was typed, since it may be an id in which case
 * counts.
 */
export function lowerCaseNames({ kind, value }: LoginIdentifier): string {
  return kind === 'user' ? value : inLowerCase(value)
}

/** Makes the function that says what to look an identifier up by. Rejects with 503 where the host's own fails. */
export function createCanonical(
  canonicalIdentifier: CanonicalIdentifier,
  call: HostCall,
): (identifier: LoginIdentifier) => Promise<LoginIdentifier> {
  return async (identifier) => {
    const value = await call('canonicalIdentifier', async () => nonEmptyText(await canonicalIdentifier(identifier)))
    return { kind: identifier.kind, value }
  }
}

function nonEmptyText(value: unknown): string {
  if (typeof value === 'string' && value !== '') return value
  throw new UnexpectedAnswer('the answer is not a non-empty string')
}

/** Digests an identifier that was made canonical. */
export type DigestIdentifier = (identifier: LoginIdentifier) => IdentifierDigests

/**
 * Makes the digests. They are keyed where the host has an encryption key, since an unknown identifier is often a mistyped password; all
 * processes with the same key count together.
 */
export function identifierDigests(encryptionKeys: readonly Buffer[]): DigestIdentifier {
  const key = Buffer.from(hkdfSync('sha256', encryptionKeys[0] ?? '', '', 'messaging-auth-router:identifier', 32))
  return ({ kind, value }) => ({
    name: hmacSha256(key, inLowerCase(value)),
    exact: hmacSha256(key, JSON.stringify([kind, value])),
  })
}

// What is NFKC in upper case need not be in lower case: W with a ring is two characters, w with a ring is one.
function inLowerCase(value: string): string {
  return value.toLowerCase().normalize('NFKC')
}
