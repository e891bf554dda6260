import { z } from 'zod'
import type { Audit, RequestContext } from '../audit/events.js'
import { AuthError } from '../errors.js'
import { ok } from '../http/answer.js'
import type { Endpoint, EndpointRequest } from '../http/endpoint.js'
import { parseInput } from '../http/input.js'
import { isWellFormed } from '../lib/well-formed.js'
import { ownerOf } from '../principal/account-owner.js'
import type { SignedIn } from '../principal/principal.js'
import type { ProvePassword } from '../principal/prove-password.js'
import { noteMethods } from '../sessions/note-methods.js'
import type { Sessions } from '../sessions/sessions.js'
import type { SessionRecord } from '../stores/contract.js'
import type { CodeAttempt } from '../throttle/second-factor-limits.js'
import type { Throttle } from '../throttle/throttle.js'
import type { TotpEnrolment } from '../two-factor/enrolment.js'
import type { PasskeyFactor } from '../two-factor/passkey-factor.js'
import type { SecondFactors } from '../two-factor/second-factor.js'
import type { AuthUser, UserStore } from '../users/contract.js'

export interface TotpDeps {
  readonly signedIn: SignedIn
  readonly enrolment: TotpEnrolment
  readonly secondFactors: SecondFactors
  /** Undefined without the option `passkeys`. */
  readonly passkeyFactor: Pick<PasskeyFactor, 'isDemanded' | 'stands'> | undefined
  readonly users: Pick<UserStore, 'findById'>
  readonly provePassword: ProvePassword
  readonly throttle: Pick<Throttle, 'knownNetworks' | 'withSecondFactorSlot' | 'refundSecondFactor'>
  readonly sessions: Pick<Sessions, 'requireLive' | 'endAllForUser' | 'setMethods'>
  /** Drops a session from the cache of this process. */
  readonly forgetSession: (sessionId: string) => void
  readonly audit: Audit
}

const password = z.string().min(1).refine(isWellFormed, 'Invalid input: lone surrogates')
const code = z.string().min(1).max(64)

/** The body of `POST /auth/totp`. */
export const passwordOnly: z.ZodObject<{ password: z.ZodString }> = z.object({ password })

/** The body of `POST /auth/totp/confirm`. */
export const codeOnly: z.ZodObject<{ code: z.ZodString }> = z.object({ code })

/** The body of requests that weaken or replace a factor. */
export const passwordAndCode: z.ZodObject<{ password: z.ZodString; code: z.ZodString }> = z.object({
  password,
  code,
})

/** `GET /auth/totp`: whether I have TOTP, and the number of recovery codes left. */
export function totpStatusEndpoint({ signedIn, enrolment }: TotpDeps): Endpoint {
  return async function totpStatus(request) {
    // 401, 403
    const { session } = await ownerOf(signedIn, request, 'may-enrol')
    // 503
    return ok({ status: 'success', data: await enrolment.status(session.userId) })
  }
}

/** `POST /auth/totp`: begins enrolment. The seed is not active before its first code. */
export function beginTotpEndpoint(deps: TotpDeps): Endpoint {
  const { signedIn, enrolment, provePassword, sessions } = deps
  return async function beginTotp(request) {
    // 401, 403
    const { session } = await ownerOf(signedIn, request, 'may-enrol')
    // 400, 413, 415
    const input = parseInput(passwordOnly, await request.readJson())
    // 401, 429
    const user = await provePassword(session.userId, input.password, request)
    // 401
    await sessions.requireLive(session)
    // 403
    await requireOtherFactor(deps, session, user)
    // 409
    const begun = await enrolment.begin(user, session.id, request.context)
    return ok({ status: 'success', data: begun })
  }
}

// A user with a factor of the host, or with a passkey that sign-in demands, must show it first: the
// password alone adds no further factor.
async function requireOtherFactor(
  { secondFactors, passkeyFactor }: TotpDeps,
  { methods }: SessionRecord,
  user: AuthUser,
): Promise<void> {
  if (secondFactors.meetsFactorPolicy(methods)) return
  const factors = await secondFactors.of(user)
  const isOwed = factors === null ? await passkeyFactor?.isDemanded(user) : factors.totp === null
  if (isOwed === true) throw new AuthError('reauthentication-required')
}

/** `POST /auth/totp/confirm`: the first code activates the pending seed. */
export function confirmTotpEndpoint(deps: TotpDeps): Endpoint {
  return async function confirmTotp(request) {
    // 401, 403
    const { session } = await ownerOf(deps.signedIn, request, 'may-enrol')
    // 400, 413, 415
    const { code: given } = parseInput(codeOnly, await request.readJson())
    // 401, 409, 429, 503
    const confirming = { code: given, beforehand: nothing }
    const recoveryCodes = await switchOnTotp(deps, session, confirming, request)
    return ok({ status: 'success', data: { recoveryCodes } })
  }
}

/** The request that carries a code. */
export type CodeRequest = Pick<EndpointRequest, 'context' | 'setHeaders'>

// A session presented by a signed token has no secret to replace.
async function nothing(): Promise<void> {}

/** The first code. */
export interface Confirming {
  readonly code: string
  /** Called when the code is right, before anything changes. */
  readonly beforehand: () => Promise<void>
}

/**
 * Activates the pending seed by its first code, and returns ten recovery codes. Rejects with 401,
 * 403, 409, 429 and 503.
 */
