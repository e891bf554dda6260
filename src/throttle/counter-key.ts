import { hkdfSync } from 'node:crypto'
import { hmacSha256 } from '../lib/digest.js'

/** Names what is counted, so that the counter store holds no name, address or user id in clear. */
export type CounterKey = (...parts: readonly string[]) => string

/**
 * Makes the keys of the counters: keyed digests where the host has an encryption key, since there are few enough addresses to try them
 * all. Every process with the same key counts together.
 */
export function createCounterKey(encryptionKeys: readonly Buffer[]): CounterKey {
  const key = Buffer.from(hkdfSync('sha256', encryptionKeys[0] ?? '', '', 'messaging-auth-router:counter', 32))
  // As JSON, so that no two lists of parts are the same text.
  return (...parts) => hmacSha256(key, JSON.stringify(parts))
}
