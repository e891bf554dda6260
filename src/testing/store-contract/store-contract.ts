import { AssertionError } from 'node:assert/strict'
import { raceWinners } from '../../lib/async.js'
import {
  callable,
  checkOptions,
  fitting,
  optionsOf,
  text,
  whole,
  withMethods,
} from '../../lib/check-options.js'
import { clientChanges, clientsContract } from './clients.js'
import { redemptionContract } from './code-redemption.js'
import { codesContract, codesPurge, wholeCodesContract } from './codes.js'
import { consentsContract, consentUnion } from './consents.js'
import { deviceCodeClaims, deviceCodeDecisions } from './device-code-decisions.js'
import { deviceCodePolls, deviceCodesContract, deviceCodesPurge } from './device-codes.js'
import { enrolmentRaces, enrolmentsPurge } from './enrolment-races.js'
import { enrolmentsContract } from './enrolments.js'
import {
  codeLengths,
  codeLookAlikes,
  deviceCodeLengths,
  factorLengths,
  factorLookAlikes,
  identityLengths,
  proofLengths,
  sessionLengths,
  sessionLookAlikes,
  ticketLengths,
} from './every-store/lengths.js'
import { outages, type StoreOutage, withoutOutages } from './every-store/outages.js'
import {
  codeReads,
  deviceCodeReads,
  factorReads,
  proofReads,
  sessionReads,
} from './every-store/reads-during-changes.js'
import {
  codesInRealTime,
  deviceCodesInRealTime,
  factorsInRealTime,
  type InRealTime,
  onceInRealTime,
  proofsInRealTime,
  realTimeRun,
  sessionsInRealTime,
} from './every-store/real-time.js'
import {
  strangeClients,
  strangeCodes,
  strangeConsents,
  strangeDeviceCodes,
  strangeFactors,
  strangeIdentities,
  strangeOnce,
  strangeProofs,
  strangeSessions,
  strangeTickets,
} from './every-store/strange-keys.js'
import {
  type ContractRunner,
  check,
  type Expiry,
  given,
  type Part,
  partOf,
  type StoreContractName,
  type StoreOf,
  type StoresUnderTest,
  tellingThrows,
} from './harness.js'
import { identitiesContract } from './identities.js'
import { identityUnlinking } from './identity-unlinking.js'
import { keysContract } from './keys.js'
import { onceContract, oncePurge } from './once.js'
import { openClients, unusedPurge } from './open-clients.js'
import { passkeyOwnersContract, passkeysContract } from './passkeys.js'
import { proofTries } from './proof-tries.js'
import { proofListing, proofsContract, proofsPurge, proofVoiding } from './proofs.js'
import { testsWithChildren } from './races/child-processes.js'
import { oneTimeOperations } from './races/one-time.js'
import type { OneTimeOperation } from './races/one-time-operation.js'
import { processRaces } from './races/processes.js'
import { recoveryCodesContract } from './recovery-codes.js'
import { secondFactorsContract } from './second-factors.js'
import { factorIsolation, resealingContract } from './seeds.js'
import { endingContract, ownersContract } from './session-ending.js'
import { countingContract, listingContract, sessionsPurge } from './session-lists.js'
import {
  authenticatedContract,
  methodsContract,
  passwordMarksContract,
  secretsContract,
} from './session-members.js'
import { rotationContract } from './session-rotation.js'
import { livingContract, wholeRowsContract } from './session-rows.js'
import { manySessions, sessionsContract } from './sessions.js'
import { ticketsContract, ticketsPurge } from './tickets.js'

/** What {@link storeContract} tries, and how hard. */
export interface StoreContractOptions {
  /** What the stores are called in the report, such as `'my stores on PostgreSQL'`. */
  readonly name: string
  /** The contracts to check, one or more. */
  readonly contracts: readonly StoreContractName[]
  /** Makes the stores; called once, with the first test that runs. What it opens, you close. */
  readonly stores: () => StoresUnderTest | Promise<StoresUnderTest>
  /**
   * The address of a module whose default export makes the same stores over the same database. With
   * it, the races are also run from two child processes, which import it; Node must be able to run
   * it as it is. Default: none, races stay within this process.
   */
  readonly processes?: URL
  /** How often an interleaving or a race of two processes is repeated. Default 20. */
  readonly rounds?: number
  /**
   * Who deletes what is over. `'purge'`: `purge` does, which is tested. `'database'`: the database
   * does by itself (`PEXPIRE`, a TTL index), and `purge` answers 0. Where stores differ, run the
   * suite once for each kind. Default `'purge'`.
   */
  readonly expires?: 'purge' | 'database'
  /**
   * How the database is taken away and given back, such as by a proxy that is stopped. With it,
   * each method is called meanwhile, and must reject. Default: none, and a skipped test says so.
   */
  readonly outage?: StoreOutage
  /**
   * Where the compiled file for the child processes lies, for tests that are bundled. Default:
   * inside this package.
   */
  readonly workerUrl?: URL
}

