import type { Audit } from '../audit/events.js'
import { reportRefusal } from '../guard/authenticate.js'
import { isScoped, requireScope } from '../guard/scope.js'
import { ok } from '../http/answer.js'
import type { Endpoint } from '../http/endpoint.js'
import type { SignedIn } from '../principal/principal.js'
import type { AuthUser } from '../users/contract.js'
import type { Me } from '../users/me.js'

/** `GET /me`: the user of the presented token. */
export function meEndpoint(
  signedIn: SignedIn,
  describeMe: (user: AuthUser) => Promise<Me>,
  audit: Audit,
): Endpoint {
  return async function me({ incoming, context }) {
    const { principal, user } = await signedIn(incoming, context, 'complete', 'every-kind')
    // An app learns about its user at the UserInfo endpoint (OpenID Connect Core §5.4), within what
    // the user has granted. A named token belongs to its owner, whatever its scope.
    if (principal.kind !== 'token' && !isScoped(principal, undefined))
      await reportRefusal(audit, context, async () => requireScope(principal, undefined))
    return ok({ ...(await describeMe(user)), success: true })
  }
}
