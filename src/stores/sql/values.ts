import { isWellFormed } from '../../lib/texts.js'
import type { KeyValue, MomentValue } from '../rows/members.js'

/** The most bytes of an id or hash: what an index of every engine holds. */
const maxKeyBytes = 1024
/** The most characters of a text column: within 64 KiB on MySQL, whatever they are. */
const maxTextLength = 16_000

/**
 * A text for a driver, or an error: a truncated or replaced character would make one key of two.
 * The text is not in the message.
 */
export function checkedText(
  value: unknown,
  column: string,
  maxLength: number = maxTextLength,
): string {
  if (typeof value !== 'string') throw new TypeError(`${column} is not a string`)
  if (value.length > maxLength) throw new TypeError(`${column} is too long`)
  if (!isWellFormed(value) || value.includes('\0'))
    throw new TypeError(`${column} is not well-formed text`)
  return value
}

/** The same for a key column. */
export function checkedKey(value: unknown, column: string): string {
  const text = checkedText(value, column)
  if (Buffer.byteLength(text) > maxKeyBytes)
    throw new TypeError(`${column} is longer than ${maxKeyBytes} bytes`)
  return text
}

/** A whole number for a driver, or an error: an engine would round any other in its own way. */
export function checkedInteger(value: number, column: string): number {
  if (Number.isSafeInteger(value)) return value
  throw new TypeError(`${column} is not a whole number`)
}

/** A moment as it is stored. */
export function toMoment(date: Date): number {
  const milliseconds = date.getTime()
  if (Number.isSafeInteger(milliseconds)) return milliseconds
  throw new TypeError('not a date')
}

/** A key as it was saved, whatever the driver makes of bytes. */
export function fromKey(value: KeyValue): string {
  return typeof value === 'string' ? value : Buffer.from(value).toString('utf8')
}

/** A moment as it was saved. */
export function fromMoment(value: MomentValue): Date {
  return new Date(Number(value))
}

/** A JSON list as it was saved; an error for anything else. */
export function fromList(stored: string): readonly unknown[] {
  const list: unknown = JSON.parse(stored)
  if (Array.isArray(list)) return list
  throw new TypeError('a column does not hold the JSON list that was saved')
}

/** The members of a JSON object as it was saved; an error for anything else. */
export function fromObject(stored: string): Readonly<Record<string, unknown>> {
  const members: unknown = JSON.parse(stored)
  if (typeof members !== 'object' || members === null || Array.isArray(members))
    throw new TypeError('a column does not hold the JSON object that was saved')
  return { ...members }
}
