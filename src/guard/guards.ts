import type { IncomingMessage } from 'node:http'
import { noRequest, type RequestContext } from '../audit/events.js'
import type { Capability } from '../http/capability.js'
import type { Principal, SignedIn } from '../principal/principal.js'
import type { LiveSessions } from '../sessions/live-sessions.js'
import type { SocketTicketStore } from '../stores/ticket-contract.js'
import type { TakeIssue } from '../throttle/issue-limits.js'
import { reportRefusal } from './authenticate.js'
import { withChallenge } from './challenge.js'
import {
  createRequireAuth,
  type Guard,
  type RequireAuthDeps,
  type RequireAuthOptions,
} from './http-guard.js'
import { createPassportStrategy, type PassportStrategy } from './passport-strategy.js'
import { type RequiredScope, requiredBy, requireScope, type ScopeOptions } from './scope.js'
import { socketTicketEndpoint } from './socket-ticket.endpoint.js'
import { createSocketTickets } from './socket-ticket.js'
import { createSockets, type Sockets, type SocketsDeps } from './sockets.js'
import { type AuthenticateOptions, hasTokenIn, settingsOfAuthenticate } from './token-from.js'

/** Guards for the host's own routes and sockets. */
export interface Guards extends Capability {
  requireAuth(options?: RequireAuthOptions): Guard
  authenticate(request: IncomingMessage, options?: AuthenticateOptions): Promise<Principal>
  authenticateToken(token: string, options?: ScopeOptions): Promise<Principal>
  passportStrategy(options?: ScopeOptions): PassportStrategy
  readonly sockets: Sockets
}

export interface GuardsDeps extends RequireAuthDeps, Omit<SocketsDeps, 'tickets'> {
  readonly signedIn: SignedIn
  /** Undefined if the host stores no socket tickets. */
  readonly ticketStore: SocketTicketStore | undefined
  readonly liveSessions: LiveSessions
  readonly takeIssue: TakeIssue
}

/** Guards of routes and sockets, and `/auth/socket-ticket`. */
export function createGuards(deps: GuardsDeps): Guards {
  const { authenticate, authenticateRequest, registry, contexts, audit } = deps
  const { ticketStore, liveSessions, takeIssue, clock } = deps
  const tickets = ticketStore && createSocketTickets(ticketStore, liveSessions, takeIssue, clock)
  const scoped = (principal: Principal, scope: RequiredScope, context: RequestContext) =>
    reportRefusal(audit, context, async () => {
      requireScope(principal, scope)
      return principal
    })
  return {
    routes:
      tickets === undefined
        ? []
        : [['/auth/socket-ticket', { POST: socketTicketEndpoint(deps.signedIn, tickets) }]],
    requireAuth: createRequireAuth(deps),
    async authenticate(request, options) {
      const { scope, read, metadataUrl } = settingsOfAuthenticate(options, deps)
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
      createPassportStrategy(deps, requiredBy('passportStrategy', options)),
    sockets: createSockets({ ...deps, tickets }),
    close: registry.close,
  }
}
