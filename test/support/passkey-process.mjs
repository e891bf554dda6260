// A server of its own that takes passkeys, one of several on the same stores: node
// passkey-process.mjs <settings as JSON>. It says on which port it listens, and ends when it is
// disconnected.
import { createServer } from 'node:http'
import express from 'express'
import { Kysely, MysqlDialect, PostgresDialect, SqliteDialect } from 'kysely'
import Database from 'libsql'
import { bcryptHasher, createAuthRouter, joseSigner } from 'messaging-auth-router'
import { simpleWebAuthn } from 'messaging-auth-router/passkeys'
import {
  memoryOAuthStores,
  memoryPasskeyStore,
  memoryStores,
} from 'messaging-auth-router/stores/memory'
import { redisOnceStore, redisStores } from 'messaging-auth-router/stores/redis'
import { sqlOAuthStores, sqlPasskeyStore, sqlStores } from 'messaging-auth-router/stores/sql'
import { createPool } from 'mysql2'
import pg from 'pg'
import { createClient } from 'redis'

const { engine, address, prefix, redis, encryptionKey, signingKey, alice, site } = JSON.parse(
  process.argv[2],
)

// A server takes 100 connections or 150, and several test files start two processes each.
const dialects = {
  sqlite() {
    const database = new Database(address)
    database.exec('pragma busy_timeout = 10000')
    return new SqliteDialect({ database })
  },
  postgres: () =>
    new PostgresDialect({ pool: new pg.Pool({ connectionString: address, max: 10 }) }),
  mysql: () => new MysqlDialect({ pool: createPool({ uri: address, connectionLimit: 10 }) }),
}

async function openStores() {
  if (engine === 'memory') {
    const { codes, sessions, tickets } = memoryStores()
    const { once } = memoryOAuthStores()
    return { stores: { codes, sessions, tickets }, once, store: memoryPasskeyStore() }
  }
  const kysely = new Kysely({ dialect: dialects[engine]() })
  const store = sqlPasskeyStore(kysely, { prefix })
  if (redis === null) {
    const { codes, sessions, tickets } = sqlStores(kysely, { prefix })
    const { once } = sqlOAuthStores(kysely, { prefix })
    return { stores: { codes, sessions, tickets }, once, store }
  }
  // Passkeys must last, so Redis keeps none.
  const client = await createClient({ url: redis }).connect()
  return {
    stores: redisStores(client, { prefix }),
    once: redisOnceStore(client, { prefix }),
    store,
  }
}

const { stores, once, store } = await openStores()
const users = {
  findByIdentifier: async ({ value }) => (value === alice.username ? alice : null),
  findById: async (id) => (id === alice.id ? alice : null),
}
const verifier = simpleWebAuthn()
await verifier.ready()
const auth = createAuthRouter({
  users,
  ...stores,
  signer: joseSigner({ issuer: site.origin, audience: 'chat', keys: [signingKey] }),
  encryptionKeys: [encryptionKey],
  passwords: bcryptHasher({ cost: 4, threads: 1, dangerouslyAllowLowCost: true }),
  passkeys: {
    rpId: site.rpId,
    origins: [site.origin],
    verifier,
    store,
    once,
    asSecondFactor: 'always',
  },
  storeTimeout: 20_000,
})
const server = createServer(express().use(auth))
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }))
process.once('disconnect', () => process.exit())
