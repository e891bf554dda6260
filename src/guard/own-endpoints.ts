import type { Audit } from '../audit/events.js'
import { AuthError } from '../errors.js'
import type { AuthenticateRequest, SignedIn } from '../principal/principal.js'
import { isKnownKind } from '../stores/session-kinds.js'
import { reportRefusal } from './authenticate.js'
import type { Recognise } from './recognise.js'

export interface SignedInDeps {
  readonly recognise: Recognise
  readonly authenticateRequest: AuthenticateRequest
  readonly audit: Audit
}

/**
 * Authenticates requests to the router's own endpoints. Named tokens and apps are refused unless
 * the endpoint admits every kind. Most requests are recognised synchronously, as by a guard.
 */
export function createSignedIn(deps: SignedInDeps): SignedIn {
  const { recognise, authenticateRequest, audit } = deps
  return async function signedIn(request, context, admitted, kinds) {
    const asking = recognise(request) ?? (await authenticateRequest(request, context, admitted))
    if (kinds === 'every-kind' || isKnownKind(asking.principal.kind)) return asking
    return reportRefusal(audit, context, async () => {
      throw new AuthError('forbidden', { message: 'no endpoint for a session of this kind' })
    })
  }
}
