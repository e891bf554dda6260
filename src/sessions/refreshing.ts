import type { RequestContext } from '../audit/events.js'
import type {
  RefreshState,
  RotateResult,
  SessionRecord,
  SessionSeen,
  SessionStore,
} from '../stores/contract.js'
import type { SessionTimes } from './session-times.js'

/** Notes the use of sessions, and rotates their refresh tokens. */
export interface SessionRefreshing {
  /** What to note of a session in use; null when it was noted less than a minute ago. */
  seenNow(session: SessionRecord, context: RequestContext): SessionSeen | null
  /**
   * Writes it down, without anybody waiting for it. A failure to write is not the client's problem.
   */
  touch(id: string, seen: SessionSeen): void
  /** Replaces the refresh token `presentedHash`, if it is still the current one. */
  rotateRefresh(
    session: SessionRecord,
    presentedHash: string,
    refresh: RefreshState,
    context: RequestContext,
  ): Promise<RotateResult>
  /**
   * Notes that something of the pair with this refresh token was used. Changes nothing when another
   * one is current by now, or the session has ended.
   */
  notePairUsed(
    session: SessionRecord,
    refresh: RefreshState,
    context: RequestContext,
  ): Promise<void>
}

export interface SessionRefreshingDeps {
  readonly store: Pick<SessionStore, 'touch' | 'rotateRefresh'>
  /** Is told where a user's session is in use, about once a minute. */
  readonly noticeUse: (userId: string, ip: string) => void
  readonly clock: () => Date
}

/** Makes what notes the use of sessions. */
export function createSessionRefreshing(
  { store, noticeUse, clock }: SessionRefreshingDeps,
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

    // Conditional on the hash, which stays: it undoes no rotation and no end that came between.
    async notePairUsed(session, refresh, context) {
      const next = { refresh: { ...refresh, pairUsed: true }, ...times.seen(session, context) }
      await store.rotateRefresh(session.id, refresh.hash, next, clock())
    },
  }
}
