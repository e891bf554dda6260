import { timingSafeEqual } from 'node:crypto'
import { isWellFormed } from '../../lib/texts.js'
import type { ReaderSetting } from '../contract.js'

/** Characters of a stored text; enough for 512 bytes of hash in hexadecimal. */
const longestStoredText = 2048
/** Maximum bytes of a salt; real ones have 8 to 64. */
const longestSalt = 256
/** Characters of a password; a body of 8 KiB has no more. */
const longestPassword = 8192

/** Salt and hash of a stored text, in bytes. */
export interface SaltAndHash {
  readonly salt: Buffer
  readonly hash: Buffer
}

/** Whether a value is a text of acceptable length. */
export function isStoredText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= longestStoredText
}

/** The password; null for a password that can never match. */
export function usablePassword(plain: unknown): string | null {
  const fits = typeof plain === 'string' && plain !== '' && plain.length <= longestPassword
  return fits && isWellFormed(plain) ? plain : null
}

/** Decodes base64 with or without padding, also with `.` for `+`; null for any other text. */
export function fromBase64(text: string): Buffer | null {
  if (!/^[\w+/.-]*={0,2}$/.test(text)) return null
  const bytes = Buffer.from(text.replaceAll('.', '+'), 'base64')
  // Node skips invalid characters; a text that does not match its bytes is damaged.
  const length = text.replace(/={1,2}$/, '').length
  return bytes.length === Math.floor((length * 3) / 4) && length % 4 !== 1 ? bytes : null
}

/** Decodes pairs of hexadecimal digits; null for any other text. */
export function fromHex(text: string): Buffer | null {
  return /^(?:[\da-f]{2})+$/i.test(text) ? Buffer.from(text, 'hex') : null
}

/** Salt and hash, if both exist, the salt is not too long and the hash has the right length. */
export function saltAndHash(
  salt: Buffer | null,
  hash: Buffer | null,
  hashLength: number,
): SaltAndHash | null {
  if (salt === null || hash === null) return null
  const fits = salt.length > 0 && salt.length <= longestSalt && hash.length === hashLength
  return fits ? { salt, hash } : null
}

/** The work of one setting: derive, then compare in constant time. */
export interface Derivation {
  /** Reads a stored text; null for another format or cost. */
  read(stored: string): SaltAndHash | null
  /** Bytes of the hash. */
  readonly hashLength: number
  derive(password: string, salt: Buffer): Promise<Buffer>
}

/**
 * The two functions of a setting. A password that cannot match causes the same work, with a dummy
 * salt and hash.
 */
export function settingOf({
  read,
  hashLength,
  derive,
}: Derivation): Pick<ReaderSetting, 'canRead' | 'verify'> {
  const nobody = { salt: Buffer.alloc(16, 1), hash: Buffer.alloc(hashLength) }
  const readBounded = (stored: unknown) => (isStoredText(stored) ? read(stored) : null)
  return {
    canRead: (stored: string) => readBounded(stored) !== null,
    async verify(plain: string, stored: string | null): Promise<boolean> {
      const known = readBounded(stored)
      const password = usablePassword(plain)
      const { salt, hash } = known ?? nobody
      const derived = await derive(password ?? 'x', salt)
      const equal = derived.length === hash.length && timingSafeEqual(derived, hash)
      return equal && known !== null && password !== null
    },
  }
}
