import type { AuthRouter } from 'messaging-auth-router'
import type { UserTable } from './users.js'

interface SeedUser {
  readonly username: string
  readonly name: string
  readonly password: string
  readonly disabled?: boolean
  readonly totpSecret?: string
}

const people: readonly SeedUser[] = [
  { username: 'alice', name: 'Alice', password: 'correct horse battery staple' },
  { username: 'bob', name: 'Bob', password: 'another long passphrase', totpSecret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ' },
  { username: 'carol', name: 'Carol', password: 'carols own passphrase', disabled: true },
]

// The hasher refuses more than it can do in about five seconds; its queue holds at least 25 on a single core.
const hashedAtOnce = 24

/** Fills the user table: three people to try things with, and as many numbered users as asked for. */
export async function seed(users: UserTable, auth: AuthRouter, numbered: number): Promise<void> {
  const everybody = [...people, ...Array.from({ length: numbered }, (_, index) => numberedUser(index + 1))]
  for (let start = 0; start < everybody.length; start += hashedAtOnce) {
    const batch = everybody.slice(start, start + hashedAtOnce)
    await Promise.all(batch.map((user) => addUser(users, auth, user)))
  }
}

function numberedUser(number: number): SeedUser {
  return { username: `user${number}`, name: `User ${number}`, password: `passphrase of user ${number}` }
}

async function addUser(users: UserTable, auth: AuthRouter, user: SeedUser): Promise<void> {
  const { username, name, password, disabled = false, totpSecret } = user
  const id = `id-${username}`
  const passwordHash = await auth.hashPassword(password)
  users.add({ id, username, name, email: `${username}@example.com`, passwordHash, disabled })
  // Answers recovery codes, which a server with real users shows to the user, once.
  if (totpSecret !== undefined) await auth.secondFactors.importTotp({ userId: id, secret: totpSecret })
}
