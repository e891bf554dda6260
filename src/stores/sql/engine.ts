import { randomInt } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { type InsertObject, type Kysely, sql, type Transaction } from 'kysely'
import { AuthConfigError } from '../../errors.js'
import { isWellFormed } from '../../lib/texts.js'
import type { KeyValue, MomentValue } from '../rows/members.js'
import { type ReadRow, readsOfATurn } from './reads-of-a-turn.js'
import {
  type AuthDatabase,
  type CheckedTables,
  type SqlAuthTables,
  type TableNames,
  type TextValue,
  tableNames,
} from './tables.js'

/** The databases whose ways are known. MariaDB counts as MySQL. */
export type SqlEngineName = 'postgres' | 'mysql' | 'sqlite'

/** A database with the tables in it. */
export interface SqlEngine {
  readonly name: SqlEngineName
  readonly db: AuthDatabase
  readonly tables: TableNames
  /** A value for a key column: checked, and as bytes where a collation could equate two of them. */
  key(value: string, column: string): KeyValue
  /**
   * A value for a text column: checked, and in a form that no setting of the connection reads as
   * part of the statement.
   */
  text(value: string, column: string): TextValue
  /** `DELETE … LIMIT`, where others choose the rows in a subquery. */
  readonly deletesWithLimit: boolean
  /** `INSERT … ON CONFLICT DO NOTHING`. */
  readonly hasOnConflict: boolean
  /** `UPDATE … RETURNING`. */
  readonly hasReturning: boolean
  /** `WITH … AS (UPDATE …)`: several writes as one statement. */
  readonly writesInWith: boolean
  /** The engine has `SELECT … FOR UPDATE`; other engines lock the whole database. */
  readonly locksRows: boolean
  /** In `SET`, an expression sees what the assignments before it have changed. */
  readonly assignsInTurn: boolean
  /**
   * A read may answer the state from when the host's transaction began, though a write has just
   * seen more. The reason of a lost write is then read with a lock, which answers the present
   * state.
   */
  readonly readsOldSnapshot: boolean
  /**
   * Reads one row. Reads of one turn are one statement, but for PostgreSQL, which needs fewer
   * statements for the writes.
   */
  readonly readRow: ReadRow
  /**
   * Runs one conditional write. If the database gave way to another transaction, the write has left
   * nothing behind, so it is run again, a few times at most.
   */
  write<T>(work: (db: AuthDatabase) => Promise<T>): Promise<T>
  /**
   * Runs several writes that belong together, as `write` does: all of them or none. They run in the
   * host's transaction if there is one.
   */
  atomically<T>(work: (db: AuthDatabase) => Promise<T>): Promise<T>
}

/** Finds out what kind of database this is, and where its tables are. */
export function createEngine<Database>(
  kysely: HostKysely<Database> | HostTransaction<Database>,
  options: CheckedTables,
): SqlEngine {
  const name = engineOf(kysely)
  const db = databaseOf(kysely, name, options.schema)
  const isMysql = name === 'mysql'
  const write = async <T>(work: (db: AuthDatabase) => Promise<T>) =>
    db.isTransaction ? work(db) : untilItHolds(() => work(db))
  return {
    name,
    db,
    tables: tableNames(options.prefix),
    key: isMysql ? (value, column) => Buffer.from(checkedKey(value, column)) : checkedKey,
    text: isMysql ? (value, column) => asDigits(checkedText(value, column)) : checkedText,
    deletesWithLimit: isMysql,
    hasOnConflict: !isMysql,
    hasReturning: !isMysql,
    writesInWith: name === 'postgres',
    locksRows: name !== 'sqlite',
    assignsInTurn: isMysql,
    readsOldSnapshot: isMysql && db.isTransaction,
    readRow: name === 'postgres' ? ({ query }) => query.executeTakeFirst() : readsOfATurn(db),
    write,
    // A second transaction inside the host's would need a second connection, and for a pool of one
    // wait for ever.
    atomically: async (work) =>
      db.isTransaction
        ? work(db)
        : untilItHolds(() => begin(name, db).execute((transaction) => work(transaction))),
  }
}

