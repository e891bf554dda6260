import { AuthConfigError } from '../../errors.js'
import type { SqlEngineName } from './engine.js'
import {
  type ColumnType,
  firstTables,
  fourthTables,
  secondSessionColumns,
  type TableShape,
  thirdCodeColumns,
  thirdSessionColumns,
  thirdSessionIndexes,
  thirdTables,
} from './table-shapes.js'
import { checkTableOptions, type SqlTableOptions, type TableNames, tableNames } from './tables.js'

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

/** How the engines write what differs between them. */
const dialects = {
  postgres: {
    // Compared by their bytes, whatever the database sorts by.
    key: 'text collate "C"',
    moment: 'bigint',
    text: 'text',
    quote: (name: string) => `"${name}"`,
    end: '',
    addColumn: 'add column if not exists',
  },
  mysql: {
    // Bytes: MySQL's text collations equate letters of different case and accent, and ignore blanks
    // at the end.
    key: 'varbinary(1024)',
    moment: 'bigint',
    text: 'text character set utf8mb4',
    quote: (name: string) => `\`${name}\``,
    end: ' engine=InnoDB row_format=dynamic',
    // MariaDB reads the comment; MySQL knows nothing like it.
    addColumn: 'add column /*M! if not exists */',
    addIndex: 'add index /*M! if not exists */',
  },
  sqlite: {
    key: 'text',
    moment: 'integer',
    text: 'text',
    quote: (name: string) => `"${name}"`,
    end: '',
    addColumn: 'add column',
  },
} as const

/** All changes, the oldest first. A release adds to the end and never changes what is there. */
export function migrationsFor(
  engine: SqlEngineName,
  options: SqlTableOptions,
): readonly Migration[] {
  return [
    { version: 1, statements: createTables(engine, options, firstTables) },
    { version: 2, statements: addColumns(engine, options, 'sessions', secondSessionColumns) },
    {
      version: 3,
      statements: [
        ...createTables(engine, options, thirdTables),
        ...addColumns(engine, options, 'codes', thirdCodeColumns),
        ...addColumns(engine, options, 'sessions', thirdSessionColumns),
        ...addSessionIndexes(engine, options),
      ],
    },
    { version: 4, statements: createTables(engine, options, fourthTables) },
  ]
}

/** The statement that makes the table in which the changes are counted. */
export function createMigrationsTable(engine: SqlEngineName, options: SqlTableOptions): Definition {
  const columns = { version: 'integer', applied_at: 'moment' } as const
  return createOnlyTable(engine, { table: 'migrations', columns, primaryKey: ['version'] }, options)
}

/**
 * The statements of {@link migrateSql} as text: to be read, or to be run by an account that may
 * change tables, where that of the server may not. On PostgreSQL and MariaDB it may be run more
 * than once. On MySQL and SQLite a second run stops at the columns of version 2 ("duplicate column
 * name"), and has changed nothing.
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
export function migrationSql(engine: SqlEngineName, options: SqlTableOptions = {}): string {
  if (!Object.hasOwn(dialects, engine)) {
    throw new AuthConfigError(
      'migrationSql(engine)',
      'is not known here.',
      "pass 'postgres', 'mysql' or 'sqlite'.",
    )
  }
  const where = checkTableOptions('migrationSql', options)
  const changes = migrationsFor(engine, where).flatMap(({ version, statements }) => [
    ...statements.map(({ statement }) => statement),
    recordMigration(engine, where, version, Date.now()),
  ])
  return [createMigrationsTable(engine, where).statement, ...changes]
    .map((statement) => `${statement};\n`)
    .join('\n')
}

/** The statement that notes a change as made. */
export function recordMigration(
  engine: SqlEngineName,
  { prefix = 'mar_', schema }: SqlTableOptions,
  version: number,
  at: number,
): string {
  const table = qualified(engine, tableNames(prefix).migrations, schema)
  const values = `(version, applied_at) values (${version}, ${at})`
  return engine === 'mysql'
    ? `insert ignore into ${table} ${values}`
    : `insert into ${table} ${values} on conflict (version) do nothing`
}

