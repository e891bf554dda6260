import type { Audit, RequestContext } from '../audit/events.js'
import { AuthError } from '../errors.js'
import type { SignedInRequest } from '../principal/principal.js'
import { type NoteMethodsDeps, noteMethods } from '../sessions/note-methods.js'
import type { Sessions } from '../sessions/sessions.js'
import type { SessionRecord, StoredMethod } from '../stores/contract.js'
import type { PasskeyStore } from '../stores/passkey-contract.js'
import { countsAsFactor } from '../two-factor/second-factor.js'
import type { AuthUser, UserStore } from '../users/contract.js'
import type { ForgetKeptCodes } from './forget-kept-codes.js'
import { type ForgetLastFactor, withoutFactors } from './forget-last-factor.js'

/**
 * Removes a passkey of the caller, and ends the user's other sessions. Throws 401, 404, 409 or 503.
 */
export type RemovePasskey = (
  asking: Pick<SignedInRequest, 'session' | 'user'>,
  credentialId: string,
  context: RequestContext,
) => Promise<void>

export interface RemovalDeps extends NoteMethodsDeps {
  readonly passkeyStore: Pick<PasskeyStore, 'listForUser' | 'remove'>
  readonly users: Pick<UserStore, 'findById'>
  /** Whether the user has a second factor besides passkeys. */
  readonly hasOtherFactor: (user: AuthUser) => Promise<boolean>
  readonly sessions: Pick<Sessions, 'requireLive' | 'endAllForUser' | 'setMethods'>
  readonly forgetLastFactor: ForgetLastFactor
  readonly forgetKeptCodes: ForgetKeptCodes
  readonly audit: Audit
}

/** The only place in which users remove passkeys. */
export function createRemovePasskey(deps: RemovalDeps): RemovePasskey {
  const { passkeyStore, users, hasOtherFactor } = deps
  return async function removePasskey({ session, user }, credentialId, context) {
    const { userId } = session
    // Naming an unknown passkey ends no session.
    const passkeys = await passkeyStore.listForUser(userId)
    const meant = passkeys.find((passkey) => passkey.credentialId === credentialId)
    if (meant === undefined) throw noPasskey()
    const isLast = passkeys.length === 1
    // Read again: the guard's row may be some seconds old.
    const unlessLast = ((await users.findById(userId))?.passwordHash ?? null) === null
    if (isLast && unlessLast) throw new AuthError('last-sign-in-method')
    const removal = { credentialId, name: meant.name, unlessLast }
    const showsFactor = session.methods.some(countsAsFactor)
    const isOut = isLast && showsFactor && !(await hasOtherFactor(user))
    await (isOut ? removeLast : remove)(deps, session, removal, context).catch(
      async (error: unknown) => {
        // The restored factor may have been removed at that moment, by another request.
        if (isOut) await deps.forgetLastFactor(session, user).catch(() => {})
        throw error
      },
    )
    // Of two passkeys removed at once neither looked like the last, and a reauthentication
    // meanwhile has stored the former methods again.
    await deps.forgetLastFactor(session, user)
    // A failed call reports itself, and the codes are deleted before another passkey is added.
    await deps.forgetKeptCodes(userId).catch(() => {})
  }
}

interface Removal {
  readonly credentialId: string
  /** The name its user gave it. */
  readonly name: string
  readonly unlessLast: boolean
}

// If the session still claimed a factor that the user no longer has, it would pass where the host
// requires one.
async function removeLast(
  deps: RemovalDeps,
  session: SessionRecord,
  removal: Removal,
  context: RequestContext,
): Promise<void> {
  const { methods, userId } = session
  const keep = (shown: readonly StoredMethod[]) => noteMethods(deps, session, shown)
  // First, while a failure still changes nothing.
  await keep(withoutFactors(methods))
  const giveBack = async () => {
    // Another request may have removed it. If this fails, the user must show the factor again.
    if ((await deps.passkeyStore.listForUser(userId)).length > 0) await keep(methods)
  }
  await remove(deps, session, removal, context).catch(async (error: unknown) => {
    await giveBack().catch(() => {})
    throw error
  })
}

// The user's other sessions end before the removal: if that fails, nothing has changed, and the
// user tries again. They end once more after it: a sign-in under way with the passkey checks it
// again after opening its session, so one of the two sees the other.
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
    // Also after a failure: the row may be gone, and only the answer lost. The call reports its own
    // failure.
    await sessions.endAllForUser(userId, 'factor-changed', context, id).catch(() => {})
  }
}

/** Also for a passkey of another user, whose existence is not revealed. */
export function noPasskey(): AuthError {
  return new AuthError('not-found', { clientMessage: 'There is no such passkey.' })
}
