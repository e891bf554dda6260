import { AuthConfigError } from '../../errors.js'
import type { SqlEngineName } from './engine.js'
import { auditTable, type ColumnType, firstTables, type TableShape } from './table-shapes.js'
import {
  type CheckedMigrations,
  type CheckedTables,
  checkMigrationOptions,
  type SqlMigrationOptions,
  tableNames,
} from './tables.js'

/**
 * A statement, and the table, index or column (`table.column`) that is there afterwards. It is run
 * where that is not there yet.
 */
export interface Definition {
  readonly makes: string
  readonly statement: string
}

/** One change of the tables. */
export interface Migration {
  readonly version: number
  readonly statements: readonly Definition[]
}

/** The parts of SQL that differ between the engines. */
const dialects = {
  postgres: {
    // Compared by their bytes, whatever the database sorts by.
    key: 'text collate "C"',
    moment: 'bigint',
    text: 'text',
    quote: (name: string) => `"${name}"`,
    end: '',
  },
  mysql: {
    // Bytes: MySQL's text collations equate letters of different case and accent, and ignore blanks
    // at the end.
    key: 'varbinary(1024)',
    moment: 'bigint',
    text: 'text character set utf8mb4',
    quote: (name: string) => `\`${name}\``,
    end: ' engine=InnoDB row_format=dynamic',
  },
  sqlite: {
    key: 'text',
    moment: 'integer',
    text: 'text',
    quote: (name: string) => `"${name}"`,
    end: '',
  },
} as const

/** All changes, the oldest first. A release adds to the end and never changes what is there. */
export function migrationsFor(engine: SqlEngineName, options: CheckedTables): readonly Migration[] {
  const changes: readonly (readonly Definition[])[] = [
    firstTables.flatMap((shape) => createTable(engine, shape, options)),
    // The next change goes here.
  ]
  return changes.map((statements, before) => ({ version: before + 1, statements }))
}

/**
 * The statement for a column that a table did not have before.
 *
 * @param type - such as `key?`, which may be null: the rows that are there have no value
 *
 * @internal
 */
export function addColumn(
  engine: SqlEngineName,
  { prefix, schema }: CheckedTables,
  table: TableShape['table'],
  column: string,
  type: `${ColumnType}?`,
): Definition {
  const name = tableNames(prefix)[table]
  const line = columnLine(engine, column, type)
  // The other engines do not know it: there the printed SQL can be run only once.
  const once = engine === 'postgres' ? 'if not exists ' : ''
  return {
    makes: `${name}.${column}`,
    statement: `alter table ${qualified(engine, name, schema)} add column ${once}${line}`,
  }
}

/**
 * The statements for the parts that are made only on demand. They have no version: each names the
 * part that it makes, and a later run looks for this part.
 */
export function onDemand(
  engine: SqlEngineName,
  { audit, ...where }: CheckedMigrations,
): readonly Definition[] {
  return audit ? createTable(engine, auditTable, where) : []
}

/** The statement that makes the table in which the changes are counted. */
export function createMigrationsTable(engine: SqlEngineName, options: CheckedTables): Definition {
  const columns = { version: 'integer', applied_at: 'moment' } as const
  return createOnlyTable(engine, { table: 'migrations', columns, primaryKey: ['version'] }, options)
}

/**
 * The statements of {@link migrateSql} as text: to be read, or to be run by an account that may
 * change tables, where the server's account may not. It may be run more than once.
 *
 * @param engine - `postgres`, `mysql` (MariaDB too) or `sqlite`
 * @returns SQL, with a `;` after each statement
 *
 * @example
 * ```ts
 * import { migrationSql } from 'messaging-auth-router/stores/sql'
 *
 * process.stdout.write(migrationSql('postgres', { prefix: 'auth_' }))
 * ```
 */
