import { AuthError } from '../errors.js'
import type { EndpointRequest } from '../http/endpoint.js'
import type { Throttle } from '../throttle/throttle.js'
import type { PasskeyVerdict } from './verify-passkey.js'

type Refused = Extract<PasskeyVerdict, { readonly right: false }>

/**
 * The error for a refused passkey: a 401, or a 429 beyond the limit. It does not tell the reason,
 * except that a passkey is unknown here, so that the client can drop it from its picker. Ids are
 * random, so this reveals nothing about passkeys of others.
 */
export function refusalOf(
  { fault, passkey }: Refused,
  request: Pick<EndpointRequest, 'context' | 'setHeaders'>,
  countRefusedPasskey: Throttle['countRefusedPasskey'],
): Promise<AuthError> {
  const signal = fault === 'unknown-credential' ? { signal: 'unknown-credential' } : {}
  // `wrong` distinguishes this from an ended session, as for a password.
  const error = new AuthError('Unauthorized', { details: { wrong: 'passkey', ...signal } })
  return countRefusedPasskey(passkey?.credentialId ?? null, request, error)
}
