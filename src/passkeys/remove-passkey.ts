import type { Audit, RequestContext } from '../audit/events.js'
import { AuthError } from '../errors.js'
import type { SignedInRequest } from '../principal/principal.js'
import { type KeepSessionDeps, keepSession } from '../sessions/keep-session.js'
import type { Sessions } from '../sessions/sessions.js'
import type { SessionRecord, StoredMethod } from '../stores/contract.js'
import type { PasskeyStore } from '../stores/passkey-contract.js'
import { countsAsFactor } from '../two-factor/second-factor.js'
import type { AuthUser, UserStore } from '../users/contract.js'
import type { ForgetKeptCodes } from './forget-kept-codes.js'
import { type ForgetLastFactor, withoutFactors } from './forget-last-factor.js'

/**
 * Removes a passkey of who asks, and ends the user's other sessions. Throws 401, 404, 409 or 503.
 */
export type RemovePasskey = (
  asking: SignedInRequest,
  credentialId: string,
  context: RequestContext,
) => Promise<void>

export interface RemovalDeps extends KeepSessionDeps {
  readonly passkeyStore: Pick<PasskeyStore, 'listForUser' | 'remove'>
  readonly users: Pick<UserStore, 'findById'>
  /** Whether the user has a second factor that is not a passkey. */
  readonly hasOtherFactor: (user: AuthUser) => Promise<boolean>
  readonly sessions: Pick<Sessions, 'requireLive' | 'endAllForUser' | 'setMethods'>
  readonly forgetLastFactor: ForgetLastFactor
  readonly forgetKeptCodes: ForgetKeptCodes
  readonly audit: Audit
}

/** Makes the one place in which users remove passkeys. */
export function createRemovePasskey(deps: RemovalDeps): RemovePasskey {
  const { passkeyStore, users, hasOtherFactor } = deps
  return async function removePasskey({ session, user }, credentialId, context) {
    const { userId } = session
    // Who names a passkey that there is not ends no session.
    const passkeys = await passkeyStore.listForUser(userId)
    const meant = passkeys.find((passkey) => passkey.credentialId === credentialId)
    if (meant === undefined) throw noPasskey()
    const isLast = passkeys.length === 1
    // Read again: the row that the guard has may be some seconds old.
    const unlessLast = ((await users.findById(userId))?.passwordHash ?? null) === null
    if (isLast && unlessLast) throw new AuthError('last-sign-in-method')
    const removal = { credentialId, name: meant.name, unlessLast }
    const showsFactor = session.methods.some(countsAsFactor)
    const isOut = isLast && showsFactor && !(await hasOtherFactor(user))
    await (isOut ? removeLast : remove)(deps, session, removal, context).catch(
      async (error: unknown) => {
        // What was given back may have been removed in that moment, by another request.
        if (isOut) await deps.forgetLastFactor(session, user).catch(() => {})
        throw error
      },
    )
    // Of two that are removed at once neither looked like the last, and who proved anew meanwhile
    // has written what the session had shown before.
    await deps.forgetLastFactor(session, user)
    // The call that fails reports it, and they go before there is another passkey.
    await deps.forgetKeptCodes(userId).catch(() => {})
  }
}

interface Removal {
  readonly credentialId: string
  /** What its user calls it. */
  readonly name: string
  readonly unlessLast: boolean
}

// A session that claimed a factor which the user no longer has would pass where the host requires
// one.
async function removeLast(
  deps: RemovalDeps,
  session: SessionRecord,
  removal: Removal,
  context: RequestContext,
): Promise<void> {
  const { methods, userId } = session
  const keep = (shown: readonly StoredMethod[]) => keepSession(deps, session, shown)
  // First, while a failure still changes nothing.
  await keep(withoutFactors(methods))
  const giveBack = async () => {
    // Another request may have removed it. If this fails, the factor must be shown again.
    if ((await deps.passkeyStore.listForUser(userId)).length > 0) await keep(methods)
  }
  await remove(deps, session, removal, context).catch(async (error: unknown) => {
    await giveBack().catch(() => {})
    throw error
  })
}

// The user's other sessions end before: if that fails, nothing has changed and the user tries
// again. They end once more after it: a sign-in with the passkey that is under way looks for it
// once more when it has opened its session, so that one of the two sees the other.
async function remove(
  { passkeyStore, sessions, audit }: RemovalDeps,
  session: SessionRecord,
  { credentialId, name, unlessLast }: Removal,
  context: RequestContext,
): Promise<void> {
  const { id, userId } = session
  await sessions.requireLive(session)
  await sessions.endAllForUser(userId, 'factor-changed', context, id)
  try {
    const { outcome } = await passkeyStore.remove(userId, credentialId, { unlessLast })
    if (outcome === 'unknown') throw noPasskey()
    if (outcome === 'last') throw new AuthError('last-sign-in-method')
    const reason = 'by-user'
    audit({ type: 'passkey.removed', userId, passkeyId: credentialId, name, reason }, context)
  } finally {
    // Also after a failure: the row may be gone, and only the answer lost. The call reports it.
    await sessions.endAllForUser(userId, 'factor-changed', context, id).catch(() => {})
  }
}

/** Also for a passkey of another user, which nobody is told of. */
export function noPasskey(): AuthError {
  return new AuthError('not-found', { clientMessage: 'There is no such passkey.' })
}
