// A server of its own with everything that a router mounts, one of several on the same stores: node
// server-process.mjs <settings as JSON>. It says on which port it listens and what it mails, does
// what its parent calls, and ends when it is disconnected. With `diesAt` it kills itself at that
// call, as a crash would.
import { createServer } from 'node:http'
import express from 'express'
import { Kysely, MysqlDialect, PostgresDialect, SqliteDialect } from 'kysely'
import Database from 'libsql'
import { AuthError, bcryptHasher, createAuthRouter, joseSigner } from 'messaging-auth-router'
import { simpleWebAuthn } from 'messaging-auth-router/passkeys'
import {
  memoryOAuthStores,
  memoryPasskeyStore,
  memoryStores,
} from 'messaging-auth-router/stores/memory'
import { redisBus, redisOnceStore, redisStores } from 'messaging-auth-router/stores/redis'
import {
  postgresBus,
  sqlOAuthStores,
  sqlPasskeyStore,
  sqlStores,
} from 'messaging-auth-router/stores/sql'
import { createPool } from 'mysql2'
import pg from 'pg'
import { createClient } from 'redis'
import { WebSocketServer } from 'ws'
import { usersIn } from './server-process-users.mjs'

const settings = JSON.parse(process.argv[2])
const { engine, address, prefix, baseUrl } = settings
const { origin } = new URL(baseUrl)

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

const kysely = new Kysely({ dialect: dialects[engine]() })

/** What must last is in SQL wherever several processes share it: Redis keeps the rest. */
async function openStores() {
  if (settings.inMemory) {
    const { consents, once } = memoryOAuthStores()
    return { stores: { ...memoryStores(), consents, once, passkeys: memoryPasskeyStore() } }
  }
  const { keys: _keys, ...inSql } = sqlStores(kysely, { prefix })
  const { consents, once } = sqlOAuthStores(kysely, { prefix })
  const lasting = { ...inSql, consents, once, passkeys: sqlPasskeyStore(kysely, { prefix }) }
  if (settings.redis === null) {
    const pool = engine === 'postgres' && new pg.Pool({ connectionString: address, max: 3 })
    return { stores: lasting, bus: pool && postgresBus(pool, { channel: prefix }) }
  }
  const client = await createClient({ url: settings.redis }).connect()
  const inRedis = { ...redisStores(client, { prefix }), once: redisOnceStore(client, { prefix }) }
  return { stores: { ...lasting, ...inRedis }, bus: redisBus(client, { channel: prefix }) }
}

const opened = await openStores()
const stores = { ...opened.stores, users: usersIn(kysely, `${prefix}users`) }

// No handler of the process runs, and nothing is flushed.
function die() {
  process.kill(process.pid, 'SIGKILL')
  return new Promise(() => {})
}

// By rows of nobody a process finds out whether its store keeps what it is given.
async function isOfUser(idHash, purpose) {
  const proof = await stores.proofs.find(idHash, purpose)
  return proof !== null && (await stores.users.findById(proof.userId)) !== null
}

if (settings.diesAt !== null) {
  const { part, method, when, purpose } = settings.diesAt
  const real = stores[part][method].bind(stores[part])
  stores[part][method] = async (...given) => {
    const asked = given[0]?.purpose ?? given[1]
    const isMeant =
      purpose === undefined ? method !== 'consume' || (await isOfUser(...given)) : asked === purpose
    if (!isMeant) return real(...given)
    if (when === 'after') await real(...given)
    return die()
  }
}

let aheadMs = 0
const clock = () => new Date(Date.now() + aheadMs)
const noop = () => {}
// The limits are other tests' business.
const noLimit = { points: 100_000, duration: 900 }

const throttle = {
  network: noLimit,
  endpoints: noLimit,
  mail: { address: noLimit, account: noLimit, network: noLimit, codes: noLimit },
  account: noLimit,
  secondFactor: noLimit,
  secondFactorTotal: 100_000,
}

