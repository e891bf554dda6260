import { mailKinds } from '../audit/mail.js'
import { AuthError } from '../errors.js'
import { reportRefusal } from '../guard/authenticate.js'
import { isAllowed, requireAllowed } from '../guard/scope.js'
import { ok } from '../http/answer.js'
import { asAddress } from '../http/client-address.js'
import type { Capability, Endpoint } from '../http/endpoint.js'
import { type HostAction, readAction } from '../http/input.js'
import type { ManagementKit } from '../kits/session-kit.js'
import type { SignInKit } from '../kits/sign-in-kit.js'
import { contextOf } from '../principal/principal.js'
import type { LoginIdentifier } from '../users/contract.js'
import type { Me } from '../users/me.js'
import { signedInIdentifier } from './prove-password.js'

/** `GET /me`, logout, and unlocking a user for the support desk. */
export interface Account extends Capability {
  readonly unlockLogin: UnlockLogin
  /** A user as clients see it; null if the user does not exist or is disabled. */
  readonly me: (userId: string) => Promise<Me | null>
}

/** `GET /me`, `/logout` and `auth.unlockLogin`. */
export function createAccount(kit: SignInKit): Account {
  const { users } = kit
  const logout = logoutEndpoint(kit)
  return {
    routes: [
      ['/me', { GET: meEndpoint(kit) }],
      // Old clients send a GET, and forget the token whatever the answer. The credentials are in
      // headers, which no page of another origin can set.
      ['/logout', { GET: logout, HEAD: null, POST: logout }],
    ],
    async me(userId) {
      const user = typeof userId === 'string' ? await users.findById(userId) : null
      return user === null || user.disabled === true ? null : kit.describeMe(user)
    },
    unlockLogin(identifier, options) {
      const ownerOf = async (canonical: LoginIdentifier) =>
        (await users.findByIdentifier(canonical))?.id ?? null
      return unlock(kit, identifier, ownerOf, options)
    },
  }
}

// The user of the presented token.
function meEndpoint({ signedIn, describeMe, audit }: SignInKit): Endpoint {
  return async function me({ incoming, context }) {
    const { principal, user } = await signedIn(incoming, context, 'complete', 'every-kind')
    // An app learns about its user at the UserInfo endpoint (OpenID Connect Core §5.4), within what
    // the user has granted. A named token belongs to its owner, whatever its scope.
    if (principal.kind !== 'token' && !isAllowed(principal, {}))
      await reportRefusal(audit, context, async () => requireAllowed(principal, {}))
    return ok({ ...(await describeMe(user)), success: true })
  }
}

/**
 * `POST /logout`, and GET with the same headers: ends the session of the presented token, with all
 * its tokens. The answer waits for the store's confirmation; if the store fails, the answer is 503
 * and the client tries again.
 */
function logoutEndpoint({ signedIn, sessions }: SignInKit): Endpoint {
  return async function logout({ incoming, context }) {
    const { session, principal } = await signedIn(incoming, context, 'any', 'every-kind')
    await sessions.end(session, 'logout', contextOf(principal, context))
    return ok({ status: 'success', data: { message: "You've been logged out!" } })
  }
}

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
    // Second-factor codes, and password proofs of a signed-in user, are counted by user.
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
