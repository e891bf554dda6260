import { AuthError } from '../errors.js'
import type { EndpointRequest } from '../http/endpoint.js'
import type { Throttle } from '../throttle/throttle.js'
import type { PasskeyVerdict } from './verify-passkey.js'

type Refused = Extract<PasskeyVerdict, { readonly right: false }>

/**
 * What a client is told of a passkey that was refused: a 401, or beyond the limit a 429. Why, it is
 * not told, but for a passkey that is not known here, which it can drop from its picker: ids are
 * random, so nobody learns of a passkey of others by that.
 */
export function refusalOf(
  { fault, passkey }: Refused,
  request: Pick<EndpointRequest, 'context' | 'setHeaders'>,
  countRefusedPasskey: Throttle['countRefusedPasskey'],
): Promise<AuthError> {
  const signal = fault === 'unknown-credential' ? { signal: 'unknown-credential' } : {}
  // `wrong` tells this from a session that is over, as for a password.
  const error = new AuthError('Unauthorized', { details: { wrong: 'passkey', ...signal } })
  return countRefusedPasskey(passkey?.credentialId ?? null, request, error)
}
