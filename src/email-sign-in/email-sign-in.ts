import type { AccountsServer } from '../accounts/accounts-server.js'
import type { Audit } from '../audit/events.js'
import { AuthError } from '../errors.js'
import { createOpenApproved, type OpenApprovedDeps } from '../host-sign-in/open-session.js'
import type { Capability } from '../http/capability.js'
import type { EmailSignInOnPages } from '../pages/mailed-login.js'
import type { Sessions } from '../sessions/sessions.js'
import type { DecideSignIn } from '../sign-in.js'
import type { DigestIdentifier } from '../throttle/counter-keys.js'
import type { Throttle } from '../throttle/throttle.js'
import type { LoginIdentifier, UserStore } from '../users/contract.js'
import { askForCodeEndpoint, createAskForCode } from './ask-for-code.endpoint.js'
import {
  createLogInByCode,
  type LogInByCode,
  logInByCodeEndpoint,
} from './log-in-by-code.endpoint.js'

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

/** Signing in by a mailed code, in the place of a password. */
export interface EmailSignIn extends Capability {
  readonly onPages: EmailSignInOnPages
}

/** The endpoints of `/auth/code`. */
export function createEmailSignIn(deps: EmailSignInDeps): EmailSignIn {
  const askForCode = createAskForCode(deps)
  const logInByCode = createLogInByCode({ ...deps, openApproved: createOpenApproved(deps) })
  return {
    routes: [
      ['/auth/code', { POST: askForCodeEndpoint(askForCode) }],
      ['/auth/code/login', { POST: logInByCodeEndpoint(logInByCode, deps.throttle) }],
    ],
    onPages: { ask: askForCode, logIn: logInOnPages(deps, logInByCode) },
  }
}

// In the same counters as the endpoint: a page is no second set of guesses.
function logInOnPages(
  { proofs, throttle }: Pick<EmailSignInDeps, 'proofs' | 'throttle'>,
  logInByCode: LogInByCode,
): EmailSignInOnPages['logIn'] {
  return async function logIn(given, request) {
    try {
      const loggedIn = await throttle.limitRefusals('code-login', request, () =>
        logInByCode(given, request),
      )
      return { outcome: 'logged-in', loggedIn }
    } catch (error) {
      if (!(error instanceof AuthError && error.code.startsWith('totp-'))) throw error
      // Only a user's code leads so far.
      const { record } = await proofs.findCode(['sign-in'], given.requestId, request.context)
      return { outcome: 'factor-due', error, userId: record.userId ?? '' }
    }
  }
}
