import type { Moment } from '../../../stores/new-records.js'
import type { Part } from '../harness.js'
import { check, same } from '../harness.js'

/** A row that is consumed once, and valid until a moment. */
export interface GoodUntil<Store> {
  /** What one is called: `code`. */
  readonly row: string
  /** `codes.consume` */
  readonly method: string
  /** Whether consuming is a write or a delete. */
  readonly by: 'write' | 'delete'
  /** What is answered while it is good, and when it is over. */
  readonly outcomes: { readonly good: string; readonly over: string }
  /** For how many seconds it is valid. */
  readonly seconds: number
  /** Saves one, and returns a function that consumes it at a moment. */
  readonly save: (
    store: Store,
    at: Moment,
  ) => Promise<(now: Date) => Promise<{ readonly outcome: string }>>
}

/** Valid while `now < expiresAt`, to the millisecond, by the clock of the caller alone. */
export function goodUntil<Store>(
  { it }: Part<Store>,
  { row, method, by, outcomes, seconds, save }: GoodUntil<Store>,
): void {
  const { good, over } = outcomes
  it(`a ${row} is good one millisecond before it expires`, async (store, at) => {
    const consume = await save(store, at)
    const { outcome } = await consume(at(seconds - 0.001))
    check(
      outcome === good,
      `${method} answered ${outcome} one millisecond before expiresAt. Keep milliseconds.`,
    )
  })

  it(`a ${row} is void at the very moment it expires`, async (store, at) => {
    const consume = await save(store, at)
    for (const now of [at(seconds), at(seconds + 1)])
      same(
        await consume(now),
        { outcome: over },
        `${method} of an unused ${row} that has expired. It is good while now < expiresAt.`,
      )
    const { outcome } = await consume(at(seconds - 1))
    check(
      outcome === good,
      `${method} used up a ${row} for a process whose clock is ahead. Make \`now < expiresAt\` a ` +
        `condition of the ${by}.`,
    )
  })

  it(`a ${row} is good for a process whose clock is behind, too`, async (store, at) => {
    const consume = await save(store, at)
    const { outcome } = await consume(at(-2))
    check(
      outcome === good,
      `${method} answered ${outcome} two seconds before createdAt: clocks of processes differ. ` +
        'Ask only whether expiresAt has come.',
    )
  })
}
