import type { Audit, RequestContext } from '../audit/events.js'
import type { DeviceLinkRefusal } from '../audit/refusals.js'
import { AuthError } from '../errors.js'
import type { EndpointRequest } from '../http/endpoint.js'
import { ownerOf } from '../principal/account-owner.js'
import type { SignedIn, SignedInRequest } from '../principal/principal.js'

/**
 * Who may sign another device in: a user's own device, with full scope. Not an app, a bot, or a
 * session that ends with another one: what it opens would outlive that. Throws 401, 403 or 503.
 */
export async function approverOf(
  signedIn: SignedIn,
  request: EndpointRequest,
): Promise<SignedInRequest> {
  const asking = await ownerOf(signedIn, request)
  const { kind, parentId } = asking.session
  if ((kind === 'login' || kind === 'pkce') && parentId === undefined) return asking
  throw new AuthError('forbidden', { message: 'this session may not sign another device in' })
}

/** Reports a refusal; returns the one answer to all reasons. */
export function linkRefusal(
  { audit }: { readonly audit: Audit },
  reason: DeviceLinkRefusal,
  userId: string,
  context: RequestContext,
  details?: { readonly triesLeft: number },
): AuthError {
  audit({ type: 'device-link.refused', reason, userId }, context)
  return new AuthError('proof-refused', {
    message: `device link refused: ${reason}`,
    ...(details === undefined ? {} : { details }),
  })
}
