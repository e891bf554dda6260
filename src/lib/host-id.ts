import { isWellFormed } from './well-formed.js'

/** Characters of an id that a host passes on. */
const maxIdCharacters = 1024

/**
 * Whether this can be the id of a user or a session. Hosts may pass on untrusted input, and a
 * database fails for a text that it cannot store, which would look like an outage.
 */
export function isHostId(value: unknown): value is string {
  if (typeof value !== 'string' || value === '' || value.length > maxIdCharacters) return false
  return isWellFormed(value) && !value.includes('\0')
}
