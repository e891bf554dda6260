import type { Directory, DirectoryEntry, DirectoryVerdict } from '../../src/directories/contract.js'

/** A person as a test adds one. What is left out is made from the name. */
export interface PersonToAdd {
  readonly username: string
  readonly password?: string
  readonly subject?: string
  readonly dn?: string
  readonly displayName?: string
  readonly email?: string
  readonly groups?: readonly string[]
  readonly disabled?: boolean
  /** The answer to the right password. Default `{ outcome: 'right' }`. */
  readonly verdict?: DirectoryVerdict
}

interface Person extends DirectoryEntry {
  readonly password: string
  readonly verdict: DirectoryVerdict
}

/** A directory in memory: what tests do to it, and how often it was asked. */
export interface MemoryDirectory extends Directory {
  /** How often each was called, those that were rejected too. */
  readonly calls: { find: number; verify: number; decoys: number; look: number; close: number }
  /** Adds somebody, and answers the entry. Replaces who has the subject. */
  add(person: PersonToAdd): DirectoryEntry
  disable(username: string, disabled?: boolean): void
  remove(username: string): void
  setPassword(username: string, password: string): void
  setGroups(username: string, groups: readonly string[]): void
  /** The answer to the right password from now on. */
  setVerdict(username: string, verdict: DirectoryVerdict): void
  /** True: everything rejects, until false. */
  down(isDown: boolean): void
}

const right: DirectoryVerdict = { outcome: 'right' }
const wrong: DirectoryVerdict = { outcome: 'wrong', reason: 'wrong-password' }
const isForbidden = (password: string) =>
  password.trim() === '' || password.includes('\0') || Buffer.byteLength(password) > 1024

/** A directory in memory, for tests of what asks one. Nothing of it is for production. */
export function memoryDirectory(
  options: Partial<Pick<Directory, 'id' | 'name' | 'changePasswordUrl'>> = {},
): MemoryDirectory {
  const people = new Map<string, Person>()
  const calls = { find: 0, verify: 0, decoys: 0, look: 0, close: 0 }
  let isDown = false

  const named = (name: string) =>
    [...people.values()].filter(({ username, email }) =>
      [username, email].some((one) => one?.toLowerCase() === name.toLowerCase()),
    )
  const entryOf = ({ password: _password, verdict: _verdict, ...entry }: Person) => entry
  const answer = async <Answer>(name: keyof typeof calls, make: () => Answer): Promise<Answer> => {
    calls[name] += 1
    if (isDown) throw new Error('the directory is down')
    return make()
  }
  const change = (username: string, what: Partial<Person>) => {
    const [person] = named(username)
    if (person === undefined) throw new Error(`nobody is called ${username}`)
    people.set(person.subject, { ...person, ...what })
  }

  return {
    id: 'corp',
    name: 'Example Ltd',
    ...options,
    calls,
    add(person) {
      const { username, password = `password of ${username}`, verdict = right } = person
      const entry: DirectoryEntry = {
        subject: person.subject ?? `subject-of-${username}`,
        dn: person.dn ?? `uid=${username},ou=people,dc=example,dc=com`,
        username,
        ...(person.displayName !== undefined && { displayName: person.displayName }),
        ...(person.email !== undefined && { email: person.email }),
        groups: (person.groups ?? []).map((group) => group.toLowerCase()),
        disabled: person.disabled ?? false,
      }
      people.set(entry.subject, { ...entry, password, verdict })
      return entry
    },
    disable: (username, disabled = true) => change(username, { disabled }),
    setPassword: (username, password) => change(username, { password }),
    setGroups: (username, groups) =>
      change(username, { groups: groups.map((group) => group.toLowerCase()) }),
    setVerdict: (username, verdict) => change(username, { verdict }),
    remove(username) {
      for (const { subject } of named(username)) people.delete(subject)
    },
    down(now) {
      isDown = now
    },
    find: (name) => answer('find', () => named(name).map(entryOf)),
    look: (subjects) =>
      answer('look', () =>
        [...new Set(subjects)].flatMap((subject) => {
          const person = people.get(subject)
          return person === undefined ? [] : [entryOf(person)]
        }),
      ),
    verify(entry, password) {
      if (entry === null) calls.decoys += 1
      return answer('verify', () => {
        const person = [...people.values()].find(({ dn }) => dn === entry?.dn)
        if (isForbidden(password) || person?.password !== password) return wrong
        return person.disabled ? { outcome: 'wrong', reason: 'disabled' } : person.verdict
      })
    },
    async close() {
      calls.close += 1
    },
  }
}
