import { AssertionError, deepStrictEqual } from 'node:assert/strict'
import { inspect, isDeepStrictEqual, types } from 'node:util'
import { sha256 } from '../../lib/secrets.js'
import type { KeyStore } from '../../signers/contract.js'
import type {
  ConsentStore,
  ManagedClientStore,
  OpenClientStore,
} from '../../stores/client-contract.js'
import type { SessionRecord, SessionStore } from '../../stores/contract.js'
import type { IdentityStore } from '../../stores/identity-contract.js'
import { type Moment, moments } from '../../stores/new-records.js'
import type {
  AuthorizationCodeStore,
  DeviceCodeStore,
  OnceStore,
  ProofStore,
  SocketTicketStore,
} from '../../stores/one-time-contract.js'
import type { PasskeyStore } from '../../stores/passkey-contract.js'
import type { SecondFactorStore } from '../../stores/second-factor-contract.js'

/**
 * Fails with a text for the author of a store: what was promised, what happened, and why it
 * matters.
 */
export function check(kept: boolean, broken: string): asserts kept {
  if (!kept)
    throw new AssertionError({
      message: broken,
      actual: false,
      expected: true,
      operator: 'storeContract',
    })
}

/**
 * Fails unless both hold the same plain data. Dates are compared to the millisecond. `undefined`
 * equals an absent member, and differs from `null`.
 */
export function same(actual: unknown, expected: unknown, promise: string): void {
  try {
    deepStrictEqual(plain(actual), plain(expected))
  } catch (error) {
    const difference = error instanceof Error ? error.message : String(error)
    throw new AssertionError({
      message: `${promise}\n${difference}`,
      actual,
      expected,
      operator: 'storeContract',
    })
  }
}

/** A row of a table: a call, what it must answer, and the text of the failure. */
export type Answer = readonly [call: () => Promise<unknown>, expected: unknown, promise: string]

/** Makes the calls of a table one after the other. Each must answer what its row says. */
export async function answers(rows: readonly Answer[]): Promise<void> {
  for (const [call, expected, promise] of rows) same(await call(), expected, promise)
}

/** An answer of an outcome alone. */
export function told(outcome: string): { readonly outcome: string } {
  return { outcome }
}

/**
 * The sessions of the user that listForUser returns. Other tests detect a store that returns those
 * of other users, or no rows at all.
 */
export async function sessionsOf(
  sessions: SessionStore,
  userId: string,
  now: Date,
): Promise<SessionRecord[]> {
  return (await sessions.listForUser(userId, now)).filter((session) => session?.userId === userId)
}

/** How many recovery codes the user has left. Another test detects a store that returns a text. */
export async function codesLeft(factors: SecondFactorStore, userId: string): Promise<number> {
  return Number(await factors.countRecoveryCodes(userId))
}

/** Whether nothing was found: null, or undefined, which the contract forbids and others test. */
export function isNone(found: unknown): boolean {
  return found === null || found === undefined
}

/** Fails unless the answer is one of the results. Returns whether it is the first of them. */
export function won(answer: unknown, method: string, ...results: readonly unknown[]): boolean {
  const index = results.findIndex((result) => isDeepStrictEqual(plain(answer), plain(result)))
  check(
    index >= 0,
    `${method} answered ${inspect(answer)}. The contract knows ` +
      `${results.map((result) => inspect(result)).join(' and ')} here, and the router takes any ` +
      'other answer for an outage.',
  )
  return index === 0
}

/** Fails unless the promise is rejected. */
export async function rejects(promise: Promise<unknown>, broken: string): Promise<void> {
  const rejected = await promise.then(
    () => false,
    () => true,
  )
  check(rejected, broken)
}

/** Fails with this text and the reason if the promise is rejected. */
export async function resolves<T>(promise: Promise<T>, broken: string): Promise<T> {
  try {
    return await promise
  } catch (error) {
    throw new AssertionError({
      message: `${broken} It rejected: ${error}`,
      actual: error,
      operator: 'storeContract',
    })
  }
}

/** The remedy where one process does not see the changes of another. */
export const shared: string =
  'Keep nothing in the memory of a process: no cache of rows, no index, no note of what is not ' +
  'there. Read from the primary.'

/** Changes everything in a record. The store must not notice. */
export function spoil(record: unknown): void {
  if (typeof record !== 'object' || record === null) return
  for (const value of Object.values(record)) {
    if (value instanceof Date) value.setTime(0)
    spoil(value)
  }
  for (const name of Object.keys(record)) Reflect.set(record, name, 'spoilt')
}

// Drivers return rows with classes or prototypes of their own. Only their members count.
function plain(value: unknown): unknown {
  if (types.isDate(value)) return new Date(value.getTime())
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).filter(([, field]) => field !== undefined)
  return Object.fromEntries(members.map(([name, field]) => [name, plain(field)]))
}

/** Two keys that differ in one respect, and its name. */
export type AwkwardPair = readonly [what: string, first: string, second: string]

/**
 * Pairs of keys that differ in one respect. Some database ignores it by default, or a careless
 * query misreads it. Each key contains `unique`, so that runs do not collide. No two pairs share a
 * key.
 */
