import { setTimeout } from 'node:timers/promises'
import { noRequest } from '../audit/events.js'
import type { SessionRecord } from '../stores/contract.js'
import type { AuthUser, UserStore } from '../users/contract.js'
import type { PasswordWatch } from './password-watch.js'
import type { Sessions } from './sessions.js'

/**
 * Whether a session was opened under the password that its user has now. Where it was not, it has
 * been ended durably before this answers false. Rejects with 503.
 */
export type PasswordStands = (session: SessionRecord, user: AuthUser) => Promise<boolean>

export interface PasswordStandsDeps {
  readonly passwordWatch: Pick<PasswordWatch, 'fits'>
  readonly sessions: Pick<Sessions, 'findLive' | 'end'>
  readonly users: Pick<UserStore, 'findById'>
}

/**
 * A hash is replaced, and sessions are marked, by more than one write, and rows are read one after
 * the other. Whatever looks like another password is looked at once more after this time.
 */
const secondLookMs = 1000

/** Makes what ends the sessions of a password that was changed. Costs nothing while they fit. */
export function createPasswordStands(deps: PasswordStandsDeps): PasswordStands {
  const { passwordWatch, sessions, users } = deps
  return async function passwordStands(before, userBefore) {
    if (passwordWatch.fits(before, userBefore)) return true
    await setTimeout(secondLookMs)
    // In this order: the mark of a hash is written before the hash.
    const user = await users.findById(before.userId)
    const session = await sessions.findLive(before.id)
    if (user === null || session === null) return false
    if (passwordWatch.fits(session, user)) return true
    await sessions.end(session, 'password-changed', noRequest)
    return false
  }
}
