import type { PasswordWatch } from '../sessions/password-watch.js'
import type { Sessions } from '../sessions/sessions.js'
import type { UserStore } from '../users/contract.js'

export interface KeepUnderDeps {
  readonly sessions: Pick<Sessions, 'findLive' | 'addPasswordMark'>
  readonly users: Pick<UserStore, 'findById'>
  readonly passwordWatch: Pick<PasswordWatch, 'isOn' | 'markOf'>
}

/**
 * Makes what keeps one session of a user under a password that was changed, where sessions end with
 * their password. Call it when the others have ended: those of the same password are kept as well.
 */
export function createKeepUnder(
  deps: KeepUnderDeps,
): (userId: string, sessionId: string) => Promise<void> {
  const { sessions, users, passwordWatch } = deps
  return async function keepUnder(userId, sessionId) {
    if (!passwordWatch.isOn) return
    const session = await sessions.findLive(sessionId)
    if (session?.passwordMark === undefined || session.userId !== userId) return
    const user = await users.findById(userId)
    const mark = user === null ? undefined : passwordWatch.markOf(userId, user.passwordHash)
    if (mark !== undefined) await sessions.addPasswordMark(userId, session.passwordMark, mark)
  }
}
