// The table of users, and how the router reads and changes it.
import type { AuthUser, UserStore } from 'messaging-auth-router'
import type { Pool } from 'pg'

export const usersTable = `create table if not exists users (
    id text primary key default gen_random_uuid(), username text collate "C" not null unique,
    email text, email_verified boolean not null default false, name text not null,
    password_hash text, disabled boolean not null default false);
  create unique index if not exists users_email on users (lower(email))`

const columns = 'id, username, name, password_hash as "passwordHash", disabled'

export function chatUsers(pool: Pool): UserStore {
  const by = async (column: 'id' | 'username' | 'lower(email)', value: string) => {
    const text = `select ${columns} from users where ${column} = $1`
    return (await pool.query<AuthUser>(text, [value])).rows[0] ?? null
  }
  const update = async (set: string, where: string, values: unknown[]) =>
    (await pool.query(`update users set ${set} where id = $1 and ${where}`, values)).rowCount === 1
  return {
    findById: (userId) => by('id', userId),
    async findByIdentifier({ kind, value }) {
      if (kind !== 'user') return by(kind === 'email' ? 'lower(email)' : kind, value)
      const name = value.toLowerCase()
      return (await by('id', value)) ?? by(name.includes('@') ? 'lower(email)' : 'username', name)
    },
    updatePasswordHash: (userId, from, to) =>
      update('password_hash = $3', 'password_hash is not distinct from $2', [userId, from, to]),
    async findContact(userId) {
      const text = 'select email, email_verified as "emailVerified" from users where id = $1'
      return (await pool.query(text, [userId])).rows[0] ?? null
    },
    markEmailVerified: (userId, email) =>
      update('email_verified = true', 'email = $2', [userId, email]),
    async create({ email, username, name, passwordHash }) {
      const text = `insert into users (email, username, name, password_hash, email_verified)
        values ($1, $2, $3, $4, true) on conflict do nothing returning ${columns}`
      const lower = username.toLowerCase()
      const { rows } = await pool.query<AuthUser>(text, [email, lower, name, passwordHash])
      if (rows[0]) return { outcome: 'created', user: rows[0] }
      return { outcome: 'taken', field: (await by('username', lower)) ? 'username' : 'email' }
    },
    nameIsFree: async (name) =>
      /^[a-z0-9][a-z0-9._-]{1,31}$/i.test(name) && !(await by('username', name.toLowerCase())),
  }
}
