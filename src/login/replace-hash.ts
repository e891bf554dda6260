import type { PasswordWatch } from '../sessions/password-watch.js'
import type { Sessions } from '../sessions/sessions.js'
import type { UserStore } from '../users/contract.js'

/**
 * Replaces a hash by another one of the same password, if it is still stored. Returns whether it
 * did.
 */
export type ReplaceHash = (userId: string, from: string, to: string) => Promise<boolean>

export interface ReplaceHashDeps {
  readonly users: Pick<UserStore, 'findById' | 'updatePasswordHash'>
  readonly passwordWatch: Pick<PasswordWatch, 'computeMark'>
  readonly sessions: Pick<Sessions, 'addPasswordMark'>
}

/**
 * Null if the host does not replace hashes. Sessions that end with their hash learn of the new one
 * first, so that it ends none of them.
 */
export function createReplaceHash(deps: ReplaceHashDeps): ReplaceHash | null {
  const { users, passwordWatch, sessions } = deps
  const { updatePasswordHash } = users
  if (updatePasswordHash === undefined) return null
  const underWay = new Map<string, Promise<boolean>>()

  async function replaceMarked(
    userId: string,
    [from, to]: readonly [string, string],
    addMark: () => Promise<void>,
  ): Promise<boolean> {
    // A request that comes too late adds no mark: a session has room for a few marks only, and must
    // keep that of the stored hash.
    if ((await users.findById(userId))?.passwordHash !== from) return false
    await addMark()
    try {
      return (await updatePasswordHash?.(userId, from, to)) === true
    } finally {
      // Once more, for sessions opened meanwhile; also after a failure: the hash may be stored and
      // only the answer lost.
      await addMark()
    }
  }

  return async function replaceHash(userId, from, to) {
    const marks = [
      passwordWatch.computeMark(userId, from),
      passwordWatch.computeMark(userId, to),
    ] as const
    const [known, added] = marks
    if (known === undefined || added === undefined) return updatePasswordHash(userId, from, to)
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
