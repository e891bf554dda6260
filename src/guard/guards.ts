import type { IncomingMessage } from 'node:http'
import { noRequest, type RequestContext } from '../audit/events.js'
import type { Capability } from '../http/endpoint.js'
import type { Principal } from '../principal/principal.js'
import { reportRefusal } from './authenticate.js'
import type { GuardKit } from './guard-kit.js'
import { createRequireAuth, type Guard, type RequireAuthOptions } from './http-guard.js'
import { createPassportStrategy, type PassportStrategy } from './passport-strategy.js'
import { type RequiredScope, requiredBy, requireScope, type ScopeOptions } from './scope.js'
import { createSocketTickets, socketTicketEndpoint } from './socket-ticket.js'
import { createSockets, type Sockets } from './sockets.js'
import {
  type AuthenticateOptions,
  hasTokenIn,
  settingsOfAuthenticate,
  withChallenge,
} from './token-from.js'

/** Guards for the host's own routes and sockets. */
export interface Guards extends Capability {
  requireAuth(options?: RequireAuthOptions): Guard
  authenticate(request: IncomingMessage, options?: AuthenticateOptions): Promise<Principal>
  authenticateToken(token: string, options?: ScopeOptions): Promise<Principal>
  passportStrategy(options?: ScopeOptions): PassportStrategy
  readonly sockets: Sockets
}

/** Guards of routes and sockets, and `/auth/socket-ticket`. */
export function createGuards(kit: GuardKit): Guards {
  const { authenticate, authenticateRequest, registry, contexts, audit, ticketStore } = kit
  const tickets = ticketStore && createSocketTickets(kit, ticketStore)
  const scoped = (principal: Principal, scope: RequiredScope, context: RequestContext) =>
    reportRefusal(audit, context, async () => {
      requireScope(principal, scope)
      return principal
    })
  return {
    routes:
      tickets === undefined
        ? []
        : [['/auth/socket-ticket', { POST: socketTicketEndpoint(kit, tickets) }]],
    requireAuth: createRequireAuth(kit),
    async authenticate(request, options) {
      const { scope, read, metadataUrl } = settingsOfAuthenticate(options, kit)
      const context = contexts.of(request)
      try {
        const { principal } = await authenticateRequest(request, context, 'complete', read)
        return await scoped(principal, scope, context)
      } catch (error) {
        const hasToken = () => hasTokenIn(request, read)
        throw withChallenge(error, { metadataUrl, scope, hasToken })
      }
    },
    async authenticateToken(token, options) {
      const scope = requiredBy('authenticateToken', options)
      const presented = { sentAs: 'token', token, userId: null } as const
      const { principal } = await reportRefusal(audit, noRequest, () =>
        authenticate(presented, noRequest),
      )
      return scoped(principal, scope, noRequest)
    },
    passportStrategy: (options) =>
      createPassportStrategy(kit, requiredBy('passportStrategy', options)),
    sockets: createSockets({ ...kit, tickets }),
    close: registry.close,
  }
}
