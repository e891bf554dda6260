// A server of its own over PostgreSQL, one of several on the same tables: node
// two-factor-process.mjs <prefix> <encryption key> <signing key>. It says on which port it listens,
// and ends when it is disconnected.
import { createServer } from 'node:http'
import express from 'express'
import { Kysely, PostgresDialect } from 'kysely'
import { bcryptHasher, createAuthRouter, joseSigner } from 'messaging-auth-router'
import { sqlStores } from 'messaging-auth-router/stores/sql'
import pg from 'pg'

const [prefix, encryptionKey, signingKey] = process.argv.slice(2)
const connectionString =
  process.env.TEST_POSTGRES_URL || 'postgres://postgres@127.0.0.1:5432/postgres'
// A server takes 100 connections or 150, and several test files start two processes each.
const kysely = new Kysely({
  dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString, max: 10 }) }),
})
const { keys: _keys, ...stores } = sqlStores(kysely, { prefix })

const passwordHash = '$2b$04$abcdefghijklmnopqrstuu7EJV7kdjBBQxyb0HjTh9KS7.Lah/6CG'
const alice = { id: 'u-alice', username: 'alice', name: 'Alice', passwordHash }
const users = {
  findByIdentifier: async ({ value }) => (value === alice.username ? alice : null),
  findById: async (id) => (id === alice.id ? alice : null),
}
const plenty = { points: 1000, duration: 900 }
const auth = createAuthRouter({
  users,
  ...stores,
  signer: joseSigner({
    issuer: 'https://chat.example.com',
    audience: 'chat',
    keys: [JSON.parse(signingKey)],
  }),
  encryptionKeys: [encryptionKey],
  passwords: bcryptHasher({ cost: 4, threads: 1, dangerouslyAllowLowCost: true }),
  throttle: { account: plenty, network: plenty, secondFactor: plenty },
  storeTimeout: 20_000,
})
const server = createServer(express().use('/api/v1', auth))
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }))
process.once('disconnect', () => process.exit())
