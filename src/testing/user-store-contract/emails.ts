import { raceWinners } from '../../lib/async.js'
import type { EmailChange, UserContact } from '../../users/contract.js'
import {
  answered,
  by,
  check,
  type Promised,
  type Subject,
  said,
  type UserWithEmail,
} from './harness.js'

const callers = 50
const rivals = 10
const oneStatement =
  'Write it as one statement: UPDATE … SET email = to, email_verified = true WHERE id = … AND ' +
  'email = from.'
const uniqueIndex =
  'Put a unique index on the address in lower case, and answer { outcome: "taken" } for its error.'
const isNull = 'In SQL, write `email is null` where `from` is null.'

/** A user whose address can be changed. */
interface Owner extends UserWithEmail {
  readonly id: string
}

async function newOwner(subject: Subject): Promise<Owner> {
  const user = subject.newUser()
  return { ...user, id: await subject.addUser(user) }
}

/** A test of stores that know and change addresses. */
function ofEmails(run: Promised[1]): Promised[1] {
  return async function test(subject) {
    const { updateEmail, findContact } = subject.users
    if (updateEmail !== undefined && findContact !== undefined) await run(subject)
  }
}

async function change(
  { users }: Subject,
  id: string,
  from: string | null,
  to: string,
): Promise<EmailChange | undefined> {
  const answer = await answered('updateEmail', uniqueIndex, async () =>
    users.updateEmail?.(id, from, to),
  )
  return answer?.outcome
}

const isSame = (one: UserContact | null, other: UserContact | null) =>
  one?.email === other?.email && one?.emailVerified === other?.emailVerified

/** An address as people write some: with capitals and a plus. */
const typed = ({ username }: UserWithEmail) => `${username.toUpperCase()}.A+b@mail.example`

async function sets(subject: Subject): Promise<void> {
  const user = await newOwner(subject)
  const other = await newOwner(subject)
  const to = typed(user)
  const outcome = await change(subject, user.id, user.email, to)
  check(
    outcome === 'changed',
    `updateEmail answered ${JSON.stringify(outcome)} for a change from the stored address: ` +
      'answer { outcome: "changed" } where exactly one row was changed.',
  )
  const contact = await contactOf(subject, user.id)
  check(
    contact?.email === to,
    'updateEmail stored another spelling than it was given: what is asked for later is the given ' +
      'one. Store it unchanged, capitals too.',
  )
  check(contact.emailVerified, 'updateEmail did not mark the new address as proven.')
  const found = await subject.users.findByIdentifier(by('email', to.toLowerCase()))
  check(
    found?.id === user.id,
    'findByIdentifier does not find the changed address in lower case: compare lower(email).',
  )
  check(
    (await subject.users.findByIdentifier(by('email', user.email))) === null,
    'The old address still finds the user.',
  )
  check(
    (await contactOf(subject, other.id))?.email === other.email,
    'updateEmail changed another user: name the id in the WHERE as well.',
  )
  check(
    (await change(subject, user.id, to, user.email)) === 'changed',
    'updateEmail did not change the address back, which belongs to nobody by now.',
  )
}

async function superseded(subject: Subject): Promise<void> {
  const user = await newOwner(subject)
  const before = await contactOf(subject, user.id)
  for (const from of [`old.${user.email}`, null]) {
    const outcome = await change(subject, user.id, from, `new.${user.email}`)
    check(
      outcome === 'superseded',
      `updateEmail answered ${JSON.stringify(outcome)} although the address was not \`from\`. ` +
        `${oneStatement} ${isNull}`,
    )
    check(
      isSame(await contactOf(subject, user.id), before),
      `updateEmail wrote although the address was not \`from\`: a change that came meanwhile ` +
        `would be undone. ${oneStatement}`,
    )
  }
}

async function taken(subject: Subject): Promise<void> {
  const user = await newOwner(subject)
  const other = await newOwner(subject)
  const before = [await contactOf(subject, user.id), await contactOf(subject, other.id)] as const
  const [local = '', domain = ''] = other.email.split('@')
  for (const to of [other.email, `${local.toUpperCase()}@${domain}`]) {
    const outcome = await change(subject, user.id, user.email, to)
    check(
      outcome === 'taken',
      `updateEmail answered ${JSON.stringify(outcome)} for the address of another user` +
        `${to === other.email ? '' : ' in capitals'}. ${uniqueIndex}`,
    )
    check(
      isSame(await contactOf(subject, user.id), before[0]) &&
        isSame(await contactOf(subject, other.id), before[1]),
      'updateEmail answered taken, and wrote all the same.',
    )
  }
  const own = `${user.username.toUpperCase()}@mail.example`
  check(
    (await change(subject, user.id, user.email, own)) === 'changed',
    "updateEmail did not change the case of the user's own address, which nobody else has.",
  )
}

