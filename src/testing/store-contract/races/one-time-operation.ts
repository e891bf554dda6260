import { type Moment, moments } from '../../../stores/new-records.js'
import {
  given,
  type StoreContractName,
  type StoreOf,
  type StoresUnderTest,
  same,
  told,
  won,
} from '../harness.js'

/** A change that exactly one caller may win. */
export interface OneTimeOperation {
  readonly contract: StoreContractName
  readonly name: string
  /** What the winners did: "2 of 10 callers …". */
  readonly did: string
  /** Why that is bad, and what to do about it. */
  readonly why: string
  readonly callers: readonly number[]
  /** Whether it is also raced from two processes. */
  readonly acrossProcesses: boolean
  /** Whether the stores have it. */
  isOffered(stores: StoresUnderTest): boolean
  /** Saves what the callers race for, and returns its id or hash. */
  prepare(stores: StoresUnderTest): Promise<string>
  /** The attempt of one caller: whether the store said that it has won. */
  attempt(stores: StoresUnderTest, subject: string, caller: number): Promise<boolean>
  /** Checks what is stored after the race. */
  verify(stores: StoresUnderTest, subject: string, winner: number): Promise<void>
}

/** A row of the table of a store. */
export interface OneTime<Store> {
  readonly name: string
  readonly did: string
  readonly why: string
  /** How many callers race. Left out: 2, 10 and 100. */
  readonly callers?: readonly number[]
  readonly withinOneProcess?: true
  /** The optional method that it needs. */
  readonly needs?: keyof Store
  prepare(store: Store, at: Moment): Promise<string>
  /** What the store answers one caller. */
  attempt(store: Store, subject: string, at: Moment, caller: number): Promise<unknown>
  /** All that it may answer. The winner is told the first. */
  readonly answers: readonly unknown[]
  /** What is stored after the race, and what must be. */
  stored?(
    store: Store,
    subject: string,
    winner: number,
  ): Promise<readonly [actual: unknown, expected: unknown]>
}

/** The operations of one store, of its table. */
export function operationsOf<Name extends StoreContractName>(
  contract: Name,
  table: readonly OneTime<StoreOf<Name>>[],
): readonly OneTimeOperation[] {
  return table.map((row) => ({
    contract,
    name: row.name,
    did: row.did,
    why: row.why,
    callers: row.callers ?? [2, 10, 100],
    acrossProcesses: row.withinOneProcess !== true,
    isOffered: (stores) =>
      row.needs === undefined || given(stores, contract)[row.needs] !== undefined,
    prepare: (stores) => row.prepare(given(stores, contract), moments()),
    attempt: async (stores, subject, caller) => {
      const answer = await row.attempt(given(stores, contract), subject, moments(), caller)
      return won(answer, `${contract}.${row.name}`, ...row.answers)
    },
    verify: async (stores, subject, winner) => {
      if (row.stored === undefined) return
      const [actual, expected] = await row.stored(given(stores, contract), subject, winner)
      const why = 'the stored row is not the row of the caller that was told that it won.'
      same(actual, expected, `After ${contract}.${row.name} was raced, ${why}`)
    },
  }))
}

/** These outcomes, without any other member. */
export function outcomes(...names: readonly string[]): readonly unknown[] {
  return names.map(told)
}

/** The outcome alone, of an answer that has a record as well. */
export async function outcomeOf(
  answer: Promise<{ readonly outcome: string }>,
): Promise<{ readonly outcome: string | undefined }> {
  return { outcome: (await answer)?.outcome }
}

/** Whether the promise is resolved: true for one caller alone, where a row is inserted. */
export function resolves(promise: Promise<unknown>): Promise<boolean> {
  return promise.then(
    () => true,
    () => false,
  )
}

/** What several callers race for who save a row under one hash. */
export const duplicates = {
  callers: [10],
  withinOneProcess: true,
  why: 'All but the first must be rejected. Insert; never upsert.',
  answers: [true, false],
} as const

/** The remedy for most of them. */
export const oneWrite = 'Make it one conditional write whose result names the winner.'
/** The remedy where several rows are changed. */
export const thoseRows =
  'Answer the rows that this very write has changed, not what a query finds before or after it.'
