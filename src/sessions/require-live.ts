import { notSignedIn } from '../errors.js'
import type { SessionRecord } from '../stores/contract.js'
import type { Sessions } from './sessions.js'

/**
 * Asks the store whether a session is alive. For what must not be done by one that has ended elsewhere a moment ago, and that this process
 * still remembers. Throws 401 and 503.
 */
export async function requireLive(sessions: Pick<Sessions, 'findLive'>, { id }: SessionRecord): Promise<void> {
  if ((await sessions.findLive(id)) === null) throw notSignedIn('session ended or unknown')
}
