import type { KeyStore } from '../../../signers/contract.js'
import type { ManagedClientStore } from '../../../stores/client-contract.js'
import type { AuthorizationCodeStore } from '../../../stores/code-contract.js'
import type { ConsentStore } from '../../../stores/consent-contract.js'
import type { SessionStore } from '../../../stores/contract.js'
import type { OnceStore } from '../../../stores/once-contract.js'
import type { PasskeyStore } from '../../../stores/passkey-contract.js'
import type { SecondFactorStore } from '../../../stores/second-factor-contract.js'
import type { SocketTicketStore } from '../../../stores/ticket-contract.js'

/**
 * The stores a {@link storeContract} is to be tried on: one for each contract it was asked to
 * check.
 */
export interface StoresUnderTest {
  readonly codes?: AuthorizationCodeStore
  readonly sessions?: SessionStore
  readonly secondFactors?: SecondFactorStore
  readonly tickets?: SocketTicketStore
  readonly keys?: KeyStore
  readonly consents?: ConsentStore
  readonly once?: OnceStore
  readonly clients?: ManagedClientStore
  readonly passkeys?: PasskeyStore
}

/**
 * The two functions of a test runner that the suite uses. Those of vitest, jest and `node:test` fit
 * as they are.
 */
export interface ContractRunner {
  describe(name: string, body: () => void): unknown
  it(name: string, body: () => Promise<void>): unknown
}

/** The name of one contract. */
export type StoreContractName = keyof StoresUnderTest

/** Who deletes what is over: `purge`, or the database by itself. */
export type Expiry = 'purge' | 'database'

/** What each part of the suite is handed. */
export interface Part<Store> {
  readonly it: ContractRunner['it']
  /** The store to be tried; made with the first test that asks. */
  readonly store: () => Promise<Store>
  /** How often an interleaving is tried that depends on luck. */
  readonly rounds: number
  readonly expires: Expiry
}

/** The store of that name, which `stores()` promised. */
export function given<Name extends StoreContractName>(
  stores: StoresUnderTest,
  name: Name,
): NonNullable<StoresUnderTest[Name]> {
  const store = stores?.[name]
  if (store === undefined || store === null)
    throw new TypeError(`contracts names '${name}', but stores() gave no ${name}`)
  return store
}
