import { describe, expect, it } from 'vitest'
import { AuthConfigError } from '../../src/index.js'
import { type UserStoreHarness, userStoreContract } from '../../src/testing/testing.js'
import { badArrivals } from './bad-user-arrivals.js'
import { badContacts } from './bad-user-contacts.js'
import { badUserPasswords } from './bad-user-passwords.js'
import { badUserPhones } from './bad-user-phones.js'
import { type BadUserStores, changed, first, harness, pause, toUser } from './user-table.js'

const bad: BadUserStores = {
  ...badContacts,
  ...badArrivals,
  ...badUserPasswords,
  ...badUserPhones,
  'chooses the first of two users': [
    harness((rows, good) => ({
      findByIdentifier: async (asked) =>
        first(rows, (row) => [row.username, row.email].includes(asked.value)) ??
        good.findByIdentifier(asked),
    })),
    'a name that two users have is null',
    /LIMIT 2/,
  ],
  'hands any text to an integer column': [
    harness((_rows, good) => ({
      findById: async (id) => {
        if (!/^-?\d{1,9}$/.test(id)) throw new RangeError('invalid input syntax for type integer')
        return good.findById(id)
      },
    })),
    'odd ids are null, and no rejection',
    /findById rejected \(RangeError\) for "99999999999".*look at its form/,
  ],
  'reads ids as numbers': [
    harness((rows) => ({ findById: async (id) => first(rows, (row) => row.id === Number(id)) })),
    'an id is found in one spelling',
    /also found as .*as text/,
  ],
  'reads the beginning of an id': [
    harness((rows) => ({
      findById: async (id) => first(rows, (row) => row.id === Number.parseInt(id, 10)),
    })),
    'an id is found in one spelling',
    /also found as/,
  ],
  'looks in every column': [
    harness((rows) => ({
      findByIdentifier: async ({ value }) => {
        const [one, other] = rows.filter((row) =>
          [String(row.id), row.email, row.username].includes(value),
        )
        return one !== undefined && other === undefined ? toUser(one) : null
      },
    })),
    'a name is looked up by its own kind',
    /by another column/,
  ],
  'parses what it is sent': [
    harness((rows, good) => ({
      findByIdentifier: async (asked) =>
        asked.value.startsWith('{"$ne"') ? first(rows, () => true) : good.findByIdentifier(asked),
    })),
    'no text becomes an operator of a query',
    /\$eq: value/,
  ],
  'leaves out who is disabled': [
    changed(({ disabled, ...user }) => (disabled === true ? null : user)),
    'a disabled user is found, as disabled',
    /rather than null/,
  ],
  'forgets that users can be disabled': [
    changed(({ disabled: _disabled, ...user }) => user),
    'a disabled user is found, as disabled',
    /without `disabled: true`/,
  ],
  'answers an empty hash for no password': [
    changed((user) => ({ ...user, passwordHash: user.passwordHash ?? '' })),
    'a user without a password is found, with null',
    /row\.password_hash \?\? null/,
  ],
  'answers numbers as ids': [
    changed((user) => ({ ...user, id: Number(user.id) })),
    'what is found by name is what is found by id',
    /is a number: answer it as text/,
  ],
  'finds by id what it does not find by name': [
    harness((_rows, good) => ({
      findById: async (id) => {
        const user = await good.findById(id)
        return user && { ...user, name: user.username }
      },
    })),
    'what is found by name is what is found by id',
    /by one function/,
  ],
  'answers undefined for nobody': [
    harness((_rows, good) => ({
      findByIdentifier: async (asked) =>
        (await good.findByIdentifier(asked)) ?? (undefined as never),
    })),
    'a name that belongs to nobody is null',
    /answer null/,
  ],
  'reads, then writes a hash': [
    harness((_rows, good) => ({
      async updatePasswordHash(id, from, to) {
        const user = await good.findById(id)
        await pause()
        if (user?.passwordHash !== from) return false
        const now = (await good.findById(id))?.passwordHash as string
        return good.updatePasswordHash(id, now, to)
      },
    })),
    'updatePasswordHash is won by one of 50 at once',
    /50 of 50 callers.*WHERE id = … AND password_hash =/,
  ],
  'writes a hash whatever was there': [
    harness((_rows, good) => ({
      async updatePasswordHash(id, _from, to) {
        const now = (await good.findById(id))?.passwordHash
        return typeof now === 'string' && good.updatePasswordHash(id, now, to)
      },
    })),
    'updatePasswordHash replaces the hash that it was told, of that user, and no other',
    /no longer `from`/,
  ],
  'writes the hash of all who have it': [
    harness((rows) => ({
      async updatePasswordHash(_id, from, to) {
        const matching = rows.filter((row) => row.passwordHash === from)
        for (const row of matching) Object.assign(row, { passwordHash: to })
        return matching.length > 0
      },
    })),
    'updatePasswordHash replaces the hash that it was told, of that user, and no other',
    /name the id in the WHERE/,
  ],
  'answers the count of rows': [
    harness((_rows, good) => ({
      updatePasswordHash: async (...given) =>
        Number(await good.updatePasswordHash(...given)) as unknown as boolean,
    })),
    'updatePasswordHash replaces the hash that it was told, of that user, and no other',
    /answered 1: answer true/,
  ],
  'rejects where there is no such id': [
    harness((_rows, good) => ({
      async updatePasswordHash(id, from, to) {
        if (!/^\d{1,9}$/.test(id)) throw new RangeError('out of range')
        return good.updatePasswordHash(id, from, to)
      },
    })),
    'updatePasswordHash of nobody is false',
    /a rejection, not false/,
  ],
}

