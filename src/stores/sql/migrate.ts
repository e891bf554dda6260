import { randomInt } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { CompiledQuery } from 'kysely'
import { AuthConfigError } from '../../errors.js'
import { createEngine, type HostKysely, type SqlEngine, type SqlEngineName } from './engine.js'
import {
  createMigrationsTable,
  type Definition,
  migrationsFor,
  onDemand,
  recordMigration,
} from './migrations.js'
import {
  type AuthDatabase,
  type CheckedMigrations,
  type CheckedTables,
  checkMigrationOptions,
  type SqlMigrationOptions,
} from './tables.js'

/** The result of {@link migrateSql}. Equal numbers: nothing was left to do. */
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
    // This is asked first, because a role that may not create tables may not repeat a CREATE TABLE
    // IF NOT EXISTS either. SQLite knows no roles.
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
  options: CheckedMigrations,
): Promise<MigrationResult> {
  const lock = migrationLock(engine.name)
  try {
    await lock.take(connection)
    const result = await bringUp(engine, connection, options)
    await lock.release(connection)
    return result
  } catch (error) {
    // The first error is reported.
    await lock.giveUp(connection).catch(() => {})
    throw error
  }
}

async function bringUp(
  engine: SqlEngine,
  connection: AuthDatabase,
  options: CheckedMigrations,
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
async function definer(engine: SqlEngine, connection: AuthDatabase, options: CheckedMigrations) {
  const rows = await run(connection, listWhatIsThere(engine.name, options))
  const there = new Set(rows.map((row) => (row as { name: unknown }).name))
  return async ({ makes, statement }: Definition): Promise<void> => {
    if (!there.has(makes)) await run(connection, statement)
  }
}

// A server does not start with a setting whose fault would show too late.
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
  // Texts that are read would be mangled. Texts that are written need no setting: see
  // `SqlEngine.text`. Null: texts come as they are stored, which is utf8mb4.
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

/** Runs a statement without parameters. */
export async function run(
  connection: AuthDatabase,
  statement: string,
): Promise<readonly unknown[]> {
  return (await connection.executeQuery(CompiledQuery.raw(statement))).rows
}

/** Lets one process at a time change the tables. */
export interface MigrationLock {
  /**
   * From here on, a statement that waits for a table longer than a moment fails: see {@link
   * isTableInUse}.
   */
  take(connection: AuthDatabase): Promise<void>
  /** Keeps the finished changes. */
  release(connection: AuthDatabase): Promise<void>
  giveUp(connection: AuthDatabase): Promise<void>
}

/** How long another process may be at it. */
const secondsToWait = 60
/** Names the lock; the digits mean nothing. */
const postgresLock = 7_214_903_385
const mysqlLock = "'messaging-auth-router migrations'"

/** The lock of an engine. */
function migrationLock(name: SqlEngineName): MigrationLock {
  if (name === 'sqlite') return sqliteLock()
  return name === 'mysql' ? mysqlMigrationLock() : postgresMigrationLock
}

/**
 * Whether a statement has failed because others use the table it was to change: its changes so far
 * must be given up.
 */
function isTableInUse(error: unknown): boolean {
  const { code, errno } = (error ?? {}) as { code?: unknown; errno?: unknown }
  return code === lockNotAvailable || errno === lockWaitTimeout
}

const lockNotAvailable = '55P03'
const lockWaitTimeout = 1205

function otherProcessIsAtIt(cause?: unknown): Error {
  return new Error(`another process has been changing the tables for ${secondsToWait} s`, { cause })
}

// PostgreSQL and SQLite make tables inside a transaction, so that a failure leaves none; MySQL
// cannot, and there each statement may be run again.
const postgresMigrationLock: MigrationLock = {
  async take(connection) {
    // Every statement has to see what other processes did while this one waited, whatever isolation
    // the host has made the default.
    await run(connection, 'begin isolation level read committed')
    // Waiting for another process is a statement and a lock, too, and a limit that the host has set
    // would end it.
    await run(connection, 'set local statement_timeout = 0')
    await run(connection, `set local lock_timeout = '${secondsToWait}s'`)
    await run(connection, `select pg_advisory_xact_lock(${postgresLock})`).catch((error) => {
      throw isTableInUse(error) ? otherProcessIsAtIt(error) : error
    })
    // All later statements would wait behind one that waits for a table in use.
    await run(connection, "set local lock_timeout = '300ms'")
  },
  release: async (connection) => void (await run(connection, 'commit')),
  giveUp: async (connection) => void (await run(connection, 'rollback')),
}

function mysqlMigrationLock(): MigrationLock {
  let lockWaitSeconds = 0
  const setLockWait = (connection: AuthDatabase, seconds: number) =>
    run(connection, `set session lock_wait_timeout = ${seconds}`)
  const unlock = async (connection: AuthDatabase) => {
    // The connection goes back to the host's pool as it came.
    if (lockWaitSeconds > 0) await setLockWait(connection, lockWaitSeconds)
    await run(connection, `select release_lock(${mysqlLock})`)
  }
  return {
    async take(connection) {
      const [row] = await run(
        connection,
        `select get_lock(${mysqlLock}, ${secondsToWait}) as taken, @@session.lock_wait_timeout ` +
          'as lock_wait',
      )
      const answer = row as { taken?: unknown; lock_wait?: unknown } | undefined
      if (Number(answer?.taken) !== 1) throw otherProcessIsAtIt()
      lockWaitSeconds = Number(answer?.lock_wait)
      // The shortest there is on MySQL. Without it, a change of a table waits for a transaction
      // that has used it a whole year.
      await setLockWait(connection, 1)
    },
    release: unlock,
    giveUp: unlock,
  }
}

// Whether SQLite waits for another process is a setting of the host's connection: it waits here,
// and is as before afterwards. Trying again instead would leave a statement behind that was
// refused, and some drivers do not commit while there is one.
function sqliteLock(): MigrationLock {
  let busyTimeoutMs = 0
  const setBusyTimeout = (connection: AuthDatabase, value: number) =>
    run(connection, `pragma busy_timeout = ${value}`)
  const end = async (connection: AuthDatabase, statement: string) => {
    try {
      await run(connection, statement)
    } finally {
      await setBusyTimeout(connection, busyTimeoutMs)
    }
  }
  return {
    async take(connection) {
      const [row] = await run(connection, 'pragma busy_timeout')
      busyTimeoutMs = Number(Object.values(Object(row))[0] ?? 0)
      await setBusyTimeout(connection, secondsToWait * 1000)
      await run(connection, 'begin immediate')
    },
    release: (connection) => end(connection, 'commit'),
    giveUp: (connection) => end(connection, 'rollback'),
  }
}

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
