import { AuthError } from '../errors.js'
import { ok } from '../http/answer.js'
import type { Endpoint } from '../http/endpoint.js'
import { mapYielding } from '../lib/map-yielding.js'
import { ownerOf } from '../principal/account-owner.js'
import type { SignedIn } from '../principal/principal.js'
import { nameOf } from '../sessions/named-sessions.js'
import type { Sessions } from '../sessions/sessions.js'
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
  /** The device, such as "Firefox on Linux", or the name of the named token or app. */
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
}

/** Describes a session, with its open sockets. */
export type Summarize = (session: SessionRecord) => Promise<SessionSummary>

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
    const { id, kind, createdAt, lastSeenAt, expiresAt, ip, openedBySessionId } = session
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
    }
  })
}

/** `GET /auth/sessions`: my sessions. */
export function listSessionsEndpoint(
  signedIn: SignedIn,
  sessions: Pick<Sessions, 'listForUser'>,
  countSockets: CountSockets,
): Endpoint {
  return async function listSessions(request) {
    const { session: current } = await ownerOf(signedIn, request)
    const found = await sessions.listForUser(current.userId)
    const summaries = await summarizeAll(found, countSockets)
    const listed = summaries.map((summary) => ({ ...summary, current: summary.id === current.id }))
    return ok({ status: 'success', data: { sessions: listed } })
  }
}

/**
 * `DELETE /auth/sessions/:id`: ends one of my sessions. The session of another user is "not found",
 * exactly like one that does not exist.
 */
export function endSessionEndpoint(
  signedIn: SignedIn,
  sessions: Pick<Sessions, 'requireLive' | 'listForUser' | 'end'>,
): Endpoint {
  return async function endSession(request) {
    const { session: current } = await ownerOf(signedIn, request)
    await sessions.requireLive(current)
    const mine = await sessions.listForUser(current.userId)
    const chosen = mine.find(({ id }) => id === request.parameters['id'])
    if (chosen === undefined) throw new AuthError('not-found')
    await sessions.end(chosen, 'revoked', request.context)
    return ok({ status: 'success', data: { revoked: 1 } })
  }
}

/** `DELETE /auth/sessions`: ends all my other sessions. */
export function endOtherSessionsEndpoint(
  signedIn: SignedIn,
  sessions: Pick<Sessions, 'requireLive' | 'endAllForUser'>,
): Endpoint {
  return async function endOtherSessions(request) {
    const { session } = await ownerOf(signedIn, request)
    // A thief whose session has just ended in another process must not end the owner's sessions.
    await sessions.requireLive(session)
    const revoked = await sessions.endAllForUser(
      session.userId,
      'revoked',
      request.context,
      session.id,
    )
    return ok({ status: 'success', data: { revoked } })
  }
}
