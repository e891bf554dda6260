import { AuthConfigError } from '../../errors.js'
import type { SqlEngineName } from './engine.js'
import type { CheckedTables } from './tables.js'

/**
 * The question for the names of all tables and indexes under the prefix, and of their columns
 * (`table.column`). It takes no lock that a writer would notice.
 */
export function listWhatIsThere(engine: SqlEngineName, { prefix, schema }: CheckedTables): string {
  // In quotes as they stand: they have been checked to be plain identifiers.
  if (engine === 'sqlite') return ofSqlite(`glob '${prefix}*'`)
  const where = schema === undefined ? null : `'${schema}'`
  return (engine === 'mysql' ? ofMysql : ofPostgres)(where, `like '${prefix}%'`)
}

function ofSqlite(ours: string): string {
  return (
    `select name from sqlite_master where name ${ours} union all select t.name || '.' || c.name ` +
    `from sqlite_master t, pragma_table_info(t.name) c where t.type = 'table' and t.name ${ours}`
  )
}

function ofMysql(schema: string | null, ours: string): string {
  const where = `table_schema = ${schema ?? 'database()'} and table_name ${ours}`
  return [
    `select table_name as name from information_schema.tables where ${where}`,
    `select index_name from information_schema.statistics where ${where}`,
    `select concat(table_name, '.', column_name) from information_schema.columns where ${where}`,
  ].join(' union all ')
}

function ofPostgres(schema: string | null, ours: string): string {
  const relations = 'pg_class join pg_namespace on pg_namespace.oid = relnamespace'
  const where = `nspname = ${schema ?? 'current_schema()'} and relname ${ours}`
  return (
    `select relname::text as name from ${relations} where ${where} union all select relname || ` +
    `'.' || attname from ${relations} join pg_attribute on attrelid = pg_class.oid where ` +
    `${where} and not attisdropped`
  )
}

// The commonest first mistake with a database is a `migrateSql` that was forgotten, and what
// drivers say of it reads like an outage.

/** Codes of PostgreSQL (undefined table, undefined column), MySQL and MariaDB. */
const codes = ['42P01', '42703', 'ER_NO_SUCH_TABLE', 'ER_BAD_FIELD_ERROR']
/** SQLite has no codes for it. */
const texts = /no such table|no such column|has no column named/

/**
 * A store whose calls reject with `AuthConfigError` where its tables are missing or too old.
 *
 * @param makes - the call that makes its tables
 */
export function namingMissingTables<Store extends object>(
  store: Store,
  makes = 'migrateSql(kysely)',
): Store {
  const members = Object.entries(store).map(([name, member]) =>
    typeof member === 'function' ? [name, named(member as Call, makes)] : [name, member],
  )
  return Object.fromEntries(members) as Store
}

type Call = (...given: readonly unknown[]) => Promise<unknown>

function named(call: Call, makes: string): Call {
  return async function callStore(...given) {
    try {
      return await call(...given)
    } catch (cause) {
      throw isOfTables(cause) ? missingTables(cause, makes) : cause
    }
  }
}

function isOfTables(cause: unknown): boolean {
  if (!(cause instanceof Error)) return false
  const code: unknown = 'code' in cause ? cause.code : undefined
  return codes.some((one) => one === code) || texts.test(cause.message)
}

function missingTables(cause: unknown, makes: string): AuthConfigError {
  const error = new AuthConfigError(
    'sqlStores',
    'the tables are missing, or those of an older release.',
    `run ${makes}, with the same prefix and schema, before the server listens.`,
  )
  // As errors have it: not enumerable, since drivers put values into their messages.
  return Object.defineProperty(error, 'cause', { value: cause })
}
