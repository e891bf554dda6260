import { isWellFormed } from './well-formed.js'

/**
 * Whether a text displays as written, in one line. Control characters can hide parts of it in a
 * terminal or a log, and bidirectional ones can make one name look like another.
 */
export function isOneLine(text: string): boolean {
  return isWellFormed(text) && !/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u.test(text)
}
