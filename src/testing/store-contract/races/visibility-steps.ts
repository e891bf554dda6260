import {
  given,
  type StoreContractName,
  type StoreOf,
  type StoresUnderTest,
  same,
  shared,
} from '../harness.js'

/** The same stores in this process and in another one. */
export interface BothSides {
  readonly here: StoresUnderTest
  /** Its methods are called in the other process. */
  readonly there: StoresUnderTest
}

/** A row of the table of a store: what one process changes, and what the other must see at once. */
export type Step = readonly [
  /** What it does, for the message: `created`. */
  done: string,
  change: () => Promise<unknown>,
  /** The methods by which it is seen. */
  methods: string,
  look: () => Promise<unknown>,
  expected: unknown,
]

/** Makes the table for one process that changes a store, and another one that looks at it. */
export type StepsOf<Store> = (one: Store, other: Store) => readonly Step[]

/** Each process sees the changes of the other: each of them takes both parts. */
export function bothWays<Name extends StoreContractName>(
  name: Name,
  ...tables: readonly StepsOf<StoreOf<Name>>[]
): (sides: BothSides) => Promise<void> {
  return async ({ here, there }) => {
    for (const stepsOf of tables) {
      await takeSteps(name, stepsOf(given(here, name), given(there, name)))
      await takeSteps(name, stepsOf(given(there, name), given(here, name)))
    }
  }
}

async function takeSteps(contract: StoreContractName, steps: readonly Step[]): Promise<void> {
  for (const [done, change, methods, look, expected] of steps) {
    await change()
    const what = `${contract}.${methods} of what another process has ${done}.`
    same(await look(), expected, `${what} ${shared}`)
  }
}

/** The step before the first change: a store must not remember that nothing was there. */
export async function nothing(): Promise<void> {}
