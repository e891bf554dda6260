import type { Kysely, Selectable } from 'kysely'
import type { AuthUser, UserStore } from 'messaging-auth-router'
import type { ChatTables } from './tables.js'

/** A user of this server. The router asks for less than this and shows less than this. */
export interface ChatUser extends AuthUser {
  readonly email: string
  readonly emailVerified: boolean
  readonly passwordHash: string
}

/** The user table, and the one adapter the router needs. */
export interface UserTable extends Omit<UserStore, 'setEmailFactor'> {
  /**
   * Adds a user, unless their id is there. Rejects when it is only their name or address that is
   * taken.
   */
  add(user: ChatUser): Promise<void>
  ids(): Promise<Set<string>>
}

/**
 * Keeps users in the database. Names are stored in lower case, as the router asks for them, and
 * addresses in lower case as well.
 */
export function createUserTable(kysely: Kysely<ChatTables>): UserTable {
  const find = createFind(kysely)
  return {
    ...addressMethods(kysely, find),
    findById: (userId) => find('id', userId),

    async findByIdentifier({ kind, value }) {
      const name = value.toLowerCase()
      const columnOf = { email: 'email_key', username: 'username' } as const
      if (kind !== 'user') return find(columnOf[kind], name)
      return (
        (await find('id', value)) ?? find(columnOf[name.includes('@') ? 'email' : 'username'], name)
      )
    },

    // One statement that looks and writes: of two logins at the same moment, or a login and a
    // change of password, one wins. Nobody here is without a password.
    async updatePasswordHash(userId, from, to) {
      if (from === null) return false
      const update = kysely.updateTable('chat_users').set({ password_hash: to })
      const { numUpdatedRows } = await update
        .where('id', '=', userId)
        .where('password_hash', '=', from)
        .executeTakeFirstOrThrow()
      return numUpdatedRows === 1n
    },

    async add({ id, username, email, emailVerified, name, passwordHash, disabled }) {
      const row = { id, name, password_hash: passwordHash, disabled: disabled ? 1 : 0 }
      const email_verified = emailVerified ? 1 : 0
      const names = { username: username.toLowerCase(), email, email_key: email.toLowerCase() }
      const insert = kysely.insertInto('chat_users').values({ ...row, ...names, email_verified })
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

function createFind(kysely: Kysely<ChatTables>) {
  return async function find(
    column: 'id' | 'email_key' | 'username',
    value: string,
  ): Promise<ChatUser | null> {
    const row = await kysely
      .selectFrom('chat_users')
      .selectAll()
      .where(column, '=', value)
      .executeTakeFirst()
    return row === undefined ? null : toUser(row)
  }
}

type Find = ReturnType<typeof createFind>

/** Each writes in one statement, and only if the row is still what it was. */
function addressMethods(
  kysely: Kysely<ChatTables>,
  find: Find,
): Required<Pick<UserStore, 'findContact' | 'updateEmail' | 'markEmailVerified'>> {
  return {
    async findContact(userId) {
      const user = await find('id', userId)
      return user === null ? null : { email: user.email, emailVerified: user.emailVerified }
    },

    async updateEmail(userId, from, to) {
      if (from === null) return { outcome: 'superseded' }
      const email_key = to.toLowerCase()
      const update = kysely
        .updateTable('chat_users')
        .set({ email: to, email_key, email_verified: 1 })
      try {
        const { numUpdatedRows } = await update
          .where('id', '=', userId)
          .where('email', '=', from)
          .executeTakeFirstOrThrow()
        return { outcome: numUpdatedRows === 1n ? 'changed' : 'superseded' }
      } catch (error) {
        // The unique index has refused it, if somebody else has the address.
        const other = await find('email_key', email_key)
        if (other === null || other.id === userId) throw error
        return { outcome: 'taken' }
      }
    },

    // Whoever is marked already is marked again: some databases count only rows that change.
    async markEmailVerified(userId, email) {
      const update = kysely.updateTable('chat_users').set({ email_verified: 1 })
      await update.where('id', '=', userId).where('email', '=', email).execute()
      const user = await find('id', userId)
      return user?.email === email
    },
  }
}

function toUser(row: Selectable<ChatTables['chat_users']>): ChatUser {
  return {
    id: String(row.id),
    username: String(row.username),
    name: String(row.name),
    email: String(row.email),
    emailVerified: Boolean(row.email_verified),
    passwordHash: String(row.password_hash),
    disabled: Boolean(row.disabled),
  }
}
