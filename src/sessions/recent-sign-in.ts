import { AuthError } from '../errors.js'
import type { SessionRecord } from '../stores/contract.js'
import type { Sessions } from './sessions.js'

/** The time, in seconds, for which a sign-in is fresh, for every action that outlives a session. */
export const freshSeconds = 600

/** Whether the sign-in of a session is fresh. */
export function isFresh(
  { authenticatedAt }: Pick<SessionRecord, 'authenticatedAt'>,
  now: Date,
): boolean {
  return now.getTime() - authenticatedAt.getTime() <= freshSeconds * 1000
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
  const isRecent = ({ authenticatedAt }: SessionRecord) =>
    clock().getTime() - authenticatedAt.getTime() <= maxAge * 1000
  if (isRecent(session)) return
  // The session is read again: the user may have reauthenticated in another process a moment ago.
  const now = await findLive(session.id)
  if (now !== null && isRecent(now)) return
  throw new AuthError('reauthentication-required', { details: { maxAge } })
}
