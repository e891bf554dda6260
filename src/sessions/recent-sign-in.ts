import { AuthError } from '../errors.js'
import type { SessionRecord } from '../stores/contract.js'
import { restsOnRemembered } from '../two-factor/second-factor.js'
import type { Sessions } from './sessions.js'

/** The time, in seconds, for which a sign-in is fresh, for every action that outlives a session. */
export const freshSeconds = 600

/** What a session has shown, and when. */
type SignInShown = Pick<SessionRecord, 'authenticatedAt' | 'methods'>

/**
 * Whether a sign-in is at most so many seconds old. In a remembered browser none is: somebody else
 * may have the browser by now.
 */
export function isWithin(
  { authenticatedAt, methods }: SignInShown,
  seconds: number,
  now: Date,
): boolean {
  return now.getTime() - authenticatedAt.getTime() <= seconds * 1000 && !restsOnRemembered(methods)
}

/** Whether the sign-in of a session is fresh. */
export function isFresh(session: SignInShown, now: Date): boolean {
  return isWithin(session, freshSeconds, now)
}

/**
 * Requires a recent sign-in, before a session opens another one: a leaked access token must not
 * yield a session that outlives it. Throws 403 `reauthentication-required`, 503.
 *
 * @param maxAge - in seconds; false allows any age
 */
export async function requireRecentSignIn(
  { findLive }: Pick<Sessions, 'findLive'>,
  session: SessionRecord,
  maxAge: number | false,
  clock: () => Date,
): Promise<void> {
  if (maxAge === false) return
  const isRecent = (one: SessionRecord) => isWithin(one, maxAge, clock())
  if (isRecent(session)) return
  // The session is read again: the user may have reauthenticated in another process a moment ago.
  const now = await findLive(session.id)
  if (now !== null && isRecent(now)) return
  throw new AuthError('reauthentication-required', { details: { maxAge } })
}
