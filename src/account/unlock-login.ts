import { mailKinds } from '../audit/mail.js'
import { AuthError } from '../errors.js'
import { asAddress } from '../http/client-address.js'
import { type HostAction, readAction } from '../http/host-input.js'
import type { ManagementKit } from '../kits/session-kit.js'
import type { LoginIdentifier } from '../users/contract.js'
import { signedInIdentifier } from './prove-password.js'

/** Resets the limits on passwords, second-factor codes and mails for an identifier. */
export type UnlockLogin = (identifier: LoginIdentifier, options?: UnlockOptions) => Promise<void>

/** Which further limits are reset, and by whom. */
export interface UnlockOptions extends HostAction {
  /** An address in the user's network, whose limits are reset as well. Default: none. */
  readonly ip?: string
}

/** Does so. `ownerOf`: the id of the user with a canonical identifier, if any. */
export async function unlock(
  { canonical, digestIdentifier, throttle, audit }: ManagementKit,
  given: LoginIdentifier,
  ownerOf: (identifier: LoginIdentifier) => Promise<string | null>,
  asked: UnlockOptions | undefined,
): Promise<void> {
  const { options, context } = readAction(asked)
  const identifier = await canonical(checkedIdentifier(given))
  const ip = options.ip === undefined ? undefined : checkedAddress(options.ip)
  const digests = digestIdentifier(identifier)
  const userId = await ownerOf(identifier)
  await throttle.unlockLogin(digests, userId, ip)
  if (userId !== null) {
    // Counted by user: second-factor codes, and password proofs of a signed-in user.
    await throttle.unlockLogin(digestIdentifier(signedInIdentifier(userId)), userId, ip)
    await throttle.unlockSecondFactor(userId)
    await throttle.unlockMails(mailKinds, userId)
  }
  audit({ type: 'login.unlocked', identifierDigest: digests.name, userId }, context)
}

function checkedIdentifier(identifier: LoginIdentifier): LoginIdentifier {
  const { kind, value } = (identifier ?? {}) as Partial<LoginIdentifier>
  const isKnown = kind === 'email' || kind === 'username' || kind === 'user'
  if (isKnown && typeof value === 'string' && value !== '') return { kind, value }
  throw new AuthError('invalid-request', {
    message: 'an identifier is { kind, value }, where kind is email, username or user',
  })
}

function checkedAddress(ip: unknown): string {
  const address = asAddress(ip)
  if (address !== null) return address
  throw new AuthError('invalid-request', { message: 'ip is not an IP address' })
}
