import { createHash, createHmac } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { AuthConfigError, invalidRequest } from '../errors.js'
import { checkOptions, fitting, flag, optionsOf, ownMembers, whole } from '../lib/check-options.js'
import { isWellFormed } from '../lib/texts.js'
import type { PasswordHasher } from './contract.js'
import { createHashingPool } from './hashing-pool.js'

/** Options of {@link bcryptHasher}. */
export interface BcryptHasherOptions {
  /** bcrypt's cost, a whole number from 10 to 15. Default 12, about 0.2 s of one core. */
  readonly cost?: number
  /**
   * The highest cost of stored hashes, from `cost` to 15. Hashes above it cannot be read; the event
   * `password.unreadable` names their users. Every check takes as long as this cost, so that the
   * time reveals nothing. Default: `cost`.
   */
  readonly maxStoredCost?: number
  /** Worker threads. Default: the number of cores. */
  readonly threads?: number
  /**
   * Allows long passwords: bcrypt hashes base64(HMAC-SHA-384(pepper, password)), so nothing is
   * truncated at 72 bytes, and a stolen table is useless without the pepper. Such hashes begin with
   * `hmac-sha384:`; plain hashes keep working and are replaced at the next login. Without the
   * pepper, all such passwords are lost. At least 32 random bytes, base64.
   */
  readonly prehash?: { readonly pepper: string }
  /**
   * bcrypt hashes the SHA-256 of the password in hexadecimal, as in the tables of Meteor and
   * Rocket.Chat. Adds `verifyDigest`, for clients that send the digest. Not together with
   * `prehash`. Cannot read a table of plain bcrypt hashes.
   */
  readonly preDigest?: 'sha256-hex'
  /**
   * Accepts plain hashes of passwords over 72 bytes by a library that truncated them: compares the
   * first 72 bytes, like that library, and then replaces the hash by one of the whole password.
   * Needs `prehash`. Default false: the login is refused, and `login.failed` has the reason
   * `password-over-72-bytes`.
   */
  readonly acceptTruncated?: boolean
  /** The compiled worker file, for hosts that bundle. Default: inside this package. */
  readonly workerUrl?: URL
  /**
   * Allows a cost from 4 to 9, which does not protect a stolen table. For tests. Default false.
   */
  readonly dangerouslyAllowLowCost?: boolean
}

/** A {@link PasswordHasher} with threads. Idle threads do not keep a process alive. */
export interface BcryptHasher extends PasswordHasher {
  canRead(hash: string): boolean
  /** The number of threads. */
  readonly concurrency: number
  readonly estimatedMs: number
  readonly unmatchable: string
  prepare(): void
  /** Lets running work finish and ends the threads. Call it if you have made the hasher. */
  close(): Promise<void>
}

const shape = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/
const prehashMark = 'hmac-sha384:'
const longestPassword = 72
// The stored cost is untrusted data: 31 would keep a thread busy for more than a day.
const highestCost = 15
const lowestSafeCost = 10
/** Milliseconds of cost 0, on a core of 2023. */
const costInMs = 0.05

/**
 * bcrypt (bcryptjs) in worker threads. Reads `$2a$`, `$2b$` and `$2y$` hashes of any origin.
 *
 * A password of more than 72 bytes, or with a NUL, never matches: bcrypt would compare only its
 * beginning. Use `prehash` to allow long passwords, and `acceptTruncated` for truncated old
 * passwords.
 *
 * @throws AuthConfigError for a cost outside 10-15 and other unusable options
 *
 * @example
 * ```ts
 * import { bcryptHasher } from 'messaging-auth-router'
 *
 * const passwords = bcryptHasher({ cost: 11, threads: 2 })
 * ```
 */
