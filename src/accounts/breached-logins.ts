import { type Audit, noRequest } from '../audit/events.js'
import type { NoticePassword } from '../kits/sign-in-kit.js'
import { boundedCache } from '../lib/bounded-cache.js'
import { createIsBreached } from '../passwords/breached.js'
import type { CheckedPasswordRules } from '../passwords/password-rules.js'
import type { AfterAnswer } from './after-answer.js'

export interface BreachedLoginsDeps {
  readonly afterAnswer: Pick<AfterAnswer, 'run'>
  readonly clock: () => Date
  readonly audit: Audit
}

/** Users that a process remembers. */
const maxUsers = 10_000
const daySeconds = 24 * 60 * 60

/**
 * Looks for the password of a login among leaked ones, after the answer and at most once a day for
 * each user. It only reports: a login is never refused for it.
 */
export function createNoticeBreached(
  { breached, checkAtLogin }: Pick<CheckedPasswordRules, 'breached' | 'checkAtLogin'>,
  { afterAnswer, clock, audit }: BreachedLoginsDeps,
): NoticePassword {
  if (breached === undefined || !checkAtLogin) return () => {}
  const asked = boundedCache<true>(maxUsers, daySeconds)
  const isBreached = createIsBreached(breached, () =>
    audit({ type: 'password.breach-check-failed' }, noRequest),
  )
  return function noticeBreached({ id: userId }, password) {
    // Of a digest nothing can be looked up.
    if (typeof password !== 'string' || asked.get(userId, clock()) !== undefined) return
    asked.set(userId, true, clock())
    try {
      afterAnswer.run(async () => {
        if (await isBreached(password)) audit({ type: 'password.breached', userId }, noRequest)
      })
    } catch {
      // Too much waits. The next day asks again.
    }
  }
}
