import type { IncomingMessage } from 'node:http'
import type { AuthError } from '../errors.js'
import { readCredentials } from '../http/credentials.js'
import { isForClient } from '../http/endpoint.js'
import type { Principal } from '../principal/principal.js'
import type { GuardKit } from './guard-kit.js'
import { type RequiredScope, requireScope } from './scope.js'
import { hasTokenIn, withChallenge } from './token-from.js'

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
export function createPassportStrategy(
  { authenticateRequest, contexts, metadataUrls }: GuardKit,
  required: RequiredScope,
): PassportStrategy {
  return {
    name: 'messaging-auth',
    authenticate(request) {
      Promise.resolve()
        .then(async () => {
          const { principal } = await authenticateRequest(request, contexts.of(request))
          requireScope(principal, required)
          return principal
        })
        .then(
          (principal) => this.success(principal),
          (failure: unknown) => {
            const error = withChallenge(failure, {
              metadataUrl: metadataUrls?.own,
              scope: required,
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
