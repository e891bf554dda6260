import { randomInt } from 'node:crypto'

/**
 * [RFC 8628 §6.1](https://www.rfc-editor.org/rfc/rfc8628#section-6.1): letters that make no words
 * and are hard to mistake.
 */
const letters = 'BCDFGHJKLMNPQRSTVWXZ'
const length = 8
/** With room for spaces and hyphens. */
const maxTyped = 64

/** A code for people to type: eight of twenty letters, 34 bits. */
export function newUserCode(): string {
  return Array.from({ length }, () => letters[randomInt(letters.length)]).join('')
}

/** A code as it is shown, such as `WDJB-MJHT`. */
export function shownUserCode(code: string): string {
  return `${code.slice(0, length / 2)}-${code.slice(length / 2)}`
}

/** The code in what was typed, in any case and with any separators; null if there is none. */
export function readUserCode(typed: string): string | null {
  if (typed.length > maxTyped) return null
  const code = typed.toUpperCase().replaceAll(/[\s\p{Pd}]/gu, '')
  return code.length === length && [...code].every((one) => letters.includes(one)) ? code : null
}
