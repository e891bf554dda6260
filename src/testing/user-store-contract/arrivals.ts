import type { NewUser, UserCreation } from '../../users/contract.js'
import { contactOf } from './emails.js'
import {
  answered,
  by,
  check,
  found,
  type Promised,
  type Subject,
  type UserWithEmail,
} from './harness.js'

const rivals = 10
const bursts = 5
const uniqueIndexes =
  'Put a unique index on the address in lower case and one on the user name in lower case, ' +
  'insert once, and answer { outcome: "taken", field } for their errors.'
const insertOnly = 'Insert, and never write an upsert.'
const isThere = 'Answer a user that is there.'

type Newcomer = NewUser & { readonly email: string }

/** A user who registers, with an address as people write some. */
const newcomer = ({ newUser }: Subject, change?: Partial<Newcomer>): Newcomer => {
  const { username, name, passwordHash } = newUser()
  return { email: `${username}.A+b@mail.example`, username, name, passwordHash, ...change }
}

/** A test of stores that create users. */
function ofCreate(run: Promised[1]): Promised[1] {
  return async function test(subject) {
    if (subject.users.create !== undefined) await run(subject)
  }
}

const create = ({ users }: Subject, user: NewUser): Promise<UserCreation | undefined> =>
  answered('create', uniqueIndexes, async () => users.create?.(user))

/** Whether somebody has the name. */
const isThereBy = async ({ users }: Subject, kind: 'email' | 'username', value: string) =>
  (await found(users, by(kind, value.toLowerCase()), isThere)) !== null

async function makes(subject: Subject): Promise<void> {
  const bystander = subject.newUser()
  const otherId = await subject.addUser(bystander)
  const more = { locale: 'de', invitation: { id: 'an invitation', note: null } }
  for (const user of [newcomer(subject, more), newcomer(subject, { passwordHash: null })]) {
    const made = await create(subject, user)
    check(
      made?.outcome === 'created',
      `create answered ${JSON.stringify(made)} for an address and a name that nobody has: answer ` +
        '{ outcome: "created", user }.',
    )
    const { id } = made.user
    const stored = await found(subject.users, id, isThere)
    for (const one of [made.user, stored])
      check(
        one?.passwordHash === user.passwordHash &&
          one.name === user.name &&
          one.username.toLowerCase() === user.username,
        'create answered or stored another user than it was given: the answer is what findById ' +
          'answers from then on.',
      )
    for (const kind of ['email', 'username'] as const) {
      const one = await found(subject.users, by(kind, user[kind].toLowerCase()), isThere)
      check(one?.id === id, `findByIdentifier by ${kind} does not find the user who was created.`)
    }
    await proven(subject, id, user)
  }
  const other = await found(subject.users, otherId, isThere)
  check(other?.passwordHash === bystander.passwordHash, `create changed a user. ${insertOnly}`)
}

async function proven(subject: Subject, id: string, { email }: NewUser): Promise<void> {
  if (subject.users.findContact === undefined) return
  const contact = await contactOf(subject, id)
  check(
    contact?.email === email,
    'create stored another spelling of the address than it was given. Store it unchanged.',
  )
  check(contact.emailVerified, 'create did not mark the address as proven: a code has proven it.')
}

async function taken(subject: Subject): Promise<void> {
  const user: UserWithEmail = subject.newUser()
  const id = await subject.addUser(user)
  const upper = user.email.replace(/^[^@]+/, (local) => local.toUpperCase())
  const tries: readonly (readonly ['email' | 'username', Partial<Newcomer>])[] = [
    ['email', { email: user.email }],
    ['email', { email: upper }],
    ['username', { username: user.username }],
    ['username', { username: user.username.toUpperCase() }],
    ['email', { email: user.email, username: user.username }],
  ]
  for (const [field, has] of tries) {
    const other = newcomer(subject, has)
    const made = await create(subject, other)
    const what = `for ${Object.keys(has).join(' and ')} of another user`
    check(
      made?.outcome === 'taken' && made.field === field,
      `create answered ${JSON.stringify(made)} ${what}, in whatever case, and not ` +
        `{ outcome: "taken", field: "${field}" }. ${uniqueIndexes}`,
    )
    for (const kind of ['email', 'username'] as const)
      check(
        kind in has || !(await isThereBy(subject, kind, other[kind])),
        `create answered taken, and wrote all the same. ${insertOnly}`,
      )
    const now = await found(subject.users, id, isThere)
    check(
      now?.passwordHash === user.passwordHash && now.name === user.name,
      `create changed the user who had it: whoever registers would take it over. ${insertOnly}`,
    )
  }
}

