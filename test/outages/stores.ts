// The stores as the chat servers see them, for tests that look into the database themselves.
import { type Dialect, Kysely, MysqlDialect, PostgresDialect } from 'kysely'
import { createPool } from 'mysql2'
import pg from 'pg'
import { createClient } from 'redis'
import type { AuthorizationCodeStore, SecondFactorStore, SessionStore } from '../../src/index.js'
import { redisStores } from '../../src/stores/redis/redis-stores.js'
import { migrateSql, sqlStores } from '../../src/stores/sql/sql-stores.js'
import { openSqlite } from '../support/databases.js'
import type { DatabaseName } from './chat.js'

/** Codes and sessions, with their tables made. */
export interface OpenStores {
  readonly codes: AuthorizationCodeStore
  readonly sessions: SessionStore
  /** Redis keeps none. */
  readonly secondFactors?: SecondFactorStore
  close(): Promise<void>
}

/** Opens the stores of a database that the chat servers will use. */
export async function openStores(kind: DatabaseName, url: string): Promise<OpenStores> {
  if (kind === 'redis') {
    const client = createClient({ url })
    client.on('error', () => {})
    await client.connect()
    return { ...redisStores(client), close: async () => client.destroy() }
  }
  const kysely =
    kind === 'sqlite' ? openSqlite(url) : new Kysely<object>({ dialect: dialectOf(kind, url) })
  await migrateSql(kysely)
  return { ...sqlStores(kysely), close: () => kysely.destroy() }
}

function dialectOf(kind: 'postgres' | 'mariadb', url: string): Dialect {
  if (kind === 'mariadb')
    return new MysqlDialect({ pool: createPool({ uri: url, connectionLimit: 4 }) })
  const pool = new pg.Pool({ connectionString: url, max: 4 })
  pool.on('error', () => {})
  return new PostgresDialect({ pool })
}
