import type { IncomingMessage } from 'node:http'
import { type Audit, noRequest, type RequestContext } from '../audit/events.js'
import type { Capability } from '../http/capability.js'
import type { Pages } from '../http/pages.js'
import type { Contexts } from '../http/request-context.js'
import type { AuthenticateRequest, Principal, SignedIn } from '../principal/principal.js'
import type { LiveSessions } from '../sessions/live-sessions.js'
import type { SocketTicketStore } from '../stores/ticket-contract.js'
import type { TakeIssue } from '../throttle/token-limits.js'
import { type Authenticate, reportRefusal } from './authenticate.js'
import { createRequireAuth, type Guard, type RequireAuthOptions } from './http-guard.js'
import { createPassportStrategy, type PassportStrategy } from './passport-strategy.js'
import type { Recognise } from './recognise.js'
import { type RequiredScope, requiredBy, requireScope, type ScopeOptions } from './scope.js'
import type { SocketRegistry } from './socket-closing.js'
import { socketTicketEndpoint } from './socket-ticket.endpoint.js'
import { createSocketTickets } from './socket-ticket.js'
import { createSockets, type Sockets } from './sockets.js'
import { type AuthenticateOptions, settingsOfAuthenticate } from './token-from.js'

/** What lets the host's own routes and sockets know who is asking. */
export interface Guards extends Capability {
  requireAuth(options?: RequireAuthOptions): Guard
  authenticate(request: IncomingMessage, options?: AuthenticateOptions): Promise<Principal>
  authenticateToken(token: string, options?: ScopeOptions): Promise<Principal>
  passportStrategy(options?: ScopeOptions): PassportStrategy
  readonly sockets: Sockets
}

/** What {@link createGuards} needs. */
export interface GuardsDeps {
  readonly authenticate: Authenticate
  readonly authenticateRequest: AuthenticateRequest
  readonly recognise: Recognise
  readonly signedIn: SignedIn
  readonly registry: SocketRegistry
  /** Null when the host keeps no socket tickets. */
  readonly ticketStore: SocketTicketStore | null
  readonly liveSessions: LiveSessions
  readonly takeIssue: TakeIssue
  /** Null: a browser must come from the host it connects to. */
  readonly allowedOrigins: readonly string[] | null
  /** Null: the host has none that send a cookie. */
  readonly pages: Pages | null
  readonly contexts: Contexts
  readonly clock: () => Date
  readonly audit: Audit
}

/** Makes the guards of routes and sockets, and `/auth/socket-ticket`. */
export function createGuards(deps: GuardsDeps): Guards {
  const { authenticate, authenticateRequest, recognise, registry, pages } = deps
  const { ticketStore, liveSessions, takeIssue, allowedOrigins, contexts, clock, audit } = deps
  const tickets = ticketStore && createSocketTickets(ticketStore, liveSessions, takeIssue, clock)
  const scoped = (principal: Principal, scope: RequiredScope, context: RequestContext) =>
    reportRefusal(audit, context, async () => {
      requireScope(principal, scope)
      return principal
    })
  return {
    routes:
      tickets === null
        ? []
        : [['/auth/socket-ticket', { POST: socketTicketEndpoint(deps.signedIn, tickets) }]],
    requireAuth: createRequireAuth({
      recognise,
      authenticateRequest,
      pages,
      forgetSession: liveSessions.forget,
      contexts,
      clock,
    }),
    async authenticate(request, options) {
      const { scope, read } = settingsOfAuthenticate(options, pages)
      const context = contexts.of(request)
      const { principal } = await authenticateRequest(request, context, 'complete', read)
      return scoped(principal, scope, context)
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
      createPassportStrategy(
        authenticateRequest,
        contexts,
        requiredBy('passportStrategy', options),
      ),
    sockets: createSockets({
      authenticate,
      tickets,
      registry,
      allowedOrigins,
      pages,
      contexts,
      audit,
    }),
    close: registry.close,
  }
}
