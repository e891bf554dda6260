import { type Ask, dataOf, segment } from './account.js'
import type { CallWire } from './authorised.js'
import { isRefusal } from './errors.js'
import type { SignIn, SignInResult } from './sign-in.js'
import type { TokenKeeper } from './token-keeper.js'
import type { Retry, Transport } from './transport.js'
import type {
  CodeSent,
  Email,
  InvitationOnWire,
  NewUser,
  Phone,
  Proof,
  RegistrationRules,
  UserName,
} from './wire.js'

/** A forgotten password, and a changed one. Only if the server has the option `accounts`. */
export interface PasswordMethods {
  /**
   * Asks the server to mail a link for a new password. Resolves also for a name that nobody has.
   * Throws `too-many-requests` with `retryAfter`.
   */
  forgot(name: UserName): Promise<void>
  /**
   * Sets a new password by the token of a mailed link; then sign in with it. Throws
   * `password-refused` with the `reasons` and the `minLength` in `details`, or `proof-refused`.
   */
  reset(token: string, password: string): Promise<void>
  /**
   * Sets a new password for the signed-in user, who shows the old one or a passkey. Resolves with
   * the number of other sessions that ended. Throws `reauthentication-required`,
   * `password-refused`, `superseded`.
   */
  change(newPassword: string, proof?: Proof): Promise<number>
}

/** The address of the signed-in user. Only if the server has the option `accounts`. */
export interface EmailMethods {
  get(): Promise<Email>
  /** Sends a code to the present address. Throws `already-verified`. */
  verify(): Promise<CodeSent>
  /**
   * Sends a code to a new address, which replaces the present one when it is confirmed. Throws
   * `reauthentication-required`: call it again with a proof.
   */
  change(address: string, proof?: Proof): Promise<CodeSent>
  /**
   * Confirms an address by the code that was sent there. Throws `proof-refused`; of a number
   * `phone-in-use`, if another user has it.
   */
  confirm(requestId: string, code: string): Promise<void>
  /**
   * Switches sent codes as a second factor on or off, and ends the other sessions. Throws
   * `reauthentication-required`: call it again with a proof.
   */
  setSecondFactor(enabled: boolean, proof?: Proof): Promise<void>
  /**
   * Takes a change back by the token of a mailed link, and sets a new password, which a user needs
   * who has one. Throws `proof-refused`, `password-refused`.
   */
  undo(token: string, password?: string): Promise<void>
}

/** The number of the signed-in user. Only if the server has the option `accounts.phones`. */
export interface PhoneMethods extends Omit<EmailMethods, 'get'> {
  get(): Promise<Phone>
}

/** Passwords, addresses and numbers. Every method throws AuthClientError. */
export interface MailedMethods {
  readonly password: PasswordMethods
  readonly email: EmailMethods
  readonly phone: PhoneMethods
}

/** Links work without a signed-in user. */
export function createMailed(
  call: CallWire,
  transport: Transport,
  withRetry: Retry['withRetry'],
): MailedMethods {
  const ask = dataOf(call)
  const askAnybody = dataOf((request) => withRetry(() => transport.ask(request)))
  return {
    password: passwordMethods(ask, askAnybody),
    email: { get: () => ask('GET', '/auth/email'), ...addressMethods('email', ask, askAnybody) },
    phone: { get: () => ask('GET', '/auth/phone'), ...addressMethods('phone', ask, askAnybody) },
  }
}

function passwordMethods(ask: Ask, askAnybody: Ask): PasswordMethods {
  const path = '/auth/password'
  return {
    forgot: async (name) => void (await askAnybody('POST', `${path}/forgot`, name)),
    reset: async (token, password) =>
      void (await askAnybody('POST', `${path}/reset`, { token, password })),
    async change(newPassword, proof) {
      const sent = { ...proof, newPassword }
      return (await ask<{ readonly revoked: number }>('POST', `${path}/change`, sent)).revoked
    },
  }
}