function createTables(
  engine: SqlEngineName,
  options: SqlTableOptions,
  shapes: readonly TableShape[],
): Definition[] {
  return shapes.flatMap((shape) => createTable(engine, shape, options))
}

// One statement for all where an engine takes it, so that there are all of them or none.
function addColumns(
  engine: SqlEngineName,
  options: SqlTableOptions,
  table: keyof TableNames,
  columns: Readonly<Record<string, string>>,
): Definition[] {
  const { name, alter } = alterTable(engine, options, table)
  const { addColumn } = dialects[engine]
  const added = Object.entries(columns).map(([column, type]) => ({
    makes: `${name}.${column}`,
    statement: `${addColumn} ${columnLine(engine, column, type)}`,
  }))
  if (engine === 'sqlite')
    return added.map(({ makes, statement }) => ({ makes, statement: `${alter} ${statement}` }))
  const statement = `${alter}\n  ${added.map((one) => one.statement).join(',\n  ')}`
  return added.slice(-1).map(({ makes }) => ({ makes, statement }))
}

// Most sessions have neither column: where an engine can, they are left out of the index, so that a
// login does not write to it.
function addSessionIndexes(engine: SqlEngineName, options: SqlTableOptions): Definition[] {
  const { name, alter } = alterTable(engine, options, 'sessions')
  const indexes = indexesOf(name, { indexes: thirdSessionIndexes })
  if (engine !== 'mysql') {
    return indexes.map((index) => ({
      makes: index.name,
      statement:
        `${createIndex(engine, index, qualified(engine, name, options.schema))} ` +
        `where ${index.columns[0]} is not null`,
    }))
  }
  const { quote, addIndex } = dialects.mysql
  const added = indexes.map(
    (index) => `${addIndex} ${quote(index.name)} (${index.columns.join(', ')})`,
  )
  const statement = `${alter}\n  ${added.join(',\n  ')}`
  return indexes.slice(-1).map((index) => ({ makes: index.name, statement }))
}

function alterTable(
  engine: SqlEngineName,
  { prefix = 'mar_', schema }: SqlTableOptions,
  table: keyof TableNames,
) {
  const name = tableNames(prefix)[table]
  return { name, alter: `alter table ${qualified(engine, name, schema)}` }
}

function createTable(
  engine: SqlEngineName,
  shape: TableShape,
  options: SqlTableOptions,
): Definition[] {
  const { prefix = 'mar_', schema } = options
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
}

function createIndex(engine: SqlEngineName, { name, columns }: Index, table: string): string {
  const { quote } = dialects[engine]
  return `create index if not exists ${quote(name)} on ${table} (${columns.join(', ')})`
}

function indexesOf(table: string, { indexes = [] }: Pick<TableShape, 'indexes'>): Index[] {
  return indexes.map((columns) => ({ name: `${table}_${columns.join('_')}`, columns }))
}

function createOnlyTable(
  engine: SqlEngineName,
  shape: TableShape,
  { prefix = 'mar_', schema }: SqlTableOptions,
): Definition {
  const { quote, end } = dialects[engine]
  const name = tableNames(prefix)[shape.table]
  // Inside the table, because MySQL knows no CREATE INDEX IF NOT EXISTS.
  const indexes = engine === 'mysql' ? indexesOf(name, shape) : []
  const lines = [
    ...Object.entries(shape.columns).map(([column, type]) => columnLine(engine, column, type)),
    `primary key (${shape.primaryKey.join(', ')})`,
    ...indexes.map((index) => `index ${quote(index.name)} (${index.columns.join(', ')})`),
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
    `${name} ${type === 'integer' ? 'integer' : dialects[engine][type]} ` +
    `${declared.endsWith('?') ? 'null' : 'not null'}`
  )
}

function qualified(engine: SqlEngineName, name: string, schema: string | undefined): string {
  const { quote } = dialects[engine]
  return schema === undefined ? quote(name) : `${quote(schema)}.${quote(name)}`
}
