import { AuthError } from '../errors.js'
import type { SignedIn } from '../guard/principal.js'
import { ownerOf } from '../http/account-owner.js'
import { ok } from '../http/answer.js'
import type { Endpoint } from '../http/endpoint.js'
import type { SessionRecord } from '../stores/contract.js'
import { deviceName } from './device-name.js'
import type { Sessions } from './sessions.js'

/** How many sockets of a session are open in this process. */
export type CountSockets = (sessionId: string) => number

/** A session as its owner and the host see it. No token is in it, nor anything that one could be made from. */
export interface SessionSummary {
  readonly id: string
  readonly kind: SessionRecord['kind']
  readonly createdAt: Date
  readonly lastSeenAt: Date
  /** The absolute end. */
  readonly expiresAt: Date
  readonly ip: string | null
  readonly userAgent: string | null
  /** The device in words, such as "Firefox on Linux". */
  readonly name: string | null
  /** Open sockets in this process. */
  readonly liveSockets: number
}

/** What of a session may be shown. */
export function summarize(session: SessionRecord, countSockets: CountSockets): SessionSummary {
  const { id, kind, createdAt, lastSeenAt, expiresAt, ip, userAgent } = session
  const name = deviceName(userAgent)
  return { id, kind, createdAt, lastSeenAt, expiresAt, ip, userAgent, name, liveSockets: countSockets(id) }
}

/** `GET /auth/sessions`: where I am signed in. */
export function listSessionsEndpoint(signedIn: SignedIn, sessions: Sessions, countSockets: CountSockets): Endpoint {
  return async (request) => {
    const { session: current } = await ownerOf(signedIn, request)
    const found = await sessions.listForUser(current.userId)
    const listed = found.map((session) => ({ ...summarize(session, countSockets), current: session.id === current.id }))
    return ok({ status: 'success', data: { sessions: listed } })
  }
}

/** `DELETE /auth/sessions/:id`: ends one of mine. Another user's is not found, exactly as one that does not exist. */
export function endSessionEndpoint(signedIn: SignedIn, sessions: Sessions): Endpoint {
  return async (request) => {
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
export function endOtherSessionsEndpoint(signedIn: SignedIn, sessions: Sessions): Endpoint {
  return async (request) => {
    const { session } = await ownerOf(signedIn, request)
    // A thief whose session was ended in another process must not end those of its owner.
    await sessions.requireLive(session)
    const revoked = await sessions.endAllForUser(session.userId, 'revoked', request.context, session.id)
    return ok({ status: 'success', data: { revoked } })
  }
}
