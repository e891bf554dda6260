import type { SessionRecord } from '../stores/contract.js'
import type { AuthUser } from '../users/contract.js'

/** Methods that a thief of the password cannot have shown, unless he set them up earlier. */
const beyondPassword = ['otp', 'mfa', 'hwk', 'swk'] as const

type MakingSession = Pick<SessionRecord, 'methods' | 'passwordMark' | 'upstream'>

/**
 * What a passkey or a connected account keeps of the session in which it was added: null if that
 * had shown more than a password; otherwise its mark of the password, or `unmarked`.
 *
 * A passkey proves nothing here, nor does a recovery code that came with one, nor an account at a
 * provider (`upstream`): a thief may have added it with the password a moment ago. Users without a
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
