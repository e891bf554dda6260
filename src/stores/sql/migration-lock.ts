import { CompiledQuery } from 'kysely'
import type { SqlEngineName } from './engine.js'
import type { AuthDatabase } from './tables.js'

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
  /** Keeps what was done. */
  release(connection: AuthDatabase): Promise<void>
  giveUp(connection: AuthDatabase): Promise<void>
}

/** How long another process may be at it. */
const secondsToWait = 60
/** Names the lock; the digits mean nothing. */
const postgresLock = 7_214_903_385
const mysqlLock = "'messaging-auth-router migrations'"

/** The lock of an engine. */
export function migrationLock(name: SqlEngineName): MigrationLock {
  if (name === 'sqlite') return sqliteLock()
  return name === 'mysql' ? mysqlMigrationLock() : postgresMigrationLock
}

/**
 * Whether a statement has failed because others use the table it was to change: what it has done so
 * far is to be given up.
 */
export function isTableInUse(error: unknown): boolean {
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
