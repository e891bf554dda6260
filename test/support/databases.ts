// The databases that the SQL stores are run on, each with tables of its own, so that test files do
// not see each other's rows.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import {
  type Dialect,
  Kysely,
  MysqlDialect,
  PostgresDialect,
  type PostgresPool,
  SqliteDialect,
} from 'kysely'
import Database from 'libsql'
import { createPool } from 'mysql2'
import pg from 'pg'
import type { PasskeyStore } from '../../src/stores/passkey-contract.js'
import {
  migrateSql,
  type SqlEngineName,
  type SqlOAuthStores,
  type SqlStores,
  sqlOAuthStores,
  sqlPasskeyStore,
  sqlStores,
} from '../../src/stores/sql/sql-stores.js'
import { everyEngine } from './engines.js'
import { mysqlUrl, postgresUrl } from './services.js'

/** How a database is opened. */
export interface OpenSettings {
  /** The most connections of the pool. Default 10. */
  readonly connections?: number
  /** Another way to the server, such as a proxy. */
  readonly url?: string
  /** Told of each statement. */
  readonly onQuery?: (sql: string, parameters: readonly unknown[]) => void
}

/** One kind of database. */
export interface DatabaseKind {
  readonly name: string
  readonly engine: SqlEngineName
  /** Whether it runs outside of this process. */
  readonly isServer: boolean
  /** Null where the server is not reachable; use it with `skipIf`. */
  readonly open: ((settings?: OpenSettings) => Kysely<object>) | null
}

/** An open database with fresh tables. */
export interface TestDatabase {
  readonly kysely: Kysely<object>
  readonly prefix: string
  readonly stores: SqlStores
  readonly oauthStores: SqlOAuthStores
  readonly passkeys: PasskeyStore
  /** Drops the tables and closes the connections. */
  close(): Promise<void>
}

/** SQLite and PGlite run in this process and are always there. */
const allKinds: readonly DatabaseKind[] = [
  {
    name: 'SQLite (libsql)',
    engine: 'sqlite',
    isServer: false,
    open: (settings) => openSqlite(undefined, settings),
  },
  {
    name: 'PGlite',
    engine: 'postgres',
    isServer: false,
    open: (settings) => openWith(new PostgresDialect({ pool: pglitePool() }), settings),
  },
  {
    name: 'PostgreSQL',
    engine: 'postgres',
    isServer: true,
    open: postgresUrl === null ? null : openPostgres,
  },
  { name: 'MariaDB', engine: 'mysql', isServer: true, open: mysqlUrl === null ? null : openMysql },
]

/** Those that a test runs over which must hold for all: {@link everyEngine}. */
export const databaseKinds: readonly DatabaseKind[] = allKinds.filter(
  ({ name }) => everyEngine || name === 'SQLite (libsql)' || name === 'PostgreSQL',
)

/** The kind of this name, whichever are in {@link databaseKinds}. */
export function databaseKind(name: string): DatabaseKind {
  const kind = allKinds.find((known) => known.name === name)
  if (kind === undefined) throw new Error(`no kind of database is called ${name}`)
  return kind
}

/** Opens a database of a kind and makes its tables. */
export async function openDatabase(
  kind: DatabaseKind,
  settings: OpenSettings & { readonly prefix?: string } = {},
): Promise<TestDatabase> {
  if (kind.open === null) throw new Error(`${kind.name} is not reachable`)
  const kysely = kind.open(settings)
  const prefix = settings.prefix ?? `t${randomBytes(6).toString('hex')}_`
  await migrateSql(kysely, { prefix })
  return {
    kysely,
    prefix,
    stores: sqlStores(kysely, { prefix }),
    oauthStores: sqlOAuthStores(kysely, { prefix }),
    passkeys: sqlPasskeyStore(kysely, { prefix }),
    async close() {
      // The SQLite file is thrown away whole.
      if (kind.engine !== 'sqlite') await dropTables(kysely, prefix)
      await kysely.destroy()
    },
  }
}

/** Drops what a prefix holds. */
export async function dropTables(kysely: Kysely<object>, prefix: string): Promise<void> {
  const tables = [
    'authorization_codes',
    'sessions',
    'socket_tickets',
    'proofs',
    'identities',
    'device_codes',
    'second_factors',
    'enrolments',
    'recovery_codes',
    'signing_keys',
    'id_token_keys',
    'clients',
    'consents',
    'once',
    'passkeys',
    'passkey_users',
    'passkey_codes',
    'audit',
    'migrations',
  ]
  for (const table of tables)
    await kysely.schema.dropTable(`${prefix}${table}`).ifExists().execute()
}

/** A file of its own; also opened by a second process, when its path is handed on. */
export function openSqlite(
  file: string = join(temporaryFolder(), 'auth.db'),
  settings: OpenSettings = {},
): Kysely<object> {
  const database = new Database(file)
  database.exec('pragma journal_mode = wal; pragma busy_timeout = 5000')
  return openWith(new SqliteDialect({ database }), settings)
}

function openWith(dialect: Dialect, { onQuery }: OpenSettings = {}): Kysely<object> {
  return new Kysely({ dialect, log: ({ query }) => onQuery?.(query.sql, query.parameters) })
}

const folders: string[] = []
process.once('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** A folder that is removed when the process ends. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'stores-'))
  folders.push(folder)
  return folder
}

function openPostgres(settings: OpenSettings = {}): Kysely<object> {
  const pool = new pg.Pool({
    connectionString: settings.url ?? postgresUrl ?? '',
    max: settings.connections ?? 10,
  })
  pool.on('error', () => {})
  // A connection that is lost after the pool has handed it out, and before its query.
  pool.on('connect', (client) => void client.on('error', () => {}))
  return openWith(new PostgresDialect({ pool }), settings)
}

function openMysql(settings: OpenSettings = {}): Kysely<object> {
  const pool = createPool({
    uri: settings.url ?? mysqlUrl ?? '',
    connectionLimit: settings.connections ?? 10,
  })
  return openWith(new MysqlDialect({ pool }), settings)
}

// PGlite is PostgreSQL on one connection: whoever has it keeps it until the transaction is over. It
// takes two seconds to start, so a test file has one, whose prefixes keep the tests apart.
let pglite: PGlite | undefined
let lastInLine: Promise<void> = Promise.resolve()

function pglitePool(): PostgresPool {
  return {
    async connect() {
      const before = lastInLine
      let release = () => {}
      lastInLine = new Promise((resolve) => {
        release = resolve
      })
      await before
      pglite ??= new PGlite()
      return { query: queryOf(pglite) as never, release }
    },
    async end() {},
  }
}

function queryOf(database: PGlite) {
  return async (text: string, parameters: readonly unknown[]) => {
    const { rows, affectedRows } = await database.query(text, [...parameters])
    return {
      command: text.trimStart().split(' ', 1)[0]?.toUpperCase(),
      rowCount: affectedRows ?? 0,
      rows,
    }
  }
}
