import { createHmac } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { AuthConfigError, invalidRequest } from '../errors.js'
import { isWellFormed } from '../lib/well-formed.js'
import type { PasswordHasher } from './contract.js'
import { createHashingPool } from './hashing-pool.js'

/** Options of {@link bcryptHasher}. */
export interface BcryptHasherOptions {
  /** bcrypt's cost, a whole number from 10 to 15. Default 12, about 0.2 s of one core. */
  readonly cost?: number
  /**
   * The highest cost a stored hash may have, from `cost` to 15. Hashes above it cannot be read, and the event `password.unreadable` names
   * their users. Every answer takes as long as this cost does, so that the time says nothing. Default: `cost`.
   */
  readonly maxStoredCost?: number
  /** Worker threads. Default: as many as the machine has cores. */
  readonly threads?: number
  /**
   * Passwords that may wait for a thread; one more is answered with 503. Default: about 5 seconds of work. It is for hashers that you call
   * yourself: inside the router `maxPasswordWait` is reached first.
   */
  readonly maxQueue?: number
  /**
   * Turns on long passwords: what bcrypt sees is base64(HMAC-SHA-384(pepper, password)), so nothing is cut at 72 bytes, and a
   * stolen table is useless without the pepper. Such hashes begin with `hmac-sha384:`; plain ones keep working and are replaced
   * at the next login. Lose the pepper and every such password is lost. At least 32 random bytes, base64.
   */
  readonly prehash?: { readonly pepper: string }
  /** Where the compiled worker file lies, for hosts that bundle. Default: inside this package. */
  readonly workerUrl?: URL
  /** Allows a cost from 4 to 9, which a stolen table would not survive. For tests. Default false. */
  readonly dangerouslyAllowLowCost?: boolean
}

/** A {@link PasswordHasher} whose threads can be ended. Idle threads do not keep a process alive. */
export interface BcryptHasher extends PasswordHasher {
  canRead(hash: string): boolean
  /** The number of its threads. */
  readonly concurrency: number
  /** Lets running work finish and ends the threads. Whoever made the hasher closes it. */
  close(): Promise<void>
}

const optionNames = ['cost', 'maxStoredCost', 'threads', 'maxQueue', 'prehash', 'workerUrl', 'dangerouslyAllowLowCost']
const shape = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/
const prehashMark = 'hmac-sha384:'
const longestPassword = 72
// A stored cost is two digits of somebody's data: 31 would keep a thread busy for more than a day.
const highestCost = 15
const secondsOfWork = 5

