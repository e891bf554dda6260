import { createHash } from 'node:crypto'
import { AuthError, invalidRequest } from '../errors.js'
import { bool, listOf, requireExpected, text } from '../lib/check-answer.js'
import {
  describeFailure,
  type HostCall,
  type HostFailure,
  UnexpectedAnswer,
  withTimeout,
} from '../lib/host-call.js'
import { isWellFormed } from '../lib/texts.js'
import type { AuthUser } from '../users/contract.js'
import type { FailClosedHasher } from './fail-closed-hasher.js'
import {
  type CheckedPasswordRules,
  minLengthFor,
  type PasswordReason,
  type PasswordRules,
} from './password-rules.js'

/** Whose password it will be. */
export interface PasswordOwner {
  /** Null for somebody who is not a user yet. */
  readonly user: AuthUser | null
  /** The names of somebody who registers. */
  readonly newcomer?: Pick<AuthUser, 'username' | 'name'>
  readonly email: string | null
  /** Whether the user has a second factor, or must have one. */
  readonly hasSecondFactor: boolean
  /** The name of the service for people. */
  readonly serviceName: string
  /** True: the check for leaked passwords does not run yet. */
  readonly withoutBreached?: boolean
}

/**
 * Resolves with why a new password is refused; with nothing if it is accepted. Rejects with 400 for
 * a value that is no text or has lone surrogates or a NUL, and with 503 if the host's part fails.
 */
export type JudgePassword = (
  plain: unknown,
  owner: PasswordOwner,
) => Promise<readonly PasswordReason[]>

export interface JudgingKit {
  readonly call: HostCall
  /** Knows which passwords it could compare only in part. */
  readonly hasher: Pick<FailClosedHasher, 'whyRefused' | 'unmatchable'>
  /** Called if `breached` failed, whether the password passes or not. */
  readonly onBreachCheckFailed: (failure: HostFailure) => void
}

/** Words of the host's that are compared. */
const maxContextWords = 100
const maxWordChars = 400

/** The whole password is judged. Only a password that is too long is refused unread. */
export function createJudgePassword(rules: CheckedPasswordRules, kit: JudgingKit): JudgePassword {
  const { hasher, onBreachCheckFailed } = kit
  const isCommon = createIsCommon(rules, kit)
  const contextOf = createContextOf(rules, kit)
  const isBreached =
    rules.breached === undefined ? null : createIsBreached(rules.breached, onBreachCheckFailed)

  function lengthReasons(plain: string, hasSecondFactor: boolean): PasswordReason[] {
    const length = lengthOf(plain)
    if (length > rules.maxLength || isCut(plain)) return ['too-long']
    return length < minLengthFor(rules, hasSecondFactor) ? ['too-short'] : []
  }

  function isCut(plain: string): boolean {
    const { unmatchable } = hasher
    return unmatchable !== null && hasher.whyRefused(plain, unmatchable) !== null
  }

  async function guessedReasons(plain: string, owner: PasswordOwner): Promise<PasswordReason[]> {
    const folded = fold(plain)
    const words = [...wordsOf(owner), ...(await contextOf(owner.user))]
    const reasons: PasswordReason[] = []
    const bare = withoutGaps(folded)
    const isGuessed = isRepeated(folded) || isRepeated(bare) || runsAlongKeys(bare)
    if (isGuessed || (await isCommon(folded))) reasons.push('common')
    if (consistsOfWord(folded, words)) reasons.push('context')
    return reasons
  }

  async function breachedReasons(plain: string): Promise<PasswordReason[]> {
    const answer = await isBreached?.(plain)
    if (answer === null && rules.breachedFailsClosed) throw breachCheckFailed()
    return answer === true ? ['breached'] : []
  }

  return async function judgePassword(plain, owner) {
    if (typeof plain !== 'string') throw notAPassword('expected string')
    // A character has one or two units; a text with more units is not read any further.
    if (plain.length > 2 * rules.maxLength) return ['too-long']
    requireText(plain)
    const ofLength = lengthReasons(plain, owner.hasSecondFactor)
    if (ofLength.includes('too-long')) return ofLength
    const reasons = [...ofLength, ...(await guessedReasons(plain, owner))]
    // A password that is refused anyway is not asked for elsewhere.
    if (reasons.length > 0 || owner.withoutBreached === true) return reasons
    return breachedReasons(plain)
  }
}

