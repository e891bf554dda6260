import { AuthConfigError } from '../errors.js'
import {
  callable,
  checkOptions,
  type Filled,
  fitting,
  flag,
  optionsOf,
  whole,
} from '../lib/check-options.js'
import type { AuthUser } from '../users/contract.js'

/** Why a new password is refused. `known`: it is the one that must be changed. */
export type PasswordReason = 'too-short' | 'too-long' | 'common' | 'context' | 'breached' | 'known'

/**
 * The rules for new passwords
 * ([SP 800-63B-4 §3.1.1.2](https://pages.nist.gov/800-63-4/sp800-63b.html#passwordver)). They ask
 * for no kinds of characters. Passwords that are stored already keep working.
 *
 * Always refused: the name of the service, the user's names, the user's address and the part before
 * its `@`, each also with up to four characters added; and one character or one run of characters
 * repeated.
 *
 * @example
 * ```ts
 * import type { PasswordRules } from 'messaging-auth-router'
 *
 * declare const commonPasswords: readonly string[] // in lower case
 * const rules: PasswordRules = {
 *   blocklist: new Set(commonPasswords),
 *   async breached(prefix5) {
 *     const answer = await fetch(`https://api.pwnedpasswords.com/range/${prefix5}`)
 *     return (await answer.text()).split('\n')
 *   },
 * }
 * ```
 */
export interface PasswordRules {
  /** The least number of characters, 8-64. Default 15. */
  readonly minLength?: number
  /**
   * The least number of characters for a user who has a second factor, or must have one: from 8 to
   * `minLength`. Default 8.
   */
  readonly minLengthWithSecondFactor?: number
  /**
   * The greatest number of characters, 64-1024. Default 256. A password that the hasher would
   * compare only in part is too long as well: for bcrypt without `prehash`, more than 72 bytes.
   */
  readonly maxLength?: number
  /**
   * Common passwords: a set, or a function that answers true for one of them. Both are asked for
   * the password in Unicode form NFKC and in lower case. Default: none.
   */
  readonly blocklist?: ReadonlySet<string> | ((folded: string) => boolean)
  /**
   * Looks for the password among leaked ones. It is given the first five hexadecimal digits of the
   * SHA-1, in capitals, and answers the lines for it, up to 10,000: the other 35 digits, and `:`
   * with a count, where 0 is no match. Neither the password nor the rest of its hash leaves the
   * router. An answer that takes longer than a second is an outage. Default: passwords are not
   * looked up.
   */
  readonly breached?: (prefix5: string) => Promise<Iterable<string>>
  /**
   * The effect of an outage of `breached`: true answers 503; false lets the password pass, and
   * raises the event `password.breach-check-failed`. Default false.
   */
  readonly breachedFailsClosed?: boolean
  /**
   * Looks for the password of a successful login, too, at most once a day for each user. A match
   * raises the event `password.breached`; with `'change'`, the user must also set another one
   * before the session opens anything, which needs `requirePasswordChange` of your users. Default
   * false.
   */
  readonly checkAtLogin?: boolean | 'change'
  /**
   * More words that a password of this user must not consist of, up to 100: a nickname, the name of
   * a team. Default: none.
   */
  readonly context?: (user: AuthUser) => readonly string[]
}

/** {@link PasswordRules}, checked and with defaults. */
export type CheckedPasswordRules = Filled<PasswordRules, 'blocklist' | 'breached' | 'context'>

const least = 8
const mostOfLeast = 64
const leastOfMost = 64
const most = 1024
const factory = 'accounts.passwordRules'

const isBlocklist = (value: unknown) =>
  typeof value === 'function' ||
  typeof (value as { has?: unknown } | null | undefined)?.has === 'function'

const shape = {
  minLength: whole(least, mostOfLeast).default(15),
  minLengthWithSecondFactor: whole(least, mostOfLeast).default(least),
  maxLength: whole(leastOfMost, most).default(256),
  blocklist: fitting<NonNullable<PasswordRules['blocklist']>>(
    isBlocklist,
    'is neither a Set nor a function.',
  ).optional(),
  breached: callable<NonNullable<PasswordRules['breached']>>().optional(),
  breachedFailsClosed: flag().default(false),
  checkAtLogin: fitting<boolean | 'change'>(
    (value) => typeof value === 'boolean' || value === 'change',
    "is neither true, false nor 'change'.",
  ).default(false),
  context: callable<NonNullable<PasswordRules['context']>>().optional(),
} satisfies Record<keyof PasswordRules, unknown>

const remedies: Readonly<Partial<Record<keyof PasswordRules, string>>> = {
  blocklist: 'pass new Set(list), or a function that answers true for a common password.',
  breached: 'pass a function of five digits that resolves with lines.',
  context: 'pass a function of the user that answers a list of words.',
}

/**
 * Checks the option and fills in its defaults.
 *
 * @throws AuthConfigError with every member that is unknown or unusable
 */
export function checkPasswordRules(given: unknown): CheckedPasswordRules {
  const checked = checkOptions({ factory, schema: optionsOf(shape), remedies }, given)
  const { minLength, minLengthWithSecondFactor, checkAtLogin, breached } = checked
  if (minLengthWithSecondFactor > minLength)
    throw new AuthConfigError(
      `${factory}.minLengthWithSecondFactor`,
      `is ${minLengthWithSecondFactor}, more than minLength, which is ${minLength}.`,
      'leave it out for 8.',
    )
  if (checkAtLogin !== false && breached === undefined)
    throw new AuthConfigError(
      `${factory}.checkAtLogin`,
      'has nothing to look in.',
      'set breached as well, or leave it out.',
    )
  return checked
}

/** The least number of characters for a user with, or without, a second factor. */
export function minLengthFor(
  rules: Pick<CheckedPasswordRules, 'minLength' | 'minLengthWithSecondFactor'>,
  hasSecondFactor: boolean,
): number {
  return hasSecondFactor ? rules.minLengthWithSecondFactor : rules.minLength
}
