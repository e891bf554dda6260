import { randomInt } from 'node:crypto'
import { raceWinners } from '../../lib/async.js'
import type { EmailChange } from '../../users/contract.js'
import { contactOf } from './emails.js'
import { answered, by, check, type Promised, type Subject } from './harness.js'

const callers = 50

const oneStatement =
  'Write it as one statement: UPDATE … SET phone = to, phone_verified = (to is not null) WHERE ' +
  'id = … AND phone = from; in SQL, `phone is null` where `from` is null.'

const uniqueIndex =
  'Put a unique index on the number, and answer { outcome: "taken" } for its error.'

const setsFlag =
  'Write it as UPDATE … SET phone_factor = on WHERE id = …, and answer phoneFactor in findContact.'

/** A number of nobody's: the range is for films and books. */
const newNumber = () => `+4915500${String(randomInt(1_000_000)).padStart(6, '0')}`

/** A test of stores that know and change numbers. */
function ofPhones(run: Promised[1]): Promised[1] {
  return async function test(subject) {
    const { updatePhone, findContact } = subject.users
    if (updatePhone !== undefined && findContact !== undefined) await run(subject)
  }
}

async function change(
  { users }: Subject,
  id: string,
  from: string | null,
  to: string | null,
): Promise<EmailChange | undefined> {
  const answer = await answered('updatePhone', uniqueIndex, async () =>
    users.updatePhone?.(id, from, to),
  )
  return answer?.outcome
}

const newUser = (subject: Subject) => subject.addUser(subject.newUser())

async function requirePhone(subject: Subject, id: string, phone: string | null): Promise<void> {
  const contact = await contactOf(subject, id)
  check(
    (contact?.phone ?? null) === phone && (contact?.phoneVerified ?? false) === (phone !== null),
    'findContact does not answer the number, or its proof, that updatePhone has set. ' +
      oneStatement,
  )
}

async function sets(subject: Subject): Promise<void> {
  const [id, other] = [await newUser(subject), await newUser(subject)]
  const [first, second] = [newNumber(), newNumber()]
  await requirePhone(subject, id, null)
  const steps = [
    [null, first],
    [first, first],
    [first, second],
    [second, null],
    [null, first],
  ] as const
  for (const [from, to] of steps) {
    const outcome = await change(subject, id, from, to)
    check(outcome === 'changed', `updatePhone did not answer changed. ${oneStatement}`)
    await requirePhone(subject, id, to)
    await requirePhone(subject, other, null)
  }
  const found = await subject.users.findByIdentifier(by('user', first))
  check(
    found?.id === id,
    'findByIdentifier did not find the user by the number: with the kind `user`, look for it too.',
  )
}

async function namesake(subject: Subject): Promise<void> {
  const number = newNumber()
  const other = await subject.addUser(subject.newUser({ username: number })).catch(() => null)
  // A table that takes no such names cannot mix them up.
  if (other === null) return
  const id = await newUser(subject)
  await change(subject, id, null, number)
  const found = await subject.users.findByIdentifier(by('user', number))
  check(
    found?.id !== other,
    'findByIdentifier found a user by a name that is the number of another one: look for a ' +
      'number before names.',
  )
}

async function late(subject: Subject): Promise<void> {
  const [id, number] = [await newUser(subject), newNumber()]
  await change(subject, id, null, number)
  for (const from of [newNumber(), null])
    check(
      (await change(subject, id, from, newNumber())) === 'superseded',
      `updatePhone did not answer superseded although the number is not \`from\`. ${oneStatement}`,
    )
  check(
    (await change(subject, `${id}x`, null, newNumber())) === 'superseded',
    'updatePhone of an id that belongs to nobody did not answer superseded.',
  )
  await requirePhone(subject, id, number)
}

async function taken(subject: Subject): Promise<void> {
  const [id, other, number] = [await newUser(subject), await newUser(subject), newNumber()]
  await change(subject, other, null, number)
  check(
    (await change(subject, id, null, number)) === 'taken',
    `updatePhone gave two users one number. ${uniqueIndex}`,
  )
  await requirePhone(subject, id, null)
}

async function races(subject: Subject): Promise<void> {
  const [id, numbers] = [await newUser(subject), Array.from({ length: callers }, newNumber)]
  const winners = await raceWinners(callers, async (caller) => {
    const outcome = await change(subject, id, null, numbers[caller] as string)
    return outcome === 'changed'
  })
  check(
    winners.length === 1,
    `Of ${callers} changes at once ${winners.length} were answered changed. ${oneStatement}`,
  )
}

async function switches(subject: Subject): Promise<void> {
  if (subject.users.setPhoneFactor === undefined) return
  const [id, other] = [await newUser(subject), await newUser(subject)]
  const isOn = async (one: string) => (await contactOf(subject, one))?.phoneFactor === true
  for (const on of [true, true, false, true]) {
    await answered('setPhoneFactor', setsFlag, async () => subject.users.setPhoneFactor?.(id, on))
    check((await isOn(id)) === on, `After setPhoneFactor(${on}), findContact differs. ${setsFlag}`)
    check(!(await isOn(other)), `setPhoneFactor switched it on for another user. ${setsFlag}`)
  }
}

/** Numbers, where the store knows them. */
export const phoneTests: readonly Promised[] = [
  ['updatePhone sets, proves and removes the number, of that user', ofPhones(sets)],
  ['a number is the number of its owner, whatever others are called', ofPhones(namesake)],
  ['updatePhone writes nothing if the number is not `from` any more', ofPhones(late)],
  ['updatePhone gives a number to one user', ofPhones(taken)],
  ['updatePhone lets one of many changes win', ofPhones(races)],
  ['setPhoneFactor switches codes by text message on and off, of that user', ofPhones(switches)],
]
