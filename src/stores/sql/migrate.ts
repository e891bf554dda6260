import { CompiledQuery, type Kysely } from 'kysely'
import { AuthConfigError } from '../../errors.js'
import { createEngine, type SqlEngine, type SqlEngineName } from './engine.js'
import { createMigrationsTable, migrationsFor, recordMigration } from './migrations.js'
import type { AuthDatabase, SqlTableOptions } from './tables.js'

/** What {@link migrateSql} did. Equal numbers: nothing was left to do. */
export interface MigrationResult {
  /** The version of the tables before; 0 where there were none. */
  readonly from: number
  /** The version now. */
  readonly to: number
}

/**
 * Makes the tables, or brings them up to this release. Call it at every start, before the server listens: several processes that start
 * together wait for each other, and a crash in the middle is made good by the next call. It needs the right to create tables unless all
 * of them are there; where the server has none, run what `migrationSql` prints.
 *
 * @param kysely - your instance; not a transaction
 * @param options - as for `sqlStores`
 * @throws AuthConfigError for tables that a newer release made: an older one might not understand what is in them; on MySQL also for
 * connections that have NO_BACKSLASH_ESCAPES, or another character set than utf8mb4
 *
 * @example
 * ```ts
 * import type { Kysely } from 'kysely'
 * import { migrateSql } from 'messaging-auth-router/stores/sql'
 *
 * export async function start(kysely: Kysely<object>) {
 *   const { from, to } = await migrateSql(kysely)
 *   if (from !== to) process.stdout.write(`tables brought from version ${from} to ${to}\n`)
 * }
 * ```
 */
export async function migrateSql<Database>(kysely: Kysely<Database>, options: SqlTableOptions = {}): Promise<MigrationResult> {
  const engine = createEngine(kysely, options)
  if (engine.db.isTransaction) {
    throw new AuthConfigError('migrateSql(kysely)', 'is a transaction.', 'pass the Kysely instance itself.')
  }
  const lock = engine.name === 'sqlite' ? sqliteLock() : locks[engine.name]
  // One connection for all of it: the lock belongs to the connection.
  return engine.db.connection().execute(async (connection) => {
    if (engine.name === 'mysql') await checkMysqlSession(connection)
    // Asked first, because a role that may not create tables may not repeat a CREATE TABLE IF NOT EXISTS either. SQLite knows no roles.
    const current = engine.name === 'sqlite' ? 0 : await versionOf(engine, connection).catch(() => 0)
    if (current === migrationsFor(engine.name, options).at(-1)?.version) return { from: current, to: current }
    try {
      await lock.take(connection)
      const result = await bringUp(engine, connection, options)
      await lock.release(connection)
      return result
    } catch (error) {
      // The first error is the one to tell of.
      await lock.giveUp(connection).catch(() => {})
      throw error
    }
  })
}

async function bringUp(engine: SqlEngine, connection: AuthDatabase, options: SqlTableOptions): Promise<MigrationResult> {
  await run(connection, createMigrationsTable(engine.name, options))
  const from = await versionOf(engine, connection)
  const migrations = migrationsFor(engine.name, options)
  const to = migrations.at(-1)?.version ?? 0
  if (from > to) {
    throw new AuthConfigError(
      'migrateSql(kysely)',
      `found tables of version ${from}, and this release knows ${to}.`,
      'install the release that made them, or a newer one.',
    )
  }
  for (const { version, statements } of migrations.filter(({ version }) => version > from)) {
    for (const statement of statements) await run(connection, statement)
    await run(connection, recordMigration(engine.name, options, version, Date.now()))
  }
  return { from, to }
}

