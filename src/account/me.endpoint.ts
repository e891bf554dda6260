import type { Audit } from '../audit/events.js'
import { reportRefusal } from '../guard/authenticate.js'
import { isScoped, requireScope } from '../guard/scope.js'
import { ok } from '../http/answer.js'
import type { Endpoint } from '../http/endpoint.js'
import type { SignedIn } from '../principal/principal.js'
import type { AuthUser } from '../users/contract.js'
import type { Me } from '../users/me.js'

/** `GET /me`: who the presented token belongs to. */
export function meEndpoint(
  signedIn: SignedIn,
  describeMe: (user: AuthUser) => Promise<Me>,
  audit: Audit,
): Endpoint {
  return async function me({ incoming, context }) {
    const { principal, user } = await signedIn(incoming, context, 'complete', 'every-kind')
    // What another's app may know of its user was granted to it, and is told at the UserInfo
    // endpoint (OpenID Connect Core §5.4). A bot of whatever scope is its owner's.
    if (principal.kind !== 'token' && !isScoped(principal, undefined))
      await reportRefusal(audit, context, async () => requireScope(principal, undefined))
    return ok({ ...(await describeMe(user)), success: true })
  }
}
