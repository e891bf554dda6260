// A UserStore over TypeORM.
import type { AuthUser, UserStore } from 'messaging-auth-router'
import { EntitySchema, IsNull, type Repository } from 'typeorm'

export interface UserRow {
  id: number
  username: string
  email: string
  name: string
  passwordHash: string | null
  disabled: boolean
}

// Yours; a class with decorators does as well. Put a unique index on username and on email.
export const UserEntity = new EntitySchema<UserRow>({
  name: 'User',
  tableName: 'users',
  columns: {
    id: { type: 'integer', primary: true, generated: true },
    username: { type: 'text' },
    email: { type: 'text' },
    name: { type: 'text' },
    passwordHash: { type: 'text', name: 'password_hash', nullable: true },
    disabled: { type: 'boolean', default: false },
  },
})

const toUser = (row: UserRow): AuthUser => ({
  id: String(row.id),
  username: row.username,
  name: row.name,
  passwordHash: row.passwordHash,
  disabled: row.disabled,
})

// Nine digits: a larger number is an error to PostgreSQL's integer, and would be an outage instead
// of "no such user".
const isId = (value: string) => /^[1-9]\d{0,8}$/.test(value)

// users: dataSource.getRepository(UserEntity)
export function typeormUsers(users: Repository<UserRow>): UserStore {
  const findById = async (userId: string) => {
    const row = isId(userId) ? await users.findOneBy({ id: Number(userId) }) : null
    return row && toUser(row)
  }
  const by = async (column: 'username' | 'email', value: string) => {
    const rows = await users.find({ where: { [column]: value }, take: 2 })
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
      // Not save(): that would write over whatever is there by now.
      const { affected } = await users.update(
        { id: Number(userId), passwordHash: from ?? IsNull() },
        { passwordHash: to },
      )
      return affected === 1
    },
  }
}
