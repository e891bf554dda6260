import type { HostCall } from '../lib/host-call.js'
import { objectionIn } from '../lib/objection.js'
import type { BeforeRegister, RegistrationAttempt } from './accounts-options.js'

/**
 * What the host's `beforeRegister` has against a new user, for the client; undefined if it allows.
 * Rejects with 503.
 */
export async function objectionToNewcomer(
  { beforeRegister, call }: { beforeRegister: BeforeRegister | undefined; call: HostCall },
  { email, username, name, invitation, request }: RegistrationAttempt,
): Promise<string | undefined> {
  if (beforeRegister === undefined) return undefined
  const attempt = { email, username, name, invitation, request }
  const answer = await call('beforeRegister', () => beforeRegister(attempt))
  return objectionIn(answer, 'This registration is not allowed.')
}
