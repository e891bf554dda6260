// A UserStore over Prisma 7; its model is in schema.prisma. In Prisma 6 the client is imported from
// '@prisma/client'.
import type { AuthUser, UserStore } from 'messaging-auth-router'
import type { PrismaClient, User } from './generated/client.js'

const toUser = ({ id, username, name, passwordHash, disabled }: User): AuthUser => ({
  id: String(id),
  username,
  name,
  passwordHash,
  disabled,
})

// Nine digits: a larger number does not fit into Int, and would be an outage instead of "no such
// user".
const isId = (value: string) => /^[1-9]\d{0,8}$/.test(value)

export function prismaUsers(prisma: PrismaClient): UserStore {
  const findById = async (userId: string) => {
    const found = isId(userId)
      ? await prisma.user.findUnique({ where: { id: Number(userId) } })
      : null
    return found && toUser(found)
  }
  const by = async (column: 'username' | 'email', value: string) => {
    const found = await prisma.user.findMany({ where: { [column]: value }, take: 2 })
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
      // Not update(): that takes one unique field, and rejects where there is no row.
      const { count } = await prisma.user.updateMany({
        where: { id: Number(userId), passwordHash: from },
        data: { passwordHash: to },
      })
      return count === 1
    },
  }
}
