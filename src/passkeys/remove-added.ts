import type { Audit, RequestContext } from '../audit/events.js'
import { AuthError } from '../errors.js'
import type { Sessions } from '../sessions/sessions.js'
import type { PasskeyRecord, PasskeyStore } from '../stores/passkey-contract.js'
import type { UserStore } from '../users/contract.js'
import type { ForgetKeptCodes } from './forget-kept-codes.js'
import type { ForgetLastFactor } from './forget-last-factor.js'

/** Whether a way in may be a thief's, by how it was made. */
export type IsMeant = (made: Pick<PasskeyRecord, 'passwordMark' | 'createdAt'>) => boolean

/** Which of a user's ways in are removed. */
export interface Removal {
  readonly userId: string
  readonly isMeant: IsMeant
  /** Whether the last one stays: there is no password. */
  readonly unlessLast: boolean
}

/**
 * Removes the passkeys that a thief may have added, and says how many. Rejects with 503, and with
 * `last-sign-in-method` after the others are removed, if the user would be left with nothing.
 */
export type RemoveAddedPasskeys = (
  which: Removal,
  keptSessionIds: readonly string[],
  context: RequestContext,
) => Promise<number>

export interface RemoveAddedPasskeysDeps {
  readonly passkeyStore: Pick<PasskeyStore, 'listForUser' | 'remove'>
  readonly users: Pick<UserStore, 'findById'>
  readonly sessions: Pick<Sessions, 'findLive'>
  readonly forgetLastFactor: ForgetLastFactor
  readonly forgetKeptCodes: ForgetKeptCodes
  readonly audit: Audit
}

export function createRemoveAddedPasskeys(deps: RemoveAddedPasskeysDeps): RemoveAddedPasskeys {
  const { users, sessions, forgetLastFactor } = deps
  return async function removeAddedPasskeys(which, keptSessionIds, context) {
    const { userId } = which
    const { removed, hasKeptLast } = await removeThem(deps, which, context)
    // Kept sessions must not claim a factor that their user no longer has.
    const user = keptSessionIds.length === 0 ? null : await users.findById(userId)
    for (const id of keptSessionIds) {
      const kept = await sessions.findLive(id)
      if (user !== null && kept?.userId === userId) await forgetLastFactor(kept, user)
    }
    await deps.forgetKeptCodes(userId)
    if (hasKeptLast) throw new AuthError('last-sign-in-method')
    return removed
  }
}

// `hasKeptLast`: the last one should have been removed but had to stay.
async function removeThem(
  { passkeyStore, audit }: RemoveAddedPasskeysDeps,
  { userId, isMeant, unlessLast }: Removal,
  context: RequestContext,
): Promise<{ readonly removed: number; readonly hasKeptLast: boolean }> {
  let removed = 0
  let hasKeptLast = false
  for (const passkey of await passkeyStore.listForUser(userId)) {
    if (!isMeant(passkey)) continue
    const { credentialId, name } = passkey
    const { outcome } = await passkeyStore.remove(userId, credentialId, { unlessLast })
    if (outcome === 'last') hasKeptLast = true
    if (outcome !== 'removed') continue
    removed += 1
    const reason = 'password-changed'
    audit({ type: 'passkey.removed', userId, passkeyId: credentialId, name, reason }, context)
  }
  return { removed, hasKeptLast }
}
