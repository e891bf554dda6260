import type { IncomingMessage } from 'node:http'
import { noRequest } from '../audit/events.js'
import type { AuthError } from '../errors.js'
import { readCredentials } from '../http/credentials.js'
import { type Capability, isForClient } from '../http/endpoint.js'
import type { Principal } from '../principal/principal.js'
import { reportRefusal, reportUnlessAllowed } from './authenticate.js'
import type { GuardKit } from './guard-kit.js'
import { createRequireAuth, type Guard, type RequireAuthOptions } from './http-guard.js'
import { type Required, requireAllowed, requiredBy, type ScopeOptions } from './scope.js'
import {
  createSockets,
  createSocketTickets,
  type Sockets,
  socketTicketEndpoint,
} from './sockets.js'
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
  return {
    routes:
      tickets === undefined
        ? []
        : [['/auth/socket-ticket', { POST: socketTicketEndpoint(kit, tickets) }]],
    requireAuth: createRequireAuth(kit),
    async authenticate(request, options) {
      const { required, read, metadataUrl } = settingsOfAuthenticate(options, kit)
      const context = contexts.of(request)
      try {
        const { principal } = await authenticateRequest(request, context, 'complete', read)
        return await reportUnlessAllowed(audit, context, principal, required)
      } catch (error) {
        const hasToken = () => hasTokenIn(request, read)
        throw withChallenge(error, { metadataUrl, scope: required.scope, hasToken })
      }
    },
    async authenticateToken(token, options) {
      const required = requiredBy('authenticateToken', options)
      const presented = { sentAs: 'token', token, userId: null } as const
      const { principal } = await reportRefusal(audit, noRequest, () =>
        authenticate(presented, noRequest),
      )
      return reportUnlessAllowed(audit, noRequest, principal, required)
    },
    passportStrategy: (options) =>
      createPassportStrategy(kit, requiredBy('passportStrategy', options)),
    sockets: createSockets({ ...kit, tickets }),
    close: registry.close,
  }
}

/** The methods passport gives a strategy while it runs. */
export interface PassportActions {
  success(user: Principal): void
  fail(challenge: string, status: number): void
  error(error: unknown): void
}

/**
 * A strategy for the host's own passport. Typed by what passport calls, so that the host needs no
 * passport types.
 */
export interface PassportStrategy {
  readonly name: string
  authenticate(this: PassportActions, request: IncomingMessage): void
}

/**
 * The strategy `messaging-auth`, for hosts that guard their routes with passport. A refusal becomes
 * `fail` with the challenge of RFC 6750 §3; an outage becomes `error`, because a client that gets
 * 401 would discard its credentials.
 */
function createPassportStrategy(
  { authenticateRequest, contexts, metadataUrls }: GuardKit,
  required: Required,
): PassportStrategy {
  return {
    name: 'messaging-auth',
    authenticate(request) {
      Promise.resolve()
        .then(async () => {
          const { principal } = await authenticateRequest(request, contexts.of(request))
          requireAllowed(principal, required)
          return principal
        })
        .then(
          (principal) => this.success(principal),
          (failure: unknown) => {
            const error = withChallenge(failure, {
              metadataUrl: metadataUrls?.own,
              scope: required.scope,
              hasToken: () => hasTokenIn(request, readCredentials),
            })
            if (isForClient(error) && error.status < 500)
              this.fail(challengeOf(error), error.status)
            else this.error(error)
          },
        )
        .catch((error: unknown) => this.error(error))
    },
  }
}

function challengeOf({ headers }: AuthError): string {
  return headers['WWW-Authenticate'] ?? 'Bearer'
}
