// Stores of users that are wrong about users who come and go.
import { type BadUserStores, harness, pause, type Row, toUser } from './user-table.js'

const makes = 'create makes a user with a proven address, and no other'
const taken = 'create writes nothing if another user has the address or the name'
const raced = 'create gives one address and one name to one of 10 at once'
const free = 'nameIsFree is false for the name of a user, and reserves none'
const departs = 'delete leaves nothing of that user, and all of the others'
const atOnce = 'delete and create of one address at once leave one user or none'

const keyOf = (row: Pick<Row, 'email'>) => row.email?.toLowerCase()

/** Of a `create`: the six mistakes that give an account away, or lose one. */
const badCreates: BadUserStores = {
  'creates by an upsert': [
    harness((rows, good) => ({
      async create(user) {
        const row = rows.find((one) => keyOf(one) === user.email?.toLowerCase())
        if (row === undefined) return good.create(user)
        Object.assign(row, { passwordHash: user.passwordHash, name: user.name })
        return { outcome: 'created', user: toUser(row) }
      },
    })),
    taken,
    /answered \{"outcome":"created"/,
  ],
  'says taken after an upsert': [
    harness((rows, good) => ({
      async create(user) {
        const answer = await good.create(user)
        const row = rows.find((one) => keyOf(one) === user.email?.toLowerCase())
        if (row !== undefined) Object.assign(row, { passwordHash: user.passwordHash })
        return answer
      },
    })),
    taken,
    /whoever registers would take it over/,
  ],
  'has a name once in each spelling': [
    harness((rows, good) => ({
      async create(user) {
        if (rows.some(({ email }) => email === user.email))
          return { outcome: 'taken', field: 'email' }
        if (rows.some(({ username }) => username === user.username))
          return { outcome: 'taken', field: 'username' }
        const own = { email: `${rows.length}@mail.example`, username: `n${rows.length}` }
        const made = await good.create({ ...user, ...own })
        Object.assign(rows.at(-1) ?? {}, { email: user.email, username: user.username })
        return made
      },
    })),
    taken,
    /in whatever case/,
  ],
  'looks whether a name is free, and then creates': [
    harness((rows, good) => ({
      async create(user) {
        const has = (row: Row) =>
          keyOf(row) === user.email?.toLowerCase() || row.username === user.username
        if (rows.some(has)) return good.create(user)
        await pause()
        const proven = { emailVerified: true, factor: false, disabled: false }
        const row: Row = { id: rows.length + 1000, ...user, ...proven }
        rows.push(row)
        return { outcome: 'created', user: toUser(row) }
      },
    })),
    raced,
    /10 of 10 who registered.*too early/,
  ],
  'forgets that the address is proven': [
    harness((rows, good) => ({
      async create(user) {
        const made = await good.create(user)
        if (made.outcome === 'created') Object.assign(rows.at(-1) ?? {}, { emailVerified: false })
        return made
      },
    })),
    makes,
    /did not mark the address as proven/,
  ],
  'names the wrong field': [
    harness((_rows, good) => ({
      async create(user) {
        const made = await good.create(user)
        return made.outcome === 'taken' ? { outcome: 'taken', field: 'username' } : made
      },
    })),
    taken,
    /field: "email"/,
  ],
  'throws what the unique index has thrown': [
    harness((_rows, good) => ({
      async create(user) {
        const made = await good.create(user)
        if (made.outcome === 'taken') throw new Error('duplicate key')
        return made
      },
    })),
    taken,
    /create rejected \(Error\).*unique index/,
  ],
  'creates with the address in lower case': [
    harness((_rows, good) => ({
      create: (user) => good.create({ ...user, email: user.email?.toLowerCase() ?? null }),
    })),
    makes,
    /another spelling of the address/,
  ],
  'creates an empty hash for no password': [
    harness((_rows, good) => ({
      create: (user) => good.create({ ...user, passwordHash: user.passwordHash ?? '' }),
    })),
    makes,
    /another user than it was given/,
  ],
  'says taken, and creates all the same': [
    harness((rows, good) => ({
      async create(user) {
        const made = await good.create(user)
        const name = { id: rows.length + 2000, username: user.username, email: null }
        const row: Row = { ...(rows[0] as Row), ...name }
        if (made.outcome === 'taken' && made.field === 'email') rows.push(row)
        return made
      },
    })),
    taken,
    /wrote all the same/,
  ],
}

const badNames: BadUserStores = {
  'offers a name in capitals': [
    harness((rows) => ({
      nameIsFree: async (name) => !rows.some(({ username }) => username === name),
    })),
    free,
    /in whatever case/,
  ],
  'keeps a name for whoever asks': [
    harness((_rows, good) => {
      const asked = new Set<string>()
      return {
        nameIsFree: async (name) =>
          asked.size !== asked.add(name).size && (await good.nameIsFree(name)),
      }
    }),
    free,
    /reserves nothing/,
  ],
}

const badDepartures: BadUserStores = {
  'only disables whom it deletes': [
    harness((rows) => ({
      async delete(userId) {
        const row = rows.find(({ id }) => String(id) === userId)
        if (row !== undefined) Object.assign(row, { disabled: true })
      },
    })),
    departs,
    /still found/,
  ],
  'rejects for a user who is gone': [
    harness((rows, good) => ({
      async delete(userId) {
        if (!rows.some(({ id }) => String(id) === userId)) throw new Error('no such user')
        await good.delete(userId)
      },
    })),
    departs,
    /delete rejected \(Error\)/,
  ],
  'deletes by the number in an id': [
    harness((_rows, good) => ({ delete: (userId) => good.delete(String(Number(userId))) })),
    departs,
    /removed another user/,
  ],
  'deletes by address': [
    harness((rows, good) => {
      const emails = new Map<string, string>()
      let turn = 0
      return {
        // One that waits for the row to go.
        async create(user) {
          let made = await good.create(user)
          for (let time = 0; time < 5 && made.outcome === 'taken'; time += 1) {
            await pause()
            made = await good.create(user)
          }
          if (made.outcome === 'created') emails.set(made.user.id, user.email ?? '')
          return made
        },
        async delete(userId) {
          const email = emails.get(userId) ?? null
          turn = (turn % 3) + 1
          for (let left = 4 * turn; left > 0; left -= 1) await pause()
          const at = rows.findIndex((row) => row.email === email)
          if (at >= 0) rows.splice(at, 1)
        },
      }
    }),
    atOnce,
    /the row with that id alone/,
  ],
}

export const badArrivals: BadUserStores = { ...badCreates, ...badNames, ...badDepartures }
