import type { RequestContext } from '../audit/events.js'
import type { SessionRecord } from '../stores/contract.js'
import type { Sessions } from './sessions.js'

/**
 * Hands over a session that was just opened, and ends it where that fails: one whose browser does
 * not come to have it must not stay.
 *
 * @param keep - ends what was before, and gives the browser the new one
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
