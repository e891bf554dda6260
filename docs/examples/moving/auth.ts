// The router over the users that are there, and its tables in the same database.
import { Kysely, PostgresDialect } from 'kysely'
import {
  type AuthRouter,
  type AuthUser,
  consoleLogger,
  createAuthRouter,
  joseSigner,
  keyRing,
  type UserStore,
} from 'messaging-auth-router'
import { migrateSql, sqlStores } from 'messaging-auth-router/stores/sql'
import type { Pool } from 'pg'

// Names are stored as they were typed, and arrive here in lower case.
type Column = 'id::text' | 'lower(username)' | 'lower(email)'
const columns = { username: 'lower(username)', email: 'lower(email)' } as const

export function chatUsers(pool: Pool): UserStore {
  const by = async (column: Column, value: string): Promise<AuthUser | null> => {
    const { rows } = await pool.query(`select * from users where ${column} = $1 limit 2`, [value])
    if (rows.length !== 1) return null
    const { id, username, password } = rows[0]
    return { id: String(id), username, name: username, passwordHash: password }
  }
  return {
    findById: (userId) => by('id::text', userId),
    findByIdentifier({ kind, value }) {
      if (kind !== 'user') return by(columns[kind], value)
      return by(columns[value.includes('@') ? 'email' : 'username'], value.toLowerCase())
    },
    async updatePasswordHash(userId, from, to) {
      const { rowCount } = await pool.query(
        'update users set password = $3 where id::text = $1 and password = $2',
        [userId, from, to],
      )
      return rowCount === 1
    },
  }
}

export async function chatAuth(pool: Pool, encryptionKey: string): Promise<AuthRouter> {
  const kysely = new Kysely<object>({ dialect: new PostgresDialect({ pool }) })
  await migrateSql(kysely)
  const { keys, ...stores } = sqlStores(kysely)
  const ring = keyRing({ store: keys, encryptionKeys: [encryptionKey] })
  await ring.ready()
  const rotate = () =>
    ring.rotate({ ifOlderThan: 30 * 24 * 3600 }).catch((error) => process.emitWarning(error))
  setInterval(rotate, 3600 * 1000).unref()
  return createAuthRouter({
    users: chatUsers(pool),
    ...stores,
    signer: joseSigner({ issuer: 'https://chat.example.com', audience: 'chat', keys: ring }),
    encryptionKeys: [encryptionKey],
    logger: consoleLogger(),
  })
}
