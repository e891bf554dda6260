import type { RequestContext } from '../audit/events.js'
import { notSignedIn } from '../errors.js'
import { sha256 } from '../lib/digest.js'
import { randomSecret } from '../lib/random.js'
import type { Principal } from '../principal/principal.js'
import type { LiveSessions } from '../sessions/live-sessions.js'
import type { SocketTicketStore } from '../stores/ticket-contract.js'
import type { TakeIssue } from '../throttle/token-limits.js'
import { principalOf } from './authenticate.js'

/** One-time tickets for sockets of browsers, which cannot send headers with an upgrade. */
export interface SocketTickets {
  /**
   * Issues a ticket for a socket that may do what the principal may, and no longer. Throws 429 or
   * 503.
   */
  issue(
    principal: Principal,
    context: RequestContext,
  ): Promise<{ ticket: string; expiresIn: number }>
  /**
   * Redeems a ticket. Exactly one caller gets its principal; throws 401 for any other, 503 when a
   * store failed.
   */
  redeem(ticket: string, context: RequestContext): Promise<Principal>
}

const lifetimeSeconds = 30
const pattern = /^mar_wt_[A-Za-z0-9_-]{43}$/

/** Issues and redeems tickets. Only their SHA-256 is stored. */
export function createSocketTickets(
  store: SocketTicketStore,
  liveSessions: LiveSessions,
  takeIssue: TakeIssue,
  clock: () => Date,
): SocketTickets {
  return {
    async issue({ sessionId, userId, scope, expiresAt: tokenExpiresAt }, context) {
      await takeIssue('ticket', { userId, sessionId }, context)
      const ticket = `mar_wt_${randomSecret()}`
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
      const result = pattern.test(ticket)
        ? await store.consume(sha256(ticket), clock())
        : { outcome: 'unknown' as const }
      if (result.outcome === 'unknown') throw notSignedIn('ticket unknown, used or expired')
      if (result.ticket.tokenExpiresAt <= clock()) throw notSignedIn('token of the ticket expired')
      const live = await liveSessions.require(result.ticket.sessionId, context)
      return principalOf(live, result.ticket.scope, result.ticket.tokenExpiresAt)
    },
  }
}