const accounts = {
  // A mail after the test is over goes nowhere.
  mail: { send: async ({ kind, to, code, url }) => process.send({ kind, to, code, url }, noop) },
  links: {
    reset: 'https://chat.example.com/#/reset/{token}',
    undo: 'https://chat.example.com/#/undo/{token}',
    invitation: 'https://chat.example.com/#/invitation/{token}',
  },
  registration: 'open',
  emailSecondFactor: true,
  emailSignIn: true,
  deletion: true,
}

/** It believes what the browser says of itself. */
const provider = {
  id: 'fake',
  name: 'Fake',
  start: async ({ state }) => ({
    url: `https://idp.example.com/authorize?state=${state}`,
    keep: { nonce: `nonce of ${state}` },
  }),
  finish: async ({ parameters: { subject } }) => ({
    outcome: 'identified',
    identity: { issuer: 'https://idp.example.com', subject },
  }),
}

/** A program of the test's, or one that stands for the user in its id. */
async function findClient(id) {
  const [, serviceUserId] = /^courier-(.+)$/.exec(id) ?? []
  const wanted = serviceUserId === undefined ? id : 'courier-'
  const client = settings.clients.find((one) => one.id === wanted)
  return client === undefined ? null : { ...client, id, ...(serviceUserId && { serviceUserId }) }
}

async function optionsOf() {
  const { codes, sessions, tickets, proofs, secondFactors, deviceCodes, identities } = stores
  const { consents, once, users, passkeys: store } = stores
  const verifier = simpleWebAuthn()
  await verifier.ready()
  const { audience, encryptionKey, signingKey, site } = settings
  const everything = {
    users,
    ...{ codes, sessions, tickets, proofs, secondFactors, deviceCodes, identities, clock },
    signer: joseSigner({ issuer: origin, audience, keys: [signingKey], clock }),
    encryptionKeys: [encryptionKey],
    passwords: bcryptHasher({ cost: 4, threads: 1, dangerouslyAllowLowCost: true }),
    pagesOrigin: origin,
    accounts,
    passkeys: {
      ...{ rpId: site.rpId, origins: [site.origin], verifier, store, once },
      asSecondFactor: 'always',
    },
    oauth: {
      ...{ baseUrl, clients: { find: findClient }, consents, once },
      scopes: { 'messages:read': 'Read your messages' },
      deviceFlow: true,
      ...settings.oauth,
    },
    deviceLinks: { page: 'https://chat.example.com/link' },
    providers: { baseUrl, list: [provider], returnTo: ['https://chat.example.com/signed-in'] },
    throttle,
    storeTimeout: 20_000,
    // Fifty passwords at once, on a machine that is busy with something else.
    maxPasswordWait: 30,
    ...(settings.withBus && opened.bus ? { bus: opened.bus } : {}),
  }
  for (const name of settings.without) delete everything[name]
  return everything
}

const auth = createAuthRouter(await optionsOf())

const app = express()
// The host's own page, on which a browser is signed in.
app.post('/open', express.json(), (request, response, next) => {
  auth.cookie.open(request, response, request.body).then((given) => response.json(given), next)
})
app.use('/api/v1', auth)
app.use((error, _request, response, next) => {
  if (error instanceof AuthError) response.status(error.status).json({ error: error.code })
  else next(error)
})

/** What the test calls here, by its path. */
const callable = {
  auth,
  stores,
  process,
  clock: {
    advance(seconds) {
      aheadMs += seconds * 1000
    },
  },
}

process.on('message', async ({ id, path, given }) => {
  const names = path.split('.')
  const method = names.pop()
  try {
    const object = names.reduce((all, name) => all[name], callable)
    process.send({ id, value: await object[method](...given) }, noop)
  } catch (error) {
    process.send({ id, problem: String(error) }, noop)
  }
})
process.once('disconnect', () => process.exit())

const server = createServer(app)
auth.sockets.attach(server, '/api/v1/ws', new WebSocketServer({ noServer: true }))
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }))
