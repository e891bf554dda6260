import type { Moment } from '../../../stores/new-records.js'
import { check, isNone, type Part, same, spoil } from '../harness.js'

/** How a store saves the rows of one kind, and how it answers them. */
export interface Rows<Store, Row> {
  /** `clients.create`: the method that saves a row. */
  readonly saving: string
  /** What that does to a row, for messages: `created`. */
  readonly saved: string
  readonly save: (store: Store, row: Row) => Promise<unknown>
  /** What that answers. Left out: it answers nothing. */
  readonly answer?: object
  /** `clients.find`: the method that answers a row, or null. */
  readonly finding: string
  readonly find: (store: Store, row: Row) => Promise<Row | null>
  /** A method that answers a list in which the row is, where there is one. */
  readonly listing?: string
  readonly list?: (store: Store, row: Row) => Promise<readonly Row[]>
  /** The row without what the contract leaves open, such as the order of scopes. */
  readonly plain?: (row: Row | null) => unknown
}

/** A row is null before it is saved, and comes back whole. `hint` is for the author of a store. */
export async function comesBack<Store, Row>(
  store: Store,
  row: Row,
  rows: Rows<Store, Row>,
  hint = '',
): Promise<void> {
  const { saving, saved, save, answer, finding, find, listing, list } = rows
  const plain = rows.plain ?? ((one: Row | null) => one)
  const before = await find(store, row)
  check(before === null, `${finding} of what is not there must answer null, not undefined.`)
  const answered = await save(store, row)
  if (answer !== undefined) same(answered, answer, `${saving} of a new row.`)
  const why = `must answer the row as it was ${saved}, whole, with all its members.`
  same(plain(await find(store, row)), plain(row), `${finding} ${why} ${hint}`)
  if (list !== undefined)
    same((await list(store, row)).map(plain), [plain(row)], `${listing} ${why} ${hint}`)
}

/** What callers do to a record that they have given or got does not change the store. */
export function recordsAreCopies<Store, Row>(
  { it }: Part<Store>,
  newRow: (at: (seconds: number) => Date) => Row,
  { saving, save, finding, find, listing, list }: Rows<Store, Row>,
): void {
  it('records are copies: changing one does not change the store', async (store, at) => {
    const row = newRow(at)
    const given = structuredClone(row)
    await save(store, given)
    const look = async () => structuredClone(await find(store, row))
    const stored = await look()
    check(!isNone(stored), `${finding} answered nothing after ${saving}.`)
    const unchanged = async (whose: string) =>
      same(await look(), stored, `Changing the record that ${whose} changed the stored one.`)
    spoil(given)
    await unchanged(`was given to ${saving}`)
    spoil(await find(store, row))
    await unchanged(`${finding} answered`)
    if (list === undefined) return
    spoil(await list(store, row))
    await unchanged(`${listing} answered`)
  })
}

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
