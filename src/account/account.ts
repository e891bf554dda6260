import { reportRefusal } from '../guard/authenticate.js'
import { isScoped, requireScope } from '../guard/scope.js'
import { ok } from '../http/answer.js'
import type { Capability } from '../http/capability.js'
import type { Endpoint } from '../http/endpoint.js'
import type { SignInKit } from '../kits/sign-in-kit.js'
import type { LoginIdentifier } from '../users/contract.js'
import type { Me } from '../users/me.js'
import { type UnlockLogin, unlock } from './unlock-login.js'

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
    if (principal.kind !== 'token' && !isScoped(principal, undefined))
      await reportRefusal(audit, context, async () => requireScope(principal, undefined))
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
    const { session } = await signedIn(incoming, context, 'may-enrol', 'every-kind')
    await sessions.end(session, 'logout', context)
    return ok({ status: 'success', data: { message: "You've been logged out!" } })
  }
}
