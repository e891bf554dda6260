import type { StoreContractName, StoresUnderTest } from '../harness/suite.js'

/** A state change of which exactly one caller may be told that it was theirs. */
export interface OneTimeOperation {
  readonly contract: StoreContractName
  readonly name: string
  /** What too many winners did: "2 of 10 callers …". */
  readonly did: string
  /** Why that is bad, and what to do about it. */
  readonly why: string
  readonly callers: readonly number[]
  /** Whether it is raced from two processes, too. */
  readonly acrossProcesses: boolean
  /** Whether the stores have it. Left out: they must. */
  isOffered?(stores: StoresUnderTest): boolean
  /** Makes what is raced for, and answers the id or hash by which the callers know it. */
  prepare(stores: StoresUnderTest): Promise<string>
  /** One caller's try: whether the store said that it was this one's. */
  attempt(stores: StoresUnderTest, subject: string, caller: number): Promise<boolean>
  /** Looks at what the race has left behind. */
  verify?(stores: StoresUnderTest, subject: string, winner: number): Promise<void>
}

type Raced = Pick<OneTimeOperation, 'callers' | 'acrossProcesses'>

/** How most are raced. */
export const usual: Raced = { callers: [2, 10, 100], acrossProcesses: true }
/** The same in one process only. */
export const withinOne: Raced = { ...usual, acrossProcesses: false }
/** What to do about most. */
export const oneWrite = 'Make it one conditional write whose result names the winner.'