export async function switchOnTotp(
  deps: TotpDeps,
  session: SessionRecord,
  { code: given, beforehand }: Confirming,
  request: CodeRequest,
): Promise<readonly string[]> {
  const { context } = request
  await requireShown(deps, session)
  const checkCode = () => deps.enrolment.judgeFirstCode(session, given, context)
  const attempt = { userId: session.userId, place: 'enrolment' } as const
  const confirmation = await withCounter(deps, attempt, ['totp'], request, checkCode)
  await beforehand()
  const recoveryCodes = await changeFactor(deps, session, context, confirmation.confirm)
  const methods = [...session.methods.filter((method) => method !== 'otp'), 'otp'] as const
  // If these fail, the user must sign in again soon. The recovery codes are shown all the same.
  await noteMethods(deps, session, methods).catch(reported)
  await forgetOtherNetworks(deps, session.userId, context).catch(reported)
  return recoveryCodes
}

// The seed may have been made before the user had the other factor, or on a page.
async function requireShown(deps: TotpDeps, session: SessionRecord): Promise<void> {
  if (deps.secondFactors.meetsFactorPolicy(session.methods)) return
  const user = await deps.users.findById(session.userId)
  if (user !== null) await requireOtherFactor(deps, session, user)
}

// A network known by the password alone may be a thief's. From now on only networks where the
// factor was shown are known.
export async function forgetOtherNetworks(
  { throttle }: { readonly throttle: Pick<Throttle, 'knownNetworks'> },
  userId: string,
  context: RequestContext,
): Promise<void> {
  await throttle.knownNetworks.forgetAll(userId)
  await (await throttle.knownNetworks.standing(userId, context)).remember()
}

/** `POST /auth/totp/recovery-codes`: makes ten new ones; the old ones stop working. */
export function recoveryCodesEndpoint(deps: TotpDeps): Endpoint {
  return async function replaceRecoveryCodes(request) {
    // 401, 403
    const { session } = await ownerOf(deps.signedIn, request)
    // 400, 413, 415
    const input = parseInput(passwordAndCode, await request.readJson())
    // 401, 409, 429
    await proveBoth(deps, session, input, request)
    // 401, 409
    const recoveryCodes = await newRecoveryCodesFor(deps, session, request.context)
    return ok({ status: 'success', data: { recoveryCodes } })
  }
}

/** Makes ten new recovery codes. Rejects with 401, 409 and 503. */
export async function newRecoveryCodesFor(
  { sessions, enrolment }: TotpDeps,
  session: SessionRecord,
  context: RequestContext,
): Promise<readonly string[]> {
  await sessions.requireLive(session)
  return enrolment.replaceRecoveryCodes(session.userId, context)
}

/**
 * Checks the password first, then the code: someone without the password must not use up codes.
 * Rejects with 401, 409, 429 and 503.
 */
export async function proveBoth(
  deps: TotpDeps,
  session: SessionRecord,
  input: { readonly password: string; readonly code: string },
  request: EndpointRequest,
): Promise<void> {
  const { userId } = session
  const user = await deps.provePassword(userId, input.password, request)
  const factors = await deps.secondFactors.of(user)
  if (factors === null || factors.totp === null) throw new AuthError('totp-not-enabled')
  // Only TOTP or its recovery codes: another factor of the user does not prove this one.
  const own = { ...factors, others: [] }
  const checkCode = () => deps.secondFactors.judge(own, input.code, request.context)
  const methods = ['totp', 'recovery']
  // Not counted: a recovery code cannot be guessed, and it works even when the limit is reached.
  if (deps.secondFactors.isRecovery(own, input.code))
    requireRight(deps, userId, methods, await checkCode(), request)
  else await withCounter(deps, { userId, place: 'session' }, methods, request, checkCode)
}

// Counted before the code is checked; an active factor shares its counter with logins. A right code
// is refunded, but clears nothing: only a complete login with two factors does.
async function withCounter<Verdict>(
  deps: TotpDeps,
  attempt: CodeAttempt,
  availableMethods: readonly string[],
  request: CodeRequest,
  checkCode: () => Promise<Verdict | 'invalid'>,
): Promise<Verdict> {
  const { context, setHeaders } = request
  const verdict = await deps.throttle.withSecondFactorSlot(attempt, context, checkCode, setHeaders)
  const right = requireRight(deps, attempt.userId, availableMethods, verdict, request)
  await deps.throttle.refundSecondFactor(attempt)
  return right
}

function requireRight<Verdict>(
  { audit }: TotpDeps,
  userId: string,
  availableMethods: readonly string[],
  verdict: Verdict | 'invalid',
  { context }: CodeRequest,
): Verdict {
  if (verdict !== 'invalid') return verdict
  audit({ type: 'second-factor.refused', userId }, context)
  throw new AuthError('totp-invalid', {
    details: { method: 'totp', codeGenerated: false, availableMethods },
  })
}

/**
 * Changes a factor. The user's other sessions end before the change: if that fails, nothing has
 * changed, and the user tries again. They end once more after it, because of sign-ins with the old
 * factor meanwhile. Rejects with 401 and 503.
 */
export async function changeFactor<T>(
  { sessions }: Pick<TotpDeps, 'sessions'>,
  session: SessionRecord,
  context: RequestContext,
  change: () => Promise<T>,
): Promise<T> {
  const { id, userId } = session
  await sessions.requireLive(session)
  await sessions.endAllForUser(userId, 'factor-changed', context, id)
  try {
    return await change()
  } finally {
    // Also after a failure: the change may have succeeded and only its answer been lost. The call
    // reports its own failure; the user must see the new recovery codes.
    await sessions.endAllForUser(userId, 'factor-changed', context, id).catch(reported)
  }
}

// The failed call has reported itself.
function reported(): void {}
