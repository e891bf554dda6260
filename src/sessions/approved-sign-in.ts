import type { StoredMethod } from '../stores/contract.js'
import type { PasskeyShown } from '../two-factor/passkey-factor.js'
import type { RememberedShown } from '../two-factor/remembered-browser.js'
import type { AuthUser } from '../users/contract.js'

const approval: unique symbol = Symbol('approved sign-in')

/**
 * Proof that the sign-in decision allowed this sign-in. Required by everything that opens a session
 * or issues a code.
 */
export interface ApprovedSignIn {
  readonly [approval]: true
  readonly user: AuthUser
  readonly methods: readonly StoredMethod[]
  /**
   * When the user's TOTP was enabled, as read by the decision; this identifies the factor. Null
   * without TOTP.
   */
  readonly totpSince: Date | null
  /** The passkey, or its recovery code, that was the second factor of this sign-in. */
  readonly passkeyShown: PasskeyShown | null
  /** The browser that was not asked for a second factor now. */
  readonly remembered: RememberedShown | null
}

/** Only `sign-in.ts` may call this. */
export function approve(
  user: AuthUser,
  methods: readonly StoredMethod[],
  factor: Pick<ApprovedSignIn, 'totpSince' | 'passkeyShown' | 'remembered'>,
): ApprovedSignIn {
  const { totpSince, passkeyShown, remembered } = factor
  return Object.freeze({
    [approval]: true as const,
    user,
    methods,
    totpSince,
    passkeyShown,
    remembered,
  })
}