async function raced(subject: Subject): Promise<void> {
  const user = await newOwner(subject)
  const toOf = (caller: number) => `n${caller}.${user.email}`
  const outcomes = new Set<unknown>()
  const winners = await raceWinners(callers, async (caller) => {
    const outcome = await change(subject, user.id, user.email, toOf(caller))
    outcomes.add(outcome)
    return outcome === 'changed'
  })
  const [winner = -1] = winners
  check(
    winners.length === 1 && (await contactOf(subject, user.id))?.email === toOf(winner),
    `${winners.length} of ${callers} callers changed one address, instead of exactly one, to the ` +
      `stored one. ${oneStatement}`,
  )
  check(
    [...outcomes].every((outcome) => outcome === 'changed' || outcome === 'superseded'),
    'updateEmail did not answer superseded to all who came too late.',
  )
}

async function racedForOne(subject: Subject): Promise<void> {
  const users = await Promise.all(Array.from({ length: rivals }, () => newOwner(subject)))
  const to = `wanted.${subject.newUser().email}`
  const outcomes = await Promise.all(users.map((user) => change(subject, user.id, user.email, to)))
  const winners = users.filter((_user, at) => outcomes[at] === 'changed')
  const isOne = outcomes.every((outcome) => outcome === 'changed' || outcome === 'taken')
  check(
    isOne && winners.length === 1,
    `${winners.length} of ${rivals} users got one address at once, instead of exactly one, while ` +
      `the others are told taken. A look before the write is too early: ${uniqueIndex}`,
  )
  check(
    (await subject.users.findByIdentifier(by('email', to)))?.id === winners[0]?.id,
    'The address does not find the user who was told changed.',
  )
}

async function first(subject: Subject): Promise<void> {
  const user = subject.newUser()
  // A column that is never null is as good.
  const id = await subject.addUser({ ...user, email: null }).catch(() => null)
  if (id === null) return
  check(
    (await contactOf(subject, id))?.email === null,
    'findContact did not answer null for a user without an address.',
  )
  check(
    (await change(subject, id, null, user.email)) === 'changed' &&
      (await contactOf(subject, id))?.email === user.email,
    `updateEmail gave no address to a user who had none. ${isNull}`,
  )
  check(
    (await change(subject, id, null, `new.${user.email}`)) === 'superseded',
    `updateEmail took null for any address. ${isNull}`,
  )
}

async function nobody(subject: Subject): Promise<void> {
  const user = await newOwner(subject)
  const odd = ['99999999999', '1e3', ' ', '\u{1f600}', 'a'.repeat(1024), `${user.id} `]
  for (const [at, id] of odd.entries()) {
    const to = `n${at}.${user.email}`
    check(
      (await change(subject, id, user.email, to)) === 'superseded',
      'updateEmail of an id that belongs to nobody did not answer superseded. Look at the form ' +
        'of the id before the query, as findById does.',
    )
    check(
      (await contactOf(subject, user.id))?.email === user.email &&
        (await subject.users.findByIdentifier(by('email', to))) === null,
      'updateEmail of an id that belongs to nobody changed or made a user: never write an upsert.',
    )
  }
}

/** How an address is changed, where the store can. */
export const emailTests: readonly Promised[] = [
  ['updateEmail sets the address as it is given, proven, of that user', ofEmails(sets)],
  ['updateEmail writes nothing if the address is not `from` any more', ofEmails(superseded)],
  ['updateEmail writes nothing if another user has the address, in whatever case', ofEmails(taken)],
  [`updateEmail is won by one of ${callers} at once`, ofEmails(raced)],
  [`updateEmail gives one address to one of ${rivals} users at once`, ofEmails(racedForOne)],
  ['updateEmail gives a first address to a user who has none', ofEmails(first)],
  ['updateEmail of nobody is superseded', ofEmails(nobody)],
]

const asStored =
  'Answer { email: row.email, emailVerified: row.email_verified } of exactly that user, with ' +
  'true or false, never a number.'
const formOfId = 'Look at the form of the id before the query, as findById does.'
const oneCondition =
  'Write it as one statement: UPDATE … SET email_verified = true WHERE id = … AND email = …, and ' +
  'answer whether that row is there.'
const oddIds = ['99999999999', '1e3', ' ', '\u{1f600}', 'a'.repeat(1024)]

/** What the store says of a user's address; null where it does not know addresses. */
export async function contactOf(
  { users }: Subject,
  id: string,
  remedy: string = asStored,
): Promise<UserContact | null> {
  const answer = await answered('findContact', remedy, async () => users.findContact?.(id))
  return answer ?? null
}

/** A test of stores that know addresses. */
function ofContacts(run: Promised[1]): Promised[1] {
  return async function test(subject) {
    if (subject.users.findContact !== undefined) await run(subject)
  }
}

