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
import type { Sessions } from '../sessions/sessions.js'
import type { SessionRecord, StoredMethod } from '../stores/contract.js'
import type { CodeAttempt } from '../throttle/second-factor-limits.js'
import type { Throttle } from '../throttle/throttle.js'
import type { TotpEnrolment } from '../two-factor/enrolment.js'
import { hasShownFactor, type SecondFactors } from '../two-factor/second-factor.js'

/** What the endpoints of `/auth/totp` need. */
export interface TotpDeps {
  readonly signedIn: SignedIn
  readonly enrolment: TotpEnrolment
  readonly secondFactors: SecondFactors
  readonly provePassword: ProvePassword
  readonly throttle: Pick<Throttle, 'knownNetworks' | 'withSecondFactorSlot' | 'refundSecondFactor'>
  readonly sessions: Pick<Sessions, 'requireLive' | 'endAllForUser' | 'setMethods'>
  /** Forgets what this process has read of a session. */
  readonly forgetSession: (sessionId: string) => void
  readonly audit: Audit
}

const password = z.string().min(1).refine(isWellFormed, 'Invalid input: lone surrogates')
const code = z.string().min(1).max(64)
const passwordOnly = z.object({ password })
const codeOnly = z.object({ code })
const passwordAndCode = z.object({ password, code })

/** `GET /auth/totp`: whether I have TOTP, and how many recovery codes are left. */
export function totpStatusEndpoint({ signedIn, enrolment }: TotpDeps): Endpoint {
  return async function totpStatus(request) {
    // 401, 403
    const { session } = await ownerOf(signedIn, request, 'may-enrol')
    // 503
    return ok({ status: 'success', data: await enrolment.status(session.userId) })
  }
}

/** `POST /auth/totp`: begins enrolment. Nothing is active before its first code. */
export function beginTotpEndpoint(deps: TotpDeps): Endpoint {
  const { signedIn, enrolment, provePassword, secondFactors, sessions } = deps
  return async function beginTotp(request) {
    // 401, 403
    const { session } = await ownerOf(signedIn, request, 'may-enrol')
    // 400, 413, 415
    const input = parseInput(passwordOnly, await request.readJson())
    // 401, 429
    const user = await provePassword(session.userId, input.password, request)
    // 401
    await sessions.requireLive(session)
    // 403. A user who has a factor of the host's must show it: the password alone adds no other.
    const factors = await secondFactors.of(user)
    if (factors?.totp === null && !secondFactors.hasBeenShown(session.methods))
      throw new AuthError('reauthentication-required')
    // 409
    return ok({ status: 'success', data: await enrolment.begin(user, request.context) })
  }
}

/** `POST /auth/totp/confirm`: the first code of the seed that waits makes it active. */
export function confirmTotpEndpoint(deps: TotpDeps): Endpoint {
  return async function confirmTotp(request) {
    // 401, 403
    const { session } = await ownerOf(deps.signedIn, request, 'may-enrol')
    // 400, 413, 415
    const input = parseInput(codeOnly, await request.readJson())
    const { context } = request
    const checkCode = () => deps.enrolment.judgeFirstCode(session.userId, input.code, context)
    const attempt = { userId: session.userId, place: 'enrolment' } as const
    // 401, 409, 429, 503
    const confirmation = await withCounter(deps, attempt, ['totp'], request, checkCode)
    // 409, 503
    const recoveryCodes = await changeFactor(deps, session, context, confirmation.confirm)
    const methods = [...session.methods.filter((method) => method !== 'otp'), 'otp'] as const
    // If these fail, the user must sign in again soon. The recovery codes are shown all the same.
    await keepSession(deps, session, methods).catch(reported)
    await forgetOtherNetworks(deps, session.userId, context).catch(reported)
    return ok({ status: 'success', data: { recoveryCodes } })
  }
}