export function awkwardPairs(unique: string): readonly AwkwardPair[] {
  const { digits } = ownNames(unique)
  return [
    // This comes before the trailing blank, which is also an ending.
    ['an ending: one begins with the other', `alice-0${unique}`, `alice-0${unique}x`],
    ['case', `Alice-1${unique}`, `alice-1${unique}`],
    ['an accent', `alice-2${unique}`, `\u00e1lice-2${unique}`],
    ['a trailing blank', `alice-3${unique}`, `alice-3${unique} `],
    ['a leading blank', `alice-4${unique}`, ` alice-4${unique}`],
    ['the Unicode form of one character', `andr\u00e9-5${unique}`, `andre\u0301-5${unique}`],
    ['an emoji', `\u{1f600}-6${unique}`, `\u{1f601}-6${unique}`],
    ['a character that is not drawn', `al\u200bice-7${unique}`, `alice-7${unique}`],
    ['\u00df and ss', `stra\u00dfe-8${unique}`, `strasse-8${unique}`],
    ['a wildcard of SQL', `al_ce%-9${unique}`, `alice%-9${unique}`],
    ['a quote', `';--"10${unique}`, `'';--"10${unique}`],
    ['an operator of a document store', `{"$ne":"11${unique}"}`, `{"$gt":"11${unique}"}`],
    ['a backslash', `alice\\12${unique}`, `alice\\\\12${unique}`],
    ['a wildcard of a pattern', `alice*?[a]13${unique}`, `alice*[a]13${unique}`],
    ['a colon', `alice:14${unique}`, `alice::14${unique}`],
    ['a slash, and what a path has instead', `al/ice-15${unique}`, `al_ice-15${unique}`],
    ['an escape of an address', `al%2Fice-16${unique}`, `al/ice-16${unique}`],
    ['a leading zero', `0${digits}`, digits],
    ['the spelling of one number', `${digits}1`, `${digits}1.0`],
    ['the last digit of a long number', `${digits}9007199254740992`, `${digits}9007199254740993`],
    ['the last of 300 bytes', `${unique}${'l'.repeat(277)}1`, `${unique}${'l'.repeat(277)}2`],
    ['the last of 1000 bytes', `${unique}${'l'.repeat(977)}1`, `${unique}${'l'.repeat(977)}2`],
  ]
}

/**
 * Names that are derived from a random id, so that runs do not collide. `digits` are twelve, and
 * the first is not zero.
 */
export function ownNames(unique: string): { readonly digits: string } {
  const number = BigInt(
    `0x${Buffer.from(sha256(unique), 'base64url').toString('hex').slice(0, 16)}`,
  )
  return { digits: String((number % 900_000_000_000n) + 100_000_000_000n) }
}

/** Properties of every plain object: a table that is kept in one finds them. */
export const inheritedNames: readonly string[] = [
  '__proto__',
  'constructor',
  'toString',
  'hasOwnProperty',
]

/** A text with everything that a careless query, script or column would change. */
export const awkwardText: string =
  `' " \` ; -- /* */ $ne {"$gt":""} {{ }} \${x} % _ \\ \\\\ * ? | & < > \t \n e\u0301 \u00e9 ` +
  `\u{1f600} \u200b `

/** The same for texts that may be long, such as user ids. */
export const longAwkwardText: string = awkwardText.repeat(10)

/** Exchanges small and capital letters. A case-insensitive column takes both hashes for one. */
export function otherCase(hash: string): string {
  return [...hash]
    .map((letter) =>
      letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
    )
    .join('')
}

/** The stores that {@link storeContract} tests: one for each contract in its options. */
export interface StoresUnderTest {
  readonly codes?: AuthorizationCodeStore
  readonly sessions?: SessionStore
  readonly secondFactors?: SecondFactorStore
  readonly tickets?: SocketTicketStore
  readonly keys?: KeyStore
  readonly consents?: ConsentStore
  readonly once?: OnceStore
  /** With the methods of an `OpenClientStore`, where clients register themselves. */
  readonly clients?: ManagedClientStore & Partial<OpenClientStore>
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

/** The store of a contract. */
export type StoreOf<Name extends StoreContractName> = NonNullable<StoresUnderTest[Name]>

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
): StoreOf<Name> {
  const store = stores?.[name]
  if (store === undefined || store === null)
    throw new TypeError(`contracts names '${name}', but stores() gave no ${name}`)
  return store
}

/**
 * The stores as they are, but a method that throws before it returns a promise fails the test with
 * a text that says so: the test itself would only pass on what was thrown.
 */
export function tellingThrows<Stores extends object>(stores: Stores): Stores {
  // One for each object: `codes.redemption.sessions` must stay the very object that `sessions` is.
  const known = new WeakMap<object, object>()
  const around = <Part extends object>(part: Part, path: string): Part => {
    const get = (_none: object, name: string | symbol) => {
      const member: unknown = Reflect.get(part, name)
      const method = `${path}${String(name)}`
      if (typeof member === 'object' && member !== null) return around(member, `${method}.`)
      if (typeof member !== 'function') return member
      return (...given: unknown[]) => {
        try {
          return Reflect.apply(member, part, given)
        } catch (error) {
          const message = `${method} threw before it returned a promise: make it async. It threw:`
          const details = { actual: error, operator: 'storeContract' }
          throw new AssertionError({ message: `${message} ${error}`, ...details })
        }
      }
    }
    // Not over the part itself: what is frozen would have to be answered as it is.
    const proxy = known.get(part) ?? new Proxy({}, { get })
    known.set(part, proxy)
    return proxy as Part
  }
  return around(stores, '')
}
