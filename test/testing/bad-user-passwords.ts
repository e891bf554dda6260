// Stores of users that are wrong about passwords that must be changed, or about documents.
import type { UserStore } from '../../src/index.js'
import { type BadUserStores, changed, harness, pause } from './user-table.js'

const sets = 'requirePasswordChange sets the hash, the mark and the end, of that user'
const late = 'requirePasswordChange writes nothing if the hash is not `from` any more'
const noEnd = 'requirePasswordChange without an end sets none'
const first = 'requirePasswordChange gives a first password to a user who has none'
const clears = 'updatePasswordHash clears the mark and the end'
const twice = 'accepted may be called twice'

type Require = NonNullable<UserStore['requirePasswordChange']>

/** With another `requirePasswordChange`, which is given the right one. */
const requiring = (change: (good: Require) => Require) =>
  harness((_rows, good) => ({
    requirePasswordChange: change(good.requirePasswordChange.bind(good)),
  }))

export const badUserPasswords: BadUserStores = {
  'forgets to answer': [
    requiring((good) => async (...asked) => {
      await good(...asked)
      return undefined as never
    }),
    sets,
    /did not answer true/,
  ],
  'does not show the mark': [
    changed((user) => ({ ...user, mustChangePassword: undefined })),
    sets,
    /mustChangePassword of the user is not true/,
  ],
  'does not show the end': [
    changed((user) => ({ ...user, passwordUntil: undefined })),
    sets,
    /passwordUntil of the user/,
  ],
  'sets the mark whatever the hash is': [
    harness((rows, good) => ({
      async requirePasswordChange(userId, _from, to, until) {
        await pause()
        const row = rows.find(({ id }) => String(id) === userId)
        return good.requirePasswordChange(userId, row?.passwordHash ?? null, to, until)
      },
    })),
    late,
    /did not answer false/,
  ],
  'gives each password an end': [
    requiring((good) => (userId, from, to) => good(userId, from, to, new Date())),
    noEnd,
    /without an end/,
  ],
  'compares null as SQL does': [
    requiring(
      (good) => async (userId, from, to, until) =>
        from === null ? false : good(userId, from, to, until),
    ),
    first,
    /is null/,
  ],
  'leaves the mark': [
    harness((rows) => ({
      async updatePasswordHash(userId, from, to) {
        const at = rows.findIndex((row) => String(row.id) === userId && row.passwordHash === from)
        if (at >= 0) rows[at] = { ...(rows[at] as (typeof rows)[number]), passwordHash: to }
        return at >= 0
      },
    })),
    clears,
    /must change it still/,
  ],
  'takes a document once': [
    harness(() => {
      const seen = new Set<string>()
      return {
        async accepted(userId, { id }) {
          if (seen.has(userId + id)) throw new Error('unique constraint')
          seen.add(userId + id)
        },
      }
    }),
    twice,
    /Ignore a row that is there/,
  ],
}
