import type { AuthUser, UserStore } from '../../src/index.js'

/**
 * A user of the test host: more than the router needs, so that tests can see that no more gets out.
 */
export interface TestUser extends AuthUser {
  email: string
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
      if (kind === 'email') return find(({ email }) => email === value)
      if (kind === 'username') return find(({ username }) => username === value)
      return find(
        ({ id, email, username }) => id === value || email === value || username === value,
      )
    },
    async findById(userId) {
      return rows.get(userId) ?? null
    },
    async updatePasswordHash(userId, from, to) {
      const user = rows.get(userId)
      if (user?.passwordHash !== from) return false
      rows.set(userId, { ...user, passwordHash: to })
      return true
    },
  }
}
