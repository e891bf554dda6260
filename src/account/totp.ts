import { z } from 'zod'
import type { RequestContext } from '../audit/events.js'
import { AuthError } from '../errors.js'
import { ok } from '../http/answer.js'
import type { Endpoint, EndpointRequest } from '../http/endpoint.js'
import { parseInput } from '../http/input.js'
import type { ManagementKit } from '../kits/session-kit.js'
import type { SignInKit } from '../kits/sign-in-kit.js'
import { isWellFormed } from '../lib/texts.js'
import { ownerOf } from '../principal/principal.js'
import { noteMethods } from '../sessions/note-methods.js'
import type { SessionRecord, StoredMethod } from '../stores/contract.js'
import type { CodeAttempt } from '../throttle/second-factor-limits.js'
import type { TotpEnrolment } from '../two-factor/enrolment.js'
import { countsAsFactor, hasShownCode } from '../two-factor/second-factor.js'
import type { AuthUser } from '../users/contract.js'

/** The parts of a host that stores TOTP seeds. */
export interface TotpKit extends SignInKit {
  readonly enrolment: TotpEnrolment
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
export function totpStatusEndpoint({ signedIn, enrolment }: TotpKit): Endpoint {
  return async function totpStatus(request) {
    // 401, 403
    const { session } = await ownerOf(signedIn, request, 'enrol')
    // 503
    return ok({ status: 'success', data: await enrolment.status(session.userId) })
  }
}

/** `POST /auth/totp`: begins enrolment. The seed is not active before its first code. */
export function beginTotpEndpoint(kit: TotpKit): Endpoint {
  const { signedIn, enrolment, provePassword, sessions } = kit
  return async function beginTotp(request) {
    // 401, 403
    const { session } = await ownerOf(signedIn, request, 'enrol')
    // 400, 413, 415
    const input = parseInput(passwordOnly, await request.readJson())
    // 401, 429
    const user = await provePassword(session.userId, input.password, request)
    // 401
    await sessions.requireLive(session)
    // 403
    await requireOtherFactor(kit, session, user)
    // 409
    const begun = await enrolment.begin(user, session.id, request.context)
    return ok({ status: 'success', data: begun })
  }
}

// A user with a factor of the host, or with a passkey that sign-in demands, must show it first: the
// password alone adds no further factor.
async function requireOtherFactor(
  { secondFactors, passkeyFactor }: TotpKit,
  { methods }: SessionRecord,
  user: AuthUser,
): Promise<void> {
  if (secondFactors.meetsFactorPolicy(methods)) return
  const factors = await secondFactors.of(user)
  const isOwed = factors === null ? await passkeyFactor?.isDemanded(user) : factors.totp === null
  if (isOwed === true) throw new AuthError('reauthentication-required')
}

/** `POST /auth/totp/confirm`: the first code activates the pending seed. */
export function confirmTotpEndpoint(kit: TotpKit): Endpoint {
  return async function confirmTotp(request) {
    // 401, 403
    const { session } = await ownerOf(kit.signedIn, request, 'enrol')
    // 400, 413, 415
    const { code: given } = parseInput(codeOnly, await request.readJson())
    // 401, 409, 429, 503
    const confirming = { code: given, beforehand: nothing }
    const recoveryCodes = await switchOnTotp(kit, session, confirming, request)
    return ok({ status: 'success', data: { recoveryCodes } })
  }
}

/** The request that carries a code. */
type CodeRequest = Pick<EndpointRequest, 'context' | 'setHeaders'>

// A session presented by a signed token has no secret to replace.
async function nothing(): Promise<void> {}

/** The first code. */
interface Confirming {
  readonly code: string
  /** Called when the code is right, before anything changes. */
  readonly beforehand: () => Promise<void>
}

/**
 * Activates the pending seed by its first code, and returns ten recovery codes. Rejects with 401,
 * 403, 409, 429 and 503.
 */
export async function switchOnTotp(
  kit: TotpKit,
  session: SessionRecord,
  { code: given, beforehand }: Confirming,
  request: CodeRequest,
): Promise<readonly string[]> {
  const { context } = request
  await requireShown(kit, session)
  const checkCode = () => kit.enrolment.judgeFirstCode(session, given, context)
  const attempt = { userId: session.userId, place: 'enrolment' } as const
  const confirmation = await withCounter(kit, attempt, ['totp'], request, checkCode)
  await beforehand()
  const recoveryCodes = await changeFactor(kit, session, context, confirmation.confirm)
  const methods = [...session.methods.filter((method) => method !== 'otp'), 'otp'] as const
  // If these fail, the user must sign in again soon. The recovery codes are shown all the same.
  await noteMethods(kit, session, methods).catch(reported)
  await forgetOtherNetworks(kit, session.userId, context).catch(reported)
  return recoveryCodes
}

// The seed may have been made before the user had the other factor, or on a page.
async function requireShown(kit: TotpKit, session: SessionRecord): Promise<void> {
  if (kit.secondFactors.meetsFactorPolicy(session.methods)) return
  const user = await kit.users.findById(session.userId)
  if (user !== null) await requireOtherFactor(kit, session, user)
}

// A network known by the password alone may be a thief's. From now on only networks where the
// factor was shown are known.
export async function forgetOtherNetworks(
  { knownNetworks }: ManagementKit,
  userId: string,
  context: RequestContext,
): Promise<void> {
  await knownNetworks.forgetAll(userId)
  await (await knownNetworks.standing(userId, context)).remember()
}

/** `POST /auth/totp/recovery-codes`: makes ten new codes; the old codes stop working. */
export function recoveryCodesEndpoint(kit: TotpKit): Endpoint {
  return async function replaceRecoveryCodes(request) {
    // 401, 403
    const { session } = await ownerOf(kit.signedIn, request)
    // 400, 413, 415
    const input = parseInput(passwordAndCode, await request.readJson())
    // 401, 409, 429
    await proveBoth(kit, session, input, request)
    // 401, 409
    const recoveryCodes = await newRecoveryCodesFor(kit, session, request.context)
    return ok({ status: 'success', data: { recoveryCodes } })
  }
}

/** Makes ten new recovery codes. Rejects with 401, 409 and 503. */
export async function newRecoveryCodesFor(
  { sessions, enrolment }: TotpKit,
  session: SessionRecord,
  context: RequestContext,
): Promise<readonly string[]> {
  await sessions.requireLive(session)
  await sessions.forgetBrowsers(session.userId)
  return enrolment.replaceRecoveryCodes(session.userId, context)
}

/**
 * Checks the password first, then the code: someone without the password must not use up codes.
 * Rejects with 401, 409, 429 and 503.
 */
async function proveBoth(
  kit: TotpKit,
  session: SessionRecord,
  input: { readonly password: string; readonly code: string },
  request: EndpointRequest,
): Promise<void> {
  const { userId } = session
  const user = await kit.provePassword(userId, input.password, request)
  const factors = await kit.secondFactors.of(user)
  if (factors === null || factors.totp === null) throw new AuthError('totp-not-enabled')
  // Only TOTP or its recovery codes count: another factor of the user does not prove TOTP.
  const own = { ...factors, others: [] }
  const checkCode = () => kit.secondFactors.judge(own, input.code, request.context)
  const methods = ['totp', 'recovery']
  // Not counted: a recovery code cannot be guessed, and it works even when the limit is reached.
  if (kit.secondFactors.isRecovery(own, input.code))
    requireRight(kit, userId, methods, await checkCode(), request)
  else await withCounter(kit, { userId, place: 'session' }, methods, request, checkCode)
}

// The attempt counts before the code is checked; an active factor shares its counter with logins. A
// right code is refunded, but clears nothing: only a complete login with two factors clears the
// count.
async function withCounter<Verdict>(
  kit: TotpKit,
  attempt: CodeAttempt,
  availableMethods: readonly string[],
  request: CodeRequest,
  checkCode: () => Promise<Verdict | 'invalid'>,
): Promise<Verdict> {
  const { context, setHeaders } = request
  const verdict = await kit.throttle.withSecondFactorSlot(attempt, context, checkCode, setHeaders)
  const right = requireRight(kit, attempt.userId, availableMethods, verdict, request)
  await kit.throttle.refundSecondFactor(attempt)
  return right
}

function requireRight<Verdict>(
  { audit }: TotpKit,
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
  { sessions }: ManagementKit,
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
    // The sessions end after a failure, too: the change may have succeeded, and only its answer is
    // lost. The call reports its own failure; the user must see the new recovery codes.
    await sessions.endAllForUser(userId, 'factor-changed', context, id).catch(reported)
  }
}

