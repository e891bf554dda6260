import type { SqlEngineName } from './engine.js'
import { type SqlTableOptions, tableNames } from './tables.js'

/**
 * The question for the names of all tables and indexes of the schema, and for the columns of the
 * tables to which some were added (`table.column`). It takes no lock that a writer would notice.
 * SQLite is asked for the columns alone: all else may be run again, and its only lock is held
 * anyway.
 */
export function listWhatIsThere(
  engine: SqlEngineName,
  { prefix = 'mar_', schema }: SqlTableOptions,
): string {
  const { codes, sessions } = tableNames(prefix)
  // In quotes as they stand: they have been checked to be plain identifiers.
  const changed = `('${codes}', '${sessions}')`
  const named = schema === undefined ? null : `'${schema}'`
  if (engine === 'sqlite') return [codes, sessions].map(columnsOfSqlite).join(' union all ')
  return engine === 'mysql' ? ofMysql(named, changed) : ofPostgres(named, changed)
}

function columnsOfSqlite(table: string): string {
  return `select '${table}.' || name as name from pragma_table_info('${table}')`
}

function ofMysql(schema: string | null, changed: string): string {
  const where = `table_schema = ${schema ?? 'database()'}`
  return [
    `select table_name as name from information_schema.tables where ${where}`,
    "select concat(table_name, '.', column_name) from information_schema.columns where " +
      `${where} and table_name in ${changed}`,
    `select index_name from information_schema.statistics where ${where} and ` +
      `table_name in ${changed}`,
  ].join(' union all ')
}

function ofPostgres(schema: string | null, changed: string): string {
  const relations = 'pg_class join pg_namespace on pg_namespace.oid = relnamespace'
  const where = `nspname = ${schema ?? 'current_schema()'}`
  return (
    `select relname::text as name from ${relations} where ${where} union all select relname || ` +
    `'.' || attname from ${relations} join pg_attribute on attrelid = pg_class.oid where ` +
    `${where} and relname in ${changed} and not attisdropped`
  )
}
