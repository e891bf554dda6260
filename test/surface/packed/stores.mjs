// A host that keeps its records in Redis and in an SQL database, with whichever versions of their
// clients lie beside the package.
import assert from 'node:assert/strict'
// The name `Redis` is exported from 5.3 on.
import Redis from 'ioredis'
import { Kysely, SqliteDialect } from 'kysely'
import Database from 'libsql'
import { probeStores } from 'messaging-auth-router'
import { redisBus, redisStores } from 'messaging-auth-router/stores/redis'
import { migrateSql, sqlStores } from 'messaging-auth-router/stores/sql'
import { createClient } from 'redis'

const url = process.env.TEST_REDIS_URL
const name = `packed-${process.pid}`
const logger = { warn: () => {} }

/**
 * Codes whose texts are long and not ASCII, asked for at once: an answer of many chunks, which end
 * within characters.
 */
async function keepsLongTexts({ codes }) {
  const now = Date.now()
  const scope = '\u20ac\u00e4\u{1f600}'.repeat(3900)
  const [createdAt, expiresAt] = [new Date(now), new Date(now + 60_000)]
  const record = {
    userId: 'u',
    issuedBySessionId: 'page',
    opensSessionId: 's',
    codeChallenge: 'c',
    scope,
    methods: ['pwd'],
  }
  const times = {
    authenticatedAt: createdAt,
    createdAt,
    expiresAt,
    retainUntil: expiresAt,
    consumedAt: null,
  }
  const hashes = Array.from({ length: 40 }, (_none, number) => `${now}-${number}`)
  await Promise.all(hashes.map((codeHash) => codes.save({ codeHash, ...record, ...times })))
  const found = await Promise.all(hashes.map((codeHash) => codes.find(codeHash)))
  assert.equal(
    found.filter((code) => code?.scope !== scope).length,
    0,
    'a long text did not come back as it was',
  )
}

async function inRedis(client) {
  const stores = redisStores(client, { prefix: `${name}:`, logger })
  await probeStores(stores)
  await keepsLongTexts(stores)
  const bus = redisBus(client, { channel: name })
  const event = { sessionId: 's1', userId: 'u1', reason: 'logout', at: new Date() }
  const heard = []
  const leave = await bus.subscribe((ended) => heard.push(ended))
  await bus.publish(event)
  // What was published before it has arrived when its own message has.
  await bus.check()
  assert.deepEqual(heard, [event])
  await leave()
}

async function inSql() {
  const kysely = new Kysely({ dialect: new SqliteDialect({ database: new Database(':memory:') }) })
  await migrateSql(kysely)
  await probeStores(sqlStores(kysely))
  await kysely.destroy()
}

await inSql()
if (url !== undefined) {
  const node = createClient({ url })
  await node.connect()
  await inRedis(node)
  node.destroy()
  const io = new Redis(url)
  await inRedis(io)
  io.disconnect()
}
process.stdout.write('closed\n')
