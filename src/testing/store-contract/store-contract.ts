import { codesContract } from './codes.js'
import { endingContract } from './ending.js'
import { enrolmentRaces } from './enrolment-races.js'
import { enrolmentsContract } from './enrolments.js'
import { keysContract } from './keys.js'
import { codeLengths, factorLengths, sessionLengths, ticketLengths } from './lengths.js'
import { listingContract } from './listing.js'
import { methodsContract } from './methods.js'
import { processRaces } from './processes.js'
import { codesPurge, enrolmentsPurge, enrolmentsPurgeSpares, sessionsPurge, ticketsPurge } from './purging.js'
import { races } from './races.js'
import { recoveryCodesContract } from './recovery-codes.js'
import { redemptionContract } from './redemption.js'
import { resealingContract } from './resealing.js'
import { rotationContract } from './rotation.js'
import { secondFactorsContract } from './second-factors.js'
import { sessionsContract } from './sessions.js'
import { type ContractRunner, given, type StoreContractName, type StoresUnderTest } from './suite.js'
import { ticketsContract } from './tickets.js'

/** What {@link storeContract} tries, and how hard. */
export interface StoreContractOptions {
  /** What the stores are called in the report, such as `'my stores on PostgreSQL'`. */
  readonly name: string
  /** The contracts to check, one or more. */
  readonly contracts: readonly StoreContractName[]
  /** Makes the stores; called once, with the first test that runs. What it opens, you close. */
  readonly stores: () => StoresUnderTest | Promise<StoresUnderTest>
  /**
   * The address of a module whose default export makes the same stores over the same database. With it, the races are also run from
   * two child processes, which import it; Node must be able to run it as it is. Default: none, races stay within this process.
   */
  readonly processes?: URL
  /** How often an interleaving or a race of two processes is repeated. Default 20. */
  readonly rounds?: number
  /** Where the compiled file for the child processes lies, for tests that are bundled. Default: inside this package. */
  readonly workerUrl?: URL
}

/**
 * Registers the tests that a store of yours must pass: each one-time operation raced by 2, 10 and 100 callers, interleavings such as
 * revoke against rotate, expiry to the millisecond, keys compared bytewise, `purge`, and records that come back as they were saved. A
 * test that fails says what the contract promises, what happened, and why it matters.
 *
 * **The database**: with the tables made, reached by nobody else while the tests run, because `purge` deletes whatever is over. It need
 * not be empty: ids are random. Rows stay behind. Ids, hashes and sealed seeds come with up to 1024 bytes, other texts with up to 16,000
 * characters, of any text.
 *
 * **The runner**: `describe` and `it` of vitest, jest or `node:test`. The tests run one after the other; some take seconds on a remote
 * database, and those of `processes` start two processes each, so allow 30 seconds per test.
 *
 * @throws TypeError for `contracts` that name none, or one that does not exist, and for `rounds` below 1: such a suite would always pass
 *
 * @example
 * ```ts
 * import { memoryStores } from 'messaging-auth-router/stores/memory'
 * import { type ContractRunner, storeContract } from 'messaging-auth-router/testing'
 *
 * // import { describe, it } from 'vitest'
 * declare const describe: ContractRunner['describe']
 * declare const it: ContractRunner['it']
 *
 * storeContract({ describe, it }, {
 *   name: 'my stores',
 *   contracts: ['codes', 'sessions', 'secondFactors', 'tickets'],
 *   stores: () => memoryStores(), // yours
 *   // with `export default () => …`, for stores that several processes share:
 *   // processes: new URL('./my-stores.js', import.meta.url),
 * })
 * ```
 */
export function storeContract(runner: ContractRunner, options: StoreContractOptions): void {
  const contracts = checkContracts(options.contracts)
  const open = onceOpened(options.stores, contracts)
  const rounds = checkRounds(options.rounds ?? 20)
  const it: ContractRunner['it'] = (name, body) => runner.it(name, body)
  runner.describe(`${options.name} keeps the store contract`, () => {
    for (const contract of contracts) {
      runner.describe(contract, () => {
        registerers[contract](it, open, rounds)
        races(it, contract, open)
        if (options.processes !== undefined) {
          processRaces(it, contract, open, { module: options.processes, workerUrl: options.workerUrl, rounds })
        }
      })
    }
  })
}

type Registerer = (it: ContractRunner['it'], open: () => Promise<StoresUnderTest>, rounds: number) => void

const registerers: Readonly<Record<StoreContractName, Registerer>> = {
  codes: (it, open, rounds) => {
    const part = { it, store: async () => given(await open(), 'codes'), rounds }
    codesContract(part)
    codeLengths(part)
    redemptionContract(part)
    codesPurge(part)
  },
  sessions: (it, open, rounds) => {
    const part = { it, store: async () => given(await open(), 'sessions'), rounds }
    sessionsContract(part)
    sessionLengths(part)
    methodsContract(part)
    rotationContract(part)
    endingContract(part)
    listingContract(part)
    sessionsPurge(part)
  },
  secondFactors: (it, open, rounds) => {
    const part = { it, store: async () => given(await open(), 'secondFactors'), rounds }
    secondFactorsContract(part)
    resealingContract(part)
    recoveryCodesContract(part)
    enrolmentsContract(part)
    enrolmentRaces(part)
    factorLengths(part)
    enrolmentsPurge(part)
    enrolmentsPurgeSpares(part)
  },
  tickets: (it, open, rounds) => {
    const part = { it, store: async () => given(await open(), 'tickets'), rounds }
    ticketsContract(part)
    ticketLengths(part)
    ticketsPurge(part)
  },
  keys: (it, open, rounds) => keysContract({ it, store: async () => given(await open(), 'keys'), rounds }),
}

function checkContracts(contracts: readonly StoreContractName[]): readonly StoreContractName[] {
  const known = Object.keys(registerers)
  const unknown = contracts.filter((name) => !known.includes(name))
  if (contracts.length > 0 && unknown.length === 0) return [...new Set(contracts)]
  throw new TypeError(
    `contracts: name one or more of ${known.join(', ')}${unknown.length > 0 ? `, not ${unknown.join(', ')}` : ''}`,
  )
}

function checkRounds(rounds: number): number {
  if (Number.isInteger(rounds) && rounds >= 1) return rounds
  throw new TypeError('rounds: not a whole number above 0; leave it out for 20')
}

// Once for all tests, and only when one runs: a host that filters its tests must not need a database.
function onceOpened(make: StoreContractOptions['stores'], contracts: readonly StoreContractName[]): () => Promise<StoresUnderTest> {
  let opened: Promise<StoresUnderTest> | undefined
  const open = async () => {
    const stores = await make()
    for (const name of contracts) given(stores, name)
    return stores
  }
  return () => {
    opened ??= open()
    return opened
  }
}
