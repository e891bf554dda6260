import type { Audit } from '../audit/events.js'
import type { AuthError } from '../errors.js'
import type { EndpointRequest } from '../http/endpoint.js'
import type { ApprovedSignIn } from '../sessions/approved-sign-in.js'
import type { DecideSignIn } from '../sign-in.js'
import type { PasskeyRecord } from '../stores/passkey-contract.js'
import type { Throttle } from '../throttle/throttle.js'
import type { AssertionResponse } from '../two-factor/passkey-response.js'
import type { UserStore } from '../users/contract.js'
import { refusalOf, type VerifyPasskey } from './verify-passkey.js'

/** The outcome of a passkey sign-in. */
export type PasskeyApproval =
  | { readonly right: true; readonly approved: ApprovedSignIn; readonly passkey: PasskeyRecord }
  /** `isStale`: its challenge has expired or was answered before. */
  | { readonly right: false; readonly error: AuthError; readonly isStale: boolean }

/**
 * Verifies a passkey and makes the sign-in decision; `error` is a 401, 403 or 429. Rejects with
 * 503.
 */
export type ApproveByPasskey = (
  response: AssertionResponse,
  request: Pick<EndpointRequest, 'context' | 'setHeaders'>,
) => Promise<PasskeyApproval>

export interface ApproveByPasskeyDeps {
  readonly verifyPasskey: VerifyPasskey
  readonly users: Pick<UserStore, 'findById'>
  readonly decideSignIn: DecideSignIn
  readonly throttle: Pick<Throttle, 'countRefusedPasskey'>
  readonly audit: Audit
}

/** Shared by `POST /auth/passkey/login` and the pages. */
export function createApproveByPasskey(deps: ApproveByPasskeyDeps): ApproveByPasskey {
  const { verifyPasskey, users, decideSignIn, throttle, audit } = deps
  return async function approveByPasskey(response, request) {
    const { context } = request
    const shown = { purpose: 'sign-in', userId: null, sessionId: null, response } as const
    const verdict = await verifyPasskey(shown, context)
    if (!verdict.right) {
      const error = await refusalOf(verdict, request, throttle.countRefusedPasskey)
      const isStale = verdict.fault === 'unknown-challenge' || verdict.fault === 'used-challenge'
      return { right: false, error, isStale }
    }
    const { userId } = verdict.passkey
    const user = await users.findById(userId)
    // The passkey counts as both factors, since its user was verified.
    const methods = ['passkey'] as const
    const door = 'passkey'
    const decision = await decideSignIn({ door, user, methods, code: undefined, context })
    if (decision.allowed)
      return { right: true, approved: decision.approved, passkey: verdict.passkey }
    const { reason, error } = decision
    audit({ type: 'passkey.refused', purpose: 'sign-in', reason, userId }, context)
    return { right: false, error, isStale: false }
  }
}