/**
 * Registers the tests that a store of yours must pass: each one-time operation raced by 2, 10 and
 * 100 callers, interleavings such as revoke against rotate, expiry to the millisecond, keys
 * compared bytewise, `purge`, and records that come back as they were saved. A test that fails says
 * what the contract promises, what happened, and why it matters.
 *
 * **The database**: with the tables made, reached by nobody else while the tests run, because
 * `purge` deletes whatever is over. It need not be empty: ids are random. Rows stay behind. Ids,
 * hashes and sealed seeds come with up to 1024 bytes, other texts with up to 16,000 characters, of
 * any text.
 *
 * **The runner**: `describe` and `it` of vitest, jest or `node:test`. The tests run one after the
 * other; some take seconds on a remote database, and the first of `processes` starts two processes,
 * so allow 30 seconds per test.
 *
 * @throws AuthConfigError for an unknown option, for `contracts` that name none, or one that does
 * not exist, for `rounds` below 1, and for another `expires`: such a suite would prove nothing
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
  const {
    name: title,
    contracts: named,
    stores,
    processes: module,
    rounds,
    expires,
    outage,
    workerUrl,
  } = checkOptions(rules, options)
  const settings = { rounds, expires, inRealTime: realTimeRun() }
  const contracts = [...new Set(named)]
  const open = onceOpened(stores, contracts)
  const it: ContractRunner['it'] = (name, body) => runner.it(name, body)
  const itWithChildren =
    module === undefined ? undefined : testsWithChildren(it, { module, workerUrl })
  runner.describe(`${title} keeps the store contract`, () => {
    for (const contract of contracts) {
      runner.describe(contract, () => {
        registerers[contract](it, open, settings)
        races(it, contract, open)
        if (itWithChildren !== undefined) processRaces(itWithChildren, contract, open, rounds)
        if (outage !== undefined) outages(it, contract, open, { outage, expires })
      })
    }
    if (outage === undefined) withoutOutages(runner)
  })
}

type Registerer = (
  it: ContractRunner['it'],
  open: () => Promise<StoresUnderTest>,
  settings: Settings,
) => void
interface Settings extends Pick<Part<unknown>, 'rounds' | 'expires'> {
  readonly inRealTime: InRealTime
}

/** The tests of one contract. What `inRealTime` begins before them is looked at after them. */
function contractOf<Name extends StoreContractName>(
  name: Name,
  tests: readonly ((part: PartOf<Name>, open: () => Promise<StoresUnderTest>) => void)[],
  inRealTime?: (part: PartOf<Name>, run: InRealTime) => () => void,
  purge?: (part: PartOf<Name>) => void,
): Registerer {
  return (it, open, settings) => {
    const part = partOf(it, async () => given(await open(), name), settings)
    const later = inRealTime?.(part, settings.inRealTime)
    for (const test of tests) test(part, open)
    later?.()
    purge?.(part)
  }
}
type PartOf<Name extends StoreContractName> = Part<StoreOf<Name>>

