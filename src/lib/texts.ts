/**
 * Whether a string has no lone surrogates. As bytes each becomes U+FFFD, so different strings would
 * be one password or one name.
 */
export function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text)
}

/**
 * Whether a text displays as written, in one line. Control characters can hide parts of it in a
 * terminal or a log, and bidirectional ones can make one name look like another.
 */
export function isOneLine(text: string): boolean {
  return isWellFormed(text) && !/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u.test(text)
}

/** Characters of an id that a host passes on. */
const maxIdCharacters = 1024

/**
 * Whether this can be the id of a user or a session. Hosts may pass on untrusted input, and a
 * database fails for a text that it cannot store, which would look like an outage.
 */
export function isHostId(value: unknown): value is string {
  if (typeof value !== 'string' || value === '' || value.length > maxIdCharacters) return false
  return isWellFormed(value) && !value.includes('\0')
}