// The failed call has reported itself.
function reported(): void {}

/** Stores the methods of the session. */
type Keep = (methods: readonly StoredMethod[]) => Promise<void>

/** `POST /auth/totp/disable`: disables TOTP, with password and code. */
export function disableTotpEndpoint(kit: TotpKit): Endpoint {
  return async function disableTotp(request) {
    // 401, 403
    const { session } = await ownerOf(kit.signedIn, request)
    // 400, 413, 415
    const input = parseInput(passwordAndCode, await request.readJson())
    const { context } = request
    // 401, 409, 429
    await proveBoth(kit, session, input, request)
    // 401, 409, 503
    await switchOffTotp(kit, session, context)
    return ok({ status: 'success', data: { message: 'Two-factor authentication is off.' } })
  }
}

/** Disables TOTP; the caller has had the user prove it. Rejects with 401, 409 and 503. */
export async function switchOffTotp(
  kit: TotpKit,
  session: SessionRecord,
  context: RequestContext,
): Promise<void> {
  const { sessions, forgetSession } = kit
  // 503. This comes first, while a failure still changes nothing. If the session still claimed a
  // factor that the user no longer has, it would pass where the host requires one.
  const withoutFactor = await methodsWithoutTotp(kit, session)
  const keep: Keep = (methods) => noteMethods({ sessions, forgetSession }, session, methods)
  await keep(withoutFactor)
  await changeFactor(kit, session, context, () => disable(kit, session, context)).catch(
    async (error: unknown) => {
      await giveFactorBack(kit, session, withoutFactor, keep).catch(reported)
      throw error
    },
  )
  // A reauthentication meanwhile has stored the former methods again.
  await keepWithoutTotp(kit, session, withoutFactor, keep).catch(reported)
}

