import { AuthError } from '../errors.js'
import type { EndpointRequest } from '../http/endpoint.js'
import type { AdmittedSessions, SignedIn, SignedInRequest } from './principal.js'

/**
 * The signed-in user, if the request may manage the account. A token of a limited scope may not
 * (ASVS V8.2.1). Throws 401, 403 or 503.
 */
export async function ownerOf(
  signedIn: SignedIn,
  { incoming, context }: EndpointRequest,
  admitted: AdmittedSessions = 'complete',
): Promise<SignedInRequest> {
  const asking = await signedIn(incoming, context, admitted)
  if (asking.principal.scope.includes('*')) return asking
  throw new AuthError('forbidden', {
    message: 'a token with a limited scope cannot manage the account',
  })
}
