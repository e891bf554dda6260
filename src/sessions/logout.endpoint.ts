import type { SignedIn } from '../guard/principal.js'
import { ok } from '../http/answer.js'
import type { Endpoint } from '../http/endpoint.js'
import type { Sessions } from './sessions.js'

/**
 * `POST /logout`: ends the session of the presented token, and with it everything that carries its id. The answer is sent only
 * after the store has confirmed the end; a store that does not answer is a 503, and the client tries again.
 */
export function logoutEndpoint(signedIn: SignedIn, sessions: Sessions): Endpoint {
  return async ({ incoming, context }) => {
    const { session } = await signedIn(incoming, context)
    await sessions.end(session, 'logout', context)
    return ok({ status: 'success', data: { message: "You've been logged out!" } })
  }
}
