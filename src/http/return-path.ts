import { isWellFormed } from '../lib/texts.js'

/** The address of the sign-in page that leads to this path afterwards; null if it may not. */
export type SignInUrl = (returnTo: unknown) => string | null

/** Characters of a path with its query and fragment. */
const maxReturnPathChars = 2000

/** Every https origin resolves paths in the same way; nothing is sent there. */
const anyOrigin = 'https://origin.invalid'

/**
 * A path of our own origin, with query and fragment, in the spelling of browsers. Null for anything
 * that a browser could resolve to another origin: the caller writes the origin before it.
 */
export function returnPathOf(value: unknown): string | null {
  if (typeof value !== 'string' || value.length > maxReturnPathChars) return null
  // Browsers read a backslash as a slash, and drop tabs and line ends.
  if (!/^\/(?!\/)[^\\\p{Cc}]*$/u.test(value) || !isWellFormed(value)) return null
  if (!URL.canParse(value, anyOrigin)) return null
  const { origin, pathname, search, hash } = new URL(value, anyOrigin)
  // `/.//elsewhere` becomes `//elsewhere`.
  if (origin !== anyOrigin || pathname.startsWith('//')) return null
  const path = `${pathname}${search}${hash}`
  return path.length <= maxReturnPathChars ? path : null
}
