import { z } from 'zod'
import { AuthError } from '../errors.js'
import type { Audit, RequestContext } from '../events.js'
import type { SignedIn } from '../guard/principal.js'
import { ownerOf } from '../http/account-owner.js'
import { ok } from '../http/answer.js'
import type { Endpoint, EndpointRequest } from '../http/endpoint.js'
import { parseInput } from '../http/input.js'
import type { ProvePassword } from '../login/prove-password.js'
import type { Sessions } from '../sessions/sessions.js'
import type { AuthenticationMethod, SessionRecord } from '../stores/contract.js'
import type { CodeAttempt } from '../throttle/second-factor-slots.js'
import type { Throttle } from '../throttle/throttle.js'
import type { TotpEnrolment } from './enrolment.js'
import { hasShownFactor, type SecondFactors } from './second-factor.js'

/** What the TOTP endpoints need. */
export interface TotpDeps {
  readonly signedIn: SignedIn
  /** The same, and it lets those in who may only enrol. */
  readonly signedInToEnrol: SignedIn
  readonly enrolment: TotpEnrolment
  readonly secondFactors: SecondFactors
  readonly provePassword: ProvePassword
  readonly throttle: Throttle
  readonly sessions: Sessions
  /** Forgets what this process has read of a session. */
  readonly forgetSession: (sessionId: string) => void
  readonly audit: Audit
}

const password = z.string().min(1)
const code = z.string().min(1).max(64)
const passwordOnly = z.object({ password })
const codeOnly = z.object({ code })
const passwordAndCode = z.object({ password, code })

/** `GET /auth/totp`: whether I have TOTP, and how many recovery codes are left. */
export function totpStatusEndpoint({ signedInToEnrol, enrolment }: TotpDeps): Endpoint {
  return async (request) => {
    const { session } = await ownerOf(signedInToEnrol, request) //                       401, 403
    return ok({ status: 'success', data: await enrolment.status(session.userId) }) //    503
  }
}

/** `POST /auth/totp`: begins enrolment. Nothing is active before its first code. */
export function beginTotpEndpoint(deps: TotpDeps): Endpoint {
  const { signedInToEnrol, enrolment, provePassword, secondFactors, sessions } = deps
  return async (request) => {
    const { session } = await ownerOf(signedInToEnrol, request) //                       401, 403
    const input = parseInput(passwordOnly, await request.readJson()) //                  400, 413, 415
    const user = await provePassword(session.userId, input.password, request) // 401, 429
    await sessions.requireLive(session) //                                              401
    // Whoever has a factor of the host's adds a phone with it, and not by the password alone.
    const factors = await secondFactors.of(user)
    if (factors?.totp === null && !hasShownFactor(session.methods)) throw new AuthError('reauthentication-required') // 403
    return ok({ status: 'success', data: await enrolment.begin(user, request.context) }) // 409
  }
}

/** `POST /auth/totp/confirm`: the first code of the seed that waits makes it active. */
export function confirmTotpEndpoint(deps: TotpDeps): Endpoint {
  return async (request) => {
    const { session } = await ownerOf(deps.signedInToEnrol, request) //                  401, 403
    const input = parseInput(codeOnly, await request.readJson()) //                      400, 413, 415
    const { context } = request
    const judge = () => deps.enrolment.judgeFirstCode(session.userId, input.code, context)
    const attempt = { userId: session.userId, enrolling: true }
    const confirmation = await counted(deps, attempt, ['totp'], request, judge) //       401, 409, 429, 503
    const recoveryCodes = await changeFactor(deps, session, context, confirmation.confirm) // 409, 503
    const methods = [...session.methods.filter((method) => method !== 'otp'), 'otp'] as const
    // Without it the session must be signed in anew before long, and that is no reason to keep the recovery codes from the user.
    await keepSession(deps, session, methods).catch(reported)
    return ok({ status: 'success', data: { recoveryCodes } })
  }
}

