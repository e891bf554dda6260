import { mustChangePassword } from '../principal/required-actions.js'
import type { UserSessionsKit } from '../sessions/sessions-kit.js'

/**
 * Replaces a hash by another one of the same password, if it is still stored, and need not be
 * changed. Returns whether it did. Rejects with 503.
 */
export type ReplaceHash = (userId: string, from: string, to: string) => Promise<boolean>

/**
 * Sessions that end with their hash learn of the new one first, so that it ends none of them.
 * `write` stores it, in one conditional write.
 */
export function createReplaceHash(
  kit: Pick<UserSessionsKit, 'users' | 'passwordWatch' | 'sessions'>,
  write: ReplaceHash,
): ReplaceHash {
  const { users, passwordWatch, sessions } = kit
  const underWay = new Map<string, Promise<boolean>>()

  // While the hash was made, somebody may have replaced the old one, or the host's own code may
  // have set its mark, which the write clears.
  async function isAsItWas(userId: string, from: string): Promise<boolean> {
    const user = await users.findById(userId)
    return user?.passwordHash === from && !mustChangePassword(user)
  }

  async function replaceMarked(
    userId: string,
    [from, to]: readonly [string, string],
    addMark: () => Promise<void>,
  ): Promise<boolean> {
    // A request that comes too late adds no mark: a session has room for a few marks only, and must
    // keep the mark of the stored hash.
    if (!(await isAsItWas(userId, from))) return false
    await addMark()
    try {
      return (await write(userId, from, to)) === true
    } finally {
      // The mark is added once more, for sessions opened meanwhile, and also after a failure: the
      // hash may be stored and only the answer lost.
      await addMark()
    }
  }

  return async function replaceHash(userId, from, to) {
    const marks = [
      passwordWatch.computeMark(userId, from),
      passwordWatch.computeMark(userId, to),
    ] as const
    const [known, added] = marks
    if (known === undefined || added === undefined)
      return (await isAsItWas(userId, from)) && write(userId, from, to)
    // One at a time, for the same reason. A request that had to wait has lost.
    const other = underWay.get(userId)
    if (other !== undefined) return other.then(lost, lost)
    const addMark = () => sessions.addPasswordMark(userId, known, added)
    const mine = replaceMarked(userId, [from, to], addMark)
    underWay.set(userId, mine)
    return mine.finally(() => underWay.delete(userId))
  }
}

function lost(): false {
  return false
}