async function failuresOf(makeHarness: () => UserStoreHarness): Promise<Map<string, string>> {
  const failures = new Map<string, string>()
  for (const { name, run } of userStoreContract(makeHarness))
    await run().catch((error: unknown) => failures.set(name, String(error)))
  return failures
}

describe('a good store of users', () => {
  for (const { name, run } of userStoreContract(harness())) it(name, run)
})

describe('the contract of user stores', () => {
  it.each(Object.entries(bad))('finds out one that %s', async (_name, [make, test, says]) => {
    const failures = await failuresOf(make)
    expect([...failures.keys()]).toContain(test)
    expect(failures.get(test)).toMatch(says)
  })

  it('has a bad store for each of its tests but the plainest', () => {
    const tried = new Set(Object.values(bad).map(([, test]) => test))
    const names = userStoreContract(harness()).map(({ name }) => name)
    expect(names.filter((name) => !tried.has(name))).toEqual(['a user comes back as it is stored'])
  })

  it('takes a store without optional methods, and a database that has no twins', async () => {
    const make = harness()
    const failures = await failuresOf(() => {
      const { users, addUser } = make()
      const finders = {
        findByIdentifier: users.findByIdentifier,
        findById: users.findById,
      }
      const emails = new Set<string>()
      return {
        users: finders,
        async addUser(user) {
          if (emails.size !== emails.add(String(user.email)).size) return addUser(user)
          throw new Error('unique')
        },
      }
    })
    expect(failures).toEqual(new Map())
  })

  it('takes a store that knows no addresses and sets no first password', async () => {
    const make = harness((_rows, good) => ({
      updatePasswordHash: async (id, from, to) =>
        from !== null && good.updatePasswordHash(id, from, to),
    }))
    const failures = await failuresOf(() => {
      const { users, addUser } = make()
      const { findContact: _left, ...others } = users
      return { users: others, addUser }
    })
    expect(failures).toEqual(new Map())
  })

  it('takes a database in which each user has an address', async () => {
    const make = harness()
    const failures = await failuresOf(() => {
      const { users, addUser } = make()
      return {
        users,
        async addUser(user) {
          if (user.email === null) throw new Error('not null')
          return addUser(user)
        },
      }
    })
    expect(failures).toEqual(new Map())
  })

  it('makes a harness for each test, and closes it, whatever became of the test', async () => {
    let open = 0
    const make = () => {
      open += 1
      return {
        ...harness()(),
        async close() {
          open -= 1
        },
      }
    }
    const tests = userStoreContract(make)
    expect(open).toBe(0)
    for (const { run } of tests) await run()
    expect(open).toBe(0)
  })

  it('refuses what makes no harness', () => {
    expect(() => userStoreContract({} as never)).toThrow(AuthConfigError)
  })
})
