import type { RequestContext } from '../audit/events.js'
import { AuthError } from '../errors.js'
import { ok } from '../http/answer.js'
import type { Endpoint } from '../http/endpoint.js'
import { parseInput } from '../http/input.js'
import { ownerOf } from '../principal/account-owner.js'
import { keepSession } from '../sessions/keep-session.js'
import type { SessionRecord, StoredMethod } from '../stores/contract.js'
import { countsAsFactor, hasShownCode } from '../two-factor/second-factor.js'
import { changeFactor, passwordAndCode, proveBoth, type TotpDeps } from './totp.endpoint.js'

/** Notes by what the session has signed in. */
type Keep = (methods: readonly StoredMethod[]) => Promise<void>

/** `POST /auth/totp/disable`: password and code switch TOTP off. */
export function disableTotpEndpoint(deps: TotpDeps): Endpoint {
  const { sessions, forgetSession } = deps
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
    const withoutFactor = await methodsWithoutTotp(deps, session)
    const keep: Keep = (methods) => keepSession({ sessions, forgetSession }, session, methods)
    await keep(withoutFactor)
    await changeFactor(deps, session, context, () => disable(deps, session, context)).catch(
      async (error: unknown) => {
        await giveFactorBack(deps, session, withoutFactor, keep).catch(reported)
        throw error
      },
    )
    // Who has proved anew meanwhile has written what the session had shown before.
    await keepWithoutTotp(deps, session, withoutFactor, keep).catch(reported)
    return ok({ status: 'success', data: { message: 'Two-factor authentication is off.' } })
  }
}

// Another request may have switched it off while this one failed, or only the answer was lost.
// Looked at after the write, so that of two requests one sees the other; where nothing can be seen,
// the user signs in again.
async function giveFactorBack(
  deps: TotpDeps,
  session: SessionRecord,
  withoutFactor: readonly StoredMethod[],
  keep: Keep,
): Promise<void> {
  await keep(session.methods)
  const { enabled } = await deps.enrolment.status(session.userId).catch(() => ({ enabled: false }))
  if (!enabled) await keepWithoutTotp(deps, session, withoutFactor, keep)
}

// The last passkey may have been removed since it was asked for, while there was TOTP besides:
// looked at after the write as well. Where nothing can be seen, no factor is claimed.
async function keepWithoutTotp(
  deps: TotpDeps,
  session: SessionRecord,
  withoutTotp: readonly StoredMethod[],
  keep: Keep,
): Promise<void> {
  await keep(withoutTotp)
  const left = await methodsWithoutTotp(deps, session).catch(() =>
    withoutTotp.filter((method) => !countsAsFactor(method)),
  )
  if (left.length < withoutTotp.length) await keep(left)
}

// A passkey that is gone was still shown while there was TOTP besides.
async function methodsWithoutTotp(
  deps: TotpDeps,
  { userId, methods }: SessionRecord,
): Promise<readonly StoredMethod[]> {
  const others = methods.filter((method) => !hasShownCode([method]))
  if (!others.includes('passkey')) return others
  const hasOne = await hasPasskey(deps, userId)
  return hasOne ? others : others.filter((method) => method !== 'passkey')
}

async function hasPasskey({ passkeyFactor, users }: TotpDeps, userId: string): Promise<boolean> {
  if (passkeyFactor === undefined) return false
  const user = await users.findById(userId)
  return user !== null && (await passkeyFactor.stands(user, { credentialId: null }))
}

async function disable(
  deps: TotpDeps,
  { userId }: SessionRecord,
  context: RequestContext,
): Promise<void> {
  const { enrolment, audit } = deps
  const isOff = await enrolment.disable(userId, () => hasPasskey(deps, userId))
  if (!isOff) throw new AuthError('totp-not-enabled')
  audit({ type: 'second-factor.disabled', userId }, context)
}

// The call that failed has reported it.
function reported(): void {}
