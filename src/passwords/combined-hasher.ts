import { z } from 'zod'
import { AuthConfigError, invalidRequest } from '../errors.js'
import { boundedCache } from '../lib/bounded-cache.js'
import { checkOptions, fitting, optionsOf, systemClock, withMethods } from '../lib/check-options.js'
import { randomSecret, sha256 } from '../lib/secrets.js'
import type { PasswordHasher, PasswordReader, ReaderSetting } from './contract.js'
import { isStoredText } from './readers/stored-text.js'

/** Options of {@link combinedHasher}. */
export interface CombinedHasherOptions {
  /** Makes every new hash, and reads its own. */
  readonly current: PasswordHasher
  /** Readers of the other hashes in the table, with at most 4 settings (costs) in all. */
  readonly legacy: readonly PasswordReader[]
  /**
   * `even` (default): every login does the work of each setting once, so that its time reveals
   * neither whether a user exists nor who has an old hash. `fast`: only the settings that can read
   * the stored hash do work, so the time reveals which accounts have an old one. Use it during a
   * migration whose sum of costs is too high.
   */
  readonly timing?: 'even' | 'fast'
}

/** A {@link PasswordHasher} that reads the hashes of several systems. */
export interface CombinedHasher extends PasswordHasher {
  canRead(hash: string): boolean
  /** Ends the threads of `current` and of the readers. */
  close(): Promise<void>
}

const mostSettings = 4
const longestLoginMs = 2000
// How long a match of a reader is remembered: from the comparison to the rehash of the same login.
const rememberedSeconds = 300
const mostRemembered = 10_000

/**
 * Reads existing password hashes by their format, and makes new hashes with `current`. At the next
 * successful login of a user, `users.updatePasswordHash` replaces the old hash. Users keep their
 * passwords.
 *
 * Every login costs the sum of all settings. Remove a reader when the table has none of its hashes
 * any more.
 *
 * @throws AuthConfigError for more than 4 settings, for logins of more than an estimated 2 s of one
 * core, and for other unusable options
 *
 * @example
 * ```ts
 * import { bcryptHasher, combinedHasher, pbkdf2, preDigestedBcrypt } from 'messaging-auth-router'
 *
 * const passwords = combinedHasher({
 *   current: bcryptHasher(),
 *   legacy: [preDigestedBcrypt('sha256-hex'), pbkdf2({ iterations: [600_000] })],
 * })
 * ```
 */
export function combinedHasher(options: CombinedHasherOptions): CombinedHasher {
  const { current, legacy, timing } = checkOptions(rules, options)
  const settings = legacy.flatMap((reader) => reader.settings)
  checkCosts(current, settings, timing)
  const even = timing === 'even'
  const dummyHash = createDummyHash(current)
  // A bcrypt text does not tell which text was hashed: only a comparison shows that it belongs to a
  // reader and must be replaced.
  const provenOld = boundedCache<true>(mostRemembered, rememberedSeconds)

  const isOld = (stored: string) => settings.some(({ canRead }) => canRead(stored))
  function isCurrent(stored: string): boolean {
    return current.canRead === undefined ? !isOld(stored) : current.canRead(stored)
  }
  function mayBeDigest(plain: string, stored: string): boolean {
    return settings.some((one) => one.looksLikeDigest?.(plain) === true && one.canRead(stored))
  }

  async function compareCurrent(plain: string, stored: string | null, dummy: string) {
    const readable = stored !== null && isCurrent(stored) && !mayBeDigest(plain, stored)
    if (!even && !readable && stored !== null && isOld(stored)) return false
    const right = await current.verify(plain, readable ? stored : dummy)
    return right === true && readable
  }

  async function compareOld(one: ReaderSetting, plain: string, stored: string | null) {
    const readable = stored !== null && one.canRead(stored)
    if (!even && !readable) return false
    const right = await one.verify(plain, readable ? stored : null)
    if (right !== true || !readable) return false
    provenOld.set(sha256(stored), true, systemClock())
    return true
  }

  return {
    async hash(plain) {
      const hashed = await current.hash(plain)
      // A later check would refuse it: such a text is only compared as a digest.
      if (mayBeDigest(plain, hashed)) throw digestAsPassword()
      return hashed
    },

    async verify(plain, given) {
      const stored = isStoredText(given) ? given : null
      // The dummy is made before the stored text is read, so that the first login waits for it with
      // any user.
      const dummy = await dummyHash()
      let matches = await compareCurrent(plain, stored, dummy)
      for (const one of settings) matches = (await compareOld(one, plain, stored)) || matches
      return matches
    },

    ...digestPort({ current, settings, even, isCurrent, dummyHash }),

    needsRehash: (stored) =>
      !isCurrent(stored) ||
      current.needsRehash(stored) ||
      provenOld.get(sha256(stored), systemClock()) === true,
    canRead: (stored) => isStoredText(stored) && (isCurrent(stored) || isOld(stored)),
    whyRefused: (plain, stored) =>
      isCurrent(stored) ? (current.whyRefused?.(plain, stored) ?? null) : null,
    ...(current.concurrency === undefined ? {} : { concurrency: current.concurrency }),
    ...(current.unmatchable === undefined ? {} : { unmatchable: current.unmatchable }),
    prepare: () => current.prepare?.(),
    async close() {
      await Promise.all([current, ...legacy].map((part) => closeOf(part)))
    },
  }
}

