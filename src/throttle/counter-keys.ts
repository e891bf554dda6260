import { networkOf, prefixesOf } from '../http/client-address.js'
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

// Each of them is one digest. Counters have prefixes of their own, so one digest serves them all.

/** The key of a network: an IPv4 address, or an IPv6 /64. */
export function networkKey(keyOf: CounterKey, ip: string | null): string {
  return keyOf('network', networkOf(ip))
}

/** The same, and in IPv6 the keys of the /56 and the /48 as well. */
export function prefixKeys(keyOf: CounterKey, ip: string | null): readonly string[] {
  return prefixesOf(ip).map((prefix) => keyOf('network', prefix))
}

/** The key of a user. One for no user as well, so that a login for nobody does the same work. */
export function accountKey(keyOf: CounterKey, userId: string | null): string {
  // No user has an empty id.
  return keyOf('account', userId ?? '')
}

/** What one attempt at a password is counted by. */
export interface AttemptKeys {
  /** The identifier in this network. */
  readonly here: string
  /** What the field and value as typed have failed in this network. */
  readonly failedHere: string
  /** The same, while the account knew the network. */
  readonly failedWhereKnown: string
}

/** Makes the keys of an identifier in a network. */
export function attemptKeys({ name, typed }: IdentifierDigests, network: string): AttemptKeys {
  return {
    here: `${name}.${network}`,
    failedHere: `${typed}.${network}`,
    failedWhereKnown: `${typed}.${network}.known`,
  }
}

/** What an attempt is counted by once its account is known. */
export interface AccountKeys {
  /** Over all identifiers; without a user, attempts are counted by identifier. */
  readonly total: string
  readonly account: string
  /** The account in this network. */
  readonly known: string
}

/** By what name, and from which network: its key. */
interface Counted {
  readonly identifier: Pick<IdentifierDigests, 'name'>
  readonly network: string
}

/** Makes the keys of an account, null where nobody has the name. */
export function accountKeys(
  keyOf: CounterKey,
  userId: string | null,
  { identifier: { name }, network }: Counted,
): AccountKeys {
  const account = accountKey(keyOf, userId)
  return { total: userId === null ? name : account, account, known: `${account}.${network}` }
}
