import { networkOf } from '../http/client-address.js'
import { deriveKey } from '../lib/derive-key.js'
import { hmacSha256 } from '../lib/digest.js'

/** Names what is counted, so that the counter store holds no name, address or user id in clear. */
export type CounterKey = (...parts: readonly string[]) => string

/**
 * Makes the keys of the counters: keyed digests where the host has an encryption key, since there
 * are few enough addresses to try them all. Every process with the same key counts together.
 */
export function createCounterKey(encryptionKeys: readonly Buffer[]): CounterKey {
  const key = deriveKey('counter', encryptionKeys[0])
  // As JSON, so that no two lists of parts are the same text.
  return (...parts) => hmacSha256(key, JSON.stringify(parts))
}

/** What an identifier is counted and reported by. */
export interface IdentifierDigests {
  /**
   * The same in each case of letters and each field, so that a guess gains nothing by writing it
   * anew.
   */
  readonly name: string
  /**
   * Of exactly this field and value, which lead to one account. The same name elsewhere may be
   * another's, whose owner must not be able to give back by a sign-in what was guessed here.
   */
  readonly typed: string
}

/** The keys of an identifier: in this network, and over all. */
export interface IdentifierKeys {
  readonly here: string
  readonly everywhere: string
  /** What the field and value as typed have failed in this network. */
  readonly failedHere: string
  /** The same, while the account knew the network. */
  readonly failedWhereKnown: string
}

/** Makes the keys of an identifier. */
export function identifierKeys(
  keyOf: CounterKey,
  { name, typed }: IdentifierDigests,
  ip: string | null,
): IdentifierKeys {
  return {
    here: keyOf('account', name, networkOf(ip)),
    everywhere: keyOf('identifier', name),
    failedHere: keyOf('failed', typed, networkOf(ip)),
    failedWhereKnown: keyOf('failed-known', typed, networkOf(ip)),
  }
}

/** The key of a user over all identifiers; without a user, attempts are counted by identifier. */
export function userKey(
  keyOf: CounterKey,
  userId: string | null,
  { name }: IdentifierDigests,
): string {
  return userId === null ? keyOf('account-total', '', name) : keyOf('account-total', userId)
}

/** The key of what a user has failed in a network that the account knows. */
export function knownNetworkKey(
  keyOf: CounterKey,
  userId: string | null,
  ip: string | null,
): string {
  return keyOf('known-network', userId ?? '', networkOf(ip))
}