const registerers: Readonly<Record<StoreContractName, Registerer>> = {
  codes: contractOf(
    'codes',
    [
      codesContract,
      wholeCodesContract,
      strangeCodes,
      codeLookAlikes,
      codeLengths,
      codeReads,
      (part, open) => redemptionContract(part, async () => (await open()).sessions),
    ],
    codesInRealTime,
    codesPurge,
  ),
  sessions: contractOf(
    'sessions',
    [
      sessionsContract,
      strangeSessions,
      sessionLookAlikes,
      sessionLengths,
      wholeRowsContract,
      livingContract,
      methodsContract,
      passwordMarksContract,
      authenticatedContract,
      secretsContract,
      rotationContract,
      endingContract,
      ownersContract,
      listingContract,
      manySessions,
      countingContract,
      sessionReads,
    ],
    sessionsInRealTime,
    sessionsPurge,
  ),
  secondFactors: contractOf(
    'secondFactors',
    [
      secondFactorsContract,
      strangeFactors,
      factorLookAlikes,
      factorIsolation,
      resealingContract,
      recoveryCodesContract,
      enrolmentsContract,
      enrolmentRaces,
      factorLengths,
      factorReads,
    ],
    factorsInRealTime,
    enrolmentsPurge,
  ),
  tickets: contractOf('tickets', [ticketsContract, strangeTickets, ticketLengths, ticketsPurge]),
  keys: contractOf('keys', [keysContract]),
  consents: contractOf('consents', [consentsContract, strangeConsents, consentUnion]),
  once: contractOf('once', [onceContract, strangeOnce], onceInRealTime, oncePurge),
  clients: contractOf(
    'clients',
    [clientsContract, strangeClients, clientChanges],
    undefined,
    (part) => {
      openClients(part)
      unusedPurge(part)
    },
  ),
  passkeys: contractOf('passkeys', [passkeysContract, passkeyOwnersContract]),
  proofs: contractOf(
    'proofs',
    [
      proofsContract,
      strangeProofs,
      proofLengths,
      proofTries,
      proofVoiding,
      proofListing,
      proofReads,
    ],
    proofsInRealTime,
    proofsPurge,
  ),
  identities: contractOf('identities', [
    identitiesContract,
    strangeIdentities,
    identityLengths,
    identityUnlinking,
  ]),
  deviceCodes: contractOf(
    'deviceCodes',
    [
      deviceCodesContract,
      strangeDeviceCodes,
      deviceCodeLengths,
      deviceCodeClaims,
      deviceCodeDecisions,
      deviceCodePolls,
      deviceCodeReads,
    ],
    deviceCodesInRealTime,
    deviceCodesPurge,
  ),
}

const known = Object.keys(registerers)
const areContracts = (value: unknown) =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every((name: unknown) => known.includes(String(name)))
const isExpiry = (value: unknown) => value === 'purge' || value === 'database'
const isUrl = (value: unknown) => value instanceof URL
const rules = {
  factory: 'storeContract',
  schema: optionsOf({
    name: text(),
    contracts: fitting<readonly StoreContractName[]>(areContracts, 'are not all known.'),
    stores: callable<StoreContractOptions['stores']>(),
    processes: fitting<URL>(isUrl, 'is not a URL object.').optional(),
    rounds: whole(1).default(20),
    expires: fitting<Expiry>(isExpiry, "is neither 'purge' nor 'database'.").default('purge'),
    outage: withMethods<StoreOutage>('begin', 'end').optional(),
    workerUrl: fitting<URL>(isUrl, 'is not a URL object.').optional(),
  }),
  remedies: {
    name: 'say what the stores are called in the report.',
    contracts: `name one or more of ${known.join(', ')}.`,
    stores: 'pass a function that makes the stores.',
    outage: 'pass an object with begin() and end().',
    processes: "pass new URL('./my-stores.js', import.meta.url).",
  },
}

// Opens the stores once for all tests, and only when a test runs: a host that filters its tests
// must not need a database.
function onceOpened(
  make: StoreContractOptions['stores'],
  contracts: readonly StoreContractName[],
): () => Promise<StoresUnderTest> {
  let opened: Promise<StoresUnderTest> | undefined
  const open = async () => {
    const stores = await make()
    for (const name of contracts) given(stores, name)
    return tellingThrows(stores)
  }
  return () => {
    opened ??= open()
    return opened
  }
}

/** Each one-time operation of a contract, raced within this process. */
function races(
  it: ContractRunner['it'],
  contract: StoreContractName,
  open: () => Promise<StoresUnderTest>,
): void {
  for (const operation of oneTimeOperations.filter((one) => one.contract === contract)) {
    for (const callers of operation.callers) {
      it(`${operation.name} is won by one of ${callers} callers`, async () => {
        const stores = await open()
        if (!operation.isOffered(stores)) return
        const subject = await operation.prepare(stores)
        const attempt = (caller: number) => operation.attempt(stores, subject, caller)
        const winners = await raceWinners(callers, attempt).catch((error: unknown) =>
          failInstead(error, callers),
        )
        checkOneWinner(operation, callers, winners)
        await operation.verify(stores, subject, winners[0] ?? 0)
      })
    }
  }
}

function checkOneWinner(
  { did, why }: OneTimeOperation,
  callers: number,
  winners: readonly number[],
): void {
  const count = winners.length === 0 ? 'None' : winners.length
  check(
    winners.length === 1,
    `${count} of ${callers} callers ${did}, instead of exactly one: ${why}`,
  )
}

// A deadlock, a lock that timed out, a serialization failure: the user would see an outage.
function failInstead(cause: unknown, callers: number): never {
  if (cause instanceof AssertionError) throw cause
  throw new Error(
    `One of ${callers} callers failed, instead of being told that somebody else was first: ` +
      `${cause}`,
    { cause },
  )
}
