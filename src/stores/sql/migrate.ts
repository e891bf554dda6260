import { randomInt } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { AuthConfigError } from '../../errors.js'
import { createEngine, type SqlEngine } from './engine.js'
import type { HostKysely } from './host-kysely.js'
import { isTableInUse, migrationLock, run } from './migration-lock.js'
import {
  createMigrationsTable,
  type Definition,
  migrationsFor,
  onDemand,
  recordMigration,
} from './migrations.js'
import { type AuthDatabase, checkMigrationOptions, type SqlMigrationOptions } from './tables.js'
import { listWhatIsThere } from './what-is-there.js'

/** What {@link migrateSql} did. Equal numbers: nothing was left to do. */
export interface MigrationResult {
  /** The version of the tables before; 0 where there were none. */
  readonly from: number
  /** The version now. */
  readonly to: number
}

/**
 * Makes the tables, or brings them up to this release. Call it at every start, before the server
 * listens: several processes that start together wait for each other, and a crash in the middle is
 * made good by the next call. It needs the right to create tables unless all of them are there;
 * where the server has none, run what `migrationSql` prints.
 *
 * @param kysely - your instance; not a transaction
 * @param options - as for `sqlStores`; with `audit: true` it makes the table of `sqlAudit`, too
 * @throws AuthConfigError for tables that a newer release made: an older one might not understand
 * what is in them; for a standby or read-only server, on which ended sessions may live; on MySQL
 * also for connections with another character set than utf8mb4
 * @throws Error where another process has been changing the tables for 60 seconds, or a table that
 * has to be changed is in use, for half a minute, by a transaction of somebody else's
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
export async function migrateSql<Database>(
  kysely: HostKysely<Database>,
  options: SqlMigrationOptions = {},
): Promise<MigrationResult> {
  const where = checkMigrationOptions('migrateSql', options)
  const engine = createEngine(kysely, where)
  if (engine.db.isTransaction) {
    throw new AuthConfigError(
      'migrateSql(kysely)',
      'is a transaction.',
      'pass the Kysely instance itself.',
    )
  }
  // One connection for all of it: the lock belongs to the connection.
  return engine.db.connection().execute(async (connection) => {
    await checkServer(engine, connection)
    // Asked first, because a role that may not create tables may not repeat a CREATE TABLE IF NOT
    // EXISTS either. SQLite knows no roles.
    const current =
      engine.name === 'sqlite' ? 0 : await versionOf(engine, connection).catch(() => 0)
    const isDone =
      current === migrationsFor(engine.name, where).at(-1)?.version &&
      (where.audit !== true || (await hasAudit(engine, connection)))
    if (isDone) return { from: current, to: current }
    return untilTablesAreFree(() => underLock(engine, connection, where))
  })
}

const attempts = 20

// Each attempt holds up the writers of a table that is in use for a moment only; between two of
// them they catch up.
async function untilTablesAreFree<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      if (!isTableInUse(error)) throw error
      if (attempt === attempts) throw stillInUse(error)
    }
    await pause(randomInt(500, 1500))
  }
}

function stillInUse(cause: unknown): Error {
  const problem = `a table that is to be changed was in use at each of ${attempts} attempts`
  const remedy =
    'end the transaction that holds it (PostgreSQL: pg_stat_activity, MySQL: ' +
    'information_schema.innodb_trx)'
  return new Error(`migrateSql: ${problem}; ${remedy}, and start again`, { cause })
}

async function underLock(
  engine: SqlEngine,
  connection: AuthDatabase,
  options: SqlMigrationOptions,
): Promise<MigrationResult> {
  const lock = migrationLock(engine.name)
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
}

async function bringUp(
  engine: SqlEngine,
  connection: AuthDatabase,
  options: SqlMigrationOptions,
): Promise<MigrationResult> {
  const define = await definer(engine, connection, options)
  await define(createMigrationsTable(engine.name, options))
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
    for (const statement of statements) await define(statement)
    await run(connection, recordMigration(engine.name, options, version, Date.now()))
  }
  for (const definition of onDemand(engine.name, options)) await define(definition)
  return { from, to }
}

// A CREATE INDEX IF NOT EXISTS waits for everybody who writes to the table before it finds that
// there is nothing to do.
async function definer(engine: SqlEngine, connection: AuthDatabase, options: SqlMigrationOptions) {
  const rows = await run(connection, listWhatIsThere(engine.name, options))
  const there = new Set(rows.map((row) => (row as { name: unknown }).name))
  return async ({ makes, statement }: Definition): Promise<void> => {
    if (!there.has(makes)) await run(connection, statement)
  }
}

// What would be silent until it is too late: a server does not start with it.
async function checkServer({ name }: SqlEngine, connection: AuthDatabase): Promise<void> {
  if (name === 'postgres') await checkPostgres(connection)
  if (name === 'mysql') await checkMysql(connection)
}

async function checkPostgres(connection: AuthDatabase): Promise<void> {
  const [row] = await run(
    connection,
    'select case when pg_is_in_recovery() then 1 else 0 end as standby',
  )
  if (Number((row as { standby: unknown }).standby) === 1) throw readsOldData('a standby')
}

function readsOldData(what: string): AuthConfigError {
  const problem =
    `is connected to ${what}: nothing can be written there, and sessions that have ended may ` +
    'still live.'
  return new AuthConfigError('migrateSql(kysely)', problem, 'connect to the primary.')
}

async function checkMysql(connection: AuthDatabase): Promise<void> {
  const question =
    'select @@session.character_set_results as charset, @@global.read_only as one, ' +
    '@@global.innodb_read_only as other'
  const [row] = await run(connection, question)
  const { charset, one, other } = row as { charset: unknown; one: unknown; other: unknown }
  // Numbers; on newer servers one is a word.
  if ([one, other].some((value) => !['0', 'OFF'].includes(String(value))))
    throw readsOldData('a read-only server, as replicas are')
  // What is read would be mangled. What is written needs no setting: see `SqlEngine.text`.
  // Null: as they are stored, which is utf8mb4.
  if (charset === 'utf8mb4' || charset === null) return
  const named = String(charset)
  const problem = `has connections with the character set ${named}, which cannot carry every text.`
  throw new AuthConfigError(
    'migrateSql(kysely)',
    problem,
    "leave out the pool's charset, or make it 'utf8mb4'.",
  )
}

async function versionOf({ tables }: SqlEngine, connection: AuthDatabase): Promise<number> {
  const rows = await connection
    .selectFrom(tables.migrations)
    .select('version')
    .orderBy('version', 'desc')
    .limit(1)
    .execute()
  // Some drivers can be told to answer every whole number as a BigInt.
  return Number(rows[0]?.version ?? 0)
}

async function hasAudit({ tables }: SqlEngine, connection: AuthDatabase): Promise<boolean> {
  const rows = connection.selectFrom(tables.audit).select('id').limit(1)
  return rows.execute().then(
    () => true,
    () => false,
  )
}
