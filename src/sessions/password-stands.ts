import { setTimeout } from 'node:timers/promises'
import { noRequest } from '../audit/events.js'
import type { SessionRecord } from '../stores/contract.js'
import { goodMarks, type PasswordStands } from './password-watch.js'
import type { UserSessionsKit } from './sessions-kit.js'

/**
 * Replacing a hash and marking its sessions takes several writes, and rows are read one after the
 * other. An apparent password change is therefore checked again after this time.
 */
const secondLookMs = 1000

/** Ends sessions whose password was changed. Reads nothing while they match. */
export function createPasswordStands({
  passwordWatch,
  sessions,
  users,
}: Pick<UserSessionsKit, 'passwordWatch' | 'sessions' | 'users'>): PasswordStands {
  async function lookAgain(before: SessionRecord): Promise<boolean> {
    await setTimeout(secondLookMs)
    // In this order: the mark is written before the hash.
    const user = await users.findById(before.userId)
    const session = await sessions.findLive(before.id)
    if (user === null || session === null) return false
    if (passwordWatch.fits(session, user)) return true
    await sessions.end(session, 'password-changed', noRequest)
    return false
  }
  return (before, userBefore) => passwordWatch.fits(before, userBefore) || lookAgain(before)
}

/**
 * Copies to a new session the marks that its opener has by now: the hash may have been replaced by
 * another one of the same password before the new session was stored. Undefined: it has none.
 */
export function catchUpMarks(
  { sessions, passwordWatch }: Pick<UserSessionsKit, 'sessions' | 'passwordWatch'>,
  asking: SessionRecord,
  opened: SessionRecord,
): Promise<void> | undefined {
  const { userId, passwordMark: from } = opened
  const now = passwordWatch.inherited(asking)
  if (from === undefined || now === undefined) return undefined
  return addMissing(from, goodMarks(now))

  async function addMissing(mark: string, marks: readonly string[]): Promise<void> {
    const had = goodMarks(opened)
    for (const one of marks)
      if (!had.includes(one)) await sessions.addPasswordMark(userId, mark, one)
  }
}
