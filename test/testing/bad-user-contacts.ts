// Stores of users that are wrong about addresses, their proof, or first passwords.
import type { UserContact } from '../../src/index.js'
import { type BadUserStores, harness, pause, type Row } from './user-table.js'

const tells = 'findContact tells the address, and whether it is proven'
const proves = 'markEmailVerified proves the address that it was told, and no other'
const switches = 'setEmailFactor switches codes by mail on and off, of that user'
const sets = 'updateEmail sets the address as it is given, proven, of that user'
const superseded = 'updateEmail writes nothing if the address is not `from` any more'
const taken = 'updateEmail writes nothing if another user has the address, in whatever case'
const firstHash = 'updatePasswordHash gives a first password to a user who has none, once'
const firstEmail = 'updateEmail gives a first address to a user who has none'

/** Of each contact, what is wrong. */
const contacts = (change: (contact: UserContact) => unknown) =>
  harness((_rows, good) => ({
    findContact: async (id) => {
      const contact = await good.findContact(id)
      return contact && (change(contact) as UserContact)
    },
  }))

const needsNumber = (id: string) => {
  if (!/^\d{1,9}$/.test(id)) throw new RangeError('out of range')
}
const rowOf = (rows: Row[], id: string) => rows.find((row) => String(row.id) === id)
const added = (id: string, change: Partial<Row>): Row => ({
  id: id as unknown as number,
  username: 'new',
  email: null,
  name: 'New',
  passwordHash: null,
  disabled: false,
  emailVerified: false,
  factor: false,
  ...change,
})

const badFinders: BadUserStores = {
  'answers the proof as a number': [
    contacts((contact) => ({ ...contact, emailVerified: Number(contact.emailVerified) })),
    tells,
    /emailVerified is 0, not false/,
  ],
  'counts every address as proven': [
    contacts((contact) => ({ ...contact, emailVerified: true })),
    tells,
    /is true, not false/,
  ],
  'answers the address in capitals': [
    contacts((contact) => ({ ...contact, email: contact.email?.toUpperCase() })),
    tells,
    /another address/,
  ],
  'has codes by mail on for everybody': [
    contacts((contact) => ({ ...contact, emailFactor: true })),
    tells,
    /has not switched it on/,
  ],
  'finds no contact of a disabled user': [
    harness((rows, good) => ({
      findContact: async (id) => (rowOf(rows, id)?.disabled ? null : good.findContact(id)),
    })),
    tells,
    /found nobody, though the user is there/,
  ],
  'reads ids of contacts as numbers': [
    harness((rows, good) => ({
      findContact: async (id) => good.findContact(String(Number(rowOf(rows, id)?.id ?? id))),
    })),
    'findContact of nobody is null',
    /found somebody by the id/,
  ],
  'hands any id of a contact to the database': [
    harness((_rows, good) => ({
      findContact: async (id) => {
        needsNumber(id)
        return good.findContact(id)
      },
    })),
    'findContact of nobody is null',
    /findContact rejected \(RangeError\)/,
  ],
}

const badProofs: BadUserStores = {
  'proves whatever address is there': [
    harness((rows, good) => ({
      markEmailVerified: async (id) =>
        good.markEmailVerified(id, rowOf(rows, id)?.email ?? 'nobody'),
    })),
    proves,
    /mailed to an old address/,
  ],
  'says true and proves nothing': [
    harness((rows) => ({
      markEmailVerified: async (id, email) => rowOf(rows, id)?.email === email,
    })),
    proves,
    /did not mark it/,
  ],
  'says false where it was proven already': [
    harness((rows, good) => ({
      markEmailVerified: async (id, email) =>
        rowOf(rows, id)?.emailVerified === false && good.markEmailVerified(id, email),
    })),
    proves,
    /a second time/,
  ],
  'answers the count of proven rows': [
    harness((_rows, good) => ({
      markEmailVerified: async (...given) =>
        Number(await good.markEmailVerified(...given)) as unknown as boolean,
    })),
    proves,
    /that is not the one|did not answer true/,
  ],
  'proves all addresses at once': [
    harness((rows, good) => ({
      markEmailVerified: async (id, email) => {
        const isSet = await good.markEmailVerified(id, email)
        if (isSet) for (const row of rows) Object.assign(row, { emailVerified: true })
        return isSet
      },
    })),
    proves,
    /of another user/,
  ],
  'proves an address by itself': [
    harness((rows) => ({
      markEmailVerified: async (_id, email) => {
        const row = rows.find((one) => one.email === email)
        if (row !== undefined) Object.assign(row, { emailVerified: true })
        return row !== undefined
      },
    })),
    'markEmailVerified of nobody is false',
    /did not answer false/,
  ],
  'switches codes by mail to the other side': [
    harness((rows) => ({
      setEmailFactor: async (id) => {
        const row = rowOf(rows, id)
        if (row !== undefined) Object.assign(row, { factor: !row.factor })
      },
    })),
    switches,
    /says otherwise/,
  ],
  'never switches codes by mail off': [
    harness((_rows, good) => ({ setEmailFactor: (id) => good.setEmailFactor(id, true) })),
    switches,
    /After setEmailFactor\(false\)/,
  ],
  'switches codes by mail on for all': [
    harness((rows) => ({
      setEmailFactor: async (_id, factor) => {
        for (const row of rows) Object.assign(row, { factor })
      },
    })),
    switches,
    /for another user/,
  ],
  'makes a user to switch codes by mail on for': [
    harness((rows, good) => ({
      setEmailFactor: async (id, factor) => {
        if (rowOf(rows, id) === undefined) rows.push(added(id, { factor }))
        else await good.setEmailFactor(id, factor)
      },
    })),
    'setEmailFactor of nobody changes nobody',
    /made or changed a user/,
  ],
}

