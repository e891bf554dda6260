// A chat server as a process of its own, to be killed or cut off from its database. It knows every
// user there could be, so that the database holds nothing but what the router keeps. Says its port
// when it listens.
import express from 'express'
import { Kysely, MysqlDialect, PostgresDialect, SqliteDialect } from 'kysely'
import { bcryptHasher, createAuthRouter, joseSigner } from 'messaging-auth-router'
import { redisStores } from 'messaging-auth-router/stores/redis'
import { sqlStores } from 'messaging-auth-router/stores/sql'

const {
  DATABASE_KIND,
  DATABASE_URL,
  POOL_SIZE,
  POSTGRES_OPTIONS,
  SIGNING_KEY,
  ENCRYPTION_KEY,
  PASSWORD_HASH,
} = process.env
const connections = Number(POOL_SIZE)

// Only one driver is loaded: hundreds of these processes are started.
const dialects = {
  async sqlite() {
    const { default: Database } = await import('libsql')
    const database = new Database(DATABASE_URL)
    database.exec('pragma busy_timeout = 2000')
    return new SqliteDialect({ database })
  },
  async postgres() {
    const { default: pg } = await import('pg')
    const settings = {
      connectionString: DATABASE_URL,
      max: connections,
      connectionTimeoutMillis: 1500,
      options: POSTGRES_OPTIONS,
    }
    const pool = new pg.Pool(settings)
    pool.on('error', () => {})
    // The pool listens to idle connections only; one that broke while a statement was under way
    // would end the process.
    pool.on('connect', (client) => client.on('error', () => {}))
    return new PostgresDialect({ pool })
  },
  async mariadb() {
    const { createPool } = await import('mysql2')
    return new MysqlDialect({
      pool: createPool({ uri: DATABASE_URL, connectionLimit: connections, connectTimeout: 1500 }),
    })
  },
}

async function openStores() {
  if (DATABASE_KIND !== 'redis') {
    const { keys: _keys, ...stores } = sqlStores(
      new Kysely({ dialect: await dialects[DATABASE_KIND]() }),
    )
    return stores
  }
  const { createClient } = await import('redis')
  const client = createClient({ url: DATABASE_URL, disableOfflineQueue: true })
  client.on('error', () => {})
  await client.connect()
  return redisStores(client)
}

const userOf = (name) => ({ id: `u-${name}`, username: name, name, passwordHash: PASSWORD_HASH })

const auth = createAuthRouter({
  users: {
    findByIdentifier: async ({ value }) => userOf(value),
    findById: async (id) => userOf(id.slice(2)),
  },
  ...(await openStores()),
  signer: joseSigner({
    issuer: 'https://chat.example.com',
    audience: 'chat',
    keys: [JSON.parse(SIGNING_KEY)],
  }),
  encryptionKeys: [ENCRYPTION_KEY],
  passwords: bcryptHasher({ cost: 4, dangerouslyAllowLowCost: true, threads: 1 }),
  // Hundreds of codes are sent again on purpose, all from one address.
  throttle: { endpoints: { points: 100_000, duration: 900 } },
  logger: { debug() {}, info() {}, warn: complain, error: complain },
})

function complain(message, fields) {
  process.stderr.write(`${message} ${JSON.stringify(fields)}\n`)
}

const app = express()
app.use('/api/v1', auth)
app.get('/api/v1/rooms', auth.requireAuth(), (request, response) =>
  response.json({ for: request.auth.userId }),
)
const server = app.listen(0, '127.0.0.1', () =>
  process.stdout.write(`${JSON.stringify(server.address())}\n`),
)