// Both are silent until it is too late, so a server does not start with them.
async function checkMysqlSession(connection: AuthDatabase): Promise<void> {
  const [row] = await run(connection, 'select @@session.sql_mode as modes, @@session.character_set_client as charset')
  const { modes, charset } = row as { modes: unknown; charset: unknown }
  if (String(modes).split(',').includes('NO_BACKSLASH_ESCAPES')) {
    // mysql2 writes values into the text of a statement and escapes them with backslashes: a quote in one would end the text.
    throw new AuthConfigError('migrateSql(kysely)', 'has the sql_mode NO_BACKSLASH_ESCAPES.', 'take it out of the sql_mode.')
  }
  if (charset !== 'utf8mb4') {
    const problem = `has connections with the character set ${String(charset)}, which cannot carry every text.`
    throw new AuthConfigError('migrateSql(kysely)', problem, "leave out the pool's charset, or make it 'utf8mb4'.")
  }
}

async function versionOf({ tables }: SqlEngine, connection: AuthDatabase): Promise<number> {
  const rows = await connection.selectFrom(tables.migrations).select('version').orderBy('version', 'desc').limit(1).execute()
  // Some drivers can be told to answer every whole number as a BigInt.
  return Number(rows[0]?.version ?? 0)
}

async function run(connection: AuthDatabase, statement: string): Promise<readonly unknown[]> {
  return (await connection.executeQuery(CompiledQuery.raw(statement))).rows
}

interface MigrationLock {
  take(connection: AuthDatabase): Promise<void>
  release(connection: AuthDatabase): Promise<void>
  giveUp(connection: AuthDatabase): Promise<void>
}

const secondsToWait = 60
/** Names the lock; the digits mean nothing. */
const postgresLock = 7_214_903_385
const mysqlLock = "'messaging-auth-router migrations'"

// PostgreSQL and SQLite make tables inside a transaction, so that a failure leaves none; MySQL cannot, and there each statement may be
// run again.
const locks: Readonly<Record<Exclude<SqlEngineName, 'sqlite'>, MigrationLock>> = {
  postgres: {
    async take(connection) {
      // Every statement has to see what other processes did while this one waited, whatever isolation the host has made the default.
      await run(connection, 'begin isolation level read committed')
      // Waiting for another process is a statement and a lock, too, and a limit that the host has set would end it.
      await run(connection, 'set local statement_timeout = 0')
      await run(connection, 'set local lock_timeout = 0')
      await run(connection, `select pg_advisory_xact_lock(${postgresLock})`)
    },
    release: async (connection) => void (await run(connection, 'commit')),
    giveUp: async (connection) => void (await run(connection, 'rollback')),
  },
  mysql: {
    async take(connection) {
      const [row] = await run(connection, `select get_lock(${mysqlLock}, ${secondsToWait}) as taken`)
      if (Number((row as { taken?: unknown } | undefined)?.taken) === 1) return
      throw new Error(`another process has been changing the tables for ${secondsToWait} s`)
    },
    release: unlockMysql,
    giveUp: unlockMysql,
  },
}

async function unlockMysql(connection: AuthDatabase): Promise<void> {
  await run(connection, `select release_lock(${mysqlLock})`)
}

// Whether SQLite waits for another process is a setting of the host's connection: it waits here, and is as before afterwards. Trying again
// instead would leave a statement behind that was refused, and some drivers do not commit while there is one.
function sqliteLock(): MigrationLock {
  let milliseconds = 0
  const setPatience = (connection: AuthDatabase, value: number) => run(connection, `pragma busy_timeout = ${value}`)
  const end = async (connection: AuthDatabase, statement: string) => {
    try {
      await run(connection, statement)
    } finally {
      await setPatience(connection, milliseconds)
    }
  }
  return {
    async take(connection) {
      const [row] = await run(connection, 'pragma busy_timeout')
      milliseconds = Number(Object.values(Object(row))[0] ?? 0)
      await setPatience(connection, secondsToWait * 1000)
      await run(connection, 'begin immediate')
    },
    release: (connection) => end(connection, 'commit'),
    giveUp: (connection) => end(connection, 'rollback'),
  }
}
