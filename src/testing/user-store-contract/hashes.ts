import { raceWinners } from '../../lib/race.js'
import type { UserStore } from '../../users/contract.js'
import { check } from './harness.js'
import type { Promised, Subject } from './subject.js'

const callers = 50
const oneStatement =
  'Write it as one statement: UPDATE … SET password_hash = to WHERE id = … AND password_hash = ' +
  'from, and answer whether it changed a row.'

type Update = NonNullable<UserStore['updatePasswordHash']>

/** A user with a hash, where hashes can be replaced; a store may leave that out. */
async function withHash(
  subject: Subject,
  run: (id: string, from: string, update: Update) => Promise<void>,
): Promise<void> {
  const { users } = subject
  if (users.updatePasswordHash === undefined) return
  const user = subject.newUser()
  const id = await subject.addUser(user)
  await run(id, user.passwordHash as string, async (...given) =>
    Boolean(await users.updatePasswordHash?.(...given)),
  )
}

async function storedHash({ users }: Subject, id: string): Promise<string | null | undefined> {
  return (await users.findById(id))?.passwordHash
}

async function replaces(subject: Subject): Promise<void> {
  await withHash(subject, async (id, from, update) => {
    const bystander = subject.newUser({ passwordHash: from })
    const other = await subject.addUser(bystander)
    const answer: unknown = await subject.users.updatePasswordHash?.(id, from, `${from}.new`)
    check(
      answer === true,
      `updatePasswordHash replaced a hash and answered ${JSON.stringify(answer)}: answer true ` +
        'where exactly one row was changed.',
    )
    check((await storedHash(subject, id)) === `${from}.new`, 'The new hash is not stored.')
    check(
      (await storedHash(subject, other)) === from,
      'updatePasswordHash changed the hash of another user who had the same one: name the id in ' +
        'the WHERE as well.',
    )
    check(
      !(await update(id, from, `${from}.late`)),
      `updatePasswordHash said true although the hash was no longer \`from\`. ${oneStatement}`,
    )
    check(
      (await storedHash(subject, id)) === `${from}.new`,
      `updatePasswordHash replaced a hash that was no longer \`from\`: a password changed ` +
        `meanwhile would be undone. ${oneStatement}`,
    )
  })
}

async function raced(subject: Subject): Promise<void> {
  await withHash(subject, async (id, from, update) => {
    const winners = await raceWinners(callers, (caller) => update(id, from, `${from}.${caller}`))
    check(
      winners.length === 1,
      `${winners.length} of ${callers} callers replaced one hash, instead of exactly one. ` +
        oneStatement,
    )
    check(
      (await storedHash(subject, id)) === `${from}.${winners[0]}`,
      `The stored hash is not that of the caller who was told true. ${oneStatement}`,
    )
  })
}

async function nobody(subject: Subject): Promise<void> {
  await withHash(subject, async (id, from, update) => {
    for (const odd of ['99999999999', '1e3', ' ', '\u{1f600}', 'a'.repeat(1024), `${id} `]) {
      const answer = await update(odd, from, `${from}.new`).catch(() => 'a rejection')
      check(
        answer === false,
        `updatePasswordHash of an id that belongs to nobody answered ${answer}, not false. Look ` +
          'at the form of the id before the query, as findById does.',
      )
    }
    check(
      (await storedHash(subject, id)) === from,
      'updatePasswordHash of an id that belongs to nobody changed a user.',
    )
  })
}

/** How a hash is replaced, where the store can. */
export const hashTests: readonly Promised[] = [
  ['updatePasswordHash replaces the hash that it was told, of that user, and no other', replaces],
  [`updatePasswordHash is won by one of ${callers} at once`, raced],
  ['updatePasswordHash of nobody is false', nobody],
]
