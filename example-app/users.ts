import type { AuthUser, UserStore } from 'messaging-auth-router'

/** A user of this server. The router asks for less than this and shows less than this. */
export interface ChatUser extends AuthUser {
  readonly email: string
}

/** The user table, and the one adapter the router needs. */
export interface UserTable extends Required<UserStore> {
  add(user: ChatUser): void
}

/** Keeps users in memory. Names and addresses are stored in lower case, as the router asks for them. */
export function createUserTable(): UserTable {
  const byId = new Map<string, ChatUser>()
  const idByEmail = new Map<string, string>()
  const idByUsername = new Map<string, string>()
  const get = (id: string | undefined) => (id === undefined ? null : (byId.get(id) ?? null))

  return {
    add(user) {
      const email = user.email.toLowerCase()
      const username = user.username.toLowerCase()
      // Unique by construction: a name that fits two users would let one of them into the other's account.
      if (byId.has(user.id) || idByEmail.has(email) || idByUsername.has(username)) throw new Error(`${username} is taken`)
      byId.set(user.id, user)
      idByEmail.set(email, user.id)
      idByUsername.set(username, user.id)
    },

    async findByIdentifier({ kind, value }) {
      const name = value.toLowerCase()
      if (kind === 'email') return get(idByEmail.get(name))
      if (kind === 'username') return get(idByUsername.get(name))
      return get(value) ?? get(name.includes('@') ? idByEmail.get(name) : idByUsername.get(name))
    },

    async findById(userId) {
      return get(userId)
    },

    // With a database: UPDATE users SET password_hash = :to WHERE id = :userId AND password_hash = :from
    async updatePasswordHash(userId, from, to) {
      const user = get(userId)
      if (user?.passwordHash !== from) return false
      byId.set(userId, { ...user, passwordHash: to })
      return true
    },
  }
}
