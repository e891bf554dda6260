// A server of its own whose OAuth endpoints are mounted, one of several on the same stores: node
// oauth-process.mjs <settings as JSON>. It says on which port it listens, and ends when it is
// disconnected.
import { createServer } from 'node:http'
import express from 'express'
import { Kysely, MysqlDialect, PostgresDialect, SqliteDialect } from 'kysely'
import Database from 'libsql'
import { bcryptHasher, createAuthRouter, joseSigner } from 'messaging-auth-router'
import { memoryOAuthStores } from 'messaging-auth-router/stores/memory'
import { redisBus, redisOnceStore, redisStores } from 'messaging-auth-router/stores/redis'
import { postgresBus, sqlOAuthStores, sqlStores } from 'messaging-auth-router/stores/sql'
import { createPool } from 'mysql2'
import pg from 'pg'
import { createClient } from 'redis'

const settings = JSON.parse(process.argv[2])
const { engine, address, prefix, encryptionKey, signingKey, clients, baseUrl } = settings

// A server takes 100 connections or 150, and several test files start two processes each.
const dialects = {
  sqlite() {
    const database = new Database(address)
    database.exec('pragma busy_timeout = 5000')
    return new SqliteDialect({ database })
  },
  postgres: () =>
    new PostgresDialect({ pool: new pg.Pool({ connectionString: address, max: 10 }) }),
  mysql: () => new MysqlDialect({ pool: createPool({ uri: address, connectionLimit: 10 }) }),
}

async function openStores() {
  if (engine === 'redis') {
    const client = await createClient({ url: address }).connect()
    // Redis keeps no consents. What users have allowed is not what is raced.
    const { consents } = memoryOAuthStores()
    const now = new Date()
    for (const { id: clientId, scopes } of clients)
      await consents.grant({ userId: 'u-alice', clientId, scopes, grantedAt: now, updatedAt: now })
    return {
      stores: redisStores(client, { prefix }),
      oauthStores: { consents, once: redisOnceStore(client, { prefix }) },
      bus: redisBus(client, { channel: prefix }),
    }
  }
  const kysely = new Kysely({ dialect: dialects[engine]() })
  const { codes, sessions, tickets, deviceCodes } = sqlStores(kysely, { prefix })
  const { consents, once } = sqlOAuthStores(kysely, { prefix })
  const pool = engine === 'postgres' && new pg.Pool({ connectionString: address, max: 3 })
  return {
    stores: { codes, sessions, tickets, deviceCodes },
    oauthStores: { consents, once },
    bus: pool && postgresBus(pool, { channel: prefix }),
  }
}

const { stores, oauthStores, bus } = await openStores()
const alice = { id: 'u-alice', username: 'alice', name: 'Alice', passwordHash: null }
const users = {
  findByIdentifier: async () => null,
  findById: async (id) => (id === alice.id ? alice : null),
}
const auth = createAuthRouter({
  users,
  ...stores,
  signer: joseSigner({
    issuer: new URL(baseUrl).origin,
    audience: settings.audience,
    keys: [signingKey],
  }),
  encryptionKeys: [encryptionKey],
  passwords: bcryptHasher({ cost: 4, threads: 1, dangerouslyAllowLowCost: true }),
  oauth: {
    baseUrl,
    clients,
    ...oauthStores,
    scopes: { 'messages:read': 'Read your messages' },
    ...settings.oauth,
  },
  storeTimeout: 20_000,
  ...(settings.withBus && bus ? { bus } : {}),
  ...settings.options,
})
const app = express().use('/api/v1', auth)
app.get('/stats', (_request, response) => response.json(auth.stats()))
const server = createServer(app)
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }))
process.once('disconnect', () => process.exit())
