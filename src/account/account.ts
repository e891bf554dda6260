import type { Audit } from '../audit/events.js'
import type { Capability } from '../http/capability.js'
import type { SignedIn } from '../principal/principal.js'
import type { Sessions } from '../sessions/sessions.js'
import type { DigestIdentifier } from '../throttle/counter-keys.js'
import type { Throttle } from '../throttle/throttle.js'
import type { AuthUser, LoginIdentifier, UserStore } from '../users/contract.js'
import type { Me } from '../users/me.js'
import { logoutEndpoint } from './logout.endpoint.js'
import { meEndpoint } from './me.endpoint.js'
import { createUnlockLogin, type UnlockLogin } from './unlock-login.js'

/** `GET /me`, logout, and unlocking a user for the support desk. */
export interface Account extends Capability {
  readonly unlockLogin: UnlockLogin
  /** A user as clients see it; null if the user does not exist or is disabled. */
  readonly me: (userId: string) => Promise<Me | null>
}

export interface AccountDeps {
  readonly signedIn: SignedIn
  readonly describeMe: (user: AuthUser) => Promise<Me>
  readonly sessions: Pick<Sessions, 'end'>
  readonly canonical: (identifier: LoginIdentifier) => Promise<LoginIdentifier>
  readonly digestIdentifier: DigestIdentifier
  readonly throttle: Pick<Throttle, 'unlockLogin' | 'unlockSecondFactor' | 'unlockMails'>
  readonly users: Pick<UserStore, 'findByIdentifier' | 'findById'>
  readonly audit: Audit
}

/** `GET /me`, `/logout` and `auth.unlockLogin`. */
export function createAccount(deps: AccountDeps): Account {
  const { users, audit } = deps
  const logout = logoutEndpoint(deps.signedIn, deps.sessions)
  return {
    routes: [
      ['/me', { GET: meEndpoint(deps.signedIn, deps.describeMe, audit) }],
      // Old clients send a GET, and forget the token whatever the answer. The credentials are in
      // headers, which no page of another origin can set.
      ['/logout', { GET: logout, HEAD: null, POST: logout }],
    ],
    async me(userId) {
      const user = typeof userId === 'string' ? await users.findById(userId) : null
      return user === null || user.disabled === true ? null : deps.describeMe(user)
    },
    unlockLogin: createUnlockLogin(deps),
  }
}
