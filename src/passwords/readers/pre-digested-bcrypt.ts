import { createHash } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { AuthConfigError } from '../../errors.js'
import { checkOptions, fitting, optionsOf, whole } from '../../lib/check-options.js'
import type { PasswordReader } from '../contract.js'
import { createHashingPool } from '../hashing-pool.js'
import { isStoredText, usablePassword } from './stored-text.js'

/** The digest of the password that bcrypt hashes. */
export type PasswordDigest = 'sha256-hex' | 'sha512-hex'

/** Options of {@link preDigestedBcrypt}. */
export interface PreDigestedBcryptOptions {
  /**
   * The highest cost in the table, from 4 to 15. Hashes above it are not read; hashes below it take
   * as long. Default 10 for `sha256-hex`, as in Meteor, and 12 for `sha512-hex`, as in NodeBB.
   */
  readonly maxStoredCost?: number
  /** Worker threads, 1-64. Default: the number of cores. */
  readonly threads?: number
  /** The compiled worker file, for hosts that bundle. Default: inside this package. */
  readonly workerUrl?: URL
}

const kinds = {
  'sha256-hex': { algorithm: 'sha256', looksLike: /^[\da-f]{64}$/i, cost: 10 },
  'sha512-hex': { algorithm: 'sha512', looksLike: /^[\da-f]{128}$/i, cost: 12 },
} as const satisfies Record<PasswordDigest, object>

const shape = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/

/**
 * Reads bcrypt hashes of the hexadecimal digest of a password: `sha256-hex` for Meteor and
 * Rocket.Chat, `sha512-hex` for NodeBB. Of the 128 digits of the second, bcrypt uses the first 72,
 * as in NodeBB.
 *
 * They look like any bcrypt hash. Together with `bcryptHasher` as `current`, both interpretations
 * are tried, and a password that looks like such a digest is only compared as a digest.
 *
 * @throws AuthConfigError for another digest and for unusable options
 *
 * @example
 * ```ts
 * import { bcryptHasher, combinedHasher, preDigestedBcrypt } from 'messaging-auth-router'
 *
 * const passwords = combinedHasher({
 *   current: bcryptHasher(),
 *   legacy: [preDigestedBcrypt('sha256-hex')],
 * })
 * ```
 */
export function preDigestedBcrypt(
  digest: PasswordDigest,
  options: PreDigestedBcryptOptions = {},
): PasswordReader {
  if (typeof digest !== 'string' || !Object.hasOwn(kinds, digest))
    throw new AuthConfigError(
      'preDigestedBcrypt',
      'knows no such digest.',
      "pass 'sha256-hex' for Meteor and Rocket.Chat, 'sha512-hex' for NodeBB.",
    )
  const { algorithm, looksLike, cost } = kinds[digest]
  const settings = checkOptions(rules, options)
  const { maxStoredCost = cost, threads = availableParallelism(), workerUrl } = settings
  const pool = createHashingPool({ threads, workerUrl })
  const nobody = `$2b$${String(maxStoredCost).padStart(2, '0')}$${'.'.repeat(53)}`

  function canRead(stored: unknown): stored is string {
    const found = isStoredText(stored) ? Number(shape.exec(stored)?.[1] ?? Number.NaN) : Number.NaN
    return found >= 4 && found <= maxStoredCost
  }

  const setting = {
    name: `bcrypt of ${digest}, cost ${maxStoredCost}`,
    estimatedMs: 0.05 * 2 ** maxStoredCost,
    canRead,
    async verify(plain: string, stored: string | null) {
      const password = usablePassword(plain)
      const known = canRead(stored)
      const matches = await pool.compare({
        password: createHash(algorithm)
          .update(password ?? 'x', 'utf8')
          .digest('hex'),
        hash: known ? stored : nobody,
        workCost: maxStoredCost,
      })
      return matches === true && known && password !== null
    },
    looksLikeDigest: (plain: string) => looksLike.test(plain),
  }
  return { settings: [setting], close: () => pool.close() }
}

const rules = {
  factory: 'preDigestedBcrypt',
  schema: () =>
    optionsOf({
      maxStoredCost: whole(4, 15).optional(),
      threads: whole(1, 64).optional(),
      workerUrl: fitting<URL>((value) => value instanceof URL, 'is not a URL object.').optional(),
    }),
  remedies: { workerUrl: "pass new URL('./bcrypt-worker.js', import.meta.url)." },
}
