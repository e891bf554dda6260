import { availableParallelism } from 'node:os'
import { AuthError, type AuthRouter } from 'messaging-auth-router'
import type { UserTable } from './users.js'

/** Somebody to try the server with. */
export interface SeedUser {
  readonly username: string
  readonly name: string
  readonly password: string
  readonly disabled?: boolean
  readonly totpSecret?: string
}

const people: readonly SeedUser[] = [
  { username: 'alice', name: 'Alice', password: 'correct horse battery staple' },
  {
    username: 'bob',
    name: 'Bob',
    password: 'another long passphrase',
    totpSecret: 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ',
  },
  { username: 'carol', name: 'Carol', password: 'carols own passphrase', disabled: true },
]

/** Those who can sign in. Their passwords are in this file, so there is no harm in telling them. */
export const demoUsers: readonly SeedUser[] = people.filter(({ disabled }) => !disabled)

// One for each hashing thread, and one that waits: more might be refused on a machine that is busy,
// and end the start.
const hashedAtOnce = availableParallelism() + 1

/**
 * Fills the user table: three people to try things with, and as many numbered users as asked for.
 * Whoever is there already is left alone, for they may have changed since.
 */
export async function seed(users: UserTable, auth: AuthRouter, numbered: number): Promise<void> {
  const everybody = [
    ...people,
    ...Array.from({ length: numbered }, (_, index) => numberedUser(index + 1)),
  ]
  const present = await users.ids()
  const missing = everybody.filter(({ username }) => !present.has(idOf(username)))
  for (let start = 0; start < missing.length; start += hashedAtOnce) {
    const batch = missing.slice(start, start + hashedAtOnce)
    await Promise.all(batch.map((user) => addUser(users, auth, user)))
  }
}

function idOf(username: string): string {
  return `id-${username}`
}

function numberedUser(number: number): SeedUser {
  return {
    username: `user${number}`,
    name: `User ${number}`,
    password: `passphrase of user ${number}`,
  }
}

async function addUser(users: UserTable, auth: AuthRouter, user: SeedUser): Promise<void> {
  const { username, name, password, disabled = false, totpSecret } = user
  const id = idOf(username)
  const passwordHash = await auth.hashPassword(password)
  // Before the user: whoever is there is never seeded again, and must not lack their second factor
  // because a start was cut short.
  if (totpSecret !== undefined) await importTotp(auth, id, totpSecret)
  const email = { email: `${username}@example.com`, emailVerified: true, emailFactor: false }
  await users.add({ id, username, name, ...email, passwordHash, disabled })
}

async function importTotp(auth: AuthRouter, userId: string, secret: string): Promise<void> {
  try {
    // Answers recovery codes, which a server with real users shows to the user, once.
    await auth.secondFactors.importTotp({ userId, secret })
  } catch (error) {
    // By another process that starts at the same moment, or by a start that was cut short.
    if (!(error instanceof AuthError && error.code === 'totp-already-enabled')) throw error
  }
}
