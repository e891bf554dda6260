import type { IncomingMessage } from 'node:http'
import type { z } from 'zod'
import { AuthConfigError, AuthError, notSignedIn } from '../errors.js'
import {
  type PresentedCredentials,
  type ReadCredentials,
  readCredentials,
} from '../http/credentials.js'
import type { Pages } from '../http/page-origin.js'
import { callable, checkOptions, fitting, optionsOf, text } from '../lib/check-options.js'
import type { GuardKit } from './guard-kit.js'
import { type Required, type RequiredScope, type ScopeOptions, scopeRules } from './scope.js'

/**
 * The place where a route looks for credentials. With `either`, a request with headers is judged by
 * its headers alone.
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
function readerFrom(
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
   * The place of the credentials: the headers, the cookie of your pages, or either. The last two
   * need `pagesOrigin`. With them, send `Cache-Control: private` and `Vary: Cookie` in the answer.
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
    ...scopeRules,
    tokenFrom: callable<TokenFrom>().optional(),
    from,
    resource: resourceRule,
  }),
}

/**
 * What one call of `authenticate` requires, and the reader of its credentials. Throws
 * AuthConfigError for an unknown option.
 */
export function settingsOfAuthenticate(
  options: AuthenticateOptions | undefined,
  host: GuardKit,
): { readonly read: ReadCredentials; readonly required: Required } & Pick<
  Challenge,
  'metadataUrl'
> {
  const { scope, actor, ...where } = checkOptions(rules, options)
  const { newReader, metadataUrl } = createReaders('authenticate', where, host)
  return { required: { scope, actor }, read: newReader(), metadataUrl }
}

/** The settings that say where the credentials are. */
export interface ReaderSettings {
  readonly tokenFrom?: TokenFrom | undefined
  readonly from: CredentialsFrom
  /** The API that the credentials must be for. Default: the host's own. */
  readonly resource?: string | undefined
}

/** The readers of a guard, and the address to which it sends clients without a token. */
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

/** The information that a guard gives to the clients it refuses. */
export interface Challenge {
  /** Undefined without the option `oauth`: nobody but the host gives out tokens then. */
  readonly metadataUrl: string | undefined
  readonly scope: RequiredScope
  /** Whether the request had a token. Only called for a refusal. */
  hasToken(): boolean
}

/**
 * The refusal with a challenge that leads somewhere ([RFC 9728
 * §5.1](https://www.rfc-editor.org/rfc/rfc9728#section-5.1)): where the metadata are, which scope
 * is needed, and whether a token was refused. All texts come from the options of the host, none
 * from the request.
 */
export function withChallenge(error: unknown, challenge: Challenge): unknown {
  const { metadataUrl } = challenge
  if (!(error instanceof AuthError) || metadataUrl === undefined) return error
  const { 'WWW-Authenticate': said = strangerIs(challenge, error), ...others } = error.headers
  if (said === null) return error
  const pointer = `${said}${said === 'Bearer' ? ' ' : ', '}resource_metadata="${metadataUrl}"`
  const { code, clientMessage, message, details, cause } = error
  return new AuthError(code, {
    clientMessage,
    message,
    ...(details !== undefined && { details }),
    headers: { ...others, 'WWW-Authenticate': pointer },
    cause,
  })
}

// RFC 6750 §3: a request without a token learns no error, and one with a token that it is not
// valid, for whatever reason.
function strangerIs({ scope = [], hasToken }: Challenge, { status }: AuthError): string | null {
  if (status !== 401) return null
  const needed = [scope].flat().join(' ')
  const words = [
    ...(hasToken() ? ['error="invalid_token"'] : []),
    ...(needed === '' ? [] : [`scope="${needed}"`]),
  ]
  return ['Bearer', words.join(', ')].filter((part) => part !== '').join(' ')
}
