import { raceWinners } from '../../lib/race.js'
import type { UserStore } from '../../users/contract.js'
import { answered, check } from './harness.js'
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

const isNull =
  'In SQL, `password_hash = null` matches nothing, and leaving the condition out matches every ' +
  'user: write `password_hash is null` where `from` is null.'

/**
 * A user without a password, where first passwords can be set: by stores for the option `accounts`,
 * which know where mail goes.
 */
async function withoutHash(
  subject: Subject,
  run: (id: string, setFirst: (to: string) => Promise<boolean>) => Promise<void>,
): Promise<void> {
  const { users } = subject
  const update = users.updatePasswordHash?.bind(users)
  if (update === undefined || users.findContact === undefined) return
  const id = await subject.addUser(subject.newUser({ passwordHash: null }))
  await run(id, async (to) =>
    Boolean(await answered('updatePasswordHash', isNull, () => update(id, null, to))),
  )
}

async function first(subject: Subject): Promise<void> {
  await withoutHash(subject, async (id, setFirst) => {
    const bystander = await subject.addUser(subject.newUser({ passwordHash: null }))
    check(
      (await setFirst('first')) && (await storedHash(subject, id)) === 'first',
      `updatePasswordHash gave no first password to a user who had none. ${isNull}`,
    )
    check(
      (await storedHash(subject, bystander)) === null,
      'updatePasswordHash gave a password to another user who had none: name the id in the WHERE ' +
        'as well.',
    )
    check(
      !(await setFirst('second')) && (await storedHash(subject, id)) === 'first',
      `updatePasswordHash took null for any password: it replaced one. ${isNull}`,
    )
  })
}

async function firstRaced(subject: Subject): Promise<void> {
  await withoutHash(subject, async (id, setFirst) => {
    const winners = await raceWinners(callers, (caller) => setFirst(`first.${caller}`))
    check(
      winners.length === 1 && (await storedHash(subject, id)) === `first.${winners[0]}`,
      `${winners.length} of ${callers} callers set a first password, instead of exactly one, the ` +
        `stored one. ${oneStatement} ${isNull}`,
    )
  })
}

/** How a hash is replaced, where the store can. */
export const hashTests: readonly Promised[] = [
  ['updatePasswordHash replaces the hash that it was told, of that user, and no other', replaces],
  [`updatePasswordHash is won by one of ${callers} at once`, raced],
  ['updatePasswordHash of nobody is false', nobody],
  ['updatePasswordHash gives a first password to a user who has none, once', first],
  [`updatePasswordHash gives a first password to one of ${callers} at once`, firstRaced],
]
