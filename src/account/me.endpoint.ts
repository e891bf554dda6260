import { ok } from '../http/answer.js'
import type { Endpoint } from '../http/endpoint.js'
import type { SignedIn } from '../principal/principal.js'
import type { AuthUser } from '../users/contract.js'
import type { Me } from '../users/me.js'

/** `GET /me`: who the presented token belongs to. */
export function meEndpoint(
  signedIn: SignedIn,
  describeMe: (user: AuthUser) => Promise<Me>,
): Endpoint {
  return async function me({ incoming, context }) {
    const { user } = await signedIn(incoming, context, 'complete', 'every-kind')
    return ok({ ...(await describeMe(user)), success: true })
  }
}
