import { raceWinners } from '../../lib/async.js'
import type { AuthUser, LoginIdentifier, UserStore } from '../../users/contract.js'
import { answered, by, check, found, type Promised, type Subject, said } from './harness.js'

const kinds = ['email', 'username', 'user'] as const
const isNumber =
  'An id that your column cannot hold belongs to nobody: look at its form before the query ' +
  '(/^\\d{1,9}$/ for a 32-bit integer), or compare the column as text.'
const exactly = 'Compare the whole id with the stored one, as text: one user has one id.'

/** Of each way to name a user, who it is. */
async function everyWay({ users }: Subject, user: { username: string; email: string }, id: string) {
  const ways: (LoginIdentifier | string)[] = [
    by('username', user.username),
    by('email', user.email),
    by('user', user.username),
    by('user', user.email),
    by('user', id),
    id,
  ]
  return Promise.all(
    ways.map(
      async (way) => [way, await found(users, way, 'Answer a user that is there.')] as const,
    ),
  )
}

const members = ['id', 'username', 'name', 'status', 'passwordHash', 'disabled'] as const
const told = (user: AuthUser) =>
  JSON.stringify(members.map((name) => (name === 'disabled' ? user[name] === true : user[name])))

async function foundAlike(subject: Subject): Promise<void> {
  const user = subject.newUser()
  const id = await subject.addUser(user)
  const others = subject.newUser()
  await subject.addUser(others)
  check(typeof id === 'string' && id !== '', 'addUser must answer the id as text.')
  for (const [way, one] of await everyWay(subject, user, id)) {
    check(
      one !== null || (typeof way !== 'string' && way.kind === 'user'),
      `${said(way)} found nobody, though the user is there. Look it up by the column of its kind.`,
    )
    if (one === null) continue
    check(
      typeof one.id === 'string',
      `The id of ${said(way)} is a ${typeof one.id}: answer it as text, String(row.id).`,
    )
    check(one.id === id, `${said(way)} found another user than the one of that name.`)
    const byId = await found(subject.users, id, 'Answer a user that is there.')
    check(
      byId !== null && told(one) === told(byId),
      `${said(way)} and findById answer different users. Make both from the row by one function: ` +
        'the router compares what they say.',
    )
  }
}

async function asAdded(subject: Subject): Promise<void> {
  const user = subject.newUser()
  const id = await subject.addUser(user)
  const one = await found(subject.users, id, 'Answer a user that is there.')
  for (const name of ['username', 'name', 'passwordHash'] as const)
    check(one?.[name] === user[name], `findById answers another ${name} than is stored.`)
}

async function unknown({ users, newUser }: Subject): Promise<void> {
  const nobody = newUser()
  for (const kind of kinds) {
    const value = kind === 'email' ? nobody.email : nobody.username
    const one = await users.findByIdentifier(by(kind, value))
    check(
      one === null,
      `findByIdentifier by ${kind} answered ${typeof one} for nobody: answer null.`,
    )
  }
}

// A unique index makes it impossible, which is as good.
async function twins(subject: Subject): Promise<void> {
  const first = subject.newUser()
  await subject.addUser(first)
  for (const shared of ['email', 'username'] as const) {
    const second = subject.newUser({ [shared]: first[shared] })
    const isAdded = await subject.addUser(second).then(
      () => true,
      () => false,
    )
    if (!isAdded) continue
    for (const kind of [shared, 'user'] as const) {
      const one = await found(subject.users, by(kind, first[shared]), 'Answer null.')
      check(
        one === null,
        `Two users have one ${shared}, and findByIdentifier by ${kind} chose one of them. Ask ` +
          'for two rows (LIMIT 2) and answer null unless there is exactly one; better, put a ' +
          'unique index on the column.',
      )
    }
  }
}

const oddIds = [
  '99999999999',
  '9223372036854775808',
  '-1',
  '0x10',
  '1e3',
  '1.0',
  ' ',
  '',
  "' OR 1=1 --",
  '%',
  '\u{1f600}',
  'null',
  'undefined',
  '__proto__',
  'a'.repeat(1024),
  '\u00e9'.repeat(512),
]

async function odd({ users }: Subject): Promise<void> {
  for (const value of oddIds) {
    for (const asked of [value, by('user', value)]) {
      const one = await found(users, asked, isNumber)
      check(one === null, `${said(asked)} found a user. ${exactly}`)
    }
  }
}

async function otherSpellings(subject: Subject): Promise<void> {
  const id = await subject.addUser(subject.newUser())
  for (const value of [`${id} `, ` ${id}`, `0${id}`, `+${id}`, `${id}.0`, `${id}e0`, `${id}x`]) {
    for (const asked of [value, by('user', value)]) {
      const one = await found(subject.users, asked, isNumber)
      check(one === null, `The id ${said(id)} was also found as ${said(asked)}. ${exactly}`)
    }
  }
}

async function kindsApart(subject: Subject): Promise<void> {
  const user = subject.newUser()
  const id = await subject.addUser(user)
  const wrong = [by('username', user.email), by('email', user.username), by('username', id)]
  for (const asked of wrong) {
    const one = await found(subject.users, asked, 'Answer null.')
    check(one === null, `${said(asked)} found a user by another column. Look only at its kind's.`)
  }
}

// What a router sends is text. A store that builds queries of parsed texts makes operators of it.
async function operators(subject: Subject): Promise<void> {
  await subject.addUser(subject.newUser())
  const mend =
    'Hand the value to the database as a parameter, and never parse it; for MongoDB ' +
    '{ username: { $eq: value } }, so that it stays text.'
  for (const value of ['{"$ne":null}', '{"$gt":""}', '{"$regex":".*"}', "' OR '1'='1", '*', '_%']) {
    for (const asked of [value, ...kinds.map((kind) => by(kind, value))]) {
      const one = await found(subject.users, asked, mend)
      check(one === null, `${said(asked)} was taken for a query, and found a user. ${mend}`)
    }
  }
}

async function disabled(subject: Subject): Promise<void> {
  const user = subject.newUser({ disabled: true })
  const id = await subject.addUser(user)
  for (const [way, one] of await everyWay(subject, user, id)) {
    if (one === null && typeof way !== 'string' && way.kind === 'user') continue
    check(
      one?.disabled === true,
      `A user who is disabled was answered without \`disabled: true\` for ${said(way)}. Answer ` +
        'the user with it, rather than null: the event then says why the sign-in was refused.',
    )
  }
}

async function passwordless(subject: Subject): Promise<void> {
  const user = subject.newUser({ passwordHash: null })
  const id = await subject.addUser(user)
  for (const [way, one] of await everyWay(subject, user, id)) {
    if (one === null && typeof way !== 'string' && way.kind === 'user') continue
    check(
      one !== null && one.passwordHash === null,
      `A user without a password has passwordHash ${JSON.stringify(one?.passwordHash)} for ` +
        `${said(way)}: answer null (row.password_hash ?? null), and answer the user.`,
    )
  }
}

/** Who is found, and who is not. */
export const findingTests: readonly Promised[] = [
  ['what is found by name is what is found by id', foundAlike],
  ['a user comes back as it is stored', asAdded],
  ['a name that belongs to nobody is null', unknown],
  ['a name that two users have is null', twins],
  ['odd ids are null, and no rejection', odd],
  ['an id is found in one spelling', otherSpellings],
  ['a name is looked up by its own kind', kindsApart],
  ['no text becomes an operator of a query', operators],
  ['a disabled user is found, as disabled', disabled],
  ['a user without a password is found, with null', passwordless],
]

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
