import { nextTick } from 'node:process'
import { type OperationNodeSource, type RawBuilder, sql } from 'kysely'
import type { AuthDatabase } from './tables.js'

// Taken at the import, as `nextTick` is: a test of the host's may stop both with its clock.
const { queueMicrotask } = globalThis

interface Read {
  /** Two reads of one kind are two statements. */
  readonly kind: 'session' | 'count' | 'factor'
  readonly query: OperationNodeSource & { executeTakeFirst(): Promise<unknown> }
  /** Its columns. The first is null in no row. */
  readonly columns: readonly string[]
}

/** A read of one row at most. */
export interface OneRow<Row> extends Read {
  readonly query: OperationNodeSource & { executeTakeFirst(): Promise<Row | undefined> }
  readonly columns: readonly (keyof Row & string)[]
}

/** Answers the row of a read, or undefined. */
export type ReadRow = <Row>(read: OneRow<Row>) => Promise<Row | undefined>

interface Waiting {
  readonly read: Read
  readonly answer: (row: Promise<unknown>) => void
}

/**
 * Reads that are asked for in one turn of the event loop, such as the checks after a sign-in, go to
 * the database as one statement. No read is answered from before it was asked for.
 */
export function readsOfATurn(db: AuthDatabase): ReadRow {
  let open: Map<Read['kind'], Waiting> | undefined

  function openTurn(): Map<Read['kind'], Waiting> {
    const turn = new Map<Read['kind'], Waiting>()
    open = turn
    // All promises that can go on do so first: they may ask for more.
    queueMicrotask(() =>
      nextTick(() => {
        if (open === turn) open = undefined
        send(db, [...turn.values()])
      }),
    )
    return turn
  }

  return function readRow<Row>(read: OneRow<Row>) {
    const turn = open === undefined || open.has(read.kind) ? openTurn() : open
    return new Promise<Row | undefined>((resolve) => {
      turn.set(read.kind, { read, answer: resolve as Waiting['answer'] })
    })
  }
}

function send(db: AuthDatabase, turn: readonly Waiting[]): void {
  const asked = turn.length > 1 ? askTogether(db, turn) : undefined
  // A read that is alone stays the statement that it is.
  for (const { read, answer } of turn)
    answer(asked?.then((row) => partOf(row, read)) ?? read.query.executeTakeFirst())
}

async function askTogether(db: AuthDatabase, turn: readonly Waiting[]): Promise<Joined> {
  const { rows } = await joined(turn.map(({ read }) => read)).execute(db)
  return rows[0] ?? {}
}

type Joined = Readonly<Record<string, unknown>>

function joined(reads: readonly Read[]): RawBuilder<Joined> {
  const columns = reads.flatMap((read) =>
    read.columns.map((name) => {
      const value = isNumber(read) ? read.query : sql.ref(`${read.kind}.${name}`)
      return sql`${value} as ${sql.id(nameIn(read, name))}`
    }),
  )
  // `one` has a row, whether the others have one or not.
  const joins = reads
    .filter((read) => !isNumber(read))
    .map(({ kind, query }) => sql`left join ${query} as ${sql.id(kind)} on 1 = 1`)
  return sql`select ${sql.join(columns)} from (select 1 as one) as one ${sql.join(joins, sql` `)}`
}

// A column of its own: a database would write a joined one down first.
const isNumber = ({ kind }: Read) => kind === 'count'

const nameIn = ({ kind }: Read, column: string) => `${kind}_${column}`

function partOf(row: Joined, read: Read): object | undefined {
  const part = read.columns.map((name) => [name, row[nameIn(read, name)]] as const)
  return part[0]?.[1] === null ? undefined : Object.fromEntries(part)
}
