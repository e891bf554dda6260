import type { StoredMethod } from '../stores/contract.js'
import type { PasskeyShown } from '../two-factor/passkey-factor.js'
import type { AuthUser } from '../users/contract.js'

const approval: unique symbol = Symbol('approved sign-in')

/**
 * Proof that the sign-in decision allowed this sign-in. Everything that opens a session or issues a
 * code demands it.
 */
export interface ApprovedSignIn {
  readonly [approval]: true
  readonly user: AuthUser
  readonly methods: readonly StoredMethod[]
  /**
   * When the user's TOTP was switched on, as read by the decision; this identifies the factor. Null
   * for a user without TOTP.
   */
  readonly totpSince: Date | null
  /** What of the user's passkeys was shown as the second factor, for this sign-in. */
  readonly passkeyShown: PasskeyShown | null
}

/** Only `sign-in.ts` may call this. */
export function approve(
  user: AuthUser,
  methods: readonly StoredMethod[],
  { totpSince, passkeyShown }: Pick<ApprovedSignIn, 'totpSince' | 'passkeyShown'>,
): ApprovedSignIn {
  return Object.freeze({ [approval]: true as const, user, methods, totpSince, passkeyShown })
}
