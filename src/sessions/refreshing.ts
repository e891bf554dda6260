import type { RequestContext } from '../audit/events.js'
import type { RefreshState, RotateResult, SessionRecord, SessionSeen } from '../stores/contract.js'
import type { SessionRowsKit } from './rows-kit.js'
import type { SessionTimes } from './session-times.js'
/** Records the use of sessions, and rotates their refresh tokens. */
export interface SessionRefreshing {
  /** What to record for a session in use; null if it was recorded less than a minute ago. */
  seenNow(session: SessionRecord, context: RequestContext): SessionSeen | null
  /** Records the use in the background. A failed write does not concern the client. */
  touch(id: string, seen: SessionSeen): void
  /** Replaces the refresh token `presentedHash`, if it is still the current one. */
  rotateRefresh(
    session: SessionRecord,
    presentedHash: string,
    refresh: RefreshState,
    context: RequestContext,
  ): Promise<RotateResult>
  /**
   * Records that a token of the pair with this refresh token was used. Changes nothing if another
   * pair is current by now, or the session has ended.
   */
  notePairUsed(
    session: SessionRecord,
    refresh: RefreshState,
    context: RequestContext,
  ): Promise<void>
}

export function createSessionRefreshing(
  { store, noticeUse, clock }: SessionRowsKit,
  times: SessionTimes,
): SessionRefreshing {
  function seenInUse(session: SessionRecord, context: RequestContext): SessionSeen {
    if (context.ip !== null) noticeUse(session.userId, context.ip)
    return times.seen(session, context)
  }

  return {
    seenNow: (session, context) =>
      times.isNoted(session, clock()) ? null : seenInUse(session, context),

    touch: (id, seen) => void store.touch(id, seen).catch(() => {}),

    rotateRefresh(session, presentedHash, refresh, context) {
      const next = { refresh, ...seenInUse(session, context) }
      return store.rotateRefresh(session.id, presentedHash, next, clock())
    },

    // Conditional on the hash, which stays the same: it undoes neither a rotation nor an end that
    // came in between.
    async notePairUsed(session, refresh, context) {
      const next = { refresh: { ...refresh, pairUsed: true }, ...times.seen(session, context) }
      await store.rotateRefresh(session.id, refresh.hash, next, clock())
    },
  }
}
