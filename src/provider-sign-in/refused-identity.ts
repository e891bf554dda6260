import type { Audit, RequestContext } from '../audit/events.js'
import { AuthError } from '../errors.js'
import { parseMailAddress } from '../mail/mail-address.js'
import type { UnknownIdentity } from './providers-options.js'
import type { Vouched } from './tickets.js'

/** Why nobody was signed in by an identity. */
export type IdentityRefusal = 'not-connected' | 'no-user' | 'wrong-issuer' | 'address-taken'

/** Reports it, and returns the one answer for the client. */
export function refusedIdentity(
  { audit, unknown }: { readonly audit: Audit; readonly unknown: UnknownIdentity },
  { provider }: Pick<Vouched, 'provider'>,
  reason: IdentityRefusal,
  context: RequestContext,
): AuthError {
  audit({ type: 'provider.refused', provider, reason }, context)
  const details = { reason: 'not-connected', canConnect: unknown === 'connect' }
  return new AuthError('provider-refused', {
    clientMessage: 'This account is not connected here.',
    message: `identity refused: ${reason}`,
    details,
  })
}

/** The address, if the provider has proven it; null otherwise. */
export function provenEmailOf({ email, emailVerified }: Vouched['identity']): string | null {
  return emailVerified === true && email !== undefined ? parseMailAddress(email) : null
}