/** `POST /auth/totp/disable`: password and code switch TOTP off. */
export function disableTotpEndpoint(deps: TotpDeps): Endpoint {
  return async (request) => {
    const { session } = await ownerOf(deps.signedIn, request) //                         401, 403
    const input = parseInput(passwordAndCode, await request.readJson()) //               400, 413, 415
    const { context } = request
    await proveBoth(deps, session, input, request) //                                    401, 409, 429
    // First, while a failure still changes nothing: a session that went on claiming a factor which the user no longer has would pass
    // where the host demands one.
    await keepSession(
      deps,
      session,
      session.methods.filter((method) => !hasShownFactor([method])),
    ) // 503
    await changeFactor(deps, session, context, () => disable(deps, session, context)).catch(async (error: unknown) => {
      await keepSession(deps, session, session.methods).catch(reported)
      throw error
    })
    return ok({ status: 'success', data: { message: 'Two-factor authentication is off.' } })
  }
}

async function disable({ enrolment, audit }: TotpDeps, { userId }: SessionRecord, context: RequestContext): Promise<void> {
  if (!(await enrolment.disable(userId))) throw new AuthError('totp-not-enabled') // 409
  audit({ type: 'second-factor.disabled', userId }, context)
}

/** `POST /auth/totp/recovery-codes`: ten new ones; the old ones are void. */
export function recoveryCodesEndpoint(deps: TotpDeps): Endpoint {
  return async (request) => {
    const { session } = await ownerOf(deps.signedIn, request) //                         401, 403
    const input = parseInput(passwordAndCode, await request.readJson()) //               400, 413, 415
    await proveBoth(deps, session, input, request) //                                    401, 409, 429
    await deps.sessions.requireLive(session) //                                         401
    const recoveryCodes = await deps.enrolment.replaceRecoveryCodes(session.userId, request.context) // 409
    return ok({ status: 'success', data: { recoveryCodes } })
  }
}

// The code is judged only after a right password: it must not be used up by somebody who does not know that.
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
  // With TOTP itself, or its recovery codes: another factor of the user's is no proof of this one.
  const judge = () => deps.secondFactors.judge({ ...factors, others: [] }, input.code, request.context)
  await counted(deps, { userId, enrolling: false }, ['totp', 'recovery'], request, judge)
}

// Before the code is judged; of an active factor on the same counter as the codes of logins. Right ones do not count, and do not clear it
// either: only a completed two-factor login does.
async function counted<Verdict>(
  { throttle, audit }: TotpDeps,
  attempt: CodeAttempt,
  availableMethods: readonly string[],
  { context, setHeaders }: EndpointRequest,
  judge: () => Promise<Verdict | 'invalid'>,
): Promise<Verdict> {
  const verdict = await throttle.withSecondFactorSlot(attempt, context, judge, setHeaders)
  if (verdict !== 'invalid') {
    await throttle.refundSecondFactor(attempt)
    return verdict
  }
  audit({ type: 'second-factor.refused', userId: attempt.userId }, context)
  throw new AuthError('totp-invalid', { details: { method: 'totp', codeGenerated: false, availableMethods } })
}

// The others end first: should that fail, nothing has changed, and the user can try again. And once more afterwards, for whoever signed
// in meanwhile by what the user had before.
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
    // Also where the change has failed: it may have been made, and only its answer lost. A failure here is reported by the call itself;
    // the factor has changed, and the user must see the recovery codes that go with it.
    await sessions.endAllForUser(userId, 'factor-changed', context, id).catch(reported)
  }
}

// What the session has shown decides whether it can be refreshed, and whether it may do more than enrol.
async function keepSession(
  { sessions, forgetSession }: TotpDeps,
  { id }: SessionRecord,
  methods: readonly AuthenticationMethod[],
): Promise<void> {
  await sessions.setMethods(id, methods)
  forgetSession(id)
}

// The call that failed has told the audit stream.
function reported(): void {}
