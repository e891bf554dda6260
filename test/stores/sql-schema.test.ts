import { CompiledQuery, type Kysely } from 'kysely'
import { describe, expect, it, onTestFinished } from 'vitest'
import { migrationSql, type SqlEngineName } from '../../src/stores/sql/sql-stores.js'
import { databaseKind, openDatabase } from '../support/databases.js'

// Whoever changes a table on purpose runs this file with `--update`, and looks at the difference.

type Row = Readonly<Record<string, unknown>>

const questions: Readonly<Record<SqlEngineName, (prefix: string) => readonly string[]>> = {
  sqlite: (prefix) => [
    `select t.name || '.' || c.name || ' ' || c.type || iif(c."notnull", ' not null', ' null')
        || iif(c.pk, ' primary key ' || c.pk, '') as line
      from sqlite_master t, pragma_table_info(t.name) c
      where t.name glob '${prefix}*' and t.type = 'table'`,
    `select sql as line from sqlite_master
      where tbl_name glob '${prefix}*' and type = 'index' and sql is not null`,
  ],
  postgres: (prefix) => [
    `select table_name || '.' || column_name || ' ' || data_type
        || coalesce(' collate ' || collation_name, '')
        || case is_nullable when 'NO' then ' not null' else ' null' end
        || coalesce(' default ' || column_default, '') as line
      from information_schema.columns where table_name like '${prefix}%'`,
    `select indexdef as line from pg_indexes where tablename like '${prefix}%'`,
  ],
  mysql: (prefix) => [
    `select concat(table_name, '.', column_name, ' ', column_type,
        coalesce(concat(' collate ', collation_name), ''),
        if(is_nullable = 'NO', ' not null', ' null'),
        coalesce(concat(' default ', column_default), '')) as line
      from information_schema.columns
      where table_schema = database() and table_name like '${prefix}%'`,
    `select concat(table_name, ' index ', index_name, if(non_unique, ' ', ' unique '),
        seq_in_index, ' ', column_name, coalesce(concat(' of ', sub_part), '')) as line
      from information_schema.statistics
      where table_schema = database() and table_name like '${prefix}%'`,
    `select concat(table_name, ' ', engine, ' ', row_format) as line
      from information_schema.tables
      where table_schema = database() and table_name like '${prefix}%'`,
  ],
}

// Widths for display, and which collation of utf8mb4 is the default, differ between servers.
function plain(line: string): string {
  return line
    .replaceAll(/\s+/g, ' ')
    .replace(/(int)\(\d+\)/, '$1')
    .replace(/utf8mb4_\w+/, 'utf8mb4_…')
    .replace(' default NULL', '')
}

async function schemaOf(kysely: Kysely<object>, engine: SqlEngineName, prefix: string) {
  const asked = questions[engine](prefix).map((question) =>
    kysely.executeQuery<Row>(CompiledQuery.raw(question)),
  )
  const rows = (await Promise.all(asked)).flatMap((answer) => answer.rows)
  const lines = rows.map(({ line }) => plain(String(line)).replaceAll(prefix, ''))
  const versions = await kysely.executeQuery<Row>(
    CompiledQuery.raw(`select version from ${prefix}migrations order by version`),
  )
  const made = versions.rows.map(({ version }) => `version ${version}`)
  return `${[...made, ...lines.sort()].join('\n')}\n`
}

describe.each(['SQLite (libsql)', 'PGlite', 'PostgreSQL', 'MariaDB'].map(databaseKind))(
  'the tables of $name',
  (kind) => {
    it.skipIf(kind.open === null)('are these, with these columns and indexes', async () => {
      const database = await openDatabase(kind)
      onTestFinished(() => database.close())
      const schema = await schemaOf(database.kysely, kind.engine, database.prefix)
      // PGlite is PostgreSQL.
      await expect(schema).toMatchFileSnapshot(`snapshots/schema-${kind.engine}.txt`)
    })
  },
)

describe('the statements that are printed', () => {
  it.each(['sqlite', 'postgres', 'mysql'] as const)('are these for %s', async (engine) => {
    const text = migrationSql(engine).replaceAll(/\b\d{13}\b/g, '<now>')
    await expect(text).toMatchFileSnapshot(`snapshots/migration-${engine}.sql`)
  })
})
