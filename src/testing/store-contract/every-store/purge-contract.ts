import { inTurns, type Moment } from '../../../stores/new-records.js'
import { check, type Expiry, type Part } from '../harness.js'

// `purge` deletes whatever is over, also what others have put there: these tests need a database of
// their own. A store whose database expires its rows answers 0, and is then only checked for what
// it must keep.

/** A row that `purge` deletes at a moment, and not a millisecond before. */
export type PurgeMoment<Store, Row> = readonly [
  /** What is deleted, for the title: `an unused code at the moment it expires`. */
  title: string,
  /** When it may go, in seconds. */
  over: number,
  make: (at: Moment) => Row,
  /** What is done when it is saved. */
  use?: (store: Store, row: Row, at: Moment) => Promise<unknown>,
]

/** What one store's `purge` is tried on. */
export interface Purgeable<Store, Row> {
  /** `codes.purge` */
  readonly method: string
  /** What one row is called. */
  readonly row: string
  readonly moments: readonly PurgeMoment<Store, Row>[]
  save(store: Store, row: Row, at: Moment): Promise<unknown>
  /** Whether it is there. Asking may use it up. */
  isThere(store: Store, row: Row, at: Moment): Promise<boolean>
  /** Whether rows can be counted without being used up. */
  readonly isCountable: boolean
  /** Makes a row that is still good when the others are over. */
  living(at: Moment): Row
  /** Makes one of many rows that are over at `over`, of each kind that there is. */
  make(at: Moment, index: number): Row
  /** What is done when one of them is saved. */
  use?(store: Store, row: Row, at: Moment, index: number): Promise<unknown>
  /** When those are over, in seconds. */
  readonly over: number
}

interface Purging {
  purge(now: Date, limit?: number): Promise<number>
}

const none = "Where the database deletes what is over, run the suite with `expires: 'database'`."

/**
 * Fails unless what is over is gone; or, where the database does that, unless `purge` answers 0.
 */
export async function checkGone(
  expires: Expiry,
  method: string,
  purging: Promise<number>,
  isThere: () => Promise<boolean>,
): Promise<void> {
  const purged = await purging
  checkAnswer(method, purged)
  if (expires === 'database') return checkZero(method, purged)
  const left = await isThere()
  check(
    !left,
    `${method} left a row at the very moment it is over, and answered ${purged}: rows pile up ` +
      `for ever. ${none}`,
  )
  check(
    purged > 0,
    `${method} deleted a row and answered 0: whoever deletes in batches stops there. Answer how ` +
      'many went.',
  )
}

/** When `purge` deletes a row, and what it does with a limit, with one of 0, and with none. */
export function purgeContract<Store extends Purging, Row>(
  part: Part<Store>,
  purgeable: Purgeable<Store, Row>,
): void {
  for (const moment of purgeable.moments) purgeAtItsMoment(part, purgeable, moment)
  purgeWithLimit(part, purgeable)
  purgeWithLimitOfNone(part, purgeable)
  purgeWithoutLimit(part, purgeable)
}

function purgeAtItsMoment<Store extends Purging, Row>(
  { it, expires }: Part<Store>,
  { method, row: name, save, isThere }: Purgeable<Store, Row>,
  [title, over, make, use]: PurgeMoment<Store, Row>,
): void {
  const add = async (store: Store, at: Moment) => {
    const row = make(at)
    await save(store, row, at)
    await use?.(store, row, at)
    return () => isThere(store, row, at)
  }
  it(`purge deletes ${title}, and not before`, async (filled, at) => {
    const isKept = await add(filled, at)
    await filled.purge(at(over - 0.001))
    check(await isKept(), `${method} deleted a ${name} one millisecond before it expired.`)
    const isLeft = await add(filled, at)
    await checkGone(expires, method, filled.purge(at(over)), isLeft)
  })
}

function purgeWithLimit<Store extends Purging, Row>(
  { it, expires }: Part<Store>,
  purgeable: Purgeable<Store, Row>,
): void {
  const { method, row, over } = purgeable
  it(`purge deletes at most so many ${row}s as it is told`, async (filled, at) => {
    await filled.purge(at(over))
    // First, as in a table that is read from its beginning.
    await purgeable.save(filled, purgeable.living(at), at)
    const left = await addOver(purgeable, filled, at, 5)
    const first = await filled.purge(at(over), 2)
    const second = await filled.purge(at(over), 10)
    if (expires === 'database') return checkZero(method, first + second)
    check(
      first > 0 && first <= 2 && first + second === 5 && (await left()) === 0,
      `${method} with a limit of 2 said that it deleted ${first} of 5 rows that were over, and ` +
        `${second} with one of 10 then; ` +
        'it must be 2 and 3. A limit counts the rows that are deleted, of all kinds together, ' +
        'not those that are looked at.',
    )
  })
}

function purgeWithLimitOfNone<Store extends Purging, Row>(
  { it, expires }: Part<Store>,
  purgeable: Purgeable<Store, Row>,
): void {
  const { method, row, over } = purgeable
  it(`purge with a limit of 0 deletes no ${row}`, async (filled, at) => {
    const left = await addOver(purgeable, filled, at, 1)
    const purged = await filled.purge(at(over), 0)
    check(
      purged === 0,
      `${method} with a limit of 0 must delete nothing and answer 0; it answered ${purged}.`,
    )
    if (expires === 'purge')
      check(
        (await left()) === 1,
        `${method} took a limit of 0 for none: it deleted what it was told to leave.`,
      )
  })
}

function purgeWithoutLimit<Store extends Purging, Row>(
  { it, expires }: Part<Store>,
  purgeable: Purgeable<Store, Row>,
): void {
  const { method, row, over } = purgeable
  it(`purge without a limit deletes every ${row} that is over`, async (filled, at) => {
    const left = await addOver(purgeable, filled, at, 30)
    const purged = await filled.purge(at(over))
    if (expires === 'database') return checkZero(method, purged)
    const kept = await left()
    check(
      kept === 0,
      `${method} without a limit left ${kept} of 30 rows that were over. Go on until none is ` +
        'left, page by page.',
    )
    check(
      purged >= 30,
      `${method} answered ${purged} when it had deleted 30 rows. Answer how many went, of all ` +
        'pages together.',
    )
  })
}

/** Adds so many rows that are over, and answers how to count those that are left. */
async function addOver<Store, Row>(
  { method, row: name, isCountable, make, save, use, isThere }: Purgeable<Store, Row>,
  filled: Store,
  at: Moment,
  count: number,
): Promise<() => Promise<number>> {
  const rows = Array.from({ length: count }, (_none, index) => make(at, index))
  await inTurns(rows, async (row, index) => {
    await save(filled, row, at)
    await use?.(filled, row, at, index)
  })
  const left = async () => {
    const answers = await Promise.all(rows.map((row) => isThere(filled, row, at)))
    return answers.filter((answer) => answer).length
  }
  const there = isCountable ? await left() : count
  check(
    there === count,
    `Of ${count} ${name}s that were put there, ${there} were there before ${method} was called.`,
  )
  return left
}

function checkAnswer(method: string, purged: unknown): void {
  check(
    Number.isInteger(purged) && (purged as number) >= 0,
    `${method} must answer how many rows it deleted, as a number; it answered ${String(purged)}.`,
  )
}

function checkZero(method: string, purged: number): void {
  checkAnswer(method, purged)
  check(
    purged === 0,
    `${method} deleted ${purged} rows, though \`expires: 'database'\` says that the database ` +
      `does. Leave \`expires\` out: purge is tested then.`,
  )
}
