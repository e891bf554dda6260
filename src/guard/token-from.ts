import type { IncomingMessage } from 'node:http'
import { AuthConfigError, notSignedIn } from '../errors.js'
import type { PresentedCredentials, ReadCredentials } from '../http/credentials.js'
import type { Pages } from '../http/page-origin.js'
import { callable, checkOptions, optionsOf } from '../lib/check-options.js'
import { type CredentialsFrom, from, readerFrom } from './credentials-from.js'
import { type RequiredScope, type ScopeOptions, scopeRule } from './scope.js'

/**
 * Where a host keeps tokens that are not in the headers. What it answers is judged as a Bearer
 * token; nothing, or null, is a request without credentials.
 */
export type TokenFrom = (request: IncomingMessage) => string | null | undefined

/** How `authenticate` finds the token, and what it asks of it. */
export interface AuthenticateOptions extends ScopeOptions {
  /**
   * Finds the token instead of the headers, which are not read then. Default: the headers.
   *
   * A token that the browser sends by itself, as from a cookie, lets any page act for its user:
   * do not take it from there. For the cookie of pages there is `from`.
   */
  tokenFrom?(request: IncomingMessage): string | null | undefined
  /**
   * Where the credentials are: in the headers, in the cookie of a page, or in either. The last two
   * need `pagesOrigin`. Give the answer `Cache-Control: private` and `Vary: Cookie` then. Default
   * `headers`.
   */
  readonly from?: CredentialsFrom
}

const rules = {
  factory: 'authenticate',
  schema: optionsOf({
    scope: scopeRule,
    tokenFrom: callable<TokenFrom>().optional(),
    from,
  }),
}

/**
 * What one request to `authenticate` is asked, and the way to its credentials. Throws
 * AuthConfigError for an option that it does not know.
 */
export function settingsOfAuthenticate(
  options: AuthenticateOptions | undefined,
  pages: Pages | undefined,
): { readonly scope: RequiredScope; readonly read: ReadCredentials } {
  const { scope, ...where } = checkOptions(rules, options)
  return { scope, read: createReaders('authenticate', where, pages)() }
}

/** What says where credentials are. */
export interface ReaderSettings {
  readonly tokenFrom?: TokenFrom | undefined
  readonly from: CredentialsFrom
}

/**
 * Makes what makes the way to the credentials of one request; a `tokenFrom` is asked once for each.
 * Throws AuthConfigError where the settings cannot be met.
 */
export function createReaders(
  caller: string,
  { tokenFrom, from: where }: ReaderSettings,
  pages: Pages | undefined,
): () => ReadCredentials {
  const read = readerFrom(caller, where, pages)
  if (tokenFrom === undefined) return () => read
  if (where !== 'headers')
    throw new AuthConfigError(
      `${caller}.tokenFrom`,
      `is given together with from: '${where}', and only one can say where the token is.`,
      'leave one of them out.',
    )
  return () => readerOf(tokenFrom)
}

function readerOf(tokenFrom: TokenFrom): ReadCredentials {
  let found: PresentedCredentials | null | undefined
  return function readHostToken(request) {
    if (found === undefined) found = credentialsOf(tokenFrom(request))
    return found
  }
}

function credentialsOf(token: unknown): PresentedCredentials | null {
  if (token === null || token === undefined) return null
  if (typeof token !== 'string')
    throw new AuthConfigError(
      'tokenFrom',
      'answered something else than text.',
      'answer the token, or null where there is none; it cannot be async.',
    )
  if (token === '') throw notSignedIn('empty token')
  return { sentAs: 'token', token, userId: null }
}
