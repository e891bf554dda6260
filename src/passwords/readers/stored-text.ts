import { timingSafeEqual } from 'node:crypto'
import { isWellFormed } from '../../lib/well-formed.js'
import type { ReaderSetting } from '../reader-contract.js'

/** The longest stored text that a reader looks at: 512 bytes of hash in hexadecimal fit. */
const longestStoredText = 2048
/** Bytes of a salt; real ones have 8 to 64. */
const longestSalt = 256
/** Characters of a password; a body of 8 KiB holds no more. */
const longestPassword = 8192

/** What a stored text says: salt and hash, as bytes. */
export interface SaltAndHash {
  readonly salt: Buffer
  readonly hash: Buffer
}

/** Whether a value is text that may be looked at. */
export function isStoredText(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.length <= longestStoredText
}

/** The password as it is worked on; null for one that can never be right. */
export function usablePassword(plain: unknown): string | null {
  const fits = typeof plain === 'string' && plain !== '' && plain.length <= longestPassword
  return fits && isWellFormed(plain) ? plain : null
}

/** Base64 with or without padding, with `.` for `+` where a tool writes that; null for the rest. */
export function fromBase64(text: string): Buffer | null {
  if (!/^[\w+/.-]*={0,2}$/.test(text)) return null
  const bytes = Buffer.from(text.replaceAll('.', '+'), 'base64')
  // Node leaves out what it cannot read; text that says something else than its bytes is damaged.
  const length = text.replace(/={1,2}$/, '').length
  return bytes.length === Math.floor((length * 3) / 4) && length % 4 !== 1 ? bytes : null
}

/** Pairs of hexadecimal digits; null for the rest. */
export function fromHex(text: string): Buffer | null {
  return /^(?:[\da-f]{2})+$/i.test(text) ? Buffer.from(text, 'hex') : null
}

/** Salt and hash, if both are there, the salt is not absurd and the hash as long as it must be. */
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
  /** Reads a stored text; null where it is of another format or cost. */
  read(stored: string): SaltAndHash | null
  /** Bytes of the hash. */
  readonly hashLength: number
  derive(password: string, salt: Buffer): Promise<Buffer>
}

/**
 * The two functions of a setting. What cannot be right is worked on all the same, with a salt and a
 * hash that belong to no user.
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
