import { noRequest } from '../events.js'
import { type CountSockets, type SessionSummary, summarize } from './sessions.endpoint.js'
import type { Sessions } from './sessions.js'

/** The users' sessions, for the host's own code: a support desk, a password reset, a closed account. */
export interface SessionsForHost {
  /** A user's live sessions, the oldest first. */
  list(userId: string): Promise<SessionSummary[]>
  /** Ends one session, its tokens and its sockets. False when there is no live session with this id. */
  revoke(sessionId: string): Promise<boolean>
  /** Ends all sessions of a user, but `except`. Call it when a password was reset or an account closed. Says how many. */
  revokeAllForUser(userId: string, options?: { readonly except?: string }): Promise<number>
}

/** Makes `auth.sessions`. Each method rejects with `temporarily-unavailable` when the store failed: then nothing was promised. */
export function createSessionsForHost(sessions: Sessions, countSockets: CountSockets): SessionsForHost {
  return {
    async list(userId) {
      return (await sessions.listForUser(userId)).map((session) => summarize(session, countSockets))
    },
    async revoke(sessionId) {
      const session = await sessions.findLive(sessionId)
      return session !== null && (await sessions.end(session, 'revoked', noRequest))
    },
    revokeAllForUser: (userId, options = {}) => sessions.endAllForUser(userId, 'revoked', noRequest, options.except),
  }
}