/**
 * bcrypt (bcryptjs) in worker threads. Reads `$2a$`, `$2b$` and `$2y$` hashes of any origin.
 *
 * A password of more than 72 bytes, or with a NUL in it, is never right: bcrypt would compare only its beginning. Use
 * `prehash` to allow long ones.
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
  const { cost, maxStoredCost, threads, maxQueue, pepper } = checkOptions(options)
  const pool = createHashingPool({ threads, maxQueue, drainSeconds: secondsOfWork, workerUrl: options.workerUrl })
  // Null for a stored value that can never verify.
  function read(stored: unknown): { bcrypt: string; cost: number; prehashed: boolean } | null {
    if (typeof stored !== 'string') return null
    const prehashed = stored.startsWith(prehashMark)
    const bcrypt = prehashed ? stored.slice(prehashMark.length) : stored
    const found = Number(shape.exec(bcrypt)?.[1] ?? Number.NaN)
    const readable = found >= 4 && found <= maxStoredCost && (!prehashed || pepper !== null)
    return readable ? { bcrypt, cost: found, prehashed } : null
  }

  return {
    async hash(plain) {
      const password = asHashed(plain, pepper)
      if (password === null) throw unusablePassword()
      const bcrypt = await pool.hash({ password, cost })
      return pepper === null ? bcrypt : prehashMark + bcrypt
    },

    async verify(plain, stored) {
      const known = read(stored)
      const password = known === null ? null : asHashed(plain, known.prehashed ? pepper : null)
      // Whatever cannot be right is compared all the same: the answer must not come sooner.
      const hash = known?.bcrypt ?? unmatchable(cost)
      const matches = await pool.compare({ password: password ?? 'x', hash, workCost: maxStoredCost })
      return matches === true && password !== null
    },

    needsRehash(stored) {
      const known = read(stored)
      return known === null || known.cost < cost || known.prehashed !== (pepper !== null)
    },

    canRead: (stored) => read(stored) !== null,
    concurrency: threads,
    close: () => pool.close(),
  }
}

// What bcrypt is given for a password; null for one of which it would see only a part.
function asHashed(plain: unknown, pepper: Buffer | null): string | null {
  if (typeof plain !== 'string' || plain === '' || plain.includes('\0') || !isWellFormed(plain)) return null
  if (pepper !== null) return createHmac('sha384', pepper).update(plain, 'utf8').digest('base64')
  return Buffer.byteLength(plain) <= longestPassword ? plain : null
}

function unmatchable(cost: number): string {
  return `$2b$${String(cost).padStart(2, '0')}$${'.'.repeat(53)}`
}

function unusablePassword() {
  return invalidRequest([{ path: 'password', message: 'Use 1 to 72 bytes of text without NUL characters.' }])
}

function checkOptions(options: BcryptHasherOptions) {
  for (const name of Object.keys(options)) {
    if (!optionNames.includes(name))
      throw new AuthConfigError(`bcryptHasher.${name}`, 'is not an option.', `remove it; known: ${optionNames.join(', ')}.`)
  }
  const { cost = 12, dangerouslyAllowLowCost = false } = options
  const lowest = dangerouslyAllowLowCost === true ? 4 : 10
  requireWhole('cost', cost, lowest, highestCost, 'leave it out for 12')
  const maxStoredCost = options.maxStoredCost ?? cost
  requireWhole('maxStoredCost', maxStoredCost, cost, highestCost, 'leave it out for the same as cost')
  const threads = options.threads ?? availableParallelism()
  requireWhole('threads', threads, 1, 64, 'leave it out for one per core')
  // Measured: one hash at cost 10 takes about 50 ms of a core, and each step of cost doubles it.
  const perThread = secondsOfWork / (0.05 * 2 ** (Math.max(maxStoredCost, 10) - 10))
  const maxQueue = options.maxQueue ?? Math.max(1, Math.round(threads * perThread))
  requireWhole('maxQueue', maxQueue, 1, 100_000, 'leave it out for about 5 seconds of work')
  requireUrl(options.workerUrl)
  return { cost, maxStoredCost, threads, maxQueue, pepper: readPepper(options.prehash) }
}

function requireWhole(name: string, value: unknown, least: number, most: number, remedy: string): void {
  if (Number.isInteger(value) && (value as number) >= least && (value as number) <= most) return
  throw new AuthConfigError(`bcryptHasher.${name}`, `is not a whole number from ${least} to ${most}.`, `${remedy}.`)
}

function requireUrl(workerUrl: unknown): void {
  if (workerUrl === undefined || workerUrl instanceof URL) return
  throw new AuthConfigError(
    'bcryptHasher.workerUrl',
    'is not a URL object.',
    "pass new URL('./bcrypt-worker.js', import.meta.url).",
  )
}

function readPepper(prehashOption: unknown): Buffer | null {
  if (prehashOption === undefined) return null
  const text = (prehashOption as { pepper?: unknown } | null)?.pepper
  const pepper = typeof text === 'string' && /^[\w+/-]+={0,2}$/.test(text) ? Buffer.from(text, 'base64') : Buffer.alloc(0)
  if (pepper.length >= 32) return pepper
  throw new AuthConfigError(
    'bcryptHasher.prehash.pepper',
    'is not base64 of 32 bytes or more.',
    'make one: openssl rand -base64 32.',
  )
}
