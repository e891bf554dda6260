import { type Generated, type Kysely, sql } from 'kysely'
import type { UserStore } from 'messaging-auth-router'

interface Database {
  users: {
    id: Generated<number>
    username: string
    email: string
    name: string
    password_hash: string | null
    disabled: boolean
  }
}

export function kyselyUsers(db: Kysely<Database>): UserStore {
  const users = db
    .selectFrom('users')
    .select([
      sql<string>`cast(id as text)`.as('id'),
      'username',
      'name',
      'password_hash as passwordHash',
      'disabled',
    ])
  const by = async (column: 'username' | 'email', value: string) => {
    const rows = await users.where(column, '=', value).limit(2).execute()
    return rows.length === 1 ? (rows[0] ?? null) : null
  }
  const findById = async (userId: string) =>
    (await users.where(sql<string>`cast(id as text)`, '=', userId).executeTakeFirst()) ?? null
  return {
    findById,
    async findByIdentifier({ kind, value }) {
      if (kind !== 'user') return by(kind, value)
      return (
        (await findById(value)) ??
        by(value.includes('@') ? 'email' : 'username', value.toLowerCase())
      )
    },
    async updatePasswordHash(userId, from, to) {
      const { numUpdatedRows } = await db
        .updateTable('users')
        .set({ password_hash: to })
        .where(sql<string>`cast(id as text)`, '=', userId)
        .where('password_hash', from === null ? 'is' : '=', from)
        .executeTakeFirst()
      return numUpdatedRows === 1n
    },
  }
}
