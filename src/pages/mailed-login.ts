import type { RequestContext } from '../audit/events.js'
import type { AuthError } from '../errors.js'
import type { SetHeaders } from '../http/endpoint.js'
import type { LoggedIn } from '../login/log-in.js'
import type { SessionRequest } from '../sessions/issuing.js'
import type { AssertionResponse } from '../two-factor/passkey-response.js'
import type { LoginIdentifier } from '../users/contract.js'

/** A mailed code, and the second factor of a user who has one. */
export interface MailedLogin extends Omit<SessionRequest, 'approved' | 'marks'> {
  readonly requestId: string
  readonly code: string
  readonly secondFactor: string | null
  readonly passkey: AssertionResponse | null
}

/** Signing in by a mailed code. */
export interface EmailSignInOnPages {
  /**
   * Asks for a code; resolves with the id of the request. Tells nobody whether the name has an
   * account. Rejects with 400, 429 and 503.
   */
  ask(identifier: LoginIdentifier, context: RequestContext): Promise<string>
  /** `error`: `totp-required` or `totp-invalid`. Rejects with `proof-refused`, 403, 429, 503. */
  logIn(
    given: MailedLogin,
    request: { readonly context: RequestContext; readonly setHeaders: SetHeaders },
  ): Promise<
    | { readonly outcome: 'logged-in'; readonly loggedIn: LoggedIn }
    | { readonly outcome: 'factor-due'; readonly error: AuthError; readonly userId: string }
  >
}
