import type { StoreContractName, StoresUnderTest } from '../harness.js'

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
  /** Whether the stores have it. Left out: it is required. */
  isOffered?(stores: StoresUnderTest): boolean
  /** Saves what the callers race for, and returns its id or hash. */
  prepare(stores: StoresUnderTest): Promise<string>
  /** The attempt of one caller: whether the store said that it has won. */
  attempt(stores: StoresUnderTest, subject: string, caller: number): Promise<boolean>
  /** Checks what is stored after the race. */
  verify?(stores: StoresUnderTest, subject: string, winner: number): Promise<void>
}

type Raced = Pick<OneTimeOperation, 'callers' | 'acrossProcesses'>

/** How most operations are raced. */
export const usual: Raced = { callers: [2, 10, 100], acrossProcesses: true }
/** The same within one process only. */
export const withinOne: Raced = { ...usual, acrossProcesses: false }
/** The remedy for most of them. */
export const oneWrite = 'Make it one conditional write whose result names the winner.'
