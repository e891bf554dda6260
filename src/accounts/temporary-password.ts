import { randomInt } from 'node:crypto'
import type { Audit, RequestContext } from '../audit/events.js'
import { AuthConfigError, AuthError } from '../errors.js'
import { contextOfAction, type HostAction, requireIds } from '../http/input.js'
import type { AuthUser, UserStore } from '../users/contract.js'

/** A password for a user at the desk. It is in this result and nowhere else. */
export interface TemporaryPassword {
  /** 20 letters in five groups, which can be said on the telephone. */
  readonly password: string
  /** When it stops signing in. */
  readonly until: Date
}

/** What a temporary password needs, in a server and from a terminal. */
export interface TemporaryPasswordKit {
  readonly users: Pick<UserStore, 'requirePasswordChange'> & Partial<Pick<UserStore, 'findById'>>
  readonly hash: (plain: string) => Promise<string>
  /** Rejects with 403 `password-elsewhere` and 503. */
  readonly requireOwn: (user: AuthUser) => Promise<void>
  /** Ends what could sign in without the password. Rejects with 503. */
  readonly endEverything: (userId: string, cause: RequestContext) => Promise<unknown>
  readonly audit: Audit
  readonly clock: () => Date
}

const lifetimeMs = 72 * 60 * 60_000
const consonants = 'bdfghkmnprstvz'
const vowels = 'aeiou'

/** `auth.accounts.setTemporaryPassword`. */
export async function setTemporaryPassword(
  kit: TemporaryPasswordKit,
  userId: string,
  options: HostAction | undefined,
): Promise<TemporaryPassword | null> {
  const { findById, requirePasswordChange } = kit.users
  if (findById === undefined || requirePasswordChange === undefined)
    throw new AuthConfigError(
      'users.requirePasswordChange',
      'is missing, or findById is.',
      'add both, as docs/required-actions.md says.',
    )
  const context = contextOfAction(options)
  requireIds({ userId })
  const user = await findById(userId)
  if (user === null) return null
  await kit.requireOwn(user)
  const password = sayable()
  const until = new Date(kit.clock().getTime() + lifetimeMs)
  const hash = await kit.hash(password)
  if (!(await requirePasswordChange(user.id, user.passwordHash, hash, until)))
    throw new AuthError('superseded')
  kit.audit({ type: 'password.temporary', userId }, context)
  await kit.endEverything(userId, context)
  return { password, until }
}

// 61 bits: guesses are few, and it lives for three days.
function sayable(): string {
  const syllable = () => letterOf(consonants) + letterOf(vowels)
  return Array.from({ length: 5 }, () => syllable() + syllable()).join('-')
}

function letterOf(letters: string): string {
  return letters.charAt(randomInt(letters.length))
}
