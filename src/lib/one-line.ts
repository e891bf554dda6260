import { isWellFormed } from './well-formed.js'

/**
 * Whether a text is shown as it is written, in one line. A control character hides something from
 * a terminal or a log, and what turns the direction of a text round makes one name look like
 * another.
 */
export function isOneLine(text: string): boolean {
  return isWellFormed(text) && !/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u.test(text)
}