// mysql2 writes values into the text of the statement. A string it quotes, and escapes with
// backslashes, which under the sql_mode NO_BACKSLASH_ESCAPES escape nothing: a quote in a
// User-Agent would end the text, and the rest of it be run. A Buffer it writes as X'…', in which
// there is nothing but digits, whatever the mode; bytes have no character set, so they are given
// theirs.
function asDigits(text: string): TextValue {
  return sql<string>`convert(${Buffer.from(text)} using utf8mb4)`
}

// The engine is told by its abilities, because a bundler may have renamed the adapter's class.
function engineOf(kysely: Pick<HostKysely<unknown>, 'getExecutor'>): SqlEngineName {
  const adapter = kysely?.getExecutor?.().adapter
  if (adapter === undefined) {
    throw new AuthConfigError(
      'kysely',
      'is not a Kysely instance.',
      'pass new Kysely({ dialect }), or a transaction of it.',
    )
  }
  const { supportsReturning, supportsTransactionalDdl, supportsOutput } = adapter
  if (supportsReturning && supportsTransactionalDdl) return 'postgres'
  if (supportsReturning) return 'sqlite'
  if (!supportsTransactionalDdl && supportsOutput !== true) return 'mysql'
  throw new AuthConfigError(
    'kysely',
    'speaks to a database that is not known here.',
    'use PostgreSQL, MySQL, MariaDB or SQLite.',
  )
}

function databaseOf<Database>(
  kysely: Pick<HostKysely<Database>, 'withoutPlugins'>,
  name: SqlEngineName,
  schema: string | undefined,
) {
  // Without the host's plugins: a plugin that renames columns, as CamelCasePlugin does, would
  // rename the columns of these tables as well.
  const db = kysely.withoutPlugins() as unknown as Kysely<SqlAuthTables>
  if (schema === undefined) return db
  if (name === 'sqlite') {
    throw new AuthConfigError(
      'schema',
      'is not known to SQLite.',
      'leave it out, and open the file that is to hold the tables.',
    )
  }
  return db.withSchema(schema)
}

// Every change is decided by the condition of one statement, so PostgreSQL need not compare whole
// transactions, which under SERIALIZABLE has strangers give way to each other. On MySQL a lower
// level may be at odds with the host's binary log.
function begin(name: SqlEngineName, db: AuthDatabase) {
  return name === 'postgres'
    ? db.transaction().setIsolationLevel('read committed')
    : db.transaction()
}

/**
 * Serialization failure and deadlock (PostgreSQL), deadlock and changed record (MySQL and MariaDB):
 * rolled back, with no effect.
 */
const rolledBack = new Set<unknown>(['40001', '40P01', 1213, 1020])

const attempts = 5

async function untilItHolds<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      if (attempt === attempts || !isRolledBack(error)) throw error
    }
    // The pause is random and ever longer, so that two writers that have met do not meet again: up
    // to 20, 40, 80 and 160 ms.
    await pause(randomInt(10 * 2 ** attempt))
  }
}

function isRolledBack(error: unknown): boolean {
  const { code, errno } = (error ?? {}) as { code?: unknown; errno?: unknown }
  return rolledBack.has(code) || rolledBack.has(errno)
}

/**
 * Inserts a row unless its key is there, in one statement, and says whether it did. Never replaces
 * a row.
 */
export async function insertIfAbsent<
  Table extends
    | 'mar_second_factors'
    | 'mar_signing_keys'
    | 'mar_clients'
    | 'mar_once'
    | 'mar_passkeys'
    | 'mar_passkey_users'
    | 'mar_identities',
>(
  engine: SqlEngine,
  typed: AuthDatabase,
  table: Table,
  row: InsertObject<SqlAuthTables, Table>,
): Promise<boolean> {
  const insert = typed
    .withTables<Record<string, object>>()
    .insertInto<string>(table)
    .values(row as object)
  if (engine.hasOnConflict) {
    const { numInsertedOrUpdatedRows } = await insert
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirstOrThrow()
    return numInsertedOrUpdatedRows === 1n
  }
  try {
    await insert.execute()
    return true
  } catch (error) {
    // INSERT IGNORE would also take a value that was cut off for a good one.
    if (isDuplicate(error)) return false
    throw error
  }
}

