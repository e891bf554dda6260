import type { IncomingMessage } from 'node:http'
import { contextOf, isForClient } from '../http/endpoint.js'
import type { Principal, SignedIn } from './principal.js'

/** The words passport gives a strategy while it runs. */
export interface PassportActions {
  success(user: Principal): void
  fail(challenge: string, status: number): void
  error(error: unknown): void
}

/** A strategy for the host's own passport. Typed by what passport calls, so that no passport types reach the host. */
export interface PassportStrategy {
  readonly name: string
  authenticate(this: PassportActions, request: IncomingMessage): void
}

/**
 * Makes the strategy `messaging-auth` for hosts that guard their routes with passport. A refusal is `fail` with the challenge of
 * RFC 6750 §3; an outage is `error`, because a client told 401 would throw its credentials away.
 */
export function createPassportStrategy(signedIn: SignedIn): PassportStrategy {
  return {
    name: 'messaging-auth',
    authenticate(request) {
      Promise.resolve()
        .then(() => signedIn(request, contextOf(request)))
        .then(
          ({ principal }) => this.success(principal),
          (error: unknown) => {
            if (isForClient(error) && error.status < 500) this.fail('Bearer', error.status)
            else this.error(error)
          },
        )
        .catch((error: unknown) => this.error(error))
    },
  }
}
