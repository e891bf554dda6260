import type { IncomingMessage } from 'node:http'
import { AuthConfigError, notSignedIn } from '../errors.js'
import type { PresentedCredentials, ReadCredentials } from '../http/credentials.js'
import type { Pages } from '../http/page-origin.js'
import { callable, checkOptions, optionsOf } from '../lib/check-options.js'
import { type CredentialsFrom, from, readerFrom } from './credentials-from.js'
import { type RequiredScope, type ScopeOptions, scopeRule } from './scope.js'

/**
 * Reads a token that is not in the headers. The result is treated as a Bearer token; null and
 * undefined mean a request without credentials.
 */
export type TokenFrom = (request: IncomingMessage) => string | null | undefined

/** How `authenticate` finds the token, and what it requires of it. */
export interface AuthenticateOptions extends ScopeOptions {
  /**
   * Finds the token; the headers are then not read. Default: the headers.
   *
   * Do not read a token that browsers send by themselves, such as one in a cookie: any page could
   * then act for its user. For the cookie of your pages use `from`.
   */
  tokenFrom?(request: IncomingMessage): string | null | undefined
  /**
   * Where the credentials are: in the headers, in the cookie of your pages, or in either. The last
   * two need `pagesOrigin`; send `Cache-Control: private` and `Vary: Cookie` with the answer then.
   * Default `headers`.
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
 * The scope that one call of `authenticate` requires, and the reader of its credentials. Throws
 * AuthConfigError for an unknown option.
 */
export function settingsOfAuthenticate(
  options: AuthenticateOptions | undefined,
  pages: Pages | undefined,
): { readonly scope: RequiredScope; readonly read: ReadCredentials } {
  const { scope, ...where } = checkOptions(rules, options)
  return { scope, read: createReaders('authenticate', where, pages)() }
}

/** Where credentials are. */
export interface ReaderSettings {
  readonly tokenFrom?: TokenFrom | undefined
  readonly from: CredentialsFrom
}

/**
 * Returns a function that makes a reader of credentials for one request, which calls `tokenFrom`
 * once. Throws AuthConfigError if the settings contradict each other or the host.
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
      'did not return a string.',
      'return the token, or null without one; it cannot be async.',
    )
  if (token === '') throw notSignedIn('empty token')
  return { sentAs: 'token', token, userId: null }
}
