import type { RequestContext } from '../audit/events.js'
import type { AuthUser } from '../users/contract.js'
import type { AssertionResponse } from './passkey-response.js'

/** A passkey sent instead of a code. */
export interface SentPasskey {
  readonly response: AssertionResponse
  /** Receives the `RateLimit-*` headers. */
  readonly setHeaders: (headers: Readonly<Record<string, string>>) => void
}

/**
 * The proof that a user has shown besides a password: a passkey, or, if `credentialId` is null, a
 * recovery code that replaces one.
 */
export interface PasskeyShown {
  readonly credentialId: string | null
}

/** Passkeys as the second factor of a sign-in by a password, for the sign-in decision. */
export interface PasskeyFactor {
  /**
   * Whether sign-in by password demands a passkey, if the user has no other factor: a passkey made
   * for convenience does not turn a password into two steps. Rejects with 503.
   */
  isDemanded(user: AuthUser): Promise<boolean>
  /**
   * The options for a browser, as `passkeyOptions` in the details of `totp-required`, only after a
   * right password; null if the user has no passkey. Rejects with 503.
   */
  offer(user: AuthUser): Promise<object | null>
  /**
   * Verifies the `passkey` sent with a right password. Null if it is wrong: the refusal is then
   * `totp-invalid`. Throws 429 and 503.
   */
  judge(user: AuthUser, sent: SentPasskey, context: RequestContext): Promise<PasskeyShown | null>
  /**
   * Uses up a recovery code that came with the first passkey or was kept from TOTP; null for any
   * other code. Rejects with 503.
   */
  judgeRecovery(user: AuthUser, code: string, context: RequestContext): Promise<PasskeyShown | null>
  /** Whether the user has a passkey that existed at that time. Rejects with 503. */
  hadOne(user: AuthUser, at: Date): Promise<boolean>
  /** Whether the shown proof is still valid for the user. Rejects with 503. */
  stands(user: AuthUser, shown: PasskeyShown): Promise<boolean>
}
