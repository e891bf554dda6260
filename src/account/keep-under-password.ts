import type { PasswordWatch } from '../sessions/password-watch.js'
import type { Sessions } from '../sessions/sessions.js'
import type { UserStore } from '../users/contract.js'

export interface KeepUnderDeps {
  readonly sessions: Pick<Sessions, 'findLive' | 'addPasswordMark'>
  readonly users: Pick<UserStore, 'findById'>
  readonly passwordWatch: Pick<PasswordWatch, 'isOn' | 'markOf'>
}

/**
 * Keeps one session of a user alive under a changed password, if sessions end with their password.
 * Call it after the other sessions have ended: sessions opened with the same password as this one
 * are kept as well.
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
