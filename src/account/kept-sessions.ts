import type { Sessions } from '../sessions/sessions.js'

/** What stays when all else of a user ends. */
export interface KeptSessions {
  readonly exceptId?: string
  /** The session that has opened the exception, without which that would be over. */
  readonly openerId?: string
}

/**
 * Finds out what has to stay so that one session does. A page may be signed in by a token of the
 * same browser (`POST /auth/browser-session`): then that token stays as well. A device that another
 * one has signed in, and ends with, cannot be kept: nobody wants the other one to stay. Rejects
 * with 503.
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