// Not every hasher takes a lone surrogate or NUL for a character of its own: other passwords would
// match as well.
function requireText(plain: string): void {
  if (!isWellFormed(plain)) throw notAPassword('lone surrogates')
  if (plain.includes('\0')) throw notAPassword('a NUL character')
}

function breachCheckFailed(): AuthError {
  const message = 'passwordRules.breached failed'
  return new AuthError('temporarily-unavailable', { message, retryAfter: 2 })
}

function createIsCommon(
  { blocklist }: CheckedPasswordRules,
  { call }: JudgingKit,
): (folded: string) => Promise<boolean> {
  if (blocklist === undefined) return async () => false
  return function isCommon(folded) {
    return call('passwordRules.blocklist', () => {
      const answer = typeof blocklist === 'function' ? blocklist(folded) : blocklist.has(folded)
      requireExpected(bool(answer))
      return answer
    })
  }
}

const wordList = listOf(text)

function createContextOf(
  { context }: CheckedPasswordRules,
  { call }: JudgingKit,
): (user: AuthUser | null) => Promise<readonly string[]> {
  return async function contextOf(user) {
    if (context === undefined || user === null) return []
    return call('passwordRules.context', () => {
      const words = context(user)
      requireExpected(wordList(words))
      return words.slice(0, maxContextWords).map((word) => word.slice(0, maxWordChars))
    })
  }
}

// A host's own names may have any length; a word that is longer than every password says nothing.
function wordsOf({ user, newcomer, email, serviceName }: PasswordOwner): readonly string[] {
  const local = email?.slice(0, email.lastIndexOf('@'))
  const named = user ?? newcomer
  const words = [serviceName, named?.username, named?.name, email, local]
  return words.flatMap((word) =>
    typeof word === 'string' && word.length <= maxWordChars ? [word] : [],
  )
}

function notAPassword(problem: string): AuthError {
  return invalidRequest([{ path: 'password', message: `Invalid input: ${problem}` }])
}

/** Characters that a password may have besides a word that is known of its user. */
const maxAdded = 4

/** A text in the form in which passwords and words are compared. */
function fold(text: string): string {
  return text.normalize('NFKC').toLowerCase().normalize('NFKC')
}

/**
 * Whether a text is one character or one run of them repeated, also with a last run that is cut:
 * `aaaa`, `abcabcab`. In linear time: the period follows from the longest beginning that is also
 * the end.
 */
function isRepeated(text: string): boolean {
  const characters = [...text]
  const period = characters.length - longestBorder(characters)
  return characters.length > 1 && period * 2 <= characters.length
}

/**
 * The rows that fingers run along: digits, the alphabet, and the rows of three layouts; both ways.
 */
const rows = [
  '123456789012345678901234567890',
  'abcdefghijklmnopqrstuvwxyz',
  'qwertyuiopasdfghjklzxcvbnm',
  'qwertzuiopasdfghjklyxcvbnm',
  'azertyuiopqsdfghjklmwxcvbn',
].flatMap((row) => [row, [...row].reverse().join('')])

/**
 * Whether a text consists of long runs along a row of keys: `123456789012345`, `qwertyuiopasdf`.
 * Five characters a run on average; words that somebody has chosen have hardly two.
 */
function runsAlongKeys(text: string): boolean {
  let runs = 0
  for (let at = 0; at < text.length; at += longestRun(text, at)) runs += 1
  return runs > 0 && text.length >= 5 * runs
}

