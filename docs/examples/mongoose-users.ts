import type { AuthUser, UserStore } from 'messaging-auth-router'
import type { Model, Types } from 'mongoose'

interface UserDocument {
  _id: Types.ObjectId
  username: string
  email: string
  name: string
  passwordHash?: string | null
  disabled?: boolean
}

const toUser = (found: UserDocument): AuthUser => ({
  id: found._id.toString(),
  username: found.username,
  name: found.name,
  passwordHash: found.passwordHash ?? null,
  disabled: found.disabled ?? false,
})

// Not isValidObjectId: that takes any 12 characters for an id, and capital letters for small ones.
const isId = (value: string) => /^[0-9a-f]{24}$/.test(value)

export function mongooseUsers(User: Model<UserDocument>): UserStore {
  const findById = async (userId: string) => {
    const found = isId(userId) ? await User.findById(userId).lean<UserDocument>() : null
    return found && toUser(found)
  }
  const by = async (field: 'username' | 'email', value: string) => {
    const found = await User.find({ [field]: { $eq: value } })
      .limit(2)
      .lean<UserDocument[]>()
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
      const { modifiedCount } = await User.updateOne(
        { _id: userId, passwordHash: { $eq: from } },
        { $set: { passwordHash: to } },
      )
      return modifiedCount === 1
    },
  }
}
