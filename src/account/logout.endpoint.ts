import { ok } from '../http/answer.js'
import type { Endpoint } from '../http/endpoint.js'
import type { SignedIn } from '../principal/principal.js'
import type { Sessions } from '../sessions/sessions.js'

/**
 * `POST /logout`, and GET with the same headers: ends the session of the presented token, with all
 * its tokens. The answer waits for the store's confirmation; if the store fails, the answer is 503
 * and the client tries again.
 */
export function logoutEndpoint(signedIn: SignedIn, sessions: Pick<Sessions, 'end'>): Endpoint {
  return async function logout({ incoming, context }) {
    const { session } = await signedIn(incoming, context, 'may-enrol', 'every-kind')
    await sessions.end(session, 'logout', context)
    return ok({ status: 'success', data: { message: "You've been logged out!" } })
  }
}
