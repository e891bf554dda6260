import { pbkdf2 as derivePbkdf2 } from 'node:crypto'
import { promisify } from 'node:util'
import { z } from 'zod'
import { checkOptions, fitting, optionsOf, whole } from '../../lib/check-options.js'
import type { PasswordReader, ReaderSetting } from '../contract.js'
import { fromBase64, fromHex, type SaltAndHash, saltAndHash, settingOf } from './stored-text.js'
import { inThreadPool } from './thread-pool.js'

/** Options of {@link pbkdf2}. */
export interface Pbkdf2Options {
  /**
   * The exact numbers of iterations in the table, 1 to 4 of them, each from 1,000 to 2,000,000.
   * Hashes with another number are not read.
   */
  readonly iterations: readonly number[]
  /** The hash function. Default `sha256`. */
  readonly digest?: 'sha1' | 'sha256' | 'sha512'
  /**
   * Bytes of the stored hash, from 16 to 1024. Default: the length of `digest`, 32 for `sha256`.
   * passport-local-mongoose stores 512.
   */
  readonly keyLength?: number
}

type Digest = NonNullable<Pbkdf2Options['digest']>

const derive = promisify(derivePbkdf2)
const bytesOf: Readonly<Record<Digest, number>> = { sha1: 20, sha256: 32, sha512: 64 }
/** Milliseconds of 1,000 iterations of one block, on a core of 2023. */
const pace: Readonly<Record<Digest, number>> = { sha1: 0.22, sha256: 0.22, sha512: 0.5 }

/**
 * Reads PBKDF2 hashes ([RFC 8018](https://www.rfc-editor.org/rfc/rfc8018#section-5.2)) in these
 * formats:
 *
 * - `pbkdf2_sha256$600000$<salt>$<base64>`: Django
 * - `pbkdf2:sha256:600000$<salt>$<hex>`: Werkzeug; use it also for passport-local-mongoose
 * - `$pbkdf2-sha256$27500$<base64 salt>$<base64>`: passlib; use it also for Keycloak
 *
 * If salt and hash are in two columns, the host joins them. Runs in Node's thread pool.
 *
 * @throws AuthConfigError for options that are missing or out of range
 *
 * @example
 * ```ts
 * import { bcryptHasher, combinedHasher, pbkdf2 } from 'messaging-auth-router'
 *
 * const passwords = combinedHasher({
 *   current: bcryptHasher(),
 *   legacy: [pbkdf2({ iterations: [260_000, 600_000] })],
 * })
 * ```
 */
export function pbkdf2(options: Pbkdf2Options): PasswordReader {
  const { iterations, digest, keyLength } = checkOptions(rules, options)
  const hashLength = keyLength ?? bytesOf[digest]
  return { settings: iterations.map((count) => settingFor(count, digest, hashLength)) }
}

function settingFor(iterations: number, digest: Digest, hashLength: number): ReaderSetting {
  const forms = formsOf(iterations, digest, hashLength)
  const blocks = Math.ceil(hashLength / bytesOf[digest])
  return {
    name: `pbkdf2-${digest}, ${iterations} iterations`,
    estimatedMs: (iterations / 1000) * blocks * pace[digest],
    ...settingOf({
      hashLength,
      read: (stored) => forms.map((form) => form(stored)).find((found) => found !== null) ?? null,
      derive: (password, salt) =>
        inThreadPool(() => derive(password, salt, iterations, hashLength, digest)),
    }),
  }
}

// Each format is recognised by its exact prefix with the cost, so that a stored text cannot decide
// the amount of work.
function formsOf(iterations: number, digest: Digest, hashLength: number) {
  const form =
    (beginning: string, saltOf: (text: string) => Buffer | null, hashOf: typeof fromHex) =>
    (stored: string): SaltAndHash | null => {
      if (!stored.startsWith(beginning)) return null
      const [salt, hash, more] = stored.slice(beginning.length).split('$', 3)
      if (salt === undefined || hash === undefined || more !== undefined) return null
      return saltAndHash(saltOf(salt), hashOf(hash), hashLength)
    }
  return [
    form(`pbkdf2_${digest}$${iterations}$`, asText, fromBase64),
    form(`pbkdf2:${digest}:${iterations}$`, asText, fromHex),
    form(`$pbkdf2-${digest}$${iterations}$`, fromBase64, fromBase64),
    form(`$pbkdf2-${digest}$i=${iterations}$`, fromBase64, fromBase64),
  ]
}

function asText(salt: string): Buffer {
  return Buffer.from(salt, 'utf8')
}

const rules = {
  factory: 'pbkdf2',
  schema: () =>
    optionsOf({
      iterations: z
        .array(whole(1000, 2_000_000))
        .min(1, { error: 'is empty.' })
        .max(4, { error: 'has more than 4 costs.' }),
      digest: fitting<Digest>(
        (value) => typeof value === 'string' && Object.hasOwn(bytesOf, value),
        'is none of sha1, sha256, sha512.',
      ).default('sha256'),
      keyLength: whole(16, 1024).optional(),
    }),
  remedies: {
    iterations: 'name the exact numbers that occur in the table, such as [600_000].',
    digest: 'leave it out for sha256.',
    keyLength: 'leave it out for the length of the digest.',
  },
}
