import type { LoginIdentifier, UserStore } from '../users/contract.js'
import { type Audit, noRequest } from './events.js'

/**
 * Call it for a login that found no user: with the name as typed, the name as looked up, and a
 * signal that aborts when the login is answered.
 */
export type NoticeSpelling = (
  typed: LoginIdentifier,
  asked: LoginIdentifier,
  answered: AbortSignal,
) => void

const pauseMs = 60_000

/**
 * Detects that a host stores names as typed while logins look them up in lower case; such logins
 * look like wrong passwords. At most once a minute it looks up a name as typed, until one is found.
 * It runs after the response, so timing reveals nothing.
 */
export function createSpellingWatch(
  users: UserStore,
  clock: () => Date,
  audit: Audit,
): NoticeSpelling {
  let isReported = false
  let askedAt = Number.NEGATIVE_INFINITY

  async function ask(typed: LoginIdentifier): Promise<void> {
    const user = await users.findByIdentifier(typed)
    if (user === null || isReported) return
    // A database that compares loosely finds other users, too.
    if (typed.kind === 'username' && user.username !== typed.value) return
    isReported = true
    audit({ type: 'user.unreachable', userId: user.id }, noRequest)
  }

  return function noticeSpelling(typed, asked, answered) {
    const now = clock().getTime()
    // The absolute value: a clock set back by an hour must not silence this for an hour.
    if (isReported || typed.value === asked.value || Math.abs(now - askedAt) < pauseMs) return
    askedAt = now
    // A failed lookup reports itself.
    answered.addEventListener('abort', () => void ask(typed).catch(() => {}), { once: true })
  }
}