// A statement of MySQL's that fails undoes itself alone, so the transaction it is in goes on.
function isDuplicate(error: unknown): boolean {
  return (error as { errno?: unknown } | null)?.errno === 1062
}

// In UTC, whatever time zone the connection has. Whole seconds will do.
const questions = {
  postgres: sql<{
    moment: string
  }>`select floor(extract(epoch from clock_timestamp())) * 1000 as moment`,
  mysql: sql<{ moment: string }>`select unix_timestamp() * 1000 as moment`,
  sqlite: sql<{ moment: string }>`select strftime('%s', 'now') * 1000 as moment`,
} as const

/** The time by the database's clock. */
export async function databaseTime({ name, db }: SqlEngine): Promise<Date> {
  const { rows } = await questions[name].execute(db)
  return fromMoment(Number(rows[0]?.moment))
}

/**
 * The host's own instance. Kysely declares its classes twice, for ES modules and for CommonJS, and
 * with private members, so that to the compiler the classes of a host in CommonJS are others. Both
 * kinds are used in one way.
 */
export type HostKysely<Database> =
  | Kysely<Database>
  | import('kysely', { with: { 'resolution-mode': 'require' }}).Kysely<Database>

/** A transaction of it. */
export type HostTransaction<Database> =
  | Transaction<Database>
  | import('kysely', { with: { 'resolution-mode': 'require' }}).Transaction<Database>

/** The most bytes of an id or hash: what an index of every engine holds. */
const maxKeyBytes = 1024
/** The most characters of a text column: within 64 KiB on MySQL, whatever they are. */
const maxTextLength = 16_000

/**
 * A text for a driver, or an error: a truncated or replaced character would make one key of two.
 * The text is not in the message.
 */
export function checkedText(
  value: unknown,
  column: string,
  maxLength: number = maxTextLength,
): string {
  if (typeof value !== 'string') throw new TypeError(`${column} is not a string`)
  if (value.length > maxLength) throw new TypeError(`${column} is too long`)
  if (!isWellFormed(value) || value.includes('\0'))
    throw new TypeError(`${column} is not well-formed text`)
  return value
}

/** Checks a text for a key column. */
export function checkedKey(value: unknown, column: string): string {
  const text = checkedText(value, column)
  if (Buffer.byteLength(text) > maxKeyBytes)
    throw new TypeError(`${column} is longer than ${maxKeyBytes} bytes`)
  return text
}

/** A whole number for a driver, or an error: an engine would round any other in its own way. */
export function checkedInteger(value: number, column: string): number {
  if (Number.isSafeInteger(value)) return value
  throw new TypeError(`${column} is not a whole number`)
}

/** A moment as it is stored. */
export function toMoment(date: Date): number {
  const milliseconds = date.getTime()
  if (Number.isSafeInteger(milliseconds)) return milliseconds
  throw new TypeError('not a date')
}

/** A key as it was saved, whatever the driver makes of bytes. */
export function fromKey(value: KeyValue): string {
  return typeof value === 'string' ? value : Buffer.from(value).toString('utf8')
}

/** A moment as it was saved. */
export function fromMoment(value: MomentValue): Date {
  return new Date(Number(value))
}

/** A JSON list as it was saved; an error for anything else. */
export function fromList(stored: string): readonly unknown[] {
  const list: unknown = JSON.parse(stored)
  if (Array.isArray(list)) return list
  throw new TypeError('a column does not hold the JSON list that was saved')
}

/** The members of a JSON object as it was saved; an error for anything else. */
export function fromObject(stored: string): Readonly<Record<string, unknown>> {
  const members: unknown = JSON.parse(stored)
  if (typeof members !== 'object' || members === null || Array.isArray(members))
    throw new TypeError('a column does not hold the JSON object that was saved')
  return { ...members }
}
