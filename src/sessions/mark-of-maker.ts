import type { SessionRecord } from '../stores/contract.js'
import type { AuthUser } from '../users/contract.js'

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
