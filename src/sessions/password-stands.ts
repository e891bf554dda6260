import { setTimeout } from 'node:timers/promises'
import { noRequest } from '../audit/events.js'
import type { SessionRecord } from '../stores/contract.js'
import type { AuthUser, UserStore } from '../users/contract.js'
import type { PasswordWatch } from './password-watch.js'
import type { Sessions } from './sessions.js'

/**
 * Whether the user's password is still the one under which the session was opened. If not, the
 * session has ended durably before this returns false. Rejects with 503.
 */
export type PasswordStands = (session: SessionRecord, user: AuthUser) => Promise<boolean>

export interface PasswordStandsDeps {
  readonly passwordWatch: Pick<PasswordWatch, 'fits'>
  readonly sessions: Pick<Sessions, 'findLive' | 'end'>
  readonly users: Pick<UserStore, 'findById'>
}

/**
 * Replacing a hash and marking its sessions takes several writes, and rows are read one after the
 * other. An apparent password change is therefore checked again after this time.
 */
const secondLookMs = 1000

/** Ends sessions whose password was changed. Reads nothing while they match. */
export function createPasswordStands(deps: PasswordStandsDeps): PasswordStands {
  const { passwordWatch, sessions, users } = deps
  return async function passwordStands(before, userBefore) {
    if (passwordWatch.fits(before, userBefore)) return true
    await setTimeout(secondLookMs)
    // In this order: the mark is written before the hash.
    const user = await users.findById(before.userId)
    const session = await sessions.findLive(before.id)
    if (user === null || session === null) return false
    if (passwordWatch.fits(session, user)) return true
    await sessions.end(session, 'password-changed', noRequest)
    return false
  }
}
