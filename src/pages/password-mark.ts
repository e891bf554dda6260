import { equalInConstantTime } from '../lib/constant-time.js'
import { deriveKey } from '../lib/derive-key.js'
import { hmacSha256 } from '../lib/digest.js'
import type { AuthUser } from '../users/contract.js'

/**
 * Marks of passwords that were right: they say nothing of the hash, and fit no other one. 128 bits,
 * as 22 base64url characters.
 */
export interface PasswordMarker {
  markOf(user: Pick<AuthUser, 'id' | 'passwordHash'>): string
  /** Whether the user's password is the one that was marked. */
  fits(mark: string, user: Pick<AuthUser, 'id' | 'passwordHash'>): boolean
}

/** Makes what marks passwords. The first key marks, all of them check. */
export function createPasswordMarker(encryptionKeys: readonly Buffer[]): PasswordMarker {
  const keys = encryptionKeys.map((key) => deriveKey('password-mark', key))
  const [marking] = keys as [Buffer, ...Buffer[]]
  return {
    markOf: (user) => markUnder(marking, user),
    fits: (mark, user) => keys.some((key) => equalInConstantTime(mark, markUnder(key, user))),
  }
}

// As JSON, so that no id and hash make the text of another pair.
function markUnder(key: Buffer, { id, passwordHash }: Pick<AuthUser, 'id' | 'passwordHash'>) {
  const whole = hmacSha256(key, JSON.stringify([id, passwordHash]))
  return Buffer.from(whole, 'base64url').subarray(0, 16).toString('base64url')
}
