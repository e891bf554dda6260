import { randomUUID } from 'node:crypto'
import type { AuthUser, NewUser, UserStore } from '../../src/index.js'

/**
 * A user of the test host: more than the router needs, so that tests can see that no more gets out.
 */
export interface TestUser extends AuthUser {
  email: string | null
  emailVerified?: boolean
  emailFactor?: boolean
  phone?: string | null
  phoneVerified?: boolean
  phoneFactor?: boolean
  invitation?: NewUser['invitation']
  accepted?: readonly { id: string; version: string; at?: Date }[]
  secretNote: string
}

/** A host's user table that can be changed and watched. */
export interface TestUsers extends Required<UserStore> {
  readonly rows: Map<string, TestUser>
  add(user: Partial<TestUser> & { id: string }): TestUser
  change(id: string, change: Partial<TestUser>): void
}

export function testUsers(): TestUsers {
  const rows = new Map<string, TestUser>()
  const find = (matches: (user: TestUser) => boolean) => [...rows.values()].find(matches) ?? null
  return {
    rows,
    add({ id, ...rest }) {
      const user: TestUser = {
        id,
        username: id,
        name: id.toUpperCase(),
        email: `${id}@example.com`,
        passwordHash: null,
        secretNote: `note of ${id}`,
        ...rest,
      }
      rows.set(id, user)
      return user
    },
    change(id, change) {
      rows.set(id, { ...(rows.get(id) as TestUser), ...change })
    },
    async findByIdentifier({ kind, value }) {
      if (kind === 'email') return find(({ email }) => email?.toLowerCase() === value)
      if (kind === 'username') return find(({ username }) => username === value)
      return (
        find(({ id, phone }) => [id, phone].includes(value)) ??
        find(({ email, username }) => [email, username].includes(value))
      )
    },
    async findById(userId) {
      return rows.get(userId) ?? null
    },
    async updatePasswordHash(userId, from, to) {
      const user = rows.get(userId)
      if (user?.passwordHash !== from) return false
      rows.set(userId, {
        ...user,
        passwordHash: to,
        mustChangePassword: false,
        passwordUntil: null,
      })
      return true
    },
    async requirePasswordChange(userId, from, to, until) {
      const user = rows.get(userId)
      if (user?.passwordHash !== from) return false
      const passwordHash = to
      rows.set(userId, { ...user, passwordHash, mustChangePassword: true, passwordUntil: until })
      return true
    },
    async accepted(userId, document) {
      const user = rows.get(userId)
      if (user === undefined) return
      rows.set(userId, { ...user, accepted: [...(user.accepted ?? []), document] })
    },
    async findContact(userId) {
      const user = rows.get(userId)
      if (user === undefined) return null
      const { email, emailVerified = false, emailFactor = false, locale = null } = user
      const { phone = null, phoneVerified = false, phoneFactor = false } = user
      return { email, emailVerified, emailFactor, phone, phoneVerified, phoneFactor, locale }
    },
    async updateEmail(userId, from, to) {
      const user = rows.get(userId)
      if (user?.email !== from) return { outcome: 'superseded' }
      const key = to.toLowerCase()
      if (find(({ id, email }) => id !== userId && email?.toLowerCase() === key) !== null)
        return { outcome: 'taken' }
      rows.set(userId, { ...user, email: to, emailVerified: true })
      return { outcome: 'changed' }
    },
    async markEmailVerified(userId, email) {
      const user = rows.get(userId)
      if (user?.email !== email) return false
      rows.set(userId, { ...user, emailVerified: true })
      return true
    },
    async setEmailFactor(userId, on) {
      const user = rows.get(userId)
      if (user !== undefined) rows.set(userId, { ...user, emailFactor: on })
    },
    async updatePhone(userId, from, to) {
      const user = rows.get(userId)
      if (user === undefined || (user.phone ?? null) !== from) return { outcome: 'superseded' }
      if (to !== null && find(({ id, phone }) => id !== userId && phone === to) !== null)
        return { outcome: 'taken' }
      rows.set(userId, { ...user, phone: to, phoneVerified: to !== null })
      return { outcome: 'changed' }
    },
    async setPhoneFactor(userId, on) {
      const user = rows.get(userId)
      if (user !== undefined) rows.set(userId, { ...user, phoneFactor: on })
    },
    async create({ email, username, name, passwordHash, locale, invitation }) {
      const isTaken = (key: 'email' | 'username', value: string) =>
        find((user) => user[key]?.toLowerCase() === value.toLowerCase()) !== null
      if (email !== null && isTaken('email', email)) return { outcome: 'taken', field: 'email' }
      if (isTaken('username', username)) return { outcome: 'taken', field: 'username' }
      const id = `u-${randomUUID()}`
      const row = { id, username, name, email, passwordHash, emailVerified: email !== null }
      const given = { ...(locale && { locale }), ...(invitation && { invitation }) }
      const user: TestUser = { ...row, ...given, secretNote: `note of ${id}` }
      rows.set(id, user)
      return { outcome: 'created', user }
    },
    async nameIsFree(username) {
      const key = username.toLowerCase()
      return key !== 'admin' && find((user) => user.username.toLowerCase() === key) === null
    },
    async delete(userId) {
      rows.delete(userId)
    },
  }
}
