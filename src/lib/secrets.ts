import { createHmac, hash, hkdfSync, randomFillSync, timingSafeEqual } from 'node:crypto'
import { AuthConfigError } from '../errors.js'
import { doAll } from './mistakes.js'

// A call of the generator costs as much as hashing ten kilobytes, so one call serves many values,
// like in `randomUUID` of Node. Each byte is used once and erased.
const pool = Buffer.alloc(4096)
let used = pool.length

/** A secret of 256 random bits as 43 base64url characters. */
export function randomSecret(): string {
  return randomText(32)
}

/**
 * An identifier of 128 random bits as 22 base64url characters: unguessable, but not a credential.
 */
export function randomId(): string {
  return randomText(16)
}

function randomText(bytes: number): string {
  if (used + bytes > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const from = used
  used += bytes
  const text = pool.toString('base64url', from, used)
  pool.fill(0, from, used)
  return text
}

/** SHA-256 as 43 base64url characters. All random secrets are stored and looked up by it. */
export function sha256(text: string): string {
  return hash('sha256', text, 'base64url')
}

/**
 * HMAC-SHA-256 as 43 base64url characters, for values that could be guessed from a plain digest.
 */
export function hmacSha256(key: Buffer, text: string): string {
  return createHmac('sha256', key).update(text, 'utf8').digest('base64url')
}

/**
 * The key for one purpose. Each purpose has its own, so that a leak of one reveals nothing about
 * the others (ASVS V11.2.2). Without an encryption key, everybody can compute it.
 */
export function deriveKey(purpose: string, encryptionKey: Buffer | undefined): Buffer {
  const info = `messaging-auth-router:${purpose}`
  return Buffer.from(hkdfSync('sha256', encryptionKey ?? '', '', info, 32))
}

/**
 * Compares two strings in a time that depends only on their lengths. Hashes both first, because
 * `timingSafeEqual` throws for different lengths, and an early return would reveal the length.
 */
export function equalInConstantTime(left: string, right: string): boolean {
  return timingSafeEqual(digest(left), digest(right))
}

function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer')
}

const digestLength = 43
const one = Buffer.alloc(digestLength)
const other = Buffer.alloc(digestLength)

/**
 * Compares two results of `sha256` in constant time. Nobody can choose their beginning, so they are
 * not hashed again, which would be most of the cost in a guard.
 */
export function equalDigests(left: string, right: string): boolean {
  if (left.length !== digestLength || right.length !== digestLength) return false
  one.write(left, 'latin1')
  other.write(right, 'latin1')
  // The buffers keep one byte of each character, so wider characters are compared here.
  return timingSafeEqual(one, other) && left === right
}

/** The remedy for an unusable encryption key. */
export const encryptionKeyRemedy: string =
  'pass [key], where key is 32 random bytes in base64: openssl rand -base64 32.'

/**
 * Decodes encryption keys, 32 bytes each in base64. Throws {@link AuthConfigError}, which names
 * each unusable one.
 */
export function decodeEncryptionKeys(keys: readonly unknown[], option: string): Buffer[] {
  return doAll<Buffer[]>(
    ...keys.flatMap(eachOf).map((key, index) => () => decodeOne(key, `${option}[${index}]`)),
  )
}

// One environment variable may hold several, separated by commas.
function eachOf(key: unknown): readonly unknown[] {
  return typeof key === 'string' ? key.split(',').map((one) => one.trim()) : [key]
}

function decodeOne(key: unknown, option: string): Buffer {
  if (key === undefined || key === '') {
    throw new AuthConfigError(
      option,
      `is ${key === '' ? 'empty' : key}: is an environment variable not set?`,
      encryptionKeyRemedy,
    )
  }
  const isBase64 = typeof key === 'string' && /^[A-Za-z0-9+/_-]+={0,2}$/.test(key)
  const bytes = isBase64 ? Buffer.from(key, 'base64') : Buffer.alloc(0)
  if (bytes.length !== 32)
    throw new AuthConfigError(option, 'is not base64 of exactly 32 bytes.', encryptionKeyRemedy)
  if (bytes.every((byte) => byte === bytes[0]))
    throw new AuthConfigError(option, 'is one byte repeated.', encryptionKeyRemedy)
  return bytes
}
