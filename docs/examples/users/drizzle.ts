// A UserStore over Drizzle and PostgreSQL.
import { and, eq, isNull } from 'drizzle-orm'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import { boolean, pgTable, serial, text } from 'drizzle-orm/pg-core'
import type { AuthUser, UserStore } from 'messaging-auth-router'

// Yours. Put a unique index on username and on email.
export const users = pgTable('users', {
  id: serial().primaryKey(),
  username: text().notNull(),
  email: text().notNull(),
  name: text().notNull(),
  passwordHash: text('password_hash'),
  disabled: boolean().notNull().default(false),
})

const toUser = (row: typeof users.$inferSelect): AuthUser => ({
  id: String(row.id),
  username: row.username,
  name: row.name,
  passwordHash: row.passwordHash,
  disabled: row.disabled,
})

// Nine digits: a larger number is an error to PostgreSQL's integer, and would be an outage instead
// of "no such user".
const isId = (value: string) => /^[1-9]\d{0,8}$/.test(value)

export function drizzleUsers(db: NodePgDatabase): UserStore {
  const findById = async (userId: string) => {
    if (!isId(userId)) return null
    const [row] = await db
      .select()
      .from(users)
      .where(eq(users.id, Number(userId)))
    return row ? toUser(row) : null
  }
  const by = async (column: 'username' | 'email', value: string) => {
    const rows = await db.select().from(users).where(eq(users[column], value)).limit(2)
    return rows.length === 1 && rows[0] ? toUser(rows[0]) : null
  }
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
      if (!isId(userId)) return false
      const isFrom = from === null ? isNull(users.passwordHash) : eq(users.passwordHash, from)
      const changed = await db
        .update(users)
        .set({ passwordHash: to })
        .where(and(eq(users.id, Number(userId)), isFrom))
        .returning({ id: users.id })
      return changed.length === 1
    },
  }
}
