import type { RequestContext } from '../audit/events.js'
import type { AuthUser } from '../users/contract.js'
import type { AssertionResponse } from './passkey-response.js'

/** A passkey that was sent in the place of a code. */
export interface SentPasskey {
  readonly response: AssertionResponse
  /** Takes what the limits say. */
  readonly setHeaders: (headers: Readonly<Record<string, string>>) => void
}

/**
 * What was shown of a user's passkeys besides a password: one of them, or, where `credentialId` is
 * null, a recovery code that stands in for them.
 */
export interface PasskeyShown {
  readonly credentialId: string | null
}

/** Passkeys as the second factor of a sign-in by a password, for the sign-in decision. */
export interface PasskeyFactor {
  /**
   * Whether the user's passkeys are demanded besides a password, where the user has no other
   * factor: a passkey that was made for convenience does not turn a password into two steps.
   * Rejects with 503.
   */
  isDemanded(user: AuthUser): Promise<boolean>
  /**
   * What a browser needs to show one, for `passkeyOptions` in the details of `totp-required`, after
   * a right password only; null for a user without passkeys. Rejects with 503.
   */
  offer(user: AuthUser): Promise<object | null>
  /**
   * Judges what was sent as `passkey` beside a right password. `null` where it was wrong: the
   * refusal is then `totp-invalid`. Throws 429 and 503.
   */
  judge(user: AuthUser, sent: SentPasskey, context: RequestContext): Promise<PasskeyShown | null>
  /**
   * Uses up a recovery code that came with the first passkey, or was kept of TOTP; null for what is
   * none. Rejects with 503.
   */
  judgeRecovery(user: AuthUser, code: string, context: RequestContext): Promise<PasskeyShown | null>
  /** Whether the user has a passkey that was there at that time. Rejects with 503. */
  hadOne(user: AuthUser, at: Date): Promise<boolean>
  /** Whether the user still has what was shown. Rejects with 503. */
  stands(user: AuthUser, shown: PasskeyShown): Promise<boolean>
}