async function raced(subject: Subject): Promise<void> {
  for (let burst = 0; burst < bursts; burst += 1)
    for (const field of ['email', 'username'] as const) {
      const wanted = newcomer(subject)[field]
      const users = Array.from({ length: rivals }, () => newcomer(subject, { [field]: wanted }))
      const made = await Promise.all(users.map((user) => create(subject, user)))
      const winners = users.filter((_user, at) => made[at]?.outcome === 'created')
      const areTold = made.every((one) => one?.outcome === 'created' || one?.field === field)
      check(
        areTold && winners.length === 1,
        `${winners.length} of ${rivals} who registered one ${field} at once were created, ` +
          'instead of exactly one, while the others are told taken. A look before the write is ' +
          `too early: ${uniqueIndexes}`,
      )
      const other = field === 'email' ? 'username' : 'email'
      for (const user of users)
        check(
          (await isThereBy(subject, other, user[other])) === (user === winners[0]),
          'Of those who registered one name at once, others are there than who was told created.',
        )
    }
}

async function offers(subject: Subject): Promise<void> {
  const { users } = subject
  const ask = (name: string) =>
    answered('nameIsFree', 'Answer true or false.', async () => users.nameIsFree?.(name))
  if (users.nameIsFree === undefined) return
  const user = subject.newUser()
  await subject.addUser(user)
  for (const name of [user.username, user.username.toUpperCase()])
    check(
      (await ask(name)) === false,
      'nameIsFree did not answer false for the name of a user, in whatever case.',
    )
  const { username } = subject.newUser()
  for (let time = 0; time < 2; time += 1)
    check(
      (await ask(username)) === true,
      `nameIsFree did not answer true for ${JSON.stringify(username)}, which nobody has: it ` +
        'reserves nothing.',
    )
}

async function departs(subject: Subject): Promise<void> {
  const { users } = subject
  if (users.delete === undefined) return
  const [user, other] = [subject.newUser(), subject.newUser()]
  const id = await subject.addUser(user)
  const otherId = await subject.addUser(other)
  const remove = (one: string) =>
    answered('delete', 'A user who is gone already is deleted.', async () => users.delete?.(one))
  for (let time = 0; time < 2; time += 1) {
    await remove(id)
    check(
      (await found(users, id, 'Answer null.')) === null &&
        !(await isThereBy(subject, 'email', user.email)) &&
        !(await isThereBy(subject, 'username', user.username)),
      'After delete, the user is still found.',
    )
    if (users.findContact !== undefined)
      check((await contactOf(subject, id)) === null, 'After delete, findContact still answers.')
  }
  for (const odd of ['99999999999', ' ', `${otherId} `, '\u{1f600}']) await remove(odd)
  check(
    (await found(users, otherId, isThere)) !== null,
    'delete removed another user: name exactly the id in the WHERE.',
  )
}

async function departsAtOnce(subject: Subject): Promise<void> {
  const { users } = subject
  if (users.delete === undefined || users.create === undefined) return
  for (let burst = 0; burst < bursts; burst += 1) {
    const user = newcomer(subject)
    const first = await create(subject, user)
    if (first?.outcome !== 'created') continue
    const [again] = await Promise.all([
      create(subject, user),
      ...[1, 2, 3].map(() =>
        answered('delete', insertOnly, async () => users.delete?.(first.user.id)),
      ),
    ])
    const isNew = again?.outcome === 'created'
    check(
      (await isThereBy(subject, 'email', user.email)) === isNew &&
        (await found(users, first.user.id, isThere)) === null,
      'A user was created with the address of one who was deleted at the same moment: delete ' +
        'must remove the row with that id alone, and create must never give an id away again.',
    )
  }
}

/** How users come and go, where the store can. */
export const arrivalTests: readonly Promised[] = [
  ['create makes a user with a proven address, and no other', ofCreate(makes)],
  ['create writes nothing if another user has the address or the name', ofCreate(taken)],
  [`create gives one address and one name to one of ${rivals} at once`, ofCreate(raced)],
  ['nameIsFree is false for the name of a user, and reserves none', offers],
  ['delete leaves nothing of that user, and all of the others', departs],
  ['delete and create of one address at once leave one user or none', departsAtOnce],
]
