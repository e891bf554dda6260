import { createHash } from 'node:crypto'
import {
  describeFailure,
  type HostFailure,
  UnexpectedAnswer,
  withTimeout,
} from '../lib/host-call.js'
import type { PasswordRules } from './password-rules.js'

/** Whether a password is among the leaked ones; null if that could not be found out. */
export type IsBreached = (plain: string) => Promise<boolean | null>

const timeoutMs = 1000
/** More than ten times what a range of the largest public list has. */
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
