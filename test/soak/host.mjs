// One of the chat servers of the soak: a process of its own over PostgreSQL and Redis. Says its
// port when it listens, and how much memory it needs after a collection whenever it is asked.
// SOAK_LEAK=1 makes it keep a kilobyte of each request, to prove that the soak notices.
import { createServer } from 'node:http'
import express from 'express'
import { Redis } from 'ioredis'
import { Kysely, PostgresDialect } from 'kysely'
import { bcryptHasher, createAuthRouter, joseSigner } from 'messaging-auth-router'
import { redisBus, redisStores } from 'messaging-auth-router/stores/redis'
import { sqlStores } from 'messaging-auth-router/stores/sql'
import pg from 'pg'
import { RateLimiterRedis } from 'rate-limiter-flexible'
import { WebSocketServer } from 'ws'

const { POSTGRES_URL, REDIS_URL, SIGNING_KEY, ENCRYPTION_KEY, PASSWORD_HASH, SOAK_LEAK } =
  process.env
const leaked = []

const pool = new pg.Pool({ connectionString: POSTGRES_URL, max: 8 })
pool.on('error', complain)
const redis = new Redis(REDIS_URL, {
  enableOfflineQueue: false,
  maxRetriesPerRequest: 0,
  lazyConnect: true,
})
redis.on('error', complain)
await redis.connect()
const { keys: _keys, ...inDatabase } = sqlStores(
  new Kysely({ dialect: new PostgresDialect({ pool }) }),
)

const userOf = (name) => ({ id: `u-${name}`, username: name, name, passwordHash: PASSWORD_HASH })
const auth = createAuthRouter({
  users: {
    findByIdentifier: async ({ value }) => userOf(value),
    findById: async (id) => userOf(id.slice(2)),
  },
  ...inDatabase,
  tickets: redisStores(redis).tickets,
  bus: redisBus(redis),
  throttle: { limiter: (settings) => new RateLimiterRedis({ storeClient: redis, ...settings }) },
  signer: joseSigner({
    issuer: 'https://chat.example.com',
    audience: 'chat',
    keys: [JSON.parse(SIGNING_KEY)],
  }),
  encryptionKeys: [ENCRYPTION_KEY],
  passwords: bcryptHasher({ cost: 4, dangerouslyAllowLowCost: true, threads: 1 }),
  // As short as they may be, so that what is over is deleted while somebody looks.
  lifetimes: { sessionIdle: 60, sessionAbsolute: 60, accessToken: 30, code: 10 },
  // Instead of the router's own housekeeping, which leaves rows for another hour: see below.
  purgeInterval: 0,
  logger: { debug() {}, info() {}, warn: complain, error: complain },
})

setInterval(() => {
  const now = new Date()
  for (const store of [inDatabase.sessions, inDatabase.codes])
    store.purge(now, 1000).catch((error) => complain('purge failed', { error: error.message }))
}, 10_000).unref()

function complain(message, fields) {
  process.stderr.write(`${message} ${JSON.stringify(fields)}\n`)
}

const app = express()
app.use((_request, _response, next) => {
  if (SOAK_LEAK === '1') leaked.push(Buffer.alloc(1024).toString('latin1'))
  next()
})
app.use('/api/v1', auth)
app.get('/api/v1/rooms', auth.requireAuth(), (request, response) =>
  response.json({ for: request.auth.userId }),
)
const server = createServer(app)
const sockets = new WebSocketServer({ noServer: true })
server.on('upgrade', (request, connection, head) => {
  connection.on('error', () => connection.destroy())
  auth.sockets.authenticate(request).then(
    (principal) =>
      sockets.handleUpgrade(request, connection, head, (socket) =>
        auth.sockets.track(socket, principal),
      ),
    (error) => auth.sockets.refuse(connection, error),
  )
})

process.on('message', () => {
  globalThis.gc()
  globalThis.gc()
  const { rss, heapUsed } = process.memoryUsage()
  process.send({
    rss,
    heapUsed,
    sockets: sockets.clients.size,
    resources: process.getActiveResourcesInfo().length,
  })
})
process.on('disconnect', () => process.exit())
server.listen(0, '127.0.0.1', () => process.send(server.address().port))
