import type { z } from 'zod'
import { AuthConfigError } from '../errors.js'
import { type ReadCredentials, readCredentials } from '../http/credentials.js'
import type { Pages } from '../http/page-origin.js'
import { fitting } from '../lib/check-options.js'

/**
 * Where a route looks for credentials; with `either`, a request with headers is judged by them
 * alone.
 */
export type CredentialsFrom = 'headers' | 'cookie' | 'either'

const places: readonly unknown[] = ['headers', 'cookie', 'either'] satisfies CredentialsFrom[]

/** {@link CredentialsFrom}, as a check of options. */
export const from: z.ZodType<CredentialsFrom> = fitting<CredentialsFrom>(
  (value) => places.includes(value),
  "is none of 'headers', 'cookie' and 'either'.",
).default('headers')

/**
 * The reader of credentials in that place.
 *
 * @throws AuthConfigError if it reads the cookie and the host has no pages
 */
export function readerFrom(
  caller: string,
  from: CredentialsFrom,
  pages: Pages | undefined,
): ReadCredentials {
  if (from === 'headers') return readCredentials
  const { readCookie } = requirePages(pages, `${caller}({ from: '${from}' })`)
  if (from === 'cookie') return readCookie
  return (request) => readCredentials(request) ?? readCookie(request)
}

/** The host's pages, for a function that needs them. Throws AuthConfigError without them. */
export function requirePages(pages: Pages | undefined, caller: string): Pages {
  if (pages !== undefined) return pages
  throw new AuthConfigError(
    'pagesOrigin',
    `is not set, and ${caller} needs it.`,
    "pass createAuthRouter({ pagesOrigin: 'https://chat.example.com' }), the origin of your pages.",
  )
}
