import { networkOf } from '../http/client-address.js'
import type { CounterKey } from './counter-key.js'

/** What an identifier is counted and reported by. */
export interface IdentifierDigests {
  /** The same for each way to write a name and each field it can stand in, so that a guess gains nothing by writing it anew. */
  readonly name: string
  /** Of exactly this field and value, which is what one account is looked up by. The same name elsewhere may be another account's. */
  readonly exact: string
}

/** What the counters of passwords count one attempt by. */
export interface LoginKeys {
  readonly network: string
  /** Identifier and network. */
  readonly account: string
  readonly identifier: string
  /** Field, value and network: what has signed in before. */
  readonly known: string
  /** What was tried on an account, or on nobody's: over all networks for `unknown-networks`, else in this one. */
  against(what: 'account' | 'pauses' | 'known-network' | 'unknown-networks', userId: string | null): string
}

/** The keys of one attempt. */
export function loginKeys(keyOf: CounterKey, { name, exact }: IdentifierDigests, ip: string | null): LoginKeys {
  const network = networkOf(ip)
  return {
    network: keyOf('network', network),
    account: keyOf('account', name, network),
    identifier: keyOf('identifier', name),
    known: keyOf('known', exact, network),
    // No user has an empty id.
    against: (what, userId) => keyOf('against', what, name, what === 'unknown-networks' ? '' : network, userId ?? ''),
  }
}
