import { mkdirSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { Kysely, MysqlDialect, PostgresDialect, SqliteDialect } from 'kysely'
import type { RevocationBus } from 'messaging-auth-router'
import { postgresBus } from 'messaging-auth-router/stores/sql'
import { exitWhenReplaced } from './database-file.js'
import { log } from './log.js'
import { root } from './settings.js'
import type { ChatTables } from './tables.js'

/** An open database. A server of yours has one kind, and copies the function that opens it. */
export interface Database {
  readonly engine: 'sqlite' | 'postgres' | 'mysql'
  readonly kysely: Kysely<ChatTables>
  /** Tells other processes that a session has ended, where the database can. */
  readonly bus?: RevocationBus
}

const connectTimeout = 1500
const attemptsAtWriteAheadLog = 40

/** Opens what `DATABASE_URL` names. Only the driver that it takes is loaded. */
export function openDatabase(url: string): Promise<Database> {
  if (url.startsWith('sqlite:')) return openSqlite(resolve(root, url.slice('sqlite:'.length)))
  return url.startsWith('mysql:') ? openMysql(url) : openPostgres(url)
}

async function openSqlite(file: string): Promise<Database> {
  const { default: Libsql } = await import('libsql')
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const database = new Libsql(file)
  // The timeout: another process may be writing; the whole process waits for it, so it must be
  // below the router's own time-out for stores. Full: what was answered is on the disk.
  database.exec('pragma busy_timeout = 1500; pragma synchronous = full')
  await useWriteAheadLog(() => database.exec('pragma journal_mode = wal'))
  exitWhenReplaced(file)
  return { engine: 'sqlite', kysely: new Kysely({ dialect: new SqliteDialect({ database }) }) }
}

/**
 * In WAL, readers do not wait for a writer. A new file is changed to it once, and SQLite refuses at
 * once, whatever its timeout, when two processes do that in the same moment: the other one is soon
 * done.
 */
async function useWriteAheadLog(change: () => unknown): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      change()
      return
    } catch (error) {
      const { code } = error as { code?: unknown }
      if (code !== 'SQLITE_BUSY' || attempt === attemptsAtWriteAheadLog) throw error
      await setTimeout(50)
    }
  }
}

async function openPostgres(url: string): Promise<Database> {
  const { default: pg } = await import('pg')
  const pool = new pg.Pool({
    connectionString: url,
    max: 10,
    connectionTimeoutMillis: connectTimeout,
  })
  // Without a listener, a connection that breaks would end the process. The pool listens to those
  // that are idle; one that is taken and breaks just before its query needs a listener of its own.
  pool.on('error', (error) => log('a connection to PostgreSQL was lost', error.message))
  pool.on('connect', (client) => void client.on('error', () => {}))
  return {
    engine: 'postgres',
    kysely: new Kysely({ dialect: new PostgresDialect({ pool }) }),
    bus: postgresBus(pool),
  }
}

async function openMysql(url: string): Promise<Database> {
  const { createPool } = await import('mysql2')
  // Without a limit, the calls that wait for a connection would pile up while the database is
  // silent.
  const pool = createPool({ uri: url, connectionLimit: 10, connectTimeout, queueLimit: 200 })
  return { engine: 'mysql', kysely: new Kysely({ dialect: new MysqlDialect({ pool }) }) }
}
