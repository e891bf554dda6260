import type { RequestContext } from '../audit/events.js'
import { AuthError } from '../errors.js'
import { ok } from '../http/answer.js'
import type { Endpoint } from '../http/endpoint.js'
import { parseInput } from '../http/input.js'
import { ownerOf } from '../principal/account-owner.js'
import { noteMethods } from '../sessions/note-methods.js'
import type { SessionRecord, StoredMethod } from '../stores/contract.js'
import { countsAsFactor, hasShownCode } from '../two-factor/second-factor.js'
import { changeFactor, passwordAndCode, proveBoth, type TotpDeps } from './totp.endpoint.js'

/** Stores the methods of the session. */
type Keep = (methods: readonly StoredMethod[]) => Promise<void>

/** `POST /auth/totp/disable`: disables TOTP, with password and code. */
export function disableTotpEndpoint(deps: TotpDeps): Endpoint {
  return async function disableTotp(request) {
    // 401, 403
    const { session } = await ownerOf(deps.signedIn, request)
    // 400, 413, 415
    const input = parseInput(passwordAndCode, await request.readJson())
    const { context } = request
    // 401, 409, 429
    await proveBoth(deps, session, input, request)
    // 401, 409, 503
    await switchOffTotp(deps, session, context)
    return ok({ status: 'success', data: { message: 'Two-factor authentication is off.' } })
  }
}

/** Disables TOTP; the caller has had the user prove it. Rejects with 401, 409 and 503. */
export async function switchOffTotp(
  deps: TotpDeps,
  session: SessionRecord,
  context: RequestContext,
): Promise<void> {
  const { sessions, forgetSession } = deps
  // 503. First, while a failure still changes nothing. If the session still claimed a factor that
  // the user no longer has, it would pass where the host requires one.
  const withoutFactor = await methodsWithoutTotp(deps, session)
  const keep: Keep = (methods) => noteMethods({ sessions, forgetSession }, session, methods)
  await keep(withoutFactor)
  await changeFactor(deps, session, context, () => disable(deps, session, context)).catch(
    async (error: unknown) => {
      await giveFactorBack(deps, session, withoutFactor, keep).catch(reported)
      throw error
    },
  )
  // A reauthentication meanwhile has stored the former methods again.
  await keepWithoutTotp(deps, session, withoutFactor, keep).catch(reported)
}

// Another request may have disabled TOTP while this one failed, or only the answer was lost. The
// status is read after the write, so of two concurrent requests one sees the other. If the status
// cannot be read, the user signs in again.
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

// The last passkey may have been removed since we checked, while TOTP was active: checked again
// after the write. If the check fails, no factor is claimed.
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

// A session may still name a passkey that has been removed.
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

// The failed call has reported itself.
function reported(): void {}