async function tells(subject: Subject): Promise<void> {
  for (const emailVerified of [false, true]) {
    const user = subject.newUser({ emailVerified, disabled: emailVerified })
    const id = await subject.addUser(user)
    const contact = await contactOf(subject, id)
    check(contact !== null, `findContact found nobody, though the user is there. ${asStored}`)
    check(
      contact.email === user.email && contact.emailVerified === emailVerified,
      `findContact answered another address or proof than was added: emailVerified is ` +
        `${JSON.stringify(contact.emailVerified)}, not ${emailVerified}. ${asStored}`,
    )
    check(
      (contact.emailFactor ?? false) === false,
      'findContact answered emailFactor, though the user has not switched it on.',
    )
  }
}

async function contactOfNobody(subject: Subject): Promise<void> {
  const id = await subject.addUser(subject.newUser())
  for (const odd of [...oddIds, `${id} `, ` ${id}`, `0${id}`, `${id}x`])
    check(
      (await contactOf(subject, odd, formOfId)) === null,
      `findContact found somebody by the id ${said(odd)}: answer null. ${formOfId}`,
    )
}

/** Marks an address as proven, where the store can; a store may leave that out. */
async function mark({ users }: Subject, id: string, email: string): Promise<unknown> {
  return answered('markEmailVerified', formOfId, async () => users.markEmailVerified?.(id, email))
}

async function proves(subject: Subject): Promise<void> {
  if (subject.users.markEmailVerified === undefined) return
  const [user, other] = [subject.newUser(), subject.newUser()]
  const id = await subject.addUser(user)
  const otherId = await subject.addUser(other)
  const isProven = async (one: string) => (await contactOf(subject, one))?.emailVerified === true
  check(
    (await mark(subject, id, other.email)) === false && !(await isProven(id)),
    'markEmailVerified proved an address that is not the one it was told: a code that was mailed ' +
      `to an old address would prove the new one. ${oneCondition}`,
  )
  for (const time of ['', ' a second time'])
    check(
      (await mark(subject, id, user.email)) === true && (await isProven(id)),
      `markEmailVerified of the stored address did not answer true${time}, or did not mark it. ` +
        oneCondition,
    )
  check(
    !(await isProven(otherId)) && (await contactOf(subject, otherId))?.email === other.email,
    'markEmailVerified proved the address of another user: name the id in the WHERE as well.',
  )
}

async function provesNobody(subject: Subject): Promise<void> {
  if (subject.users.markEmailVerified === undefined) return
  const user = subject.newUser()
  const id = await subject.addUser(user)
  for (const odd of [...oddIds, `${id} `])
    check(
      (await mark(subject, odd, user.email)) === false,
      `markEmailVerified of an id that belongs to nobody did not answer false. ${formOfId}`,
    )
  check(
    (await contactOf(subject, id))?.emailVerified === false,
    'markEmailVerified of an id that belongs to nobody proved the address of a user.',
  )
}

const setsFlag =
  'Write it as UPDATE … SET email_factor = on WHERE id = …, never as an upsert, and answer ' +
  'emailFactor in findContact.'

/** Switches codes by mail on or off, where the store can. */
async function setFactor({ users }: Subject, id: string, on: boolean): Promise<void> {
  await answered('setEmailFactor', formOfId, async () => users.setEmailFactor?.(id, on))
}

async function switches(subject: Subject): Promise<void> {
  if (subject.users.setEmailFactor === undefined) return
  const [id, other] = [
    await subject.addUser(subject.newUser()),
    await subject.addUser(subject.newUser()),
  ]
  const isOn = async (one: string) => (await contactOf(subject, one))?.emailFactor === true
  for (const on of [true, true, false, false, true]) {
    await setFactor(subject, id, on)
    check(
      (await isOn(id)) === on,
      `After setEmailFactor(${on}), findContact says otherwise. ${setsFlag}`,
    )
    check(!(await isOn(other)), `setEmailFactor switched it on for another user. ${setsFlag}`)
  }
}

async function switchesNobody(subject: Subject): Promise<void> {
  if (subject.users.setEmailFactor === undefined) return
  const id = await subject.addUser(subject.newUser())
  for (const odd of [...oddIds, `${id} `]) {
    await setFactor(subject, odd, true)
    check(
      (await contactOf(subject, odd, formOfId)) === null &&
        (await contactOf(subject, id))?.emailFactor !== true,
      `setEmailFactor of an id that belongs to nobody made or changed a user. ${setsFlag}`,
    )
  }
}

/** Where mail goes, and what is proven, where the store knows. */
export const contactTests: readonly Promised[] = [
  ['findContact tells the address, and whether it is proven', ofContacts(tells)],
  ['findContact of nobody is null', ofContacts(contactOfNobody)],
  ['markEmailVerified proves the address that it was told, and no other', ofContacts(proves)],
  ['markEmailVerified of nobody is false', ofContacts(provesNobody)],
  ['setEmailFactor switches codes by mail on and off, of that user', ofContacts(switches)],
  ['setEmailFactor of nobody changes nobody', ofContacts(switchesNobody)],
]
