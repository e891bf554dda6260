import { AuthConfigError } from '../errors.js'
import { doAll } from './mistakes.js'

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
