import { dataOf, segment } from './account.js'
import type { Retry } from './retry.js'
import type { SignIn, SignInResult } from './sign-in.js'
import type { Transport } from './transport.js'
import type { CodeSent, InvitationOnWire, NewUser, RegistrationRules } from './wire.js'

/** A code is on its way to the address, unless it has an account already. */
export interface RegistrationCode {
  readonly status: 'code-needed'
  /** Seconds in which it works. */
  readonly expiresIn: number
  /**
   * Makes the account by the mailed code, with the password of its user, and signs in. Throws
   * AuthClientError: `proof-refused` for a wrong code, which may be typed five times;
   * `password-refused` with the `reasons` and the `minLength` in `details`, and `username-taken` if
   * another user was quicker: call it again with the same code and another one.
   */
  submit(
    code: string,
    given?: { readonly password?: string; readonly username?: string },
  ): Promise<SignInResult>
}

/** New accounts. Only if the server has the option `accounts.registration`. */
export interface RegistrationMethods {
  /**
   * Asks the server to mail a code to the address of a new user. Throws AuthClientError:
   * `username-taken`, `registration-closed`, `proof-refused` for an invitation, `forbidden` with
   * the host's reason.
   */
  register(user: NewUser): Promise<RegistrationCode>
  /** What a form must know. */
  registration(): Promise<RegistrationRules>
  /** What an invitation says; takes no use of it. Throws `proof-refused`. */
  invitation(token: string): Promise<InvitationOnWire>
}

export function createRegistration(
  { ask }: Pick<Transport, 'ask'>,
  withRetry: Retry['withRetry'],
  signInBy: SignIn['signInBy'],
): RegistrationMethods {
  const askAnybody = dataOf((request) => withRetry(() => ask(request)))
  return {
    async register(user) {
      const { requestId, expiresIn } = await askAnybody<CodeSent>('POST', '/auth/register', user)
      return {
        status: 'code-needed',
        expiresIn,
        submit: (code, given) => signInBy('/auth/register/confirm', { ...given, requestId, code }),
      }
    },
    registration: () => askAnybody('GET', '/auth/registration'),
    invitation: async (token) => askAnybody('GET', `/auth/invitations/${segment(token)}`),
  }
}
