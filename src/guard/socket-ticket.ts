import type { RequestContext } from '../audit/events.js'
import { notSignedIn } from '../errors.js'
import { ok } from '../http/answer.js'
import type { Endpoint } from '../http/endpoint.js'
import { randomSecret, sha256 } from '../lib/secrets.js'
import type { Principal } from '../principal/principal.js'
import type { SocketTicketStore } from '../stores/ticket-contract.js'
import { principalOf } from './authenticate.js'
import type { GuardKit } from './guard-kit.js'
import { keyMarkOf, noteKey } from './key-marks.js'

/** One-time tickets for browser sockets, because browsers cannot send headers with an upgrade. */
export interface SocketTickets {
  /** Issues a ticket. The socket gets the scope and the end of the principal. Throws 429 or 503. */
  issue(
    principal: Principal,
    context: RequestContext,
  ): Promise<{ ticket: string; expiresIn: number }>
  /**
   * Redeems a ticket. Exactly one caller gets its principal; throws 401 for any other, 503 if a
   * store fails.
   */
  redeem(ticket: string, context: RequestContext): Promise<Principal>
}

const lifetimeSeconds = 30
/**
 * The secret, and a digest of the id of the key that signed the token which bought the ticket.
 * Removing that key closes the socket. Nobody can change the digest, because the ticket is found by
 * its whole text.
 */
const pattern = /^mar_wt_[\w-]{43}(?:\.([\w-]{43}))?$/

/** Issues and redeems tickets. Only their SHA-256 is stored. */
export function createSocketTickets(
  { liveSessions, takeIssue, clock }: GuardKit,
  store: SocketTicketStore,
): SocketTickets {
  return {
    async issue(principal, context) {
      const { sessionId, userId, scope, expiresAt: tokenExpiresAt } = principal
      await takeIssue('ticket', { userId, sessionId }, context)
      const mark = keyMarkOf(principal)
      const ticket = `mar_wt_${randomSecret()}${mark === null ? '' : `.${mark}`}`
      const createdAt = clock()
      const expiresAt = new Date(createdAt.getTime() + lifetimeSeconds * 1000)
      const ticketHash = sha256(ticket)
      await store.save({
        ticketHash,
        sessionId,
        userId,
        scope: scope.join(' '),
        tokenExpiresAt,
        createdAt,
        expiresAt,
      })
      return { ticket, expiresIn: lifetimeSeconds }
    },

    async redeem(ticket, context) {
      const shape = pattern.exec(ticket)
      const result =
        shape === null
          ? { outcome: 'unknown' as const }
          : await store.consume(sha256(ticket), clock())
      if (result.outcome === 'unknown') throw notSignedIn('ticket unknown, used or expired')
      if (result.ticket.tokenExpiresAt <= clock()) throw notSignedIn('token of the ticket expired')
      const live = await liveSessions.require(result.ticket.sessionId, context)
      const principal = principalOf(live, result.ticket.scope, result.ticket.tokenExpiresAt)
      noteKey(principal, shape?.[1] ?? null)
      return principal
    },
  }
}

/**
 * `POST /auth/socket-ticket`: a ticket that opens one socket within 30 seconds, so that no token
 * has to be put into a URL.
 */
export function socketTicketEndpoint({ signedIn }: GuardKit, tickets: SocketTickets): Endpoint {
  return async ({ incoming, context }) => {
    const { principal } = await signedIn(incoming, context, 'complete', 'every-kind')
    return ok({ status: 'success', data: await tickets.issue(principal, context) })
  }
}
