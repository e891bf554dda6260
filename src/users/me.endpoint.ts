import type { SignedIn } from '../guard/principal.js'
import { ok } from '../http/answer.js'
import type { Endpoint } from '../http/endpoint.js'
import type { AuthUser } from './contract.js'
import type { Me } from './me.js'

/** `GET /me`: who the presented token belongs to. */
export function meEndpoint(signedIn: SignedIn, describeMe: (user: AuthUser) => Promise<Me>): Endpoint {
  return async ({ incoming, context }) => {
    const { user } = await signedIn(incoming, context)
    return ok({ ...(await describeMe(user)), success: true })
  }
}
