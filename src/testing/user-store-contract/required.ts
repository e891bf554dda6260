import type { UserStore } from '../../users/contract.js'
import { answered, check, found, type Promised, type Subject } from './harness.js'

const oneStatement =
  'Write it as one statement: UPDATE … SET password_hash = to, must_change_password = true, ' +
  'password_until = until WHERE id = … AND password_hash = from.'
const clears = 'Let updatePasswordHash set both to null, in the statement that sets the hash.'
const until = new Date('2099-01-01T00:00:00Z')

/** A test of stores whose users can be told to change the password. */
function ofChanges(
  run: (subject: Subject, id: string, hash: string) => Promise<void>,
): Promised[1] {
  return async function test(subject) {
    const { requirePasswordChange, updatePasswordHash } = subject.users
    if (requirePasswordChange === undefined || updatePasswordHash === undefined) return
    const user = subject.newUser()
    const id = await subject.addUser(user)
    await run(subject, id, user.passwordHash ?? '')
  }
}

async function demand(
  { users }: Subject,
  ...asked: Parameters<NonNullable<UserStore['requirePasswordChange']>>
): Promise<boolean | undefined> {
  return answered('requirePasswordChange', oneStatement, async () =>
    users.requirePasswordChange?.(...asked),
  )
}

const read = async ({ users }: Subject, id: string) => {
  const user = await found(users, id, 'Answer a user that is there.')
  const { passwordHash, mustChangePassword, passwordUntil } = user ?? {}
  return { passwordHash, must: mustChangePassword === true, until: passwordUntil?.getTime() }
}

async function sets(subject: Subject, id: string, hash: string): Promise<void> {
  const other = await subject.addUser(subject.newUser({ passwordHash: hash }))
  check(
    (await demand(subject, id, hash, `${hash}.new`, until)) === true,
    'requirePasswordChange did not answer true where it changed a row.',
  )
  const user = await read(subject, id)
  check(
    user.passwordHash === `${hash}.new`,
    `The hash is not the one that was given. ${oneStatement}`,
  )
  check(user.must, 'mustChangePassword of the user is not true: answer the stored column.')
  check(user.until === until.getTime(), 'passwordUntil of the user is not the Date that was given.')
  const untouched = await read(subject, other)
  check(
    untouched.passwordHash === hash && !untouched.must,
    'requirePasswordChange changed another user who had the same hash: name the id in the WHERE.',
  )
}

async function clearsBoth(subject: Subject, id: string, hash: string): Promise<void> {
  await demand(subject, id, hash, hash, until)
  await answered('updatePasswordHash', clears, async () =>
    subject.users.updatePasswordHash?.(id, hash, `${hash}.new`),
  )
  const user = await read(subject, id)
  check(!user.must, `A user who has changed the password must change it still. ${clears}`)
  check(user.until === undefined, `A changed password stops signing in all the same. ${clears}`)
}

async function hasNoEnd(subject: Subject, id: string, hash: string): Promise<void> {
  await demand(subject, id, hash, hash, null)
  const user = await read(subject, id)
  check(user.must && user.until === undefined, 'A password without an end was given one.')
}

async function late(subject: Subject, id: string, hash: string): Promise<void> {
  check(
    (await demand(subject, id, `${hash}.other`, `${hash}.new`, until)) === false,
    `requirePasswordChange did not answer false although the hash is not \`from\`. ${oneStatement}`,
  )
  const user = await read(subject, id)
  check(
    user.passwordHash === hash && !user.must && user.until === undefined,
    `requirePasswordChange wrote although the hash is not \`from\`. ${oneStatement}`,
  )
}

async function first(subject: Subject): Promise<void> {
  const isNull = 'In SQL, write `password_hash is null` where `from` is null.'
  const id = await subject.addUser(subject.newUser({ passwordHash: null }))
  check((await demand(subject, id, null, 'first', until)) === true, isNull)
  check((await demand(subject, id, null, 'second', until)) === false, isNull)
  check((await read(subject, id)).passwordHash === 'first', isNull)
}

async function acceptedTwice(subject: Subject): Promise<void> {
  if (subject.users.accepted === undefined) return
  const id = await subject.addUser(subject.newUser())
  const document = { id: 'terms', version: '2026-11', at: new Date() }
  const twice = 'Ignore a row that is there: a client repeats a request whose answer it has lost.'
  for (const _time of ['first', 'second'])
    await answered('accepted', twice, async () => subject.users.accepted?.(id, document))
}

export const requiredTests: readonly Promised[] = [
  ['requirePasswordChange sets the hash, the mark and the end, of that user', ofChanges(sets)],
  ['requirePasswordChange writes nothing if the hash is not `from` any more', ofChanges(late)],
  ['requirePasswordChange without an end sets none', ofChanges(hasNoEnd)],
  ['requirePasswordChange gives a first password to a user who has none', ofChanges(first)],
  ['updatePasswordHash clears the mark and the end', ofChanges(clearsBoth)],
  ['accepted may be called twice', acceptedTwice],
]
