import type { Sessions } from '../sessions/sessions.js'

/** The sessions that stay when all others of a user end. */
export interface KeptSessions {
  readonly exceptId?: string
  /** The parent of the exception, without which the exception would end. */
  readonly openerId?: string
}

/**
 * Finds the sessions that must stay so that one session stays. A page may have been signed in by a
 * token of the same browser (`POST /auth/browser-session`): then the session of that token stays as
 * well. A device that was signed in by another device and ends with it cannot be kept, since the
 * other device should end. Rejects with 503.
 */
export async function keptSessions(
  sessions: Pick<Sessions, 'findLive'>,
  userId: string,
  exceptId: string | undefined,
): Promise<KeptSessions> {
  if (exceptId === undefined) return {}
  const kept = await sessions.findLive(exceptId)
  if (kept === null || kept.userId !== userId || kept.parentId === undefined) return { exceptId }
  const opener = kept.kind === 'browser' ? await sessions.findLive(kept.parentId) : null
  return opener === null || opener.parentId !== undefined ? {} : { exceptId, openerId: opener.id }
}
