import type { RequestContext } from '../audit/events.js'
import type { SessionRecord } from '../stores/contract.js'
import type { Sessions } from './sessions.js'

/**
 * Hands a new session over to its browser, and ends it if that fails: a session that no browser has
 * must not stay.
 *
 * @param keep - ends the browser's former session and gives it the new one
 */
export async function endUnlessKept(
  sessions: Pick<Sessions, 'end'>,
  opened: SessionRecord,
  context: RequestContext,
  keep: () => Promise<void>,
): Promise<void> {
  try {
    await keep()
  } catch (error) {
    await sessions.end(opened, 'revoked', context)
    throw error
  }
}
