import type { AdmittedHasher } from '../admission/admission.js'
import { noRequest } from '../audit/events.js'
import { AuthError } from '../errors.js'
import type { NoticePassword } from '../kits/sign-in-kit.js'
import { boundedCache } from '../lib/bounded-cache.js'
import { createReplaceHash } from '../login/replace-hash.js'
import { createIsBreached } from '../passwords/judge-password.js'
import type { CheckedPasswordRules } from '../passwords/password-rules.js'
import { mustChangePassword } from '../principal/required-actions.js'
import type { UserSessionsKit } from '../sessions/sessions-kit.js'
import type { AfterAnswer } from './mails.js'

type NoticingKit = Pick<
  UserSessionsKit,
  'clock' | 'audit' | 'users' | 'passwordWatch' | 'sessions'
> & {
  readonly hasher: AdmittedHasher
}

/** Users that a process remembers. */
const maxUsers = 10_000
const daySeconds = 24 * 60 * 60

/**
 * Looks for the password of a login among leaked ones, after the answer and at most once a day for
 * each user. A login is never refused for it.
 */
export function createNoticeBreached(
  kit: NoticingKit,
  { breached, checkAtLogin }: CheckedPasswordRules,
  afterAnswer: AfterAnswer,
): NoticePassword {
  if (breached === undefined || checkAtLogin === false) return () => {}
  const { clock, audit } = kit
  const asked = boundedCache<true>(maxUsers, daySeconds)
  const isBreached = createIsBreached(breached, () =>
    audit({ type: 'password.breach-check-failed' }, noRequest),
  )
  const demandChange = createDemandChange(kit)
  return function noticeBreached(user, password) {
    const { id: userId, passwordHash: hash } = user
    // Of a digest nothing can be looked up.
    if (typeof password !== 'string' || asked.get(userId, clock()) !== undefined) return
    asked.set(userId, true, clock())
    try {
      afterAnswer.run(async () => {
        if (!(await isBreached(password))) return
        audit({ type: 'password.breached', userId }, noRequest)
        // What must be changed anyway keeps the end that it has.
        if (checkAtLogin !== 'change' || hash === null || mustChangePassword(user)) return
        // After an outage, and of another hash by now, be it of the same password, the next login
        // asks again.
        const isDemanded = await demandChange(userId, hash, password).catch(() => false)
        if (!isDemanded) asked.delete(userId)
      })
    } catch {
      // Too much waits. The next day asks again.
    }
  }
}

/** Resolves with whether the hash was still stored. Rejects with 503. */
type DemandChange = (userId: string, hash: string, password: string) => Promise<boolean>

/**
 * A login that replaces an older hash clears the mark: it writes if the hash is still the one that
 * it has read. So the mark of such a hash comes with a new one of the same password, and only one
 * of the two writes is done. A hash that no login here replaces stays.
 */
function createDemandChange(kit: NoticingKit): DemandChange {
  const { hasher, users } = kit
  const write = async (userId: string, from: string, to: string) =>
    (await users.requirePasswordChange?.(userId, from, to, null)) === true
  const replaceHash = createReplaceHash(kit, write)

  async function another(hash: string, password: string): Promise<string> {
    if (!hasher.needsRehash(hash)) return hash
    return hasher
      .hash(password, { source: 'rehash', context: noRequest })
      .catch((error: unknown) => {
        // The hasher takes no such password: no login can replace its hash either.
        if (error instanceof AuthError && error.code === 'invalid-request') return hash
        throw error
      })
  }

  return async function demandChange(userId, hash, password) {
    const to = await another(hash, password)
    return to === hash ? write(userId, hash, hash) : replaceHash(userId, hash, to)
  }
}
