import { randomUUID } from 'node:crypto'
import type { Kysely, Selectable } from 'kysely'
import type { AuthUser, UserCreation, UserStore } from 'messaging-auth-router'
import type { ChatTables } from './tables.js'

/** A user of this server. The router asks for less than this and shows less than this. */
export interface ChatUser extends AuthUser {
  /** As its owner wrote it. */
  readonly email: string
  /** Whether its owner has shown that mail to it arrives. */
  readonly emailVerified: boolean
  /** Whether its owner wants codes by mail as a second factor. */
  readonly emailFactor: boolean
  /** In the form E.164; null without. */
  readonly phone?: string | null
  readonly phoneVerified?: boolean
  readonly phoneFactor?: boolean
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

/** Keeps users in the database. Names are stored in lower case, as the router asks for them. */
export function createUserTable(kysely: Kysely<ChatTables>): UserTable {
  const find = createFind(kysely)
  return {
    ...accountMethods(kysely, find),
    ...phoneMethods(kysely, find),
    ...arrivalMethods(kysely, find),
    findById: (userId) => find('id', userId),

    async findByIdentifier({ kind, value }) {
      const name = value.toLowerCase()
      const isAddress = kind === 'email' || (kind === 'user' && name.includes('@'))
      const byId = kind === 'user' ? await find('id', value) : null
      // The router asks for numbers in this form.
      const byNumber = kind === 'user' && /^\+\d+$/.test(value) ? await find('phone', value) : null
      return byId ?? byNumber ?? find(isAddress ? 'email_key' : 'username', name)
    },

    async add(user) {
      await insert(kysely, user).catch(async (error: unknown) => {
        // Another process that starts at the same moment may have been faster.
        if ((await find('id', user.id)) === null) throw error
      })
    },

    async ids() {
      const rows = await kysely.selectFrom('chat_users').select('id').execute()
      return new Set(rows.map(({ id }) => String(id)))
    },
  }
}

async function insert(
  kysely: Kysely<ChatTables>,
  { id, username, email, name, passwordHash, ...is }: ChatUser,
): Promise<void> {
  const row = kysely.insertInto('chat_users').values({
    id,
    username: username.toLowerCase(),
    email,
    email_key: keyOf(email),
    name,
    password_hash: passwordHash,
    disabled: is.disabled ? 1 : 0,
    must_change_password: 0,
    password_until: null,
    email_verified: is.emailVerified ? 1 : 0,
    email_factor: is.emailFactor ? 1 : 0,
    phone: is.phone ?? null,
    phone_verified: is.phoneVerified ? 1 : 0,
    phone_factor: is.phoneFactor ? 1 : 0,
  })
  await row.execute()
}

function createFind(kysely: Kysely<ChatTables>) {
  return async function find(
    column: 'id' | 'email_key' | 'username' | 'phone',
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

/**
 * What users change by `accounts`. Each is one statement that looks and writes: of two changes at
 * the same moment one wins, and the other learns that it has lost.
 */
function accountMethods(
  kysely: Kysely<ChatTables>,
  find: ReturnType<typeof createFind>,
): Required<
  Omit<UserStore, 'findById' | 'findByIdentifier' | 'accepted' | keyof Arrivals | keyof Phones>
> {
  const update = (userId: string) => kysely.updateTable('chat_users').where('id', '=', userId)
  return {
    async updatePasswordHash(userId, from, to) {
      const { numUpdatedRows } = await update(userId)
        .set({ password_hash: to, must_change_password: 0, password_until: null })
        .where('password_hash', from === null ? 'is' : '=', from)
        .executeTakeFirstOrThrow()
      return numUpdatedRows === 1n
    },

    async requirePasswordChange(userId, from, to, until) {
      const password_until = until?.toISOString() ?? null
      const { numUpdatedRows } = await update(userId)
        .set({ password_hash: to, must_change_password: 1, password_until })
        .where('password_hash', from === null ? 'is' : '=', from)
        .executeTakeFirstOrThrow()
      return numUpdatedRows === 1n
    },

    async findContact(userId) {
      const user = await find('id', userId)
      if (user === null) return null
      const { email, emailVerified, emailFactor } = user
      const { phone = null, phoneVerified = false, phoneFactor = false } = user
      return { email, emailVerified, emailFactor, phone, phoneVerified, phoneFactor }
    },

    async updateEmail(userId, from, to) {
      try {
        const { numUpdatedRows } = await update(userId)
          .set({ email: to, email_key: keyOf(to), email_verified: 1 })
          .where('email', '=', from ?? '')
          .executeTakeFirstOrThrow()
        return { outcome: numUpdatedRows === 1n ? 'changed' : 'superseded' }
      } catch (error) {
        // The unique index has refused it, if somebody else has the address.
        const other = await find('email_key', keyOf(to))
        if (other === null || other.id === userId) throw error
        return { outcome: 'taken' }
      }
    },

    async markEmailVerified(userId, email) {
      const { numUpdatedRows } = await update(userId)
        .set({ email_verified: 1 })
        .where('email', '=', email)
        .executeTakeFirstOrThrow()
      return numUpdatedRows === 1n
    },

    async setEmailFactor(userId, on) {
      await update(userId)
        .set({ email_factor: on ? 1 : 0 })
        .execute()
    },

    async delete(userId) {
      await kysely.deleteFrom('chat_users').where('id', '=', userId).execute()
    },
  }
}

type Phones = Required<Pick<UserStore, 'updatePhone' | 'setPhoneFactor'>>

/** Numbers, by `accounts.phones`. */
function phoneMethods(kysely: Kysely<ChatTables>, find: ReturnType<typeof createFind>): Phones {
  const update = (userId: string) => kysely.updateTable('chat_users').where('id', '=', userId)
  return {
    async updatePhone(userId, from, to) {
      const write = update(userId)
        .set({ phone: to, phone_verified: Number(to !== null) })
        .where('phone', from === null ? 'is' : '=', from)
      try {
        const { numUpdatedRows } = await write.executeTakeFirstOrThrow()
        return { outcome: numUpdatedRows === 1n ? 'changed' : 'superseded' }
      } catch (error) {
        // The unique index has refused it, if somebody else has the number.
        const other = await find('phone', to ?? '')
        if (other !== null && other.id !== userId) return { outcome: 'taken' }
        throw error
      }
    },

    async setPhoneFactor(userId, on) {
      const phone_factor = on ? 1 : 0
      await update(userId).set({ phone_factor }).execute()
    },
  }
}

type Arrivals = Pick<UserStore, 'create' | 'nameIsFree'>

/** Names that would look like the server's own. */
const reserved = ['admin', 'root', 'support', 'system']

/** New users, by `accounts.registration`. */
function arrivalMethods(
  kysely: Kysely<ChatTables>,
  find: ReturnType<typeof createFind>,
): Required<Arrivals> {
  return {
    async create({ email, username, name, passwordHash }) {
      // Nobody becomes a user by a provider here, and people of directories have one: see
      // example-app/directories.ts.
      if (email === null) throw new Error('the table keeps no user without an address')
      const is = { emailVerified: true, emailFactor: false, disabled: false }
      const names = { username: username.toLowerCase(), email, name }
      const user = { id: randomUUID(), ...names, passwordHash, ...is }
      const tryOnce = async (): Promise<UserCreation> => {
        try {
          await insert(kysely, user)
          return { outcome: 'created', user }
        } catch (error) {
          // A unique index has refused it, if somebody else has the address or the name.
          if ((await find('email_key', keyOf(email))) !== null)
            return { outcome: 'taken', field: 'email' }
          if ((await find('username', names.username)) !== null)
            return { outcome: 'taken', field: 'username' }
          throw error
        }
      }
      // Once more: whoever had it may have been deleted before we could see it.
      return tryOnce().catch(tryOnce)
    },

    // Letters and digits: no address of somebody else, and no letter that looks like another.
    async nameIsFree(username) {
      const name = username.toLowerCase()
      if (!/^[a-z0-9][a-z0-9._-]{1,31}$/.test(name) || reserved.includes(name)) return false
      return (await find('username', name)) === null
    },
  }
}

/** By which an address belongs to one user, however it is written. */
function keyOf(email: string): string {
  return email.toLowerCase()
}

function toUser(row: Selectable<ChatTables['chat_users']>): ChatUser {
  return {
    id: String(row.id),
    username: String(row.username),
    name: String(row.name),
    email: String(row.email),
    emailVerified: Boolean(row.email_verified),
    emailFactor: Boolean(row.email_factor),
    phone: row.phone === null ? null : String(row.phone),
    phoneVerified: Boolean(row.phone_verified),
    phoneFactor: Boolean(row.phone_factor),
    passwordHash: row.password_hash === null ? null : String(row.password_hash),
    disabled: Boolean(row.disabled),
    mustChangePassword: Boolean(row.must_change_password),
    passwordUntil: row.password_until === null ? null : new Date(String(row.password_until)),
  }
}