/** `POST /auth/totp/disable`: password and code switch TOTP off. */
export function disableTotpEndpoint(deps: TotpDeps): Endpoint {
  return async function disableTotp(request) {
    // 401, 403
    const { session } = await ownerOf(deps.signedIn, request)
    // 400, 413, 415
    const input = parseInput(passwordAndCode, await request.readJson())
    const { context } = request
    // 401, 409, 429
    await proveBoth(deps, session, input, request)
    // 503. First, while a failure still changes nothing. A session that still claimed a factor
    // which the user no longer has would pass where the host requires one.
    const withoutFactor = session.methods.filter((method) => !hasShownFactor([method]))
    await keepSession(deps, session, withoutFactor)
    await changeFactor(deps, session, context, () => disable(deps, session, context)).catch(
      async (error: unknown) => {
        await keepSession(deps, session, session.methods).catch(reported)
        throw error
      },
    )
    return ok({ status: 'success', data: { message: 'Two-factor authentication is off.' } })
  }
}

// A network that was known by the password alone may be a thief's. From now on only networks where
// the factor was shown are known.
async function forgetOtherNetworks(
  { throttle }: TotpDeps,
  userId: string,
  { ip }: RequestContext,
): Promise<void> {
  await throttle.knownNetworks.forgetAll(userId)
  await (await throttle.knownNetworks.standing(userId, ip)).remember()
}

async function disable(
  { enrolment, audit }: TotpDeps,
  { userId }: SessionRecord,
  context: RequestContext,
): Promise<void> {
  if (!(await enrolment.disable(userId))) throw new AuthError('totp-not-enabled')
  audit({ type: 'second-factor.disabled', userId }, context)
}

/** `POST /auth/totp/recovery-codes`: ten new ones; the old ones are void. */
export function recoveryCodesEndpoint(deps: TotpDeps): Endpoint {
  return async function replaceRecoveryCodes(request) {
    // 401, 403
    const { session } = await ownerOf(deps.signedIn, request)
    // 400, 413, 415
    const input = parseInput(passwordAndCode, await request.readJson())
    // 401, 409, 429
    await proveBoth(deps, session, input, request)
    // 401
    await deps.sessions.requireLive(session)
    // 409
    const recoveryCodes = await deps.enrolment.replaceRecoveryCodes(session.userId, request.context)
    return ok({ status: 'success', data: { recoveryCodes } })
  }
}

// The code is checked only after a right password: who does not know it must not use the code up.
async function proveBoth(
  deps: TotpDeps,
  session: SessionRecord,
  input: { readonly password: string; readonly code: string },
  request: EndpointRequest,
): Promise<void> {
  const { userId } = session
  const user = await deps.provePassword(userId, input.password, request)
  const factors = await deps.secondFactors.of(user)
  if (factors === null || factors.totp === null) throw new AuthError('totp-not-enabled')
  // Only TOTP itself or its recovery codes: another factor of the user does not prove this one.
  const own = { ...factors, others: [] }
  const checkCode = () => deps.secondFactors.judge(own, input.code, request.context)
  const methods = ['totp', 'recovery']
  // Not counted: a recovery code cannot be guessed, and works also when the limit is reached.
  if (deps.secondFactors.isRecovery(own, input.code))
    requireRight(deps, userId, methods, await checkCode(), request)
  else await withCounter(deps, { userId, place: 'session' }, methods, request, checkCode)
}

// Counted before the code is checked, for an active factor on the counter that logins use. A right
// code is given back but clears nothing: only a complete login with two factors does.
async function withCounter<Verdict>(
  deps: TotpDeps,
  attempt: CodeAttempt,
  availableMethods: readonly string[],
  request: EndpointRequest,
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
  { context }: EndpointRequest,
): Verdict {
  if (verdict !== 'invalid') return verdict
  audit({ type: 'second-factor.refused', userId }, context)
  throw new AuthError('totp-invalid', {
    details: { method: 'totp', codeGenerated: false, availableMethods },
  })
}

// The user's other sessions end before the change: if that fails, nothing has changed and the user
// tries again. They end once more after it, because of sign-ins with the old factor meanwhile.
async function changeFactor<T>(
  { sessions }: TotpDeps,
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
    // Also after a failure: the change may be made, and only its answer lost. A failure here is
    // reported by its call; the user must see the recovery codes of the new factor.
    await sessions.endAllForUser(userId, 'factor-changed', context, id).catch(reported)
  }
}

// By its methods a session may be refreshed, and may do more than enrol.
async function keepSession(
  { sessions, forgetSession }: TotpDeps,
  { id }: SessionRecord,
  methods: readonly StoredMethod[],
): Promise<void> {
  await sessions.setMethods(id, methods)
  forgetSession(id)
}

// The call that failed has reported it.
function reported(): void {}