export function bcryptHasher(options: BcryptHasherOptions = {}): BcryptHasher {
  const settings = settingsOf(options)
  const { cost, maxStoredCost, threads, workerUrl, pepper, acceptTruncated, digests } = settings
  const plainForm = digests ? sha256Hex : null
  const ownForm = pepper === null ? plainForm : hmacOf(pepper)
  const pool = createHashingPool({ threads, workerUrl })

  // Null for a stored value that no password matches.
  function read(stored: unknown): { bcrypt: string; cost: number; prehashed: boolean } | null {
    if (typeof stored !== 'string') return null
    const prehashed = stored.startsWith(prehashMark)
    const bcrypt = prehashed ? stored.slice(prehashMark.length) : stored
    const found = Number(shape.exec(bcrypt)?.[1] ?? Number.NaN)
    const readable = found >= 4 && found <= maxStoredCost && (!prehashed || pepper !== null)
    return readable ? { bcrypt, cost: found, prehashed } : null
  }

  function judged(plain: unknown, prehashed: boolean): string | null {
    return asHashed(plain, prehashed ? ownForm : plainForm, acceptTruncated)
  }

  async function compare(password: string | null, hash: string): Promise<boolean> {
    // Compared even if it cannot match, so that the answer takes as long.
    const matches = await pool.compare({ password: password ?? 'x', hash, workCost: maxStoredCost })
    return matches === true && password !== null
  }

  return {
    async hash(plain) {
      const password = asHashed(plain, ownForm)
      if (password === null) throw unusablePassword()
      const bcrypt = await pool.hash({ password, cost })
      return pepper === null ? bcrypt : prehashMark + bcrypt
    },

    async verify(plain, stored) {
      const known = read(stored)
      const password = known === null ? null : judged(plain, known.prehashed)
      return compare(password, known?.bcrypt ?? unmatchable(cost))
    },

    ...(digests
      ? {
          async verifyDigest(digest: string, stored: string) {
            const known = read(stored)
            const usable = known !== null && /^[\da-f]{64}$/.test(digest)
            return compare(usable ? digest : null, known?.bcrypt ?? unmatchable(cost))
          },
        }
      : {}),

    needsRehash(stored) {
      const known = read(stored)
      return known === null || known.cost < cost || known.prehashed !== (pepper !== null)
    },

    canRead: (stored) => read(stored) !== null,
    whyRefused(plain, stored) {
      const known = read(stored)
      const comparable = known === null || judged(plain, known.prehashed) !== null
      return !comparable && asHashed(plain, null, true) !== null ? 'password-over-72-bytes' : null
    },
    concurrency: threads,
    estimatedMs: costInMs * 2 ** maxStoredCost,
    unmatchable: (pepper === null ? '' : prehashMark) + unmatchable(cost),
    prepare: () => pool.prepare(),
    close: () => pool.close(),
  }
}

/** The transformation of a password before bcrypt. */
type Form = (plain: string) => string

const sha256Hex: Form = (plain) => createHash('sha256').update(plain, 'utf8').digest('hex')

function hmacOf(pepper: Buffer): Form {
  return (plain) => createHmac('sha384', pepper).update(plain, 'utf8').digest('base64')
}

// The input of bcrypt for a password; null if bcrypt would read only a part of it.
function asHashed(plain: unknown, form: Form | null, mayBeCut = false): string | null {
  if (typeof plain !== 'string' || plain === '' || plain.includes('\0') || !isWellFormed(plain))
    return null
  if (form !== null) return form(plain)
  return mayBeCut || Buffer.byteLength(plain) <= longestPassword ? plain : null
}

function unmatchable(cost: number): string {
  return `$2b$${String(cost).padStart(2, '0')}$${'.'.repeat(53)}`
}

function unusablePassword() {
  return invalidRequest([
    { path: 'password', message: 'Use 1 to 72 bytes of text without NUL characters.' },
  ])
}

const rulesFrom = (lowestCost: number) => ({
  factory: 'bcryptHasher',
  schema: optionsOf({
    cost: whole(lowestCost, highestCost).default(12),
    maxStoredCost: whole(lowestCost, highestCost).optional(),
    threads: whole(1, 64).optional(),
    prehash: optionsOf({
      pepper: fitting<string>(isPepper, 'is not base64 of 32 bytes or more.'),
    }).optional(),
    preDigest: fitting<'sha256-hex'>(
      (value) => value === 'sha256-hex',
      'is not sha256-hex.',
    ).optional(),
    workerUrl: fitting<URL>((value) => value instanceof URL, 'is not a URL object.').optional(),
    acceptTruncated: flag().default(false),
    dangerouslyAllowLowCost: flag().default(false),
  }),
  remedies: {
    prehash: 'make a pepper: openssl rand -base64 32.',
    workerUrl: "pass new URL('./bcrypt-worker.js', import.meta.url).",
  },
})

function settingsOf(options: BcryptHasherOptions) {
  const isLowAllowed = ownMembers(options ?? {}).dangerouslyAllowLowCost === true
  const {
    cost,
    acceptTruncated,
    prehash,
    preDigest,
    workerUrl,
    maxStoredCost = cost,
    threads = availableParallelism(),
  } = checkOptions(rulesFrom(isLowAllowed ? 4 : lowestSafeCost), options)
  if (maxStoredCost < cost)
    throw new AuthConfigError(
      'bcryptHasher.maxStoredCost',
      `is ${maxStoredCost}, not a whole number from ${cost} to ${highestCost}.`,
      'leave it out for the same as cost.',
    )
  if (acceptTruncated && prehash === undefined)
    throw new AuthConfigError(
      'bcryptHasher.acceptTruncated',
      'needs prehash: the whole password could not be hashed afterwards.',
      'set prehash as well, or leave acceptTruncated out.',
    )
  if (preDigest !== undefined && prehash !== undefined)
    throw new AuthConfigError(
      'bcryptHasher.preDigest',
      'is set together with prehash: the hash would be of the one or of the other.',
      'leave one of them out; a digest cannot sign in to a prehashed password.',
    )
  const digests = preDigest !== undefined
  const pepper = prehash === undefined ? null : Buffer.from(prehash.pepper, 'base64')
  return { cost, maxStoredCost, threads, workerUrl, pepper, acceptTruncated, digests }
}

function isPepper(text: unknown): boolean {
  return (
    typeof text === 'string' &&
    /^[\w+/-]+={0,2}$/.test(text) &&
    Buffer.from(text, 'base64').length >= 32
  )
}
