// A server of its own with the option `accounts`, one of several on the same stores: node
// account-process.mjs <settings as JSON>. It says on which port it listens and what it mails, and
// ends when it is disconnected. With `diesAt` it kills itself at that call, as a crash would.
import { createServer } from 'node:http'
import express from 'express'
import { Kysely, MysqlDialect, PostgresDialect, SqliteDialect } from 'kysely'
import Database from 'libsql'
import { bcryptHasher, createAuthRouter, joseSigner } from 'messaging-auth-router'
import { redisStores } from 'messaging-auth-router/stores/redis'
import { sqlStores } from 'messaging-auth-router/stores/sql'
import { createPool } from 'mysql2'
import pg from 'pg'
import { createClient } from 'redis'
import { WebSocketServer } from 'ws'

const { engine, address, prefix, redis, encryptionKey, signingKey, diesAt } = JSON.parse(
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

const kysely = new Kysely({ dialect: dialects[engine]() })
const table = `${prefix}users`

const rowsWith = (column, value) => kysely.selectFrom(table).selectAll().where(column, '=', value)
const userOf = (row) =>
  row === undefined
    ? null
    : { id: row.id, username: row.username, name: row.name, passwordHash: row.password_hash }

/** One conditional write; true for the one caller whose condition still held. */
async function change(userId, column, from, to) {
  const { numUpdatedRows } = await kysely
    .updateTable(table)
    .set(to)
    .where('id', '=', userId)
    .where(column, from === null ? 'is' : '=', from)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

const isDuplicate = ({ code }) =>
  ['23505', 'ER_DUP_ENTRY', 'SQLITE_CONSTRAINT_UNIQUE'].includes(code)

const users = {
  async findByIdentifier({ kind, value }) {
    const column = kind === 'email' ? 'email' : 'username'
    return userOf(await rowsWith(column, value).executeTakeFirst())
  },
  findById: async (id) => userOf(await rowsWith('id', id).executeTakeFirst()),
  async findContact(id) {
    const row = await rowsWith('id', id).executeTakeFirst()
    if (row === undefined) return null
    const { email, email_verified, email_factor } = row
    return { email, emailVerified: email_verified === 1, emailFactor: email_factor === 1 }
  },
  async create({ email, username, name, passwordHash }) {
    const id = `u-${username}`
    const row = { id, username, name, email, email_verified: 1, email_factor: 0 }
    try {
      await kysely
        .insertInto(table)
        .values({ ...row, password_hash: passwordHash })
        .execute()
      return { outcome: 'created', user: { id, username, name, passwordHash } }
    } catch (error) {
      if (!isDuplicate(error)) throw error
      const other = await rowsWith('email', email).executeTakeFirst()
      return { outcome: 'taken', field: other === undefined ? 'username' : 'email' }
    }
  },
  nameIsFree: async (name) => (await rowsWith('username', name).executeTakeFirst()) === undefined,
  updatePasswordHash: (id, from, to) => change(id, 'password_hash', from, { password_hash: to }),
  async updateEmail(id, from, to) {
    try {
      const isChanged = await change(id, 'email', from, { email: to, email_verified: 1 })
      return { outcome: isChanged ? 'changed' : 'superseded' }
    } catch (error) {
      if (isDuplicate(error)) return { outcome: 'taken' }
      throw error
    }
  },
  markEmailVerified: (id, email) => change(id, 'email', email, { email_verified: 1 }),
  async setEmailFactor(id, on) {
    const row = kysely.updateTable(table).where('id', '=', id)
    await row.set({ email_factor: on ? 1 : 0 }).execute()
  },
  async delete(id) {
    await kysely.deleteFrom(table).where('id', '=', id).execute()
  },
}

async function openStores() {
  const { codes, sessions, tickets, proofs, secondFactors } = sqlStores(kysely, { prefix })
  if (redis === null) return { codes, sessions, tickets, proofs, secondFactors }
  const inRedis = redisStores(await createClient({ url: redis }).connect(), { prefix })
  return { ...inRedis, secondFactors }
}

const stores = await openStores()
const parts = { ...stores, users }

// No handler of the process runs, and nothing is flushed.
function die() {
  process.kill(process.pid, 'SIGKILL')
  return new Promise(() => {})
}

if (diesAt !== null) {
  const { part, method, when, purpose } = diesAt
  const real = parts[part][method].bind(parts[part])
  parts[part][method] = async (...given) => {
    const asked = given[0]?.purpose ?? given[1]
    if (purpose !== undefined && asked !== purpose) return real(...given)
    if (when === 'after') await real(...given)
    return die()
  }
}

const noop = () => {}
// The limits are other tests' business.
const noLimit = { points: 100_000, duration: 900 }
const auth = createAuthRouter({
  users,
  ...stores,
  signer: joseSigner({ issuer: 'https://chat.example.com', audience: 'chat', keys: [signingKey] }),
  encryptionKeys: [encryptionKey],
  passwords: bcryptHasher({ cost: 4, threads: 1, dangerouslyAllowLowCost: true }),
  accounts: {
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
  },
  throttle: {
    network: noLimit,
    endpoints: noLimit,
    mail: { address: noLimit, account: noLimit, network: noLimit, codes: noLimit },
    account: noLimit,
    secondFactor: noLimit,
    secondFactorTotal: 100_000,
  },
  storeTimeout: 20_000,
  // Fifty passwords at once, on a machine that is busy with something else.
  maxPasswordWait: 30,
})
const app = express().use(auth)
// What the host's own code does, for the tests.
app.post('/host/invite/:uses', async ({ params }, response) => {
  const made = await auth.accounts.invite({ uses: Number(params.uses) })
  response.json({ data: made })
})
app.get('/host/invitations', async (_request, response) => {
  response.json({ data: await auth.accounts.invitations() })
})
const server = createServer(app)
auth.sockets.attach(server, '/ws', new WebSocketServer({ noServer: true }))
server.listen(0, '127.0.0.1', () => process.send({ port: server.address().port }))
process.once('disconnect', () => process.exit())
