import { ok } from '../http/answer.js'
import type { Endpoint } from '../http/endpoint.js'
import type { SignedIn } from '../principal/principal.js'
import type { SocketTickets } from './socket-ticket.js'

/**
 * `POST /auth/socket-ticket`: a ticket that opens one socket within 30 seconds, so that no token
 * has to be put into a URL.
 */
export function socketTicketEndpoint(signedIn: SignedIn, tickets: SocketTickets): Endpoint {
  return async ({ incoming, context }) => {
    const { principal } = await signedIn(incoming, context, 'complete', 'every-kind')
    return ok({ status: 'success', data: await tickets.issue(principal, context) })
  }
}
