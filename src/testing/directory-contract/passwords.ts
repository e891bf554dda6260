import { answered, check, entryOf, type Promised, type Subject } from './harness.js'

const isWrong = 'Answer { outcome: "wrong", reason }.'

async function outcomeOf(
  { directory }: Subject,
  entry: Parameters<Subject['directory']['verify']>[0],
  password: string,
): Promise<string> {
  const verdict = await answered('verify', isWrong, () => directory.verify(entry, password))
  return verdict.outcome
}

async function tells(subject: Subject): Promise<void> {
  const [person, other] = [await subject.add(), await subject.add()]
  const entry = await entryOf(subject, person.username)
  const [seen] = await subject.directory.look([entry.subject])
  for (const one of [entry, seen ?? null]) {
    check(
      (await outcomeOf(subject, one, person.password)) === 'right',
      'verify did not answer right for the right password, of an entry of find or look.',
    )
    const wrong = [other.password, `${person.password} `, person.password.toUpperCase(), 'x']
    for (const password of wrong)
      check(
        (await outcomeOf(subject, one, password)) === 'wrong',
        'verify did not answer wrong for a password that is not the one of the entry.',
      )
  }
}

async function changes(subject: Subject): Promise<void> {
  const person = await subject.add()
  const entry = await entryOf(subject, person.username)
  await subject.setPassword(person.username, 'another password')
  check(
    (await outcomeOf(subject, entry, person.password)) === 'wrong',
    'The former password is still taken: remember none.',
  )
  check(
    (await outcomeOf(subject, entry, 'another password')) === 'right',
    'The new password is not taken.',
  )
  const now = await entryOf(subject, person.username)
  check(now.subject === entry.subject, 'The subject has changed with the password.')
}

async function forbidden(subject: Subject): Promise<void> {
  const person = await subject.add()
  const entry = await entryOf(subject, person.username)
  const { password } = person
  for (const one of ['', ' ', '\t\n', '\0', `${password}\0`, `\0${password}`, 'x'.repeat(1025)])
    for (const of of [entry, null])
      check(
        (await outcomeOf(subject, of, one)) === 'wrong',
        'verify did not answer wrong for a password that is empty, of blanks, with a NUL or of ' +
          'more than 1,024 bytes. A server of LDAP calls the bind without a password a success.',
      )
}

async function decoy(subject: Subject): Promise<void> {
  const { password } = await subject.add()
  for (const one of [password, 'a password', 'x'.repeat(1024), '\u{1f600}'])
    check(
      (await outcomeOf(subject, null, one)) === 'wrong',
      'verify of null, a name that nobody has, did not answer wrong.',
    )
}

/** What a password proves. */
export const passwordTests: readonly Promised[] = [
  ['verify tells the right password from others', tells],
  ['verify knows the password of now', changes],
  ['verify takes no password that is none', forbidden],
  ['verify of nobody is wrong', decoy],
]