export function migrationSql(engine: SqlEngineName, options: SqlMigrationOptions = {}): string {
  if (!Object.hasOwn(dialects, engine)) {
    throw new AuthConfigError(
      'migrationSql(engine)',
      'is not known here.',
      "pass 'postgres', 'mysql' or 'sqlite'.",
    )
  }
  const where = checkMigrationOptions('migrationSql', options)
  const changes = migrationsFor(engine, where).flatMap(({ version, statements }) => [
    ...statements.map(({ statement }) => statement),
    recordMigration(engine, where, version, Date.now()),
  ])
  const demanded = onDemand(engine, where).map(({ statement }) => statement)
  return [createMigrationsTable(engine, where).statement, ...changes, ...demanded]
    .map((statement) => `${statement};\n`)
    .join('\n')
}

/** The statement that notes a change as made. */
export function recordMigration(
  engine: SqlEngineName,
  { prefix, schema }: CheckedTables,
  version: number,
  at: number,
): string {
  const table = qualified(engine, tableNames(prefix).migrations, schema)
  const values = `(version, applied_at) values (${version}, ${at})`
  return engine === 'mysql'
    ? `insert ignore into ${table} ${values}`
    : `insert into ${table} ${values} on conflict (version) do nothing`
}

function createTable(
  engine: SqlEngineName,
  shape: TableShape,
  options: CheckedTables,
): Definition[] {
  const { prefix, schema } = options
  const name = tableNames(prefix)[shape.table]
  const table = qualified(engine, name, schema)
  const indexes = engine === 'mysql' ? [] : indexesOf(name, shape)
  const definitions = indexes.map((index) => ({
    makes: index.name,
    statement: createIndex(engine, index, table),
  }))
  return [createOnlyTable(engine, shape, options), ...definitions]
}

interface Index {
  readonly name: string
  readonly columns: readonly string[]
  readonly kind: 'plain' | 'unique' | 'sparse'
}

function createIndex(engine: SqlEngineName, index: Index, table: string): string {
  const { quote } = dialects[engine]
  const { name, columns, kind } = index
  const rows = kind === 'sparse' ? ` where ${columns[0]} is not null` : ''
  const create = `create ${wordsFor(index)} if not exists ${quote(name)}`
  return `${create} on ${table} (${columns.join(', ')})${rows}`
}

function wordsFor({ kind }: Index): string {
  return kind === 'unique' ? 'unique index' : 'index'
}

function indexesOf(table: string, shape: TableShape): Index[] {
  const { uniqueIndexes = [], indexes = [], sparseIndexes = [] } = shape
  const named = (kind: Index['kind']) => (columns: readonly string[]) => ({
    name: `${table}_${columns.join('_')}`,
    columns,
    kind,
  })
  return [
    ...uniqueIndexes.map(named('unique')),
    ...indexes.map(named('plain')),
    ...sparseIndexes.map(named('sparse')),
  ]
}

function createOnlyTable(
  engine: SqlEngineName,
  shape: TableShape,
  { prefix, schema }: CheckedTables,
): Definition {
  const { quote, end } = dialects[engine]
  const name = tableNames(prefix)[shape.table]
  // Inside the table, because MySQL knows no CREATE INDEX IF NOT EXISTS. It knows no sparse index.
  const indexes = engine === 'mysql' ? indexesOf(name, shape) : []
  const lines = [
    ...Object.entries(shape.columns).map(([column, type]) => columnLine(engine, column, type)),
    `primary key (${shape.primaryKey.join(', ')})`,
    ...indexes.map(
      (index) => `${wordsFor(index)} ${quote(index.name)} (${index.columns.join(', ')})`,
    ),
  ]
  const table = qualified(engine, name, schema)
  return {
    makes: name,
    statement: `create table if not exists ${table} (\n  ${lines.join(',\n  ')}\n)${end}`,
  }
}

function columnLine(engine: SqlEngineName, name: string, declared: string): string {
  const type = declared.replace('?', '') as ColumnType
  return (
    // One of the names is a word of MySQL's.
    `${dialects[engine].quote(name)} ${type === 'integer' ? 'integer' : dialects[engine][type]} ` +
    `${declared.endsWith('?') ? 'null' : 'not null'}`
  )
}

function qualified(engine: SqlEngineName, name: string, schema: string | undefined): string {
  const { quote } = dialects[engine]
  return schema === undefined ? quote(name) : `${quote(schema)}.${quote(name)}`
}
