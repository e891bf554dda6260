// A database of its own for a test, and a pool over it.
import pg from 'pg'
import { expect, vi } from 'vitest'
import { freshPostgres } from '../support/fresh-database.js'
import { postgresUrl } from '../support/services.js'

export interface EmptyDatabase {
  readonly url: string
  readonly pool: pg.Pool
  drop(): Promise<void>
}

export async function emptyDatabase(): Promise<EmptyDatabase> {
  const { url, drop } = await freshPostgres()
  const pool = new pg.Pool({ connectionString: url })
  return {
    url,
    pool,
    async drop() {
      await pool.end()
      // Pools are closed a little before their connections are; one that the server ended instead
      // would be an error that nobody listens for.
      await vi.waitFor(async () => expect(await connectionsTo(url)).toBe(0), 120_000)
      await drop()
    },
  }
}

async function connectionsTo(url: string): Promise<number> {
  const client = new pg.Client({ connectionString: postgresUrl ?? '' })
  await client.connect()
  const { rowCount } = await client
    .query('select 1 from pg_stat_activity where datname = $1', [new URL(url).pathname.slice(1)])
    .finally(() => client.end())
  return rowCount ?? 0
}