interface DigestHashing {
  readonly current: PasswordHasher
  readonly settings: readonly ReaderSetting[]
  readonly even: boolean
  readonly isCurrent: (stored: string) => boolean
  readonly dummyHash: () => Promise<string>
}

// Accepts digests if `current` does. Readers need the password itself, so for a digest they only
// spend the time.
function digestPort({ current, settings, even, isCurrent, dummyHash }: DigestHashing) {
  if (current.verifyDigest === undefined) return {}
  return {
    async verifyDigest(digest: string, given: string): Promise<boolean> {
      const stored = isStoredText(given) ? given : null
      const dummy = await dummyHash()
      const readable = stored !== null && isCurrent(stored)
      const right = await current.verifyDigest?.(digest, readable ? stored : dummy)
      if (even) for (const one of settings) await one.verify(digest, null)
      return right === true && readable
    },
  }
}

async function closeOf(part: object): Promise<void> {
  const { close } = part as { close?: unknown }
  if (typeof close === 'function') await close.call(part)
}

// A hash that no password matches, for `current` to work on. It is made once if `current` has none,
// and again after a failure.
function createDummyHash(current: PasswordHasher): () => Promise<string> {
  const { unmatchable } = current
  if (unmatchable !== undefined) return async () => unmatchable
  let pending: Promise<string> | undefined
  return function dummyHash() {
    pending ??= current.hash(randomSecret()).catch((error: unknown) => {
      pending = undefined
      throw error
    })
    return pending
  }
}

function checkCosts(
  current: PasswordHasher,
  settings: readonly ReaderSetting[],
  timing: 'even' | 'fast',
): void {
  if (settings.length > mostSettings)
    throw new AuthConfigError(
      'combinedHasher.legacy',
      `has ${settings.length} settings, more than ${mostSettings}.`,
      'name only the costs that most users have; the others reset their passwords.',
    )
  const own = current.estimatedMs ?? 0
  const sum = settings.reduce((ms, { estimatedMs }) => ms + estimatedMs, own)
  if (timing === 'fast' || sum <= longestLoginMs) return
  const parts = settings.map(({ name, estimatedMs }) => `${name}: ${Math.round(estimatedMs)} ms`)
  throw new AuthConfigError(
    'combinedHasher.legacy',
    `makes every login cost about ${Math.round(sum)} ms of one core, more than ${longestLoginMs} ` +
      `(current: ${Math.round(own)} ms; ${parts.join('; ')}).`,
    "name fewer costs, or set timing: 'fast' for the time of the migration.",
  )
}

function digestAsPassword() {
  return invalidRequest([
    { path: 'password', message: 'Use a password that is not a digest in hexadecimal.' },
  ])
}

const isReader = (value: unknown) => {
  const settings = (value as Partial<PasswordReader> | null | undefined)?.settings
  return Array.isArray(settings) && settings.length > 0 && settings.every(isSetting)
}
const isSetting = ({ canRead, verify, estimatedMs, name }: Partial<ReaderSetting>) =>
  typeof canRead === 'function' &&
  typeof verify === 'function' &&
  typeof name === 'string' &&
  typeof estimatedMs === 'number' &&
  estimatedMs >= 0

const rules = {
  factory: 'combinedHasher',
  schema: optionsOf({
    current: withMethods<PasswordHasher>('hash', 'verify', 'needsRehash'),
    legacy: z
      .array(fitting<PasswordReader>(isReader, 'is not a reader.'))
      .min(1, { error: 'is empty.' }),
    timing: fitting<'even' | 'fast'>(
      (value) => value === 'even' || value === 'fast',
      'is neither even nor fast.',
    ).default('even'),
  }),
  remedies: {
    current: 'pass bcryptHasher().',
    legacy:
      'pass readers, such as [pbkdf2({ iterations: [600_000] })]; with none, use current alone.',
    timing: "leave it out for 'even'.",
  },
}
