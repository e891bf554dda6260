// A database of its own for each size, dropped in the end, on the server of TEST_POSTGRES_URL.
import { randomBytes } from 'node:crypto'
import { Kysely, PostgresDialect, sql } from 'kysely'
import pg from 'pg'
import { migrateSql, sqlStores } from '../../../dist/stores/sql.js'
import { sessionOperations } from './rows.mjs'

const address = process.env['TEST_POSTGRES_URL'] || 'postgres://postgres@127.0.0.1:5432/postgres'

export async function open(size) {
  const name = `mar_bench_${randomBytes(4).toString('hex')}`
  const admin = await connectAdmin()
  await admin.query(`create database ${name}`)
  const at = new URL(address)
  at.pathname = `/${name}`
  const pool = new pg.Pool({ connectionString: at.href, max: 10 })
  // Dropping the database ends connections that are still on their way out; nobody would listen.
  pool.on('error', () => {})
  const kysely = new Kysely({ dialect: new PostgresDialect({ pool }) })
  await migrateSql(kysely, { prefix: 'mar_' })
  const bytes = async () =>
    Number(
      (await pool.query(`select pg_total_relation_size('mar_sessions') as bytes`)).rows[0].bytes,
    )
  const empty = await bytes()
  await fill(kysely, size)
  const bytesEach = ((await bytes()) - empty) / size
  return {
    bytesEach,
    operations: sessionOperations(sqlStores(kysely, { prefix: 'mar_' }).sessions, size),
    async close() {
      await kysely.destroy()
      await admin.query(`drop database ${name} with (force)`)
      await admin.end()
    },
  }
}

async function connectAdmin() {
  const admin = new pg.Client({ connectionString: address })
  try {
    await admin.connect()
  } catch (error) {
    const remedy =
      'start it, or set TEST_POSTGRES_URL to a server where databases may be made, or run the ' +
      'other suites by name'
    throw new Error(`PostgreSQL does not answer (${error.code ?? error.name}); ${remedy}`)
  }
  return admin
}

// The rows of rows.mjs, made by the server: a million of them in seconds.
async function fill(kysely, size) {
  const now = Date.now()
  const day = 86_400_000
  const digest = (text) =>
    sql`translate(rtrim(encode(sha256(convert_to(${text}, 'UTF8')), 'base64'), '='), '+/', '-_')`
  const of = (letter) => digest(sql`${sql.lit(letter)} || i`)
  const agent = 'Mozilla/5.0 (X11; Linux x86_64; rv:131.0) Gecko/20100101 Firefox/131.0'
  const state = sql`json_build_object('familyKey', ${of('f')}, 'spent',
    json_build_array(json_build_object('hash', ${of('p')}, 'salt',
    substr(${of('t')}, 1, 22), 'spentAt', ${sql.lit(now)}::bigint)))::text`
  await sql`
    insert into mar_sessions (id, user_id, kind, scope, methods, authenticated_at, created_at,
      last_seen_at, idle_expires_at, expires_at,
      ip, user_agent, refresh_hash, refresh_state, purge_at)
    select substr(${of('s')}, 1, 22), 'u-' || (i / 10), 'pkce', '*', '["pwd"]', born, born,
      ${sql.lit(now)}, ${sql.lit(now + 14 * day)},
      born + ${sql.lit(90 * day)}, '203.0.' || ((i >> 8) & 255) || '.' || (i & 255),
      ${sql.lit(agent)}, ${of('r')}, ${state},
      ${sql.lit(now + 14 * day)}
    from (select i, ${sql.lit(now)} - (i % 30)::bigint * ${sql.lit(day)} as born
      from generate_series(0, ${sql.lit(size - 1)}) as i) as rows`.execute(kysely)
  await sql`vacuum analyze mar_sessions`.execute(kysely)
}
