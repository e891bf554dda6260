import type { Audit } from '../audit/events.js'
import { AuthError } from '../errors.js'
import { asAddress } from '../http/client-address.js'
import { type HostAction, readAction } from '../http/host-input.js'
import type { DigestIdentifier } from '../login/identifier.js'
import type { Throttle } from '../throttle/throttle.js'
import type { LoginIdentifier, UserStore } from '../users/contract.js'
import { signedInIdentifier } from './prove-password.js'

/** Resets the limits on passwords, second-factor codes and their mails for an identifier. */
export type UnlockLogin = (identifier: LoginIdentifier, options?: UnlockOptions) => Promise<void>

/** Which further limits are reset, and by whom. */
export interface UnlockOptions extends HostAction {
  /** An address in the user's network, whose limits are reset as well. Default: none. */
  readonly ip?: string
}

export interface UnlockLoginDeps {
  readonly canonical: (identifier: LoginIdentifier) => Promise<LoginIdentifier>
  readonly digestIdentifier: DigestIdentifier
  readonly throttle: Pick<Throttle, 'unlockLogin' | 'unlockSecondFactor' | 'unlockMails'>
  readonly users: Pick<UserStore, 'findByIdentifier'>
  readonly audit: Audit
}

export function createUnlockLogin({
  canonical,
  digestIdentifier,
  throttle,
  users,
  audit,
}: UnlockLoginDeps): UnlockLogin {
  return async function unlockLogin(given, asked) {
    const { options, context } = readAction(asked)
    const identifier = await canonical(checkedIdentifier(given))
    const ip = options.ip === undefined ? undefined : checkedAddress(options.ip)
    const digests = digestIdentifier(identifier)
    const user = await users.findByIdentifier(identifier)
    await throttle.unlockLogin(digests, user?.id ?? null, ip)
    if (user !== null) {
      // Counted by user: second-factor codes, and password proofs of a signed-in user.
      await throttle.unlockLogin(digestIdentifier(signedInIdentifier(user.id)), user.id, ip)
      await throttle.unlockSecondFactor(user.id)
      for (const kind of ['second-factor-code', 'sign-in-code'] as const)
        await throttle.unlockMails(kind, user.id)
    }
    audit(
      { type: 'login.unlocked', identifierDigest: digests.name, userId: user?.id ?? null },
      context,
    )
  }
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
