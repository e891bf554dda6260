import type { Audit, RequestContext } from '../audit/events.js'
import { AuthError } from '../errors.js'
import type { PasswordWatch } from '../sessions/password-watch.js'
import type { Sessions } from '../sessions/sessions.js'
import type { PasskeyStore } from '../stores/passkey-contract.js'
import type { UserStore } from '../users/contract.js'
import type { ForgetKeptCodes } from './forget-kept-codes.js'
import type { ForgetLastFactor } from './forget-last-factor.js'

/**
 * Removes the passkeys that a thief of the password may have added. Call it after the user's
 * sessions have ended, and end them once more afterwards: a sign-in under way checks its passkey
 * again when its session is opened. Rejects with 503, and with `last-sign-in-method` after the
 * others are removed, if the user has no password and would be left with nothing.
 */
export type RemoveAddedByPassword = (
  userId: string,
  keptSessionIds: readonly string[],
  context: RequestContext,
) => Promise<void>

export interface RemoveAddedByPasswordDeps {
  readonly passkeyStore: Pick<PasskeyStore, 'listForUser' | 'remove'>
  readonly users: Pick<UserStore, 'findById'>
  readonly passwordWatch: Pick<PasswordWatch, 'computeMark'>
  readonly sessions: Pick<Sessions, 'findLive'>
  readonly forgetLastFactor: ForgetLastFactor
  readonly forgetKeptCodes: ForgetKeptCodes
  readonly audit: Audit
}

export function createRemoveAddedByPassword(
  deps: RemoveAddedByPasswordDeps,
): RemoveAddedByPassword {
  const { users, passwordWatch, sessions, forgetLastFactor } = deps
  return async function removeAddedByPassword(userId, keptSessionIds, context) {
    const user = await users.findById(userId)
    // A thief of the former password has added nothing under the current one.
    const present = user === null ? undefined : passwordWatch.computeMark(userId, user.passwordHash)
    const isOneLeft = await removeOthers(
      deps,
      { userId, present, unlessLast: user?.passwordHash === null },
      context,
    )
    // Kept sessions must not claim a factor that their user no longer has.
    for (const id of keptSessionIds) {
      const kept = await sessions.findLive(id)
      if (user !== null && kept?.userId === userId) await forgetLastFactor(kept, user)
    }
    await deps.forgetKeptCodes(userId)
    if (isOneLeft) throw new AuthError('last-sign-in-method')
  }
}

interface Removal {
  readonly userId: string
  /** The mark of the current password. */
  readonly present: string | undefined
  readonly unlessLast: boolean
}

// Returns whether the last passkey should have been removed but had to stay.
async function removeOthers(
  { passkeyStore, audit }: RemoveAddedByPasswordDeps,
  { userId, present, unlessLast }: Removal,
  context: RequestContext,
): Promise<boolean> {
  let isOneLeft = false
  for (const { credentialId, passwordMark, name } of await passkeyStore.listForUser(userId)) {
    if (passwordMark === null || passwordMark === present) continue
    const { outcome } = await passkeyStore.remove(userId, credentialId, { unlessLast })
    if (outcome === 'last') isOneLeft = true
    if (outcome !== 'removed') continue
    const reason = 'password-changed'
    audit({ type: 'passkey.removed', userId, passkeyId: credentialId, name, reason }, context)
  }
  return isOneLeft
}