const badChanges: BadUserStores = {
  'writes an address whatever was there': [
    harness((rows, good) => ({
      updateEmail: async (id, _from, to) => good.updateEmail(id, rowOf(rows, id)?.email ?? '', to),
    })),
    superseded,
    /although the address was not `from`/,
  ],
  'writes an address, and then says that it was superseded': [
    harness((rows, good) => ({
      updateEmail: async (id, from, to) => {
        const answer = await good.updateEmail(id, from, to)
        const row = rowOf(rows, id)
        if (row !== undefined && answer.outcome === 'superseded') Object.assign(row, { email: to })
        return answer
      },
    })),
    superseded,
    /wrote although the address was not `from`/,
  ],
  'takes null for any address': [
    harness((rows, good) => ({
      updateEmail: async (id, from, to) =>
        good.updateEmail(id, from ?? rowOf(rows, id)?.email ?? null, to),
    })),
    superseded,
    /email is null/,
  ],
  'never matches null': [
    harness((_rows, good) => ({
      updateEmail: async (id, from, to) =>
        from === null ? { outcome: 'superseded' } : good.updateEmail(id, from, to),
    })),
    firstEmail,
    /gave no address.*email is null/,
  ],
  'reads, then writes an address': [
    harness((rows, good) => ({
      async updateEmail(id, from, to) {
        const before = rowOf(rows, id)?.email
        await pause()
        if (before !== from) return { outcome: 'superseded' }
        return good.updateEmail(id, rowOf(rows, id)?.email ?? null, to)
      },
    })),
    'updateEmail is won by one of 50 at once',
    /50 of 50 callers/,
  ],
  'tells who came too late that the address is taken': [
    harness((_rows, good) => ({
      async updateEmail(id, from, to) {
        const { outcome } = await good.updateEmail(id, from, to)
        return { outcome: outcome === 'superseded' ? 'taken' : outcome }
      },
    })),
    'updateEmail is won by one of 50 at once',
    /superseded to all who came too late/,
  ],
  'stores an address in lower case': [
    harness((_rows, good) => ({
      updateEmail: (id, from, to) => good.updateEmail(id, from, to.toLowerCase()),
    })),
    sets,
    /another spelling/,
  ],
  'finds an address only as it is stored': [
    harness((rows, good) => ({
      findByIdentifier: async (asked) => {
        const row = rows.find(({ email }) => email === asked.value)
        if (asked.kind !== 'email') return good.findByIdentifier(asked)
        return row === undefined ? null : good.findById(String(row.id))
      },
    })),
    sets,
    /lower\(email\)/,
  ],
  'does not count a new address as proven': [
    harness((rows, good) => ({
      async updateEmail(id, from, to) {
        const answer = await good.updateEmail(id, from, to)
        Object.assign(rowOf(rows, id) ?? {}, { emailVerified: false })
        return answer
      },
    })),
    sets,
    /did not mark the new address/,
  ],
  'answers true for a changed address': [
    harness((_rows, good) => ({
      updateEmail: async (...given) =>
        ((await good.updateEmail(...given)).outcome === 'changed') as never,
    })),
    sets,
    /answered undefined for a change/,
  ],
  'changes the address of all': [
    harness((rows, good) => ({
      async updateEmail(id, from, to) {
        const answer = await good.updateEmail(id, from, to)
        if (answer.outcome === 'changed')
          for (const row of rows)
            if (String(row.id) !== id) Object.assign(row, { email: `${row.id}.${to}` })
        return answer
      },
    })),
    sets,
    /changed another user/,
  ],
  'keeps old addresses for itself': [
    harness((_rows, good) => {
      const used = new Set<string>()
      return {
        async updateEmail(id, from, to) {
          if (used.has(to)) return { outcome: 'taken' }
          if (from !== null) used.add(from)
          return good.updateEmail(id, from, to)
        },
      }
    }),
    sets,
    /change the address back/,
  ],
  'rejects for a taken address': [
    harness((_rows, good) => ({
      async updateEmail(id, from, to) {
        const answer = await good.updateEmail(id, from, to)
        if (answer.outcome === 'taken') throw new Error('duplicate key')
        return answer
      },
    })),
    taken,
    /updateEmail rejected \(Error\).*unique index/,
  ],
  'writes an address, and then says that it is taken': [
    harness((rows, good) => ({
      async updateEmail(id, from, to) {
        const answer = await good.updateEmail(id, from, to)
        if (answer.outcome === 'taken') Object.assign(rowOf(rows, id) ?? {}, { email: to })
        return answer
      },
    })),
    taken,
    /wrote all the same/,
  ],
  'takes an address from its owner': [
    harness((rows, good) => ({
      async updateEmail(id, from, to) {
        const owner = rows.find((row) => row.email === to && String(row.id) !== id)
        if (owner !== undefined) Object.assign(owner, { email: null })
        return good.updateEmail(id, from, to)
      },
    })),
    taken,
    /answered "changed" for the address of another user/,
  ],
  'has one address twice, in another case': [
    harness((rows) => ({
      async updateEmail(id, from, to) {
        if (rows.some(({ email }) => email === to)) return { outcome: 'taken' }
        const row = rowOf(rows, id)
        if (row?.email !== from) return { outcome: 'superseded' }
        Object.assign(row, { email: to, emailVerified: true })
        return { outcome: 'changed' }
      },
    })),
    taken,
    /in capitals/,
  ],
  'keeps a user from the case of the own address': [
    harness((rows, good) => ({
      async updateEmail(id, from, to) {
        const has = ({ email }: Row) => email?.toLowerCase() === to.toLowerCase()
        return rows.some(has) ? { outcome: 'taken' } : good.updateEmail(id, from, to)
      },
    })),
    taken,
    /the user's own address/,
  ],
  'looks whether an address is free, and then writes': [
    harness((rows) => ({
      async updateEmail(id, from, to) {
        const key = to.toLowerCase()
        const isTaken = rows.some(
          (row) => String(row.id) !== id && row.email?.toLowerCase() === key,
        )
        await pause()
        const row = rowOf(rows, id)
        if (isTaken) return { outcome: 'taken' }
        if (row?.email !== from) return { outcome: 'superseded' }
        Object.assign(row, { email: to, emailVerified: true })
        return { outcome: 'changed' }
      },
    })),
    'updateEmail gives one address to one of 10 users at once',
    /10 of 10 users.*too early/,
  ],
  'makes a user to have an address': [
    harness((rows, good) => ({
      async updateEmail(id, from, to) {
        if (rowOf(rows, id) !== undefined) return good.updateEmail(id, from, to)
        rows.push(added(id, { email: to }))
        return { outcome: 'superseded' }
      },
    })),
    'updateEmail of nobody is superseded',
    /upsert/,
  ],
  'hands any id with an address to the database': [
    harness((_rows, good) => ({
      async updateEmail(id, from, to) {
        needsNumber(id)
        return good.updateEmail(id, from, to)
      },
    })),
    'updateEmail of nobody is superseded',
    /updateEmail rejected \(RangeError\)/,
  ],
}

