// Stores of users that are wrong about numbers.
import type { UserStore } from '../../src/index.js'
import { type BadUserStores, first, harness, pause } from './user-table.js'

const sets = 'updatePhone sets, proves and removes the number, of that user'
const late = 'updatePhone writes nothing if the number is not `from` any more'
const taken = 'updatePhone gives a number to one user'
const races = 'updatePhone lets one of many changes win'
const switches = 'setPhoneFactor switches codes by text message on and off, of that user'

type Update = NonNullable<UserStore['updatePhone']>

/** With another `updatePhone`, which is given the right one. */
const updating = (change: (good: Update) => Update) =>
  harness((_rows, good) => ({ updatePhone: change(good.updatePhone.bind(good)) }))

export const badUserPhones: BadUserStores = {
  'leaves a number that is to go': [
    updating(
      (good) => async (userId, from, to) =>
        to === null ? { outcome: 'changed' } : good(userId, from, to),
    ),
    sets,
    /does not answer the number/,
  ],
  'does not tell whether a number is proven': [
    harness((_rows, good) => ({
      findContact: async (userId) => {
        const contact = await good.findContact(userId)
        return contact && { ...contact, phoneVerified: false }
      },
    })),
    sets,
    /or its proof/,
  ],
  'finds nobody by a number': [
    harness((_rows, good) => ({
      findByIdentifier: async (asked) =>
        asked.value.startsWith('+') ? null : good.findByIdentifier(asked),
    })),
    sets,
    /with the kind `user`/,
  ],
  'looks for names before numbers': [
    harness((rows, good) => ({
      findByIdentifier: async (asked) =>
        first(rows, ({ username }) => username === asked.value) ?? good.findByIdentifier(asked),
    })),
    'a number is the number of its owner, whatever others are called',
    /before names/,
  ],
  'sets a number whatever it is now': [
    harness((_rows, good) => ({
      async updatePhone(userId, _from, to) {
        const { phone = null } = (await good.findContact(userId)) ?? {}
        return good.updatePhone(userId, phone, to)
      },
    })),
    late,
    /did not answer superseded/,
  ],
  'gives a number to two users': [
    harness((rows) => ({
      async updatePhone(userId, from, to) {
        const at = rows.findIndex(
          (row) => String(row.id) === userId && (row.phone ?? null) === from,
        )
        if (at < 0) return { outcome: 'superseded' }
        const row = rows[at] as (typeof rows)[number]
        rows[at] = { ...row, phone: to, phoneVerified: to !== null }
        return { outcome: 'changed' }
      },
    })),
    taken,
    /gave two users one number/,
  ],
  'looks first and writes then': [
    harness((rows) => ({
      async updatePhone(userId, from, to) {
        const at = rows.findIndex((row) => String(row.id) === userId)
        const row = rows[at]
        if (row === undefined || (row.phone ?? null) !== from) return { outcome: 'superseded' }
        await pause()
        rows[at] = { ...row, phone: to, phoneVerified: to !== null }
        return { outcome: 'changed' }
      },
    })),
    races,
    /at once/,
  ],
  'switches codes on for everybody': [
    harness((rows) => ({
      async setPhoneFactor(_userId, on) {
        for (const [at, row] of rows.entries()) rows[at] = { ...row, phoneFactor: on }
      },
    })),
    switches,
    /another user/,
  ],
}
