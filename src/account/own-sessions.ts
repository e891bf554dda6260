import type { RequestContext } from '../audit/events.js'
import { AuthError } from '../errors.js'
import { ok } from '../http/answer.js'
import type { Endpoint } from '../http/endpoint.js'
import type { SignInKit } from '../kits/sign-in-kit.js'
import { mapYielding } from '../lib/async.js'
import { ownerOf } from '../principal/principal.js'
import { nameOf } from '../sessions/named-sessions.js'
import type { SessionRecord } from '../stores/contract.js'

/** The number of open sockets of a session in this process. */
export type CountSockets = (sessionId: string) => number

/**
 * A session as its owner and the host see it. It contains no token, and nothing from which one
 * could be made.
 */
export interface SessionSummary {
  readonly id: string
  readonly kind: SessionRecord['kind']
  readonly createdAt: Date
  readonly lastSeenAt: Date
  /** The absolute end. */
  readonly expiresAt: Date
  readonly ip: string | null
  readonly userAgent: string | null
  /**
   * The device, such as "Firefox on Linux", the name of the named token or app, or why somebody
   * acts.
   */
  readonly name: string | null
  /** Open sockets in this process. */
  readonly liveSockets: number
  /**
   * The id of the session in the same list from which this one was opened: for an app, the browser
   * in which the user signed in. A session of the kind `pkce` may be on another device than its
   * opener. Null if there is none or it is not in the list. Sessions linked here need not end
   * together.
   */
  readonly openedBy: string | null
  /** The member of your staff who acts in it for the user; null: nobody. */
  readonly actor: SessionActor | null
}

/** Who acts for a user in a session. */
export interface SessionActor {
  readonly id: string
}

/**
 * Yields to the event loop between sessions: a malicious user agent takes a millisecond to parse.
 */
export async function summarizeAll(
  sessions: readonly SessionRecord[],
  countSockets: CountSockets,
): Promise<SessionSummary[]> {
  // Imported here and not with the router: only this list needs device names.
  const { deviceName } = await import('./device-name.js')
  const listed = new Set(sessions.map(({ id }) => id))
  return mapYielding(sessions, (session) => {
    const { id, kind, createdAt, lastSeenAt, expiresAt, ip, openedBySessionId, actorId } = session
    const name = nameOf(session)
    const userAgent = name === null ? session.userAgent : null
    return {
      id,
      kind,
      createdAt,
      lastSeenAt,
      expiresAt,
      ip,
      userAgent,
      name: name ?? deviceName(userAgent),
      liveSockets: countSockets(id),
      // Ended sessions and placeholders of the host's sign-in page are in no list.
      openedBy:
        openedBySessionId !== undefined && listed.has(openedBySessionId) ? openedBySessionId : null,
      actor: actorId === undefined ? null : { id: actorId },
    }
  })
}

/** One session of a user, as in `GET /auth/sessions`. */
export interface OwnSession {
  readonly id: string
  readonly kind: SessionRecord['kind']
  /**
   * The device, such as "Firefox on Linux", the name of the named token or app, or why somebody
   * acts.
   */
  readonly name: string | null
  readonly ip: string | null
  readonly createdAt: Date
  readonly lastSeenAt: Date
  /** The id of the session in the same list from which it was opened; null if there is none. */
  readonly openedBy: string | null
  /** The member of the host's staff who acts in it for the user; null: nobody. */
  readonly actor: SessionActor | null
  /** Whether it is the session that asks. */
  readonly current: boolean
}

/** A user's sessions, in the user's own hands. */
export interface OwnSessions {
  /** Oldest first. Rejects with 503. */
  list(current: SessionRecord): Promise<readonly OwnSession[]>
  /** False if the user has no such session. Rejects with 401 and 503. */
  end(current: SessionRecord, id: unknown, context: RequestContext): Promise<boolean>
  /** Ends all but the current one; resolves with their number. Rejects with 401 and 503. */
  endOthers(current: SessionRecord, context: RequestContext): Promise<number>
}

/** The actions of users on their sessions, at `/auth/sessions`, and on the account page. */
export function ownSessions({ sessions, countSockets }: SignInKit): OwnSessions {
  return {
    async list(current) {
      const summaries = await summarizeAll(await sessions.listForUser(current.userId), countSockets)
      return summaries.map((summary) => ({ ...summary, current: summary.id === current.id }))
    },

    async end(current, id, context) {
      await sessions.requireLive(current)
      const mine = await sessions.listForUser(current.userId)
      const chosen = mine.find((session) => session.id === id)
      if (chosen === undefined) return false
      await sessions.end(chosen, 'revoked', context)
      return true
    },

    async endOthers(current, context) {
      // A thief whose session has just ended in another process must not end the owner's sessions.
      await sessions.requireLive(current)
      return sessions.endAllForUser(current.userId, 'revoked', context, current.id)
    },
  }
}

/** `GET /auth/sessions`: my sessions. */
export function listSessionsEndpoint({ signedIn }: SignInKit, own: OwnSessions): Endpoint {
  return async function listSessions(request) {
    const { session } = await ownerOf(signedIn, request, 'complete', 'acting')
    return ok({ status: 'success', data: { sessions: await own.list(session) } })
  }
}

/**
 * `DELETE /auth/sessions/:id`: ends one of my sessions. The session of another user is "not found",
 * exactly like one that does not exist.
 */
export function endSessionEndpoint({ signedIn }: SignInKit, own: OwnSessions): Endpoint {
  return async function endSession(request) {
    const { session } = await ownerOf(signedIn, request)
    const isEnded = await own.end(session, request.parameters['id'], request.context)
    if (!isEnded) throw new AuthError('not-found')
    return ok({ status: 'success', data: { revoked: 1 } })
  }
}

/** `DELETE /auth/sessions`: ends all my other sessions. */
export function endOtherSessionsEndpoint({ signedIn }: SignInKit, own: OwnSessions): Endpoint {
  return async function endOtherSessions(request) {
    const { session } = await ownerOf(signedIn, request)
    const revoked = await own.endOthers(session, request.context)
    return ok({ status: 'success', data: { revoked } })
  }
}
