import { randomId } from '../lib/secrets.js'

// A code ends with the session that asked for it. If the host asked for it there is no such
// session, so a placeholder is stored: a row without any token, which no list shows.

const prefix = 'code.'

/** An id for a placeholder of the host's sign-in page. */
export function placeholderId(): string {
  return `${prefix}${randomId()}`
}

/** Whether a session is a placeholder, not a sign-in on a device. */
export function isPlaceholder(id: string): boolean {
  return id.startsWith(prefix)
}
