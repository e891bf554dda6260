import { isWellFormed } from './well-formed.js'

/** Characters of an id that a host hands on. */
const maxIdCharacters = 1024

/**
 * Whether this can be the id of a user or a session. Hosts hand on what strangers send, and a
 * database that is asked for a text it cannot hold fails: that would look like an outage.
 */
export function isHostId(value: unknown): value is string {
  if (typeof value !== 'string' || value === '' || value.length > maxIdCharacters) return false
  return isWellFormed(value) && !value.includes('\0')
}
