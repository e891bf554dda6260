import { z } from 'zod'
import { AuthError, invalidRequest } from '../errors.js'
import type { EndpointRequest } from '../http/endpoint.js'
import { isWellFormed } from '../lib/well-formed.js'
import type { SignedInRequest } from '../principal/principal.js'
import type { ProvePassword } from '../principal/prove-password.js'
import type { ApprovedSignIn } from '../sessions/approved-sign-in.js'
import type { DecideSignIn } from '../sign-in.js'
import type { PasskeyStore } from '../stores/passkey-contract.js'
import type { Throttle } from '../throttle/throttle.js'
import { type AssertionResponse, assertionSchema } from '../two-factor/passkey-response.js'
import type { UserStore } from '../users/contract.js'
import { refusalOf } from './refuse-passkey.js'
import type { VerifyPasskey } from './verify-passkey.js'

/** A password, with a code where the user has a second factor; or a passkey. */
export interface Proof {
  readonly password?: string | undefined
  readonly code?: string | undefined
  readonly passkey?: AssertionResponse | undefined
}

/** {@link Proof}, as the body of a request. */
export const proofRequest: z.ZodObject<{
  password: z.ZodOptional<z.ZodString>
  code: z.ZodOptional<z.ZodString>
  passkey: z.ZodOptional<typeof assertionSchema>
}> = z.object({
  password: z.string().min(1).refine(isWellFormed, 'Invalid input: lone surrogates').optional(),
  code: z.string().min(1).max(64).optional(),
  passkey: assertionSchema.optional(),
})

/**
 * Lets a signed-in user prove anew who they are, by the decision that every sign-in asks. Null
 * where nothing was shown. Throws 401, 403, 429 or 503.
 */
export type ProveAgain = (
  asking: Pick<SignedInRequest, 'session'>,
  proof: Proof,
  request: EndpointRequest,
) => Promise<ApprovedSignIn | null>

/** What {@link createProveAgain} needs. */
export interface ProveAgainDeps {
  readonly provePassword: ProvePassword
  readonly verifyPasskey: VerifyPasskey
  readonly decideSignIn: DecideSignIn
  readonly users: Pick<UserStore, 'findById'>
  readonly store: Pick<PasskeyStore, 'listForUser'>
  readonly throttle: Pick<Throttle, 'countRefusedPasskey'>
}

/** Makes it. */
export function createProveAgain(deps: ProveAgainDeps): ProveAgain {
  const { provePassword, verifyPasskey, decideSignIn, users, store, throttle } = deps
  return async function proveAgain({ session }, { password, code, passkey }, request) {
    const { id: sessionId, userId } = session
    const { context } = request
    if (password !== undefined && passkey !== undefined)
      throw invalidRequest([{ path: 'password, passkey', message: 'Send one of them.' }])
    const door = 'reauthenticate'
    if (passkey !== undefined) {
      const shown = { purpose: door, userId, sessionId, response: passkey } as const
      const verdict = await verifyPasskey(shown, context)
      if (!verdict.right) throw await refusalOf(verdict, request, throttle.countRefusedPasskey)
      const user = await users.findById(userId)
      const methods = ['passkey'] as const
      return approvedBy(decideSignIn({ door, user, methods, code: undefined, context }))
    }
    if (password === undefined) return null
    const user = await provePassword(userId, password, request)
    const asked = { door, user, methods: ['pwd'], code: code ?? null, context } as const
    return approvedBy(decideSignIn(asked), async (error) => {
      const hasOne = (await store.listForUser(userId)).length > 0
      return hasOne ? withPasskey(error) : error
    })
  }
}

async function approvedBy(
  deciding: ReturnType<DecideSignIn>,
  told = async (error: AuthError) => error,
): Promise<ApprovedSignIn> {
  const decision = await deciding
  if (decision.allowed) return decision.approved
  throw await told(decision.error)
}

// A passkey is shown here in the place of the password and the code, so the decision does not
// offer it. Whoever has one need not use a recovery code up.
function withPasskey(error: AuthError): AuthError {
  const { code, details } = error
  const methods: unknown = details?.['availableMethods']
  if (!Array.isArray(methods)) return error
  const availableMethods =
    methods[0] === 'recovery' ? ['passkey', ...methods] : [...methods, 'passkey']
  return new AuthError(code, {
    details: { ...details, method: availableMethods[0], availableMethods },
  })
}
