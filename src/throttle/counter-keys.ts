import { networkOf, prefixesOf } from '../http/client-address.js'
import { deriveKey, hmacSha256 } from '../lib/secrets.js'
import type { LoginIdentifier } from '../users/contract.js'

/** Makes the key of a counter, so that the store has no name, address or user id in clear. */
export type CounterKey = (...parts: readonly string[]) => string

/**
 * Keys are keyed digests if the host has an encryption key: addresses are few enough to try all of
 * them. Processes with the same key count together.
 */
export function createCounterKey(encryptionKeys: readonly Buffer[]): CounterKey {
  const key = deriveKey('counter', encryptionKeys[0])
  // JSON is used so that no two lists of parts are the same text.
  return (...parts) => hmacSha256(key, JSON.stringify(parts))
}

/** The digests of an identifier, for counters and events. */
export interface IdentifierDigests {
  /** Equal for every case of letters and every field, so that another spelling gains no guesses. */
  readonly name: string
  /**
   * The digest of exactly this field and value, which lead to one account. This name in another
   * field may belong to another user, whose sign-in must not refund guesses made here.
   */
  readonly typed: string
}

/** Digests a canonical identifier. */
export type DigestIdentifier = (identifier: LoginIdentifier) => IdentifierDigests

// One digest for each subject: counters have their own prefixes, so they can share it.

/** The key of a network: an IPv4 address, or an IPv6 /64. */
export function networkKey(keyOf: CounterKey, ip: string | null): string {
  return keyOf('network', networkOf(ip))
}

/** The key of a network, and for IPv6 also the keys of the /56 and the /48. */
export function prefixKeys(keyOf: CounterKey, ip: string | null): readonly string[] {
  return prefixesOf(ip).map((prefix) => keyOf('network', prefix))
}

/** The key of a user. Null has one too, so that a login without a user does the same work. */
export function accountKey(keyOf: CounterKey, userId: string | null): string {
  // No user has an empty id.
  return keyOf('account', userId ?? '')
}

/** Keys of an attempt at a password. */
export interface AttemptKeys {
  /** The identifier in this network. */
  readonly here: string
  /** Failures of the field and value as typed in this network. */
  readonly failedHere: string
  /** Those failures while the account knew the network. */
  readonly failedWhereKnown: string
}

/** The keys of an identifier in a network. */
export function attemptKeys({ name, typed }: IdentifierDigests, network: string): AttemptKeys {
  return {
    here: `${name}.${network}`,
    failedHere: `${typed}.${network}`,
    failedWhereKnown: `${typed}.${network}.known`,
  }
}

/** Keys of an attempt whose account is known. */
export interface AccountKeys {
  /** The account over all identifiers; without a user, the identifier. */
  readonly total: string
  readonly account: string
  /** The account in this network. */
  readonly known: string
}

/** The identifier, and the key of the network. */
interface Counted {
  readonly identifier: Pick<IdentifierDigests, 'name'>
  readonly network: string
}

/** The keys of an account; null if no user has the name. */
export function accountKeys(
  keyOf: CounterKey,
  userId: string | null,
  { identifier: { name }, network }: Counted,
): AccountKeys {
  const account = accountKey(keyOf, userId)
  return { total: userId === null ? name : account, account, known: `${account}.${network}` }
}