// Another request may have disabled TOTP while this one failed, or only the answer was lost. The
// status is read after the write, so of two concurrent requests one sees the other. If the status
// cannot be read, the user signs in again.
async function giveFactorBack(
  kit: TotpKit,
  session: SessionRecord,
  withoutFactor: readonly StoredMethod[],
  keep: Keep,
): Promise<void> {
  await keep(session.methods)
  const { enabled } = await kit.enrolment.status(session.userId).catch(() => ({ enabled: false }))
  if (!enabled) await keepWithoutTotp(kit, session, withoutFactor, keep)
}

// The last passkey may have been removed since we checked, while TOTP was active: checked again
// after the write. If the check fails, no factor is claimed.
async function keepWithoutTotp(
  kit: TotpKit,
  session: SessionRecord,
  withoutTotp: readonly StoredMethod[],
  keep: Keep,
): Promise<void> {
  await keep(withoutTotp)
  const left = await methodsWithoutTotp(kit, session).catch(() =>
    withoutTotp.filter((method) => !countsAsFactor(method)),
  )
  if (left.length < withoutTotp.length) await keep(left)
}

// A session may still name a passkey that has been removed.
async function methodsWithoutTotp(
  kit: TotpKit,
  { userId, methods }: SessionRecord,
): Promise<readonly StoredMethod[]> {
  const others = methods.filter((method) => !hasShownCode([method]))
  if (!others.includes('passkey')) return others
  const hasOne = await hasPasskey(kit, userId)
  return hasOne ? others : others.filter((method) => method !== 'passkey')
}

async function hasPasskey({ passkeyFactor, users }: TotpKit, userId: string): Promise<boolean> {
  if (passkeyFactor === undefined) return false
  const user = await users.findById(userId)
  return user !== null && (await passkeyFactor.stands(user, { credentialId: null }))
}

async function disable(
  kit: TotpKit,
  { userId }: SessionRecord,
  context: RequestContext,
): Promise<void> {
  const { enrolment, audit } = kit
  const isOff = await enrolment.disable(userId, () => hasPasskey(kit, userId))
  if (!isOff) throw new AuthError('totp-not-enabled')
  audit({ type: 'second-factor.disabled', userId }, context)
}
