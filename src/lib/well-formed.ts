/**
 * Whether a string has no lone surrogates. Each of them becomes U+FFFD on the way to bytes, so that
 * different strings would be one password or one name.
 */
export function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text)
}
