import type { SqlEngineName } from './engine.js'
import type { SqlTableOptions } from './tables.js'

/**
 * The question for the names of all tables and indexes under the prefix, and of their columns
 * (`table.column`). It takes no lock that a writer would notice.
 */
export function listWhatIsThere(
  engine: SqlEngineName,
  { prefix = 'mar_', schema }: SqlTableOptions,
): string {
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
