import { type Ask, dataOf } from './account.js'
import type { CallWire } from './authorised.js'
import type { Retry } from './retry.js'
import type { Transport } from './transport.js'
import type { CodeSent, Email, Proof, UserName } from './wire.js'

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
  /** Mails a code to the present address. Throws `already-verified`. */
  verify(): Promise<CodeSent>
  /**
   * Mails a code to a new address, which replaces the present one when it is confirmed. Throws
   * `reauthentication-required`: call it again with a proof.
   */
  change(email: string, proof?: Proof): Promise<CodeSent>
  /** Confirms an address by the code that was mailed there. Throws `proof-refused`. */
  confirm(requestId: string, code: string): Promise<void>
  /**
   * Switches codes by mail as a second factor on or off, and ends the other sessions. Throws
   * `reauthentication-required`: call it again with a proof.
   */
  setSecondFactor(enabled: boolean, proof?: Proof): Promise<void>
  /**
   * Takes a change back by the token of a mailed link, and sets a new password, which a user needs
   * who has one. Throws `proof-refused`, `password-refused`.
   */
  undo(token: string, password?: string): Promise<void>
}

/** Passwords and addresses. Every method throws AuthClientError. */
export interface MailedMethods {
  readonly password: PasswordMethods
  readonly email: EmailMethods
}

/** Links work without a signed-in user. */
export function createMailed(
  call: CallWire,
  transport: Transport,
  withRetry: Retry['withRetry'],
): MailedMethods {
  const ask = dataOf(call)
  const askAnybody = dataOf((request) => withRetry(() => transport.ask(request)))
  return { password: passwordMethods(ask, askAnybody), email: emailMethods(ask, askAnybody) }
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

function emailMethods(ask: Ask, askAnybody: Ask): EmailMethods {
  const path = '/auth/email'
  return {
    get: () => ask('GET', path),
    verify: () => ask('POST', `${path}/verify`),
    change: (email, proof) => ask('POST', `${path}/change`, { ...proof, email }),
    confirm: async (requestId, code) =>
      void (await ask('POST', `${path}/confirm`, { requestId, code })),
    setSecondFactor: async (enabled, proof) =>
      void (await ask('POST', `${path}/second-factor`, { ...proof, enabled })),
    undo: async (token, password) =>
      void (await askAnybody('POST', `${path}/undo`, { token, password })),
  }
}
