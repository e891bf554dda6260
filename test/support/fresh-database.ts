// A database with nothing in it, for tests that start whole servers.
import { randomBytes } from 'node:crypto'
import { createConnection } from 'mysql2/promise'
import pg from 'pg'
import { mysqlUrl, postgresUrl } from './services.js'

/** A database of its own, by its URL. */
export interface FreshDatabase {
  readonly url: string
  /** Ends the connections to it, and drops it. */
  drop(): Promise<void>
}

/** Makes one on the PostgreSQL server of the tests. */
export async function freshPostgres(): Promise<FreshDatabase> {
  const { name, url } = named(postgresUrl)
  await onPostgres(`create database ${name}`)
  // Connections that are being closed are waited for, up to five seconds: cut off, they would fail
  // in whichever test comes next.
  const drop = () =>
    onPostgres(`drop database ${name}`).catch(() =>
      onPostgres(`drop database ${name} with (force)`),
    )
  return { url, drop }
}

/** The same on MariaDB or MySQL. */
export async function freshMysql(): Promise<FreshDatabase> {
  const { name, url } = named(mysqlUrl)
  await onMysql(`create database ${name}`)
  return { url, drop: () => onMysql(`drop database ${name}`) }
}

function named(server: string | null): { name: string; url: string } {
  const name = `t_${randomBytes(6).toString('hex')}`
  const url = new URL(server ?? '')
  url.pathname = `/${name}`
  return { name, url: url.href }
}

async function onPostgres(statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: postgresUrl ?? '' })
  await client.connect()
  await client.query(statement).finally(() => client.end())
}

async function onMysql(statement: string): Promise<void> {
  const connection = await createConnection(mysqlUrl ?? '')
  await connection.query(statement).finally(() => connection.end())
}
