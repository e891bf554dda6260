/**
 * Whether a string has no lone surrogates. As bytes each becomes U+FFFD, so different strings would
 * be one password or one name.
 */
export function isWellFormed(text: string): boolean {
  return !/\p{Surrogate}/u.test(text)
}
