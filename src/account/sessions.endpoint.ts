import { AuthError } from '../errors.js'
import { ok } from '../http/answer.js'
import type { Endpoint } from '../http/endpoint.js'
import { mapYielding } from '../lib/map-yielding.js'
import { ownerOf } from '../principal/account-owner.js'
import type { SignedIn } from '../principal/principal.js'
import { nameOf } from '../sessions/named-sessions.js'
import type { Sessions } from '../sessions/sessions.js'
import type { SessionRecord } from '../stores/contract.js'

/** How many sockets of a session are open in this process. */
export type CountSockets = (sessionId: string) => number

/**
 * A session as its owner and the host see it. No token is in it, nor anything that one could be
 * made from.
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
  /** The device in words, such as "Firefox on Linux"; of a named token or an app, its name. */
  readonly name: string | null
  /** Open sockets in this process. */
  readonly liveSockets: number
  /**
   * The id of the session in the same list that this one was opened from: the browser in which the
   * user signed in to an app. A session of the kind `pkce` may be on another device than that one.
   * Null: from none, or from one that is not in the list. It does not say what ends together.
   */
  readonly openedBy: string | null
}

/** Shows a session, with its open sockets. */
export type Summarize = (session: SessionRecord) => Promise<SessionSummary>

/** One after the other, with pauses: a malicious user agent takes a millisecond to parse. */
export async function summarizeAll(
  sessions: readonly SessionRecord[],
  countSockets: CountSockets,
): Promise<SessionSummary[]> {
  // Not with the router: what names devices is needed by this list alone.
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
      // What has ended, and what stands in for the host's sign-in page, is in no list.
      openedBy:
        openedBySessionId !== undefined && listed.has(openedBySessionId) ? openedBySessionId : null,
    }
  })
}

/** `GET /auth/sessions`: where I am signed in. */
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
 * `DELETE /auth/sessions/:id`: ends one of mine. Another user's is not found, exactly as one that
 * does not exist.
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

/** `DELETE /auth/sessions`: signs me out everywhere but here. */
export function endOtherSessionsEndpoint(
  signedIn: SignedIn,
  sessions: Pick<Sessions, 'requireLive' | 'endAllForUser'>,
): Endpoint {
  return async function endOtherSessions(request) {
    const { session } = await ownerOf(signedIn, request)
    // A thief whose session was ended in another process must not end those of its owner.
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
