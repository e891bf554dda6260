import { AuthError } from '../errors.js'
import type { SessionRecord } from '../stores/contract.js'
import type { Sessions } from './sessions.js'

/**
 * Lets a session pass whose user has signed in a moment ago. What opens another session asks it: an
 * access token that has leaked must not become a session that outlives it. Throws 403
 * `reauthentication-required`, 503.
 */
export type RequireRecentSignIn = (session: SessionRecord) => Promise<void>

/** Makes it. `maxAge` is in seconds; false: any age will do. */
export function createRequireRecentSignIn(
  maxAge: number | false,
  { findLive }: Pick<Sessions, 'findLive'>,
  clock: () => Date,
): RequireRecentSignIn {
  return async function requireRecentSignIn(session) {
    if (maxAge === false) return
    const isRecent = ({ authenticatedAt }: SessionRecord) =>
      clock().getTime() - authenticatedAt.getTime() <= maxAge * 1000
    if (isRecent(session)) return
    // Read again: it may have been proved anew a moment ago in another process.
    const now = await findLive(session.id)
    if (now !== null && isRecent(now)) return
    throw new AuthError('reauthentication-required', { details: { maxAge } })
  }
}
