import { decodeBase32 } from '../lib/typed-codes.js'
import { stepAt, totpAt } from '../two-factor/totp.js'

/**
 * The code an authenticator app shows for a base32 secret at a moment: what a test types into
 * `code`.
 *
 * @throws TypeError when the secret is not base32
 *
 * @example
 * ```ts
 * import { totpCode } from 'messaging-auth-router/testing'
 *
 * const code = totpCode('GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ', new Date())
 * ```
 */
export function totpCode(secret: string, at: Date = new Date()): string {
  const seed = decodeBase32(secret)
  if (seed === null) throw new TypeError('the secret is not base32')
  return totpAt(seed, stepAt(at))
}
