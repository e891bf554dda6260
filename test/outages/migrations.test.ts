// Servers on which migrateSql must not go on.
import { CompiledQuery, Kysely, MysqlDialect, PostgresDialect } from 'kysely'
import { createPool } from 'mysql2'
import pg from 'pg'
import { afterEach, describe, expect, it } from 'vitest'
import { probeStores } from '../../src/index.js'
import { migrateSql, sqlStores } from '../../src/stores/sql/sql-stores.js'
import { latest } from '../support/sql-version.js'
import { type StartServer, startMariaDb, startPostgres, startStandby } from './servers.js'

const ends: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

const raw = (kysely: Kysely<object>, sql: string) => kysely.executeQuery(CompiledQuery.raw(sql))

async function start(server: StartServer): Promise<string> {
  const started = await (server as NonNullable<StartServer>)()
  ends.push(() => started.stop())
  return started.url
}

function openPostgres(connectionString: string): Kysely<object> {
  const pool = new pg.Pool({ connectionString })
  pool.on('error', () => {})
  return opened(new Kysely<object>({ dialect: new PostgresDialect({ pool }) }))
}

const openMysql = (uri: string) =>
  opened(new Kysely<object>({ dialect: new MysqlDialect({ pool: createPool(uri) }) }))

function opened(kysely: Kysely<object>): Kysely<object> {
  ends.push(() => kysely.destroy())
  return kysely
}

const refusal = {
  name: 'AuthConfigError',
  option: 'migrateSql(kysely)',
  remedy: 'connect to the primary.',
}

describe('a server that was pointed to what takes no writes', () => {
  it.skipIf(startPostgres === null)(
    'does not start on a standby of PostgreSQL: neither tables nor the probe take it',
    async () => {
      const primaryUrl = await start(startPostgres)
      const primary = openPostgres(primaryUrl)
      await migrateSql(primary)
      const server = await startStandby(primaryUrl)
      ends.push(() => server.stop())
      const standby = openPostgres(server.url)
      await expect(migrateSql(standby)).rejects.toMatchObject({
        ...refusal,
        problem: expect.stringContaining('a standby'),
      })
      await expect(probeStores(sqlStores(standby))).rejects.toMatchObject({
        name: 'AuthError',
        status: 503,
      })
      expect(await migrateSql(primary)).toEqual({ from: latest, to: latest })
    },
  )

  it.skipIf(startMariaDb === null)('does not start on a read-only MariaDB', async () => {
    const kysely = openMysql(await start(startMariaDb))
    await migrateSql(kysely)
    await raw(kysely, 'set global read_only = 1')
    await expect(migrateSql(kysely)).rejects.toMatchObject({
      ...refusal,
      problem: expect.stringContaining('read-only'),
    })
    await raw(kysely, 'set global read_only = 0')
    expect(await migrateSql(kysely)).toEqual({ from: latest, to: latest })
  })
})

describe('a transaction that never ends', () => {
  it.skipIf(startPostgres === null)(
    'on a table that must be changed is told of after half a minute',
    async () => {
      const kysely = openPostgres(await start(startPostgres))
      await migrateSql(kysely)
      await raw(kysely, 'delete from mar_migrations')
      await raw(kysely, 'drop index mar_sessions_purge_at')
      await kysely.transaction().execute(async (transaction) => {
        await raw(transaction, 'lock table mar_sessions in row exclusive mode')
        await expect(migrateSql(kysely)).rejects.toThrow(
          /in use at each of 20 attempts; end the transaction that holds it/,
        )
      })
      expect(await migrateSql(kysely)).toEqual({ from: 0, to: latest })
    },
  )
})
