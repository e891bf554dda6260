import type { Kysely, Selectable } from 'kysely'
import type { AuthUser, UserStore } from 'messaging-auth-router'
import type { ChatTables } from './tables.js'

/** A user of this server. The router asks for less than this and shows less than this. */
export interface ChatUser extends AuthUser {
  readonly email: string
  readonly passwordHash: string
}

/** The user table, and the one adapter the router needs. */
export interface UserTable extends UserStore {
  /**
   * Adds a user, unless their id is there. Rejects when it is only their name or address that is
   * taken.
   */
  add(user: ChatUser): Promise<void>
  ids(): Promise<Set<string>>
}

/**
 * Keeps users in the database. Names and addresses are stored in lower case, as the router asks for
 * them.
 */
export function createUserTable(kysely: Kysely<ChatTables>): UserTable {
  async function find(
    column: 'id' | 'email' | 'username',
    value: string,
  ): Promise<AuthUser | null> {
    const row = await kysely
      .selectFrom('chat_users')
      .selectAll()
      .where(column, '=', value)
      .executeTakeFirst()
    return row === undefined ? null : toUser(row)
  }

  return {
    findById: (userId) => find('id', userId),

    async findByIdentifier({ kind, value }) {
      const name = value.toLowerCase()
      if (kind !== 'user') return find(kind, name)
      return (await find('id', value)) ?? find(name.includes('@') ? 'email' : 'username', name)
    },

    // One statement that looks and writes: of two logins at the same moment, or a login and a
    // change of password, one wins.
    async updatePasswordHash(userId, from, to) {
      const update = kysely.updateTable('chat_users').set({ password_hash: to })
      const { numUpdatedRows } = await update
        .where('id', '=', userId)
        .where('password_hash', '=', from)
        .executeTakeFirstOrThrow()
      return numUpdatedRows === 1n
    },

    async add({ id, username, email, name, passwordHash, disabled }) {
      const row = { id, name, password_hash: passwordHash, disabled: disabled ? 1 : 0 }
      const names = { username: username.toLowerCase(), email: email.toLowerCase() }
      const insert = kysely.insertInto('chat_users').values({ ...row, ...names })
      await insert.execute().catch(async (error: unknown) => {
        // Another process that starts at the same moment may have been faster.
        if ((await find('id', id)) === null) throw error
      })
    },

    async ids() {
      const rows = await kysely.selectFrom('chat_users').select('id').execute()
      return new Set(rows.map(({ id }) => String(id)))
    },
  }
}

function toUser(row: Selectable<ChatTables['chat_users']>): ChatUser {
  return {
    id: String(row.id),
    username: String(row.username),
    name: String(row.name),
    email: String(row.email),
    passwordHash: String(row.password_hash),
    disabled: Boolean(row.disabled),
  }
}
