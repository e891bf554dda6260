import type { Moment } from '../../../stores/new-records.js'
import { check, type Expiry, type Part } from '../harness.js'

// `purge` deletes whatever is over, also what others have put there: these tests need a database of
// their own. A store whose database expires its rows answers 0, and is then only checked for what
// it must keep.

/** A row that `purge` deletes at a moment, and not a millisecond before. */
export interface PurgeMoment<Store> {
  /** What is deleted, for the title: `an unused code at the moment it expires`. */
  readonly title: string
  /** What must not happen: `deleted a code one millisecond before it expired`. */
  readonly tooEarly: string
  /** When it may go, in seconds. */
  readonly over: number
  /** Adds such a row and answers how to ask whether it is there. Asking may use it up. */
  add(store: Store, at: Moment): Promise<() => Promise<boolean>>
}

/** What one store's `purge` is tried on. */
export interface Purgeable<Store> {
  /** `codes.purge` */
  readonly method: string
  /** What one row is called. */
  readonly row: string
  readonly moments: readonly PurgeMoment<Store>[]
  purge(store: Store, now: Date, limit?: number): Promise<number>
  /** Adds a row that is still good when the others are over. */
  addLiving(store: Store, at: Moment): Promise<unknown>
  /**
   * Adds so many rows that are over at `over`, of each kind that there is, and answers how many of
   * them are left.
   */
  addOver(store: Store, at: Moment, count: number): Promise<() => Promise<number>>
  /** Whether rows can be counted without being used up. */
  readonly isCountable: boolean
  /** When those are over, in seconds. */
  readonly over: number
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
export function purgeContract<Store>(part: Part<Store>, purgeable: Purgeable<Store>): void {
  for (const moment of purgeable.moments) purgeAtItsMoment(part, purgeable, moment)
  purgeWithLimit(part, purgeable)
  purgeWithLimitOfNone(part, purgeable)
  purgeWithoutLimit(part, purgeable)
}

function purgeAtItsMoment<Store>(
  { it, expires }: Part<Store>,
  { method, purge }: Purgeable<Store>,
  { title, tooEarly, over, add }: PurgeMoment<Store>,
): void {
  it(`purge deletes ${title}, and not before`, async (filled, at) => {
    const isKept = await add(filled, at)
    await purge(filled, at(over - 0.001))
    check(await isKept(), `${method} ${tooEarly}.`)
    const isLeft = await add(filled, at)
    await checkGone(expires, method, purge(filled, at(over)), isLeft)
  })
}

function purgeWithLimit<Store>({ it, expires }: Part<Store>, purgeable: Purgeable<Store>): void {
  const { method, row, purge, over } = purgeable
  it(`purge deletes at most so many ${row}s as it is told`, async (filled, at) => {
    await purge(filled, at(over))
    // First, as in a table that is read from its beginning.
    await purgeable.addLiving(filled, at)
    const left = await addOver(purgeable, filled, at, 5)
    const first = await purge(filled, at(over), 2)
    const second = await purge(filled, at(over), 10)
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

function purgeWithLimitOfNone<Store>(
  { it, expires }: Part<Store>,
  purgeable: Purgeable<Store>,
): void {
  const { method, row, purge, over } = purgeable
  it(`purge with a limit of 0 deletes no ${row}`, async (filled, at) => {
    const left = await addOver(purgeable, filled, at, 1)
    const purged = await purge(filled, at(over), 0)
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

function purgeWithoutLimit<Store>({ it, expires }: Part<Store>, purgeable: Purgeable<Store>): void {
  const { method, row, purge, over } = purgeable
  it(`purge without a limit deletes every ${row} that is over`, async (filled, at) => {
    const left = await addOver(purgeable, filled, at, 30)
    const purged = await purge(filled, at(over))
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

async function addOver<Store>(
  { method, row, isCountable, addOver }: Purgeable<Store>,
  filled: Store,
  at: Moment,
  count: number,
): Promise<() => Promise<number>> {
  const left = await addOver(filled, at, count)
  const there = isCountable ? await left() : count
  check(
    there === count,
    `Of ${count} ${row}s that were put there, ${there} were there before ${method} was called.`,
  )
  return left
}

/** How many of the questions are answered with yes. */
export async function countTrue(questions: readonly Promise<boolean>[]): Promise<number> {
  return (await Promise.all(questions)).filter((answer) => answer).length
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
