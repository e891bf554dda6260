import { randomId } from '../lib/random.js'

// A code ends with the session that asked for it. A code that the host asked for has no session, so
// one stands in: a row without any token, which no list shows.

const prefix = 'code.'

/** An id for a session that stands in for the host's sign-in page. */
export function standInId(): string {
  return `${prefix}${randomId()}`
}

/** Whether a session stands in, so that it is no sign-in on any device. */
export function isStandIn(id: string): boolean {
  return id.startsWith(prefix)
}
