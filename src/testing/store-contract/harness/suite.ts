import type { KeyStore } from '../../../signers/contract.js'
import type { ManagedClientStore } from '../../../stores/client-contract.js'
import type { AuthorizationCodeStore } from '../../../stores/code-contract.js'
import type { ConsentStore } from '../../../stores/consent-contract.js'
import type { SessionStore } from '../../../stores/contract.js'
import type { DeviceCodeStore } from '../../../stores/device-code-contract.js'
import type { IdentityStore } from '../../../stores/identity-contract.js'
import { type Moment, moments } from '../../../stores/new-records.js'
import type { OnceStore } from '../../../stores/once-contract.js'
import type { PasskeyStore } from '../../../stores/passkey-contract.js'
import type { ProofStore } from '../../../stores/proof-contract.js'
import type { SecondFactorStore } from '../../../stores/second-factor-contract.js'
import type { SocketTicketStore } from '../../../stores/ticket-contract.js'

/** The stores that {@link storeContract} tests: one for each contract in its options. */
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
  readonly proofs?: ProofStore
  readonly identities?: IdentityStore
  readonly deviceCodes?: DeviceCodeStore
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

/** What each part of the suite gets. */
export interface Part<Store> {
  /** Registers a test. Its body gets the store, and moments around the present. */
  readonly it: (title: string, body: (store: Store, at: Moment) => Promise<void>) => void
  /** Registers a test that depends on luck: its body runs `rounds` times. */
  readonly inRounds: (
    title: string,
    body: (store: Store, at: Moment, round: number) => Promise<void>,
  ) => void
  /** The store under test. The first test that asks for it opens it. */
  readonly store: () => Promise<Store>
  readonly rounds: number
  readonly expires: Expiry
}

/** The part for the tests of one store. */
export function partOf<Store>(
  it: ContractRunner['it'],
  store: () => Promise<Store>,
  { rounds, expires }: Pick<Part<Store>, 'rounds' | 'expires'>,
): Part<Store> {
  return {
    it: (title, body) => void it(title, async () => body(await store(), moments())),
    inRounds: (title, body) =>
      void it(title, async () => {
        const [tried, at] = [await store(), moments()]
        for (let round = 0; round < rounds; round += 1) await body(tried, at, round)
      }),
    store,
    rounds,
    expires,
  }
}

/** Tests of an optional member of a store. A store without it passes them. */
export function whereOffered<Store, Name extends keyof Store & string>(
  part: Part<Store>,
  name: Name,
): Part<Store & Required<Pick<Store, Name>>> {
  type Offering = Store & Required<Pick<Store, Name>>
  const isOffered = (store: Store): store is Offering =>
    store[name] !== undefined && store[name] !== null
  const title = (rest: string) => `${name}, where it is offered: ${rest}`
  return {
    ...part,
    store: async () => (await part.store()) as Offering,
    it: (rest, body) =>
      part.it(title(rest), async (store, at) => {
        if (isOffered(store)) await body(store, at)
      }),
    inRounds: (rest, body) =>
      part.inRounds(title(rest), async (store, at, round) => {
        if (isOffered(store)) await body(store, at, round)
      }),
  }
}

/**
 * More rows than a page, a batch or a list of parameters holds: 100 of DynamoDB, 500 of Firestore,
 * 1000 of authors who take that for enough.
 */
export const many = 1100

/** Starts all calls at once. Another of them is the first in each round. */
export async function atOnce<Calls extends readonly (() => Promise<unknown>)[]>(
  round: number,
  ...calls: Calls
): Promise<Awaited<ReturnType<Calls[number]>>[]> {
  const first = round % calls.length
  const inTurn = [...calls.slice(first), ...calls.slice(0, first)]
  return Promise.all(inTurn.map((call) => call())) as Promise<Awaited<ReturnType<Calls[number]>>[]>
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
