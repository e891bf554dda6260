// A table of users in memory, and stores over it that are wrong in one respect.
import type { AuthUser, UserContact, UserStore } from '../../src/index.js'
import type { UserStoreHarness, UserToAdd } from '../../src/testing/testing.js'

export interface Row extends UserToAdd {
  readonly id: number
  readonly factor: boolean
  readonly phone?: string | null
  readonly phoneVerified?: boolean
  readonly phoneFactor?: boolean
  readonly mustChangePassword?: boolean
  readonly passwordUntil?: Date | null
}

export const toUser = ({ id, username, name, passwordHash, disabled, ...row }: Row): AuthUser => ({
  id: String(id),
  username,
  name,
  passwordHash,
  disabled,
  mustChangePassword: row.mustChangePassword ?? false,
  passwordUntil: row.passwordUntil ?? null,
})

const contactOf = (row: Row): UserContact => ({
  email: row.email,
  emailVerified: row.emailVerified,
  emailFactor: row.factor,
  phone: row.phone ?? null,
  phoneVerified: row.phoneVerified ?? false,
  phoneFactor: row.phoneFactor ?? false,
})

export const pause = () => new Promise((resolve) => setTimeout(resolve, 1))

type GoodUsers = Required<UserStore>

/** A table in memory, with what is wrong about the store on top. */
export function harness(change: (rows: Row[], good: GoodUsers) => Partial<UserStore> = () => ({})) {
  return (): UserStoreHarness => {
    const rows: Row[] = []
    let lastId = 6
    const nextId = () => {
      lastId += 1
      return lastId
    }
    const only = (matches: (row: Row) => boolean) => {
      const [one, other] = rows.filter(matches)
      return one !== undefined && other === undefined ? toUser(one) : null
    }
    const set = (userId: string, matches: (row: Row) => boolean, change: Partial<Row>) => {
      const at = rows.findIndex((row) => String(row.id) === userId && matches(row))
      if (at >= 0) rows[at] = { ...(rows[at] as Row), ...change }
      return at >= 0
    }
    const good: GoodUsers = {
      async findByIdentifier({ kind, value }) {
        if (kind === 'email') return only(({ email }) => email?.toLowerCase() === value)
        if (kind === 'username') return only(({ username }) => username === value)
        return (
          (await good.findById(value)) ??
          only(({ phone }) => phone === value) ??
          only((row) => [row.email?.toLowerCase(), row.username].includes(value))
        )
      },
      findById: async (userId) => only(({ id }) => String(id) === userId),
      updatePasswordHash: async (userId, from, to) =>
        set(userId, (row) => row.passwordHash === from, {
          passwordHash: to,
          mustChangePassword: false,
          passwordUntil: null,
        }),
      requirePasswordChange: async (userId, from, to, until) =>
        set(userId, (row) => row.passwordHash === from, {
          passwordHash: to,
          mustChangePassword: true,
          passwordUntil: until,
        }),
      async accepted() {},
      async findContact(userId) {
        const row = rows.find(({ id }) => String(id) === userId)
        return row === undefined ? null : contactOf(row)
      },
      async updateEmail(userId, from, to) {
        const has = ({ email }: Row) => email?.toLowerCase() === to.toLowerCase()
        if (rows.some((row) => String(row.id) !== userId && has(row))) return { outcome: 'taken' }
        const isSet = set(userId, (row) => row.email === from, { email: to, emailVerified: true })
        return { outcome: isSet ? 'changed' : 'superseded' }
      },
      markEmailVerified: async (userId, email) =>
        set(userId, (row) => row.email === email, { emailVerified: true }),
      async setEmailFactor(userId, on) {
        set(userId, () => true, { factor: on })
      },
      async updatePhone(userId, from, to) {
        const isTaken = (row: Row) => String(row.id) !== userId && row.phone === to
        if (to !== null && rows.some(isTaken)) return { outcome: 'taken' }
        const isFrom = (row: Row) => (row.phone ?? null) === from
        const isSet = set(userId, isFrom, { phone: to, phoneVerified: to !== null })
        return { outcome: isSet ? 'changed' : 'superseded' }
      },
      async setPhoneFactor(userId, on) {
        set(userId, () => true, { phoneFactor: on })
      },
      async create({ email, username, name, passwordHash }) {
        const isTaken = (key: 'email' | 'username', value: string) =>
          rows.some((row) => row[key]?.toLowerCase() === value.toLowerCase())
        if (email !== null && isTaken('email', email)) return { outcome: 'taken', field: 'email' }
        if (isTaken('username', username)) return { outcome: 'taken', field: 'username' }
        const proven = { email, emailVerified: true, factor: false, disabled: false }
        const row: Row = { id: nextId(), username, name, passwordHash, ...proven }
        rows.push(row)
        return { outcome: 'created', user: toUser(row) }
      },
      nameIsFree: async (username) =>
        !rows.some((row) => row.username.toLowerCase() === username.toLowerCase()),
      async delete(userId) {
        const at = rows.findIndex(({ id }) => String(id) === userId)
        if (at >= 0) rows.splice(at, 1)
      },
    }
    return {
      users: { ...good, ...change(rows, good) },
      async addUser(user) {
        const id = nextId()
        rows.push({ ...user, id, factor: false })
        return String(id)
      },
    }
  }
}

/** Of each user that is found, what is wrong. */
export const changed = (change: (user: AuthUser) => unknown) =>
  harness((_rows, good) => ({
    findById: async (id) => {
      const user = await good.findById(id)
      return user && (change(user) as AuthUser)
    },
    findByIdentifier: async (asked) => {
      const user = await good.findByIdentifier(asked)
      return user && (change(user) as AuthUser)
    },
  }))

export const first = (rows: Row[], matches: (row: Row) => boolean) => {
  const row = rows.find(matches)
  return row === undefined ? null : toUser(row)
}

/** Of each bad store: the test that must fail, and a part of what it says. */
export type BadUserStores = Readonly<
  Record<string, readonly [() => UserStoreHarness, test: string, says: RegExp]>
>
