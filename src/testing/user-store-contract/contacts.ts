import type { UserContact } from '../../users/contract.js'
import { answered, check, said } from './harness.js'
import type { Promised, Subject } from './subject.js'

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

async function nobody(subject: Subject): Promise<void> {
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
  ['findContact of nobody is null', ofContacts(nobody)],
  ['markEmailVerified proves the address that it was told, and no other', ofContacts(proves)],
  ['markEmailVerified of nobody is false', ofContacts(provesNobody)],
  ['setEmailFactor switches codes by mail on and off, of that user', ofContacts(switches)],
  ['setEmailFactor of nobody changes nobody', ofContacts(switchesNobody)],
]
