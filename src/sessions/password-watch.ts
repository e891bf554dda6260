import type { Soon } from '../lib/async.js'
import type { WarnOnce } from '../lib/logger.js'
import { sha256 } from '../lib/secrets.js'
import type { SessionRecord } from '../stores/contract.js'
import type { AuthUser } from '../users/contract.js'

/** The marks of the password hash that a session depends on; empty if it depends on none. */
export type PasswordMarks = Pick<SessionRecord, 'passwordMark' | 'passwordMarkNext'>

/** Marks sessions with the password hash under which they were opened, if they must end with it. */
export interface PasswordWatch {
  /** False without the option `watchPasswordHash`: nothing is marked, and every session fits. */
  readonly isOn: boolean
  /** The mark of a hash; undefined without one. */
  computeMark(userId: string, hash: AuthUser['passwordHash'] | undefined): string | undefined
  /**
   * The marks of a session that this user opens now. `replacement` is another hash of the same
   * password, which may be stored by now.
   */
  marksOf(user: AuthUser, replacement?: string | null): PasswordMarks
  /** The marks that a session passes on to one it opens; undefined if it has none. */
  inherited(asking: SessionRecord): PasswordMarks | undefined
  /** Whether the user's password is still the one under which the session was opened. */
  fits(session: PasswordMarks, user: AuthUser): boolean
}

/**
 * Whether the user's password is still the one under which the session was opened. If not, the
 * session has ended durably before this returns false. Rejects with 503.
 */
export type PasswordStands = (session: SessionRecord, user: AuthUser) => Soon<boolean>

/** Off, every method does nothing. */
export function createPasswordWatch(isOn: boolean, warnOnce: WarnOnce): PasswordWatch {
  return isOn ? watching(warnOnce) : idle
}

const idle: PasswordWatch = {
  isOn: false,
  computeMark: () => undefined,
  marksOf: () => ({}),
  inherited: () => undefined,
  fits: () => true,
}

function watching(warnOnce: WarnOnce): PasswordWatch {
  function computeMark(userId: string, hash: unknown): string | undefined {
    if (typeof hash === 'string' || hash === null) return digestOf(userId, hash)
    warnOnce(silentUsers)
    return undefined
  }
  return {
    isOn: true,
    computeMark,
    marksOf(user, replacement = null) {
      const passwordMark = computeMark(user.id, user.passwordHash)
      if (passwordMark === undefined) return {}
      if (replacement === null) return { passwordMark }
      return { passwordMark, passwordMarkNext: digestOf(user.id, replacement) }
    },
    inherited: (asking) => (asking.passwordMark === undefined ? undefined : marksIn(asking)),
    fits(session, user) {
      // Opened before the option was set, or for a user whose hash was unknown.
      if (session.passwordMark === undefined) return true
      const mark = computeMark(user.id, user.passwordHash)
      return mark === undefined || goodMarks(session).includes(mark)
    },
  }
}

/** All marks of a session, each valid for it. */
export function goodMarks({ passwordMark, passwordMarkNext }: PasswordMarks): string[] {
  const next = passwordMarkNext === undefined ? [] : passwordMarkNext.split(' ')
  return passwordMark === undefined ? [] : [passwordMark, ...next]
}

function marksIn({ passwordMark, passwordMarkNext }: PasswordMarks): PasswordMarks {
  return {
    ...(passwordMark === undefined ? {} : { passwordMark }),
    ...(passwordMarkNext === undefined ? {} : { passwordMarkNext }),
  }
}

// JSON is used so that no two pairs of id and hash yield the same text. Having no password is a
// state like any other: setting a first password ends sessions opened without one.
function digestOf(userId: string, hash: string | null): string {
  return sha256(JSON.stringify([userId, hash]))
}

const silentUsers = {
  code: 'MAR_NO_PASSWORD_HASH',
  level: 'warn',
  message:
    'watchPasswordHash is on, but the user store returned a user without passwordHash, whose ' +
    'sessions therefore cannot end with the password. Return the hash, or null without a password.',
} as const

/** Methods that a thief of the password cannot have shown, unless he set them up earlier. */
const beyondPassword = ['otp', 'mfa', 'hwk', 'swk'] as const

type MakingSession = Pick<SessionRecord, 'methods' | 'passwordMark' | 'upstream'>

/**
 * The mark that a passkey or a connected account keeps of the session in which it was added: null
 * if the session had shown more than a password; otherwise the session's mark of the password, or
 * `unmarked`.
 *
 * A passkey, a recovery code that came with a passkey, and an account at a provider (`upstream`)
 * prove nothing here: a thief may have added them with the password a moment ago. Users without a
 * password signed in by something else.
 */
export function markOfMaker(
  { methods, passwordMark = 'unmarked', upstream }: MakingSession,
  { passwordHash }: Pick<AuthUser, 'passwordHash'>,
): string | null {
  const isByPassword = methods.includes('pwd')
  const isBeyond =
    beyondPassword.some((method) => methods.includes(method)) ||
    (!isByPassword &&
      (passwordHash === null || (methods.includes('host') && upstream === undefined)))
  return isBeyond ? null : passwordMark
}