function addressMethods(
  name: 'email' | 'phone',
  ask: Ask,
  askAnybody: Ask,
): Omit<EmailMethods, 'get'> {
  const path = `/auth/${name}`
  return {
    verify: () => ask('POST', `${path}/verify`),
    change: (address, proof) => ask('POST', `${path}/change`, { ...proof, [name]: address }),
    confirm: async (requestId, code) =>
      void (await ask('POST', `${path}/confirm`, { requestId, code })),
    setSecondFactor: async (enabled, proof) =>
      void (await ask('POST', `${path}/second-factor`, { ...proof, enabled })),
    undo: async (token, password) =>
      void (await askAnybody('POST', `${path}/undo`, { token, password })),
  }
}

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
  /** The rules that a form must know. */
  registration(): Promise<RegistrationRules>
  /** The content of an invitation. Reading it takes no use of it. Throws `proof-refused`. */
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

/** If the name has an account with a proven address, a code is on its way there. */
export interface MailedCode {
  readonly status: 'code-needed'
  /** Seconds in which it works. */
  readonly expiresIn: number
  /**
   * Signs in by the code. `code-needed` then asks for the second factor. Throws AuthClientError:
   * `proof-refused` for a wrong code, which may be typed five times, `forbidden`,
   * `too-many-requests`; for a code that went to a number `reauthentication-required`, if the user
   * has not been here for half a year: then pass the password as well.
   */
  submit(
    code: string,
    shown?: { readonly secondFactor?: string; readonly password?: string },
  ): Promise<SignInResult>
}

/** Signing in by a code, mailed or sent to a number. */
export type SignInByCode = (name: UserName | { readonly phone: string }) => Promise<MailedCode>

export function createSignInByCode(
  { ask }: Pick<Transport, 'ask'>,
  withRetry: Retry['withRetry'],
  signInBy: SignIn['signInBy'],
): SignInByCode {
  const askAnybody = dataOf((request) => withRetry(() => ask(request)))
  return async function signInByCode(name) {
    const { requestId, expiresIn } = await askAnybody<CodeSent>('POST', '/auth/code', name)
    return {
      status: 'code-needed',
      expiresIn,
      submit: (code, shown) =>
        signInBy('/auth/code/login', { ...shown, requestId, code }, undefined, 'secondFactor'),
    }
  }
}

/** The account is deleted, or a code that deletes it is on its way. */
export type Deletion =
  | { readonly status: 'deleted' }
  | {
      readonly status: 'code-needed'
      /** Seconds in which the code works. */
      readonly expiresIn: number
      /**
       * Deletes the account and forgets the tokens. Throws AuthClientError: `proof-refused` for a
       * wrong code, which may be typed five times. After a failure of the server, call it again.
       */
      submit(code: string): Promise<void>
    }

/** Deletes the account of the signed-in user. */
export type DeleteAccount = (proof?: Proof) => Promise<Deletion>

interface DeleteAccountDeps {
  readonly call: CallWire
  readonly transport: Pick<Transport, 'ask'>
  readonly withRetry: Retry['withRetry']
  readonly keeper: Pick<TokenKeeper, 'read' | 'endWith'>
}

export function createDeleteAccount(deps: DeleteAccountDeps): DeleteAccount {
  const { call, transport, withRetry, keeper } = deps
  const path = '/auth/account/delete'
  return async function deleteAccount(proof = undefined) {
    const session = await keeper.read()
    const forget = async () => session && keeper.endWith(session, async () => {})
    const sent = await dataOf(call)<Partial<CodeSent>>('POST', path, { ...proof })
    const { requestId, expiresIn = 0 } = sent
    if (requestId === undefined) {
      await forget()
      return { status: 'deleted' }
    }
    return {
      status: 'code-needed',
      expiresIn,
      async submit(code) {
        const body = { requestId, code }
        const request = { method: 'POST', path: `${path}/confirm`, body } as const
        // A deletion that was interrupted has ended the session: then the code alone completes it.
        await call(request).catch((error: unknown) => {
          if (!isRefusal(error, 'Unauthorized')) throw error
          return withRetry(() => transport.ask(request))
        })
        await forget()
      },
    }
  }
}
