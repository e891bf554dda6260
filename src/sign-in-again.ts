import { z } from 'zod'
import { AuthError, invalidRequest, notSignedIn } from './errors.js'
import type { EndpointRequest } from './http/endpoint.js'
import type { GroundKit } from './kits/ground-kit.js'
import type { ManagementKit } from './kits/session-kit.js'
import { isWellFormed } from './lib/texts.js'
import type { ProvePassword, SignedInRequest } from './principal/principal.js'
import type { ApprovedSignIn } from './sessions/approved-sign-in.js'
import { isFresh } from './sessions/recent-sign-in.js'
import type { DecideSignIn } from './sign-in.js'
import type { SessionRecord, StoredMethod } from './stores/contract.js'
import { type AssertionResponse, assertionSchema } from './two-factor/passkey-response.js'
import type { AuthUser } from './users/contract.js'

/** A password, with a code if the user has a second factor; or a passkey. */
export interface Proof {
  readonly password?: string | undefined
  readonly code?: string | undefined
  readonly passkey?: AssertionResponse | undefined
}

/** The schema of {@link Proof} in a request body. */
export const proofRequest: z.ZodObject<{
  password: z.ZodOptional<z.ZodString>
  code: z.ZodOptional<z.ZodString>
  passkey: z.ZodOptional<typeof assertionSchema>
}> = z.object({
  password: z.string().min(1).refine(isWellFormed, 'Invalid input: lone surrogates').optional(),
  code: z.string().min(1).max(64).optional(),
  passkey: assertionSchema.optional(),
})

/** The proof that a user has shown again. */
export interface Proved extends ApprovedSignIn {
  /** Of a passkey. */
  readonly passkeyAddedAt?: Date
}

/**
 * Reauthenticates a signed-in user, by the same decision as every sign-in. Null if nothing was
 * sent. Throws 401, 403, 429 or 503.
 */
export type ProveAgain = (
  asking: Pick<SignedInRequest, 'session'>,
  proof: Proof,
  request: EndpointRequest,
) => Promise<Proved | null>

/** Passkeys as a proof of a signed-in user. */
export interface PasskeyProof {
  /** Verifies a passkey for this session. Resolves with when it was added. Throws 401, 429, 503. */
  requireRight(
    session: Pick<SessionRecord, 'id' | 'userId'>,
    response: AssertionResponse,
    request: EndpointRequest,
  ): Promise<Date>
  /** Whether the user has a passkey. Rejects with 503. */
  hasAny(userId: string): Promise<boolean>
}

/** The parts that prove a signed-in user again. */
interface ProvingKit extends GroundKit, ManagementKit {
  readonly provePassword: ProvePassword
  /** Undefined without the option `passkeys`. */
  readonly passkeyProof: PasskeyProof | undefined
  readonly decideSignIn: DecideSignIn
  readonly meetsFactorPolicy: (methods: readonly StoredMethod[]) => boolean
}

export function createProveAgain(kit: ProvingKit): ProveAgain {
  const { provePassword, passkeyProof, decideSignIn, users } = kit
  return async function proveAgain({ session }, { password, code, passkey }, request) {
    const { userId } = session
    const { context } = request
    if (password !== undefined && passkey !== undefined)
      throw invalidRequest([{ path: 'password, passkey', message: 'Send one of them.' }])
    const door = 'reauthenticate'
    if (passkey !== undefined) {
      if (passkeyProof === undefined)
        throw invalidRequest([{ path: 'passkey', message: 'No passkeys are taken here.' }])
      const passkeyAddedAt = await passkeyProof.requireRight(session, passkey, request)
      const user = await users.findById(userId)
      const methods = ['passkey'] as const
      const asked = { door, user, methods, code: undefined, context } as const
      return { ...(await approvedBy(decideSignIn(asked))), passkeyAddedAt }
    }
    if (password === undefined) return null
    const user = await provePassword(userId, password, request)
    const asked = { door, user, methods: ['pwd'], code: code ?? null, context } as const
    return approvedBy(decideSignIn(asked), async (error) => {
      const hasOne = (await passkeyProof?.hasAny(userId)) === true
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

// Here a passkey replaces both password and code, so the decision does not offer it. A user with a
// passkey need not spend a recovery code.
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

/**
 * Requires a sign-in within the last ten minutes, or a proof now, with every factor the user has: a
 * stolen session must not become a way in of its own. Resolves with the proof, if one was sent.
 * Throws 401, 403, 429 or 503.
 */
export type RequireFresh = (
  asking: Pick<SignedInRequest, 'session' | 'user'>,
  proof: Proof,
  request: EndpointRequest,
) => Promise<Proved | null>

/** @param owesFactor - whether a password sign-in of this user needs a second factor */
export function createRequireFresh(
  { meetsFactorPolicy, sessions, clock }: ProvingKit,
  proveAgain: ProveAgain,
  owesFactor: (user: AuthUser) => Promise<boolean>,
): RequireFresh {
  return async function requireFresh(asking, proof, request) {
    const proved = await proveAgain(asking, proof, request)
    // The session is read again: another process may have ended it a moment ago, or shown it a
    // proof.
    const session = await sessions.findLive(asking.session.id)
    if (session === null) throw notSignedIn('session ended or unknown')
    const { methods } = session
    if (proved === null && !isFresh(session, clock()))
      throw new AuthError('reauthentication-required')
    // A user with a second factor cannot add another way in with the password alone.
    const shown = proved === null ? methods : [...methods, ...proved.methods]
    if (!meetsFactorPolicy(shown) && (await owesFactor(asking.user)))
      throw new AuthError('reauthentication-required')
    return proved
  }
}

/**
 * Whether a user signs in again before a page approves a device that has asked at this time: unless
 * the sign-in is of the last ten minutes, with every factor or since then. Rejects with 503.
 */
export type MustSignInForDevice = (
  asking: Pick<SignedInRequest, 'session' | 'user'>,
  askedAt: Date,
) => Promise<boolean>

/**
 * @param hasMoreToShow - whether the user has something to show besides a password: a second
 * factor, a passkey
 */
export function createMustSignInForDevice(
  { meetsFactorPolicy, clock }: ProvingKit,
  hasMoreToShow: (user: AuthUser) => Promise<boolean>,
): MustSignInForDevice {
  return async function mustSignInForDevice({ session, user }, askedAt) {
    if (!isFresh(session, clock())) return true
    if (session.authenticatedAt >= askedAt || meetsFactorPolicy(session.methods)) return false
    return hasMoreToShow(user)
  }
}
