import type { AccountsServer } from '../accounts/accounts-server.js'
import type { Audit } from '../audit/events.js'
import { createOpenApproved, type OpenApprovedDeps } from '../host-sign-in/open-session.js'
import type { Capability } from '../http/capability.js'
import type { DigestIdentifier } from '../login/identifier.js'
import type { Sessions } from '../sessions/sessions.js'
import type { DecideSignIn } from '../sign-in.js'
import type { Throttle } from '../throttle/throttle.js'
import type { LoginIdentifier, UserStore } from '../users/contract.js'
import { askForCodeEndpoint, createAskForCode } from './ask-for-code.endpoint.js'
import { createLogInByCode, logInByCodeEndpoint } from './log-in-by-code.endpoint.js'

export interface EmailSignInDeps
  extends Pick<AccountsServer, 'contacts' | 'proofs' | 'mails' | 'afterAnswer'>,
    OpenApprovedDeps {
  readonly users: UserStore
  readonly canonical: (identifier: LoginIdentifier) => Promise<LoginIdentifier>
  readonly digestIdentifier: DigestIdentifier
  readonly decideSignIn: DecideSignIn
  readonly sessions: Sessions
  readonly throttle: Throttle
  readonly audit: Audit
}

/** Signing in by a mailed code, in the place of a password: the endpoints of `/auth/code`. */
export function createEmailSignIn(deps: EmailSignInDeps): Capability {
  const askForCode = createAskForCode(deps)
  const logInByCode = createLogInByCode({ ...deps, openApproved: createOpenApproved(deps) })
  return {
    routes: [
      ['/auth/code', { POST: askForCodeEndpoint(askForCode) }],
      ['/auth/code/login', { POST: logInByCodeEndpoint(logInByCode, deps.throttle) }],
    ],
  }
}