function longestRun(text: string, from: number): number {
  const lengths = rows.map((row) => {
    const start = row.indexOf(text.charAt(from))
    let length = 0
    while (start >= 0 && from + length < text.length && row[start + length] === text[from + length])
      length += 1
    return length
  })
  return Math.max(1, ...lengths)
}

// Knuth, Morris, Pratt: the longest proper beginning that is also the end.
function longestBorder(characters: readonly string[]): number {
  const borders = [0]
  let border = 0
  for (let at = 1; at < characters.length; at += 1) {
    while (border > 0 && characters[at] !== characters[border]) border = borders[border - 1] ?? 0
    if (characters[at] === characters[border]) border += 1
    borders.push(border)
  }
  return border
}

/**
 * Whether a folded password is one of the words, with up to four characters added before or after
 * it. Blanks, dots, hyphens and underscores do not count, so that `ada.lovelace` is "Ada Lovelace".
 */
function consistsOfWord(folded: string, words: readonly string[]): boolean {
  const bare = withoutGaps(folded)
  return words.some((word) => {
    const known = fold(word)
    return isAlmost(folded, known) || isAlmost(bare, withoutGaps(known))
  })
}

function isAlmost(text: string, word: string): boolean {
  return word !== '' && lengthOf(text) - lengthOf(word) <= maxAdded && text.includes(word)
}

/** Without blanks, dots, hyphens and underscores. */
function withoutGaps(text: string): string {
  return text.replaceAll(/[\s._-]/g, '')
}

/** The number of code points. */
function lengthOf(text: string): number {
  let count = 0
  for (const _character of text) count += 1
  return count
}

/** Whether a password is among the leaked ones; null if that could not be found out. */
export type IsBreached = (plain: string) => Promise<boolean | null>

const timeoutMs = 1000
/** More than ten times the lines in a range of the largest public list. */
const maxLines = 10_000
const prefixDigits = 5
const line = /^([\dA-F]{35})(?::(\d{1,12}))?\s*$/i
const maxLineChars = 64

/**
 * Asks for the range of a password's SHA-1, and compares the rest of the hash here. A failure, no
 * answer within a second, and an answer that is no list of lines are null, and are reported.
 */
export function createIsBreached(
  breached: NonNullable<PasswordRules['breached']>,
  onFailure: (failure: HostFailure) => void,
): IsBreached {
  return async function isBreached(plain) {
    const hash = createHash('sha1').update(plain, 'utf8').digest('hex').toUpperCase()
    const [prefix, suffix] = [hash.slice(0, prefixDigits), hash.slice(prefixDigits)]
    try {
      return hasSuffix(await withTimeout(() => breached(prefix), timeoutMs), suffix)
    } catch (error) {
      onFailure(describeFailure('passwordRules.breached', error))
      return null
    }
  }
}

// All lines are read, wherever the match is: an answer that is garbage in part is not trusted.
function hasSuffix(lines: unknown, suffix: string): boolean {
  if (typeof lines !== 'object' || lines === null || !(Symbol.iterator in lines))
    throw new UnexpectedAnswer('the answer is not a list of lines')
  let count = 0
  let isFound = false
  for (const one of lines as Iterable<unknown>) {
    count += 1
    if (count > maxLines) throw new UnexpectedAnswer(`the answer has more than ${maxLines} lines`)
    // The end of a text that was split into lines.
    if (one === '') continue
    const { digits, times } = readLine(one)
    // Lines that only pad the answer have the count 0.
    if (digits === suffix && times > 0) isFound = true
  }
  return isFound
}

function readLine(given: unknown): { digits: string; times: number } {
  const found = typeof given === 'string' && given.length <= maxLineChars ? line.exec(given) : null
  if (found === null)
    throw new UnexpectedAnswer('a line of the answer is not 35 digits and a count')
  return { digits: (found[1] ?? '').toUpperCase(), times: Number(found[2] ?? 1) }
}
