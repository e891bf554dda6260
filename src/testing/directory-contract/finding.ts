import type { DirectoryEntry } from '../../directories/contract.js'
import {
  answered,
  check,
  entryOf,
  type PersonToAdd,
  type Promised,
  type Subject,
} from './harness.js'

const isEmpty = 'Answer an empty list for what nobody has.'
const told = (entries: readonly DirectoryEntry[]) =>
  JSON.stringify(
    entries.map(({ subject, dn, username, displayName, email, groups, disabled }) => [
      [subject, dn, username, displayName, email],
      [...groups].sort(),
      disabled,
    ]),
  )

async function namesItself({ directory }: Subject): Promise<void> {
  const { id, name } = directory
  check(/^[a-z\d-]{1,32}$/.test(id), 'The id is not 1 to 32 lower-case letters, digits and "-".')
  check(name.trim() !== '' && Array.from(name).length <= 40, 'The name is not 1 to 40 characters.')
}

async function finds(subject: Subject): Promise<void> {
  const [person, other] = [await subject.add(), await subject.add()]
  const entry = await entryOf(subject, person.username)
  check(
    entry.username === person.username && entry.email === person.email,
    'find answered another entry than the one of that name.',
  )
  check(
    entry.subject !== '' && Buffer.byteLength(entry.subject) <= 255,
    'The subject is not a text of 1 to 255 bytes.',
  )
  check(
    entry.groups.every((group) => group === group.toLowerCase()),
    'A group is not in lower case: two spellings of one group would be two.',
  )
  check(entry.disabled === false, 'Somebody who may sign in is not `disabled: false`.')
  const { subject: others } = await entryOf(subject, other.username)
  check(others !== entry.subject, 'Two people have one subject: take what never belongs to two.')
}

async function finding({ directory, add, newName }: Subject): Promise<void> {
  const { username } = await add()
  const odd = ['', ' ', '*', `${username.slice(0, 4)}*`, `${username})(|(uid=*`, '\\2a', '\0']
  for (const name of [newName(), ...odd, `${username}\0`, 'x'.repeat(1000), '\u{1f600}']) {
    const found = await answered('find', isEmpty, () => directory.find(name))
    check(
      found.length === 0,
      `find answered ${found.length} entries for ${JSON.stringify(name.slice(0, 40))}, which ` +
        'nobody has. A name is a value: never put it into the text of a query.',
    )
  }
}

async function looks(subject: Subject): Promise<void> {
  const { directory } = subject
  const people: PersonToAdd[] = []
  for (let at = 0; at < 20; at += 1) people.push(await subject.add())
  const entries = []
  for (const { username } of people) entries.push(await entryOf(subject, username))
  const nobody = Array.from({ length: 480 }, () => `of-${subject.newName()}`)
  const asked = [...nobody, ...entries.map((entry) => entry.subject)]
  const seen = await answered('look', isEmpty, () => directory.look(asked))
  const sorted = (list: readonly DirectoryEntry[]) =>
    told([...list].sort((one, other) => (one.subject < other.subject ? -1 : 1)))
  check(
    sorted(seen) === sorted(entries),
    `look answered ${seen.length} entries for 500 subjects, and not the 20 that find answers, ` +
      'each once. Who is left out is signed out, so answer all of them, or reject.',
  )
  check((await directory.look([])).length === 0, 'look answered somebody for no subject.')
  check((await directory.look(nobody)).length === 0, 'look answered somebody for nobody.')
}

async function leaves(subject: Subject): Promise<void> {
  const { directory } = subject
  const [gone, stays] = [await subject.add(), await subject.add()]
  const entry = await entryOf(subject, gone.username)
  const other = await entryOf(subject, stays.username)
  await subject.remove(gone.username)
  check((await directory.find(gone.username)).length === 0, 'find answers who is gone.')
  const seen = await directory.look([entry.subject, other.subject])
  check(told(seen) === told([other]), 'look answers who is gone, or not who has stayed.')
  const { outcome } = await answered('verify', 'Who is gone has no right password.', () =>
    directory.verify(entry, gone.password),
  )
  check(outcome === 'wrong', 'verify took a password of somebody who is gone.')
}

async function disables(subject: Subject): Promise<void> {
  const { directory } = subject
  const person = await subject.add()
  const before = await entryOf(subject, person.username)
  await subject.disable(person.username)
  const after = await entryOf(subject, person.username)
  const [seen] = await directory.look([before.subject])
  check(
    after.disabled && seen?.disabled === true && after.subject === before.subject,
    'Somebody disabled is not answered as `disabled: true` by find and look.',
  )
  for (const entry of [after, before]) {
    const { outcome } = await answered('verify', 'Answer { outcome: "wrong" }.', () =>
      directory.verify(entry, person.password),
    )
    check(
      outcome === 'wrong' || entry === before,
      'verify took the right password of somebody disabled.',
    )
  }
}

async function sideBySide(subject: Subject): Promise<void> {
  const people: PersonToAdd[] = []
  for (let at = 0; at < 10; at += 1) people.push(await subject.add())
  const results = await Promise.all(
    people.map(async ({ username, password }, at) => {
      const entry = await entryOf(subject, username)
      const own = await subject.directory.verify(entry, password)
      const others = people[(at + 1) % people.length]?.password ?? ''
      const foreign = await subject.directory.verify(entry, others)
      return entry.username === username && own.outcome === 'right' && foreign.outcome === 'wrong'
    }),
  )
  check(results.every(Boolean), 'Calls at once got the answers of each other.')
}

async function outage(subject: Subject): Promise<void> {
  const { directory, down } = subject
  if (down === undefined) return
  const person = await subject.add()
  const entry = await entryOf(subject, person.username)
  await down(true)
  const calls: Readonly<Record<string, () => Promise<unknown>>> = {
    find: () => directory.find(person.username),
    verify: () => directory.verify(entry, person.password),
    'verify of null': () => directory.verify(null, person.password),
    look: () => directory.look([entry.subject]),
  }
  for (const [name, call] of Object.entries(calls)) {
    const answer = await call().then(
      () => true,
      () => false,
    )
    check(!answer, `${name} answered during an outage: reject, for nobody can know.`)
  }
  if (directory.check !== undefined) {
    const steps = await answered('check', 'Answer the fault.', async () => directory.check?.(null))
    check(steps?.some(({ ok }) => !ok) === true, 'check found no fault during an outage.')
  }
  await down(false)
  check(
    told([await entryOf(subject, person.username)]) === told([entry]),
    'After the outage another entry is found than before.',
  )
}

/** How entries are found, and who is still among them. */
export const findingTests: readonly Promised[] = [
  ['it names itself', namesItself],
  ['find answers the entry of a name', finds],
  ['find answers nobody for a name that nobody has', finding],
  ['look answers of 500 subjects those that are there', looks],
  ['who is gone is found no more', leaves],
  ['who is disabled is found, as disabled', disables],
  ['calls side by side do not mix', sideBySide],
  ['an outage rejects', outage],
]
