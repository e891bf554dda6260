import type { SessionRecord } from '../stores/contract.js'
import { goodMarks } from './password-watch.js'
import type { UserSessionsKit } from './sessions-kit.js'

/**
 * Copies to a new session the marks that its opener has by now: the hash may have been replaced by
 * another one of the same password before the new session was stored.
 */
export async function catchUpMarks(
  { sessions, passwordWatch }: Pick<UserSessionsKit, 'sessions' | 'passwordWatch'>,
  asking: SessionRecord,
  opened: SessionRecord,
): Promise<void> {
  const { userId, passwordMark: from } = opened
  const now = passwordWatch.inherited(asking)
  if (from === undefined || now === undefined) return
  const had = goodMarks(opened)
  for (const mark of goodMarks(now))
    if (!had.includes(mark)) await sessions.addPasswordMark(userId, from, mark)
}
