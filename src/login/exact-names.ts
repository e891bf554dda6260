import { type Audit, noRequest } from '../audit/events.js'
import type { AuthUser, UserStore } from '../users/contract.js'
import { inLowerCase } from './identifier.js'

/**
 * A database may compare names more loosely than by case, as MySQL does by default. It then finds
 * one user by many names, each with its own failure count. So a user found by a name other than
 * their own counts as not found; the audit stream reports it once.
 */
export function withExactNames(users: UserStore, audit: Audit): UserStore {
  let isReported = false
  return {
    ...users,
    async findByIdentifier(identifier) {
      const user = await users.findByIdentifier(identifier)
      if (user === null || identifier.kind !== 'username' || goesBy(user, identifier.value))
        return user
      if (!isReported) audit({ type: 'user.mismatched', userId: user.id }, noRequest)
      isReported = true
      return null
    },
  }
}

/** Characters. NFKC of a long name is slow, and no real name is this long. */
const maxNameChars = 2000

function goesBy({ username }: AuthUser, value: string): boolean {
  return (
    username.length <= maxNameChars && [value, inLowerCase(value)].includes(inLowerCase(username))
  )
}
