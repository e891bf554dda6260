import type { SqlEngineName } from './engine.js'
import { type ColumnType, firstTables, type TableShape } from './table-shapes.js'
import { checkSchema, type SqlTableOptions, tableNames } from './tables.js'

/** One change of the tables. Each statement may be run again after a crash without harm. */
export interface Migration {
  readonly version: number
  readonly statements: readonly string[]
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
  },
  mysql: {
    // Bytes: MySQL's text collations equate letters of different case and accent, and ignore blanks at the end.
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
export function migrationsFor(engine: SqlEngineName, options: SqlTableOptions): readonly Migration[] {
  return [{ version: 1, statements: firstTables.flatMap((shape) => createTable(engine, shape, options)) }]
}

/** The statement that makes the table in which the changes are counted. */
export function createMigrationsTable(engine: SqlEngineName, options: SqlTableOptions): string {
  const columns = { version: 'integer', applied_at: 'moment' } as const
  return createTable(engine, { table: 'migrations', columns, primaryKey: ['version'] }, options).join(';\n')
}

/**
 * The statements of {@link migrateSql} as text, to be read, or run by whoever may change tables where the server may not. It may be run
 * more than once.
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
  const changes = migrationsFor(engine, options).flatMap(({ version, statements }) => [
    ...statements,
    recordMigration(engine, options, version, Date.now()),
  ])
  return [createMigrationsTable(engine, options), ...changes].map((statement) => `${statement};\n`).join('\n')
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

function createTable(engine: SqlEngineName, shape: TableShape, { prefix = 'mar_', schema }: SqlTableOptions): string[] {
  const { quote, end } = dialects[engine]
  const name = tableNames(prefix)[shape.table]
  const table = qualified(engine, name, schema)
  const indexes = (shape.indexes ?? []).map((columns) => ({ name: quote(`${name}_${columns.join('_')}`), columns }))
  const lines = [
    ...Object.entries(shape.columns).map(([name, type]) => columnLine(engine, name, type)),
    `primary key (${shape.primaryKey.join(', ')})`,
    // Inside the table, because MySQL knows no CREATE INDEX IF NOT EXISTS.
    ...(engine === 'mysql' ? indexes.map(({ name, columns }) => `index ${name} (${columns.join(', ')})`) : []),
  ]
  return [
    `create table if not exists ${table} (\n  ${lines.join(',\n  ')}\n)${end}`,
    ...(engine === 'mysql'
      ? []
      : indexes.map(({ name, columns }) => `create index if not exists ${name} on ${table} (${columns.join(', ')})`)),
  ]
}

function columnLine(engine: SqlEngineName, name: string, declared: string): string {
  const type = declared.replace('?', '') as ColumnType
  return `${name} ${type === 'integer' ? 'integer' : dialects[engine][type]} ${declared.endsWith('?') ? 'null' : 'not null'}`
}

function qualified(engine: SqlEngineName, name: string, schema: string | undefined): string {
  const { quote } = dialects[engine]
  return schema === undefined ? quote(name) : `${quote(checkSchema(schema))}.${quote(name)}`
}
