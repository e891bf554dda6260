// A UserStore over Sequelize 6.
import type { AuthUser, UserStore } from 'messaging-auth-router'
import { DataTypes, type Model, type ModelStatic, type Optional, type Sequelize } from 'sequelize'

interface UserRow {
  id: number
  username: string
  email: string
  name: string
  passwordHash: string | null
  disabled: boolean
}

type UserModel = Model<UserRow, Optional<UserRow, 'id' | 'disabled'>>

// Yours. Put a unique index on username and on email.
export const defineUsers = (sequelize: Sequelize): ModelStatic<UserModel> =>
  sequelize.define<UserModel>(
    'User',
    {
      id: { type: DataTypes.INTEGER, primaryKey: true, autoIncrement: true },
      username: { type: DataTypes.TEXT, allowNull: false },
      email: { type: DataTypes.TEXT, allowNull: false },
      name: { type: DataTypes.TEXT, allowNull: false },
      passwordHash: { type: DataTypes.TEXT, field: 'password_hash' },
      disabled: { type: DataTypes.BOOLEAN, allowNull: false, defaultValue: false },
    },
    { tableName: 'users', timestamps: false },
  )

const toUser = (found: UserModel): AuthUser => {
  const { id, username, name, passwordHash, disabled } = found.get({ plain: true })
  return { id: String(id), username, name, passwordHash, disabled }
}

// Nine digits: a larger number is an error to PostgreSQL's integer, and would be an outage instead
// of "no such user".
const isId = (value: string) => /^[1-9]\d{0,8}$/.test(value)

export function sequelizeUsers(User: ModelStatic<UserModel>): UserStore {
  const findById = async (userId: string) => {
    const found = isId(userId) ? await User.findByPk(Number(userId)) : null
    return found && toUser(found)
  }
  const by = async (column: 'username' | 'email', value: string) => {
    const found = await User.findAll({ where: { [column]: value }, limit: 2 })
    return found.length === 1 && found[0] ? toUser(found[0]) : null
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
      // Not found.save(): that would write over whatever is there by now.
      const [changed] = await User.update(
        { passwordHash: to },
        { where: { id: Number(userId), passwordHash: from } },
      )
      return changed === 1
    },
  }
}
