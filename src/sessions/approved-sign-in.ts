import type { AuthenticationMethod } from '../stores/contract.js'
import type { AuthUser } from '../users/contract.js'

const approval: unique symbol = Symbol('approved sign-in')

/** Proof that the one decision was asked and said yes. Nothing that opens a session or issues a code takes anything less. */
export interface ApprovedSignIn {
  readonly [approval]: true
  readonly user: AuthUser
  readonly methods: readonly AuthenticationMethod[]
  /** When the user's TOTP was switched on, as it was at the decision: which factor that was. Null for a user without. */
  readonly totpSince: Date | null
}

/** Only `sign-in.ts` may call this. */
export function approve(user: AuthUser, methods: readonly AuthenticationMethod[], totpSince: Date | null): ApprovedSignIn {
  return Object.freeze({ [approval]: true as const, user, methods, totpSince })
}
