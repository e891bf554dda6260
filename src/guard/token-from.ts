import type { IncomingMessage } from 'node:http'
import type { z } from 'zod'
import { AuthConfigError, notSignedIn } from '../errors.js'
import type { PresentedCredentials, ReadCredentials } from '../http/credentials.js'
import type { Pages } from '../http/page-origin.js'
import { callable, checkOptions, optionsOf, text } from '../lib/check-options.js'
import type { Challenge } from './challenge.js'
import { type CredentialsFrom, from, readerFrom } from './credentials-from.js'
import type { GuardKit } from './guard-kit.js'
import { type ScopeOptions, scopeRule } from './scope.js'

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
  /** Guards a further API of this server, as in `requireAuth`. */
  readonly resource?: string
}

/** The option `resource`. Whether there is such an API is checked with the option `oauth`. */
export const resourceRule: z.ZodOptional<z.ZodType<string>> = text().optional()

const rules = {
  factory: 'authenticate',
  schema: optionsOf({
    scope: scopeRule,
    tokenFrom: callable<TokenFrom>().optional(),
    from,
    resource: resourceRule,
  }),
}

/**
 * The scope that one call of `authenticate` requires, and the reader of its credentials. Throws
 * AuthConfigError for an unknown option.
 */
export function settingsOfAuthenticate(
  options: AuthenticateOptions | undefined,
  host: GuardKit,
): { readonly read: ReadCredentials } & Pick<Challenge, 'scope' | 'metadataUrl'> {
  const { scope, ...where } = checkOptions(rules, options)
  const { newReader, metadataUrl } = createReaders('authenticate', where, host)
  return { scope, read: newReader(), metadataUrl }
}

/** Where credentials are. */
export interface ReaderSettings {
  readonly tokenFrom?: TokenFrom | undefined
  readonly from: CredentialsFrom
  /** The API that the credentials must be for. Default: the host's own. */
  readonly resource?: string | undefined
}

/** The readers of a guard, and where it sends those who have no token. */
interface Readers extends Pick<Challenge, 'metadataUrl'> {
  /** Makes a reader of credentials for one request, which calls `tokenFrom` once. */
  newReader(): ReadCredentials
}

/** Throws AuthConfigError if the settings contradict each other or the host. */
export function createReaders(
  caller: string,
  settings: ReaderSettings,
  { pages, metadataUrls }: GuardKit,
): Readers {
  const newReader = createNewReader(caller, settings, pages)
  const { resource, from: where } = settings
  if (resource === undefined) return { newReader, metadataUrl: metadataUrls?.own }
  const metadataUrl = metadataUrls?.further.get(resource)
  if (metadataUrl === undefined)
    throw new AuthConfigError(
      `${caller}.resource`,
      'is no API of this server.',
      'write it as in oauth.resources, with its scopes there; or leave it out for your own API.',
    )
  if (where !== 'headers')
    throw new AuthConfigError(
      `${caller}.resource`,
      `is given together with from: '${where}', and a cookie is for no other API.`,
      'leave one of them out.',
    )
  return { newReader: () => forApi(resource, newReader()), metadataUrl }
}

function forApi(audience: string, read: ReadCredentials): ReadCredentials {
  return function readForApi(request) {
    const presented = read(request)
    return presented === null ? null : { ...presented, audience }
  }
}

function createNewReader(
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

/** Whether a request has a token, even one that is malformed. */
export function hasTokenIn(request: IncomingMessage, read: ReadCredentials): boolean {
  try {
    return read(request)?.sentAs === 'token'
  } catch {
    return true
  }
}
