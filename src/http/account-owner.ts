import { AuthError } from '../errors.js'
import type { SignedIn, SignedInRequest } from '../guard/principal.js'
import type { EndpointRequest } from './endpoint.js'

/**
 * Who is asking, if they may manage the account: a token that was given to somebody for a part of it must not (ASVS V8.2.1). Throws 401,
 * 403 or 503.
 */
export async function ownerOf(signedIn: SignedIn, { incoming, context }: EndpointRequest): Promise<SignedInRequest> {
  const asking = await signedIn(incoming, context)
  if (asking.principal.scope.includes('*')) return asking
  throw new AuthError('forbidden', { message: 'a token with a limited scope cannot manage the account' })
}
