import { AssertionError, deepStrictEqual } from 'node:assert/strict'
import { inspect, isDeepStrictEqual, types } from 'node:util'
import type { SessionRecord, SessionStore } from '../../../stores/contract.js'
import type { SecondFactorStore } from '../../../stores/second-factor-contract.js'

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

/** What to do where one process does not see what another has changed. */
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
