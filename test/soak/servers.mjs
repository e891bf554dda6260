// What the soak runs on: a database of its own in PostgreSQL, a Redis of its own, and two chat
// servers.
import { fork, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Kysely, PostgresDialect } from 'kysely'
import { generateSigningKey } from 'messaging-auth-router'
import { migrateSql } from 'messaging-auth-router/stores/sql'
import pg from 'pg'

/** Starts everything; `close` leaves nothing behind. */
export async function startAll() {
  const database = await createDatabase()
  try {
    return await startOver(database)
  } catch (error) {
    await database.drop()
    throw error
  }
}

async function startOver(database) {
  const redis = await startRedis()
  const env = {
    ...process.env,
    POSTGRES_URL: database.url,
    REDIS_URL: redis.url,
    SIGNING_KEY: JSON.stringify(await generateSigningKey()),
    ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    // Of "correct horse battery staple", at cost 4.
    PASSWORD_HASH: '$2b$04$abcdefghijklmnopqrstuu7EJV7kdjBBQxyb0HjTh9KS7.Lah/6CG',
  }
  const hosts = await Promise.all([startHost(env), startHost(env)])
  return {
    hosts,
    tables: database.tables,
    async close() {
      for (const { child } of hosts) child.kill('SIGKILL')
      await Promise.all(hosts.map(({ ended }) => ended))
      await redis.close()
      await database.drop()
    },
  }
}

async function startHost(env) {
  const child = fork(new URL('host.mjs', import.meta.url), { env, execArgv: ['--expose-gc'] })
  const ended = once(child, 'exit')
  const [port] = await Promise.race([
    once(child, 'message'),
    ended.then(([code]) => Promise.reject(new Error(`a host ended: ${code}`))),
  ])
  return {
    child,
    ended,
    url: `http://127.0.0.1:${port}`,
    async sample() {
      child.send('sample')
      return (await once(child, 'message'))[0]
    },
  }
}

async function createDatabase() {
  const server = process.env.TEST_POSTGRES_URL || 'postgres://postgres@127.0.0.1:5432/postgres'
  const name = `soak_${process.pid}`
  const admin = new pg.Client({ connectionString: server })
  await admin.connect()
  await admin.query(`create database ${name}`)
  const url = new URL(server)
  url.pathname = `/${name}`
  const pool = new pg.Pool({ connectionString: url.href, max: 2 })
  // The database is dropped while connections to it may still be closing.
  pool.on('error', () => {})
  await migrateSql(new Kysely({ dialect: new PostgresDialect({ pool }) }))
  const count = async (table) =>
    Number((await pool.query(`select count(*) from mar_${table}`)).rows[0].count)
  return {
    url: url.href,
    tables: async () => ({
      sessions: await count('sessions'),
      codes: await count('authorization_codes'),
    }),
    async drop() {
      await pool.end()
      await admin.query(`drop database ${name} with (force)`)
      await admin.end()
    },
  }
}

async function startRedis() {
  const folder = mkdtempSync(join(tmpdir(), 'soak-redis-'))
  const port = await freePort()
  const child = spawn('redis-server', [
    '--port',
    `${port}`,
    '--bind',
    '127.0.0.1',
    '--dir',
    folder,
    '--save',
    '',
  ])
  for await (const chunk of child.stdout) if (String(chunk).includes('Ready to accept')) break
  return {
    url: `redis://127.0.0.1:${port}`,
    async close() {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address()
  server.close()
  await once(server, 'close')
  return port
}
