import type { Knex } from 'knex'
import type { AuthUser, UserStore } from 'messaging-auth-router'

interface UserRow {
  id: number
  username: string
  email: string
  name: string
  password_hash: string | null
  disabled: boolean
}

const toUser = (row: UserRow): AuthUser => ({
  id: String(row.id),
  username: row.username,
  name: row.name,
  passwordHash: row.password_hash,
  disabled: Boolean(row.disabled),
})

// Nine digits: a larger number is an error to PostgreSQL, and would be an outage instead of null.
const isId = (value: string) => /^[1-9]\d{0,8}$/.test(value)

export function knexUsers(knex: Knex): UserStore {
  const only = (rows: UserRow[]) => (rows.length === 1 && rows[0] ? toUser(rows[0]) : null)
  const by = async (column: 'id' | 'username' | 'email', value: string) =>
    only(await knex<UserRow>('users').where(column, value).limit(2))
  const findById = async (userId: string) => (isId(userId) ? by('id', userId) : null)
  return {
    async findByIdentifier({ kind, value }) {
      if (kind !== 'user') return by(kind, value)
      return (
        (await findById(value)) ??
        by(value.includes('@') ? 'email' : 'username', value.toLowerCase())
      )
    },
    findById,
    async updatePasswordHash(userId, from, to) {
      if (!isId(userId)) return false
      const changed = await knex<UserRow>('users')
        .where({ id: Number(userId), password_hash: from })
        .update({ password_hash: to })
      return changed === 1
    },
  }
}
