import { dataOf } from './account.js'
import type { Retry } from './retry.js'
import type { SignIn, SignInResult } from './sign-in.js'
import type { Transport } from './transport.js'
import type { CodeSent, UserName } from './wire.js'

/** If the name has an account with a proven address, a code is on its way there. */
export interface MailedCode {
  readonly status: 'code-needed'
  /** Seconds in which it works. */
  readonly expiresIn: number
  /**
   * Signs in by the mailed code. `code-needed` then asks for the second factor. Throws
   * AuthClientError: `proof-refused` for a wrong code, which may be typed five times, `forbidden`,
   * `too-many-requests`.
   */
  submit(code: string, shown?: { readonly secondFactor?: string }): Promise<SignInResult>
}

/** Signing in by a mailed code. */
export type SignInByCode = (name: UserName) => Promise<MailedCode>

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