const badFirstHashes: BadUserStores = {
  'compares no hash with null': [
    harness((_rows, good) => ({
      updatePasswordHash: async (id, from, to) =>
        from !== null && good.updatePasswordHash(id, from, to),
    })),
    firstHash,
    /gave no first password.*password_hash is null/,
  ],
  'takes null for any hash': [
    harness((rows, good) => ({
      updatePasswordHash: async (id, from, to) =>
        good.updatePasswordHash(id, from ?? rowOf(rows, id)?.passwordHash ?? null, to),
    })),
    firstHash,
    /null for any password/,
  ],
  'gives a first password to all who have none': [
    harness((rows, good) => ({
      async updatePasswordHash(id, from, to) {
        const isSet = await good.updatePasswordHash(id, from, to)
        if (isSet && from === null)
          for (const row of rows)
            if (row.passwordHash === null) Object.assign(row, { passwordHash: to })
        return isSet
      },
    })),
    firstHash,
    /another user who had none/,
  ],
  'looks whether there is a password, and then writes one': [
    harness((rows, good) => ({
      async updatePasswordHash(id, from, to) {
        if (from !== null) return good.updatePasswordHash(id, from, to)
        const isFree = rowOf(rows, id)?.passwordHash === null
        await pause()
        if (isFree) Object.assign(rowOf(rows, id) ?? {}, { passwordHash: to })
        return isFree
      },
    })),
    'updatePasswordHash gives a first password to one of 50 at once',
    /50 of 50 callers/,
  ],
}

export const badContacts: BadUserStores = {
  ...badFinders,
  ...badProofs,
  ...badChanges,
  ...badFirstHashes,
}
