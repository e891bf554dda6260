import type { AuthClient } from '../client.js'
import { AuthClientError } from '../errors.js'
import { type ClientParts, partsOf } from '../parts.js'
import { platform } from '../platform.js'
import type { Me } from '../wire.js'
import { type BegunStore, defaultBegunStore, keepBegun, takeBegun } from './begun.js'
import { exchange, type OAuthApp } from './exchange.js'
import type { Claims } from './id-token.js'
import { OAuthError, toldError } from './oauth-error.js'
import { queryOf, withQuery } from './query.js'
import { challengeOf, newSecret } from './secrets.js'

export type { BegunStore } from './begun.js'
export type { Claims } from './id-token.js'
export { OAuthError, type OAuthErrorCode } from './oauth-error.js'

/** Options of {@link oauth}. */
export interface OAuthClientOptions {
  /** The `id` that the app has at the server, as one without a secret. */
  readonly clientId: string
  /** Where the server sends the browser back to, byte for byte one of the app's. */
  readonly redirectUri: string
  /**
   * What the app asks for, with blanks between. It has `openid`, or the `*` of the host's own apps:
   * else nobody knows who has signed in.
   */
  readonly scope: string
  /** As in the server's tokens. Default: the origin of `baseUrl`. */
  readonly issuer?: string
  /** Where sign-ins that have begun are kept. Default: `sessionStorage`, or in memory. */
  readonly begun?: BegunStore
}

/** How a sign-in is to be. */
export interface StartOptions {
  /** `none` shows no page; `login`, `consent` and `select_account` show theirs in any case. */
  readonly prompt?: 'none' | 'login' | 'consent' | 'select_account'
  /** Seconds that the sign-in of the browser may be old. */
  readonly maxAge?: number
  /** Comes back with `finish`: where the user was, for example. It does not leave this browser. */
  readonly returnTo?: string
  /** How sure the sign-in is to be: `urn:mar:2fa` with a second factor. */
  readonly acrValues?: string
  /** The API that the tokens are to be for, RFC 8707. */
  readonly resource?: string
}

/** Somebody has signed in by the pages. */
export interface Finished {
  readonly me: Me
  /** What was granted, which may be less than was asked for. */
  readonly scope: readonly string[]
  readonly returnTo: string | null
  /** Of the ID token, where `openid` was asked for. */
  readonly claims: Claims | null
}

/** The sign-in by the pages of the server: OAuth 2.1, OpenID Connect, for apps without a secret. */
export interface OAuth {
  /** Begins one; answers the address that the user's browser is to be sent to. */
  start(options?: StartOptions): Promise<string>
  /** Whether an address is one that the server has sent the browser back to. */
  isAnswer(address: string): boolean
  /**
   * Takes such an address, and keeps the tokens: they are those of the client from now on, which
   * refreshes them, and whose `signOut()` revokes them. Throws OAuthError and AuthClientError.
   */
  finish(address: string): Promise<Finished>
  /** Asks the server who has signed in; for apps with the scope `openid`. */
  userinfo(): Promise<Claims>
}

/**
 * Lets an app sign its users in by the pages of the server, where they type their password.
 *
 * @example
 * ```ts
 * import { createAuthClient, localStorageStore } from 'messaging-auth-router/client'
 * import { oauth } from 'messaging-auth-router/client/oauth'
 *
 * const client = createAuthClient({
 *   baseUrl: 'https://chat.example.com/api/v1',
 *   storage: localStorageStore('wiki'),
 * })
 * const app = oauth(client, {
 *   clientId: 'wiki',
 *   redirectUri: 'https://wiki.example.com/callback',
 *   scope: 'openid profile offline_access',
 * })
 * const address = await app.start()
 * ```
 */
export function oauth(client: AuthClient, options: OAuthClientOptions): OAuth {
  const parts = partsOf(client)
  const app = appOf(options, parts.baseUrl)
  const begun = options.begun ?? defaultBegunStore()
  const finishing = new Map<string, Promise<Finished>>()
  return {
    start: (asked = {}) => start(parts, app, begun, asked),
    isAnswer(address) {
      const query = queryOf(address)
      return query.has('state') && (query.has('code') || query.has('error'))
    },
    // A page that is drawn twice, as React does in development, finishes once.
    finish(address) {
      const running = finishing.get(address) ?? finish(parts, app, begun, address)
      finishing.set(address, running)
      const forget = () => void finishing.delete(address)
      running.then(forget, forget)
      return running
    },
    userinfo: () => parts.call({ method: 'GET', path: '/oauth/userinfo' }) as Promise<Claims>,
  }
}

function appOf(options: OAuthClientOptions, baseUrl: string): OAuthApp {
  const { clientId, redirectUri, scope } = options
  const scopes = scope.split(' ')
  if (!scopes.includes('openid') && !scopes.includes('*'))
    throw new TypeError('oauth: scope has neither openid nor *.')
  const origin = /^https?:\/\/[^/]+/.exec(baseUrl)?.[0] ?? platform.location?.origin ?? ''
  return { clientId, redirectUri, scope, issuer: options.issuer ?? origin }
}

/** What is read of the server's own words, RFC 8414 §2. */
interface Metadata {
  readonly issuer?: unknown
  readonly authorization_endpoint?: unknown
}

async function endpointOf({ transportTo, patiently }: ClientParts, issuer: string) {
  const { ask } = transportTo(issuer.replace(/\/$/, ''))
  const request = { method: 'GET', path: '/.well-known/openid-configuration' } as const
  const metadata = (await patiently(() => ask(request))) as Metadata
  const { issuer: named, authorization_endpoint: address } = metadata
  // RFC 8414 §3.3: a server that speaks for another is not asked.
  if (named !== issuer)
    throw new OAuthError('wrong-issuer', `The server is ${String(named)}, not ${issuer}.`)
  if (typeof address === 'string' && /^https?:\/\//.test(address)) return address
  const message = 'The server does not say where its pages are.'
  throw new AuthClientError('unknown', { status: 200, message })
}

async function start(
  parts: ClientParts,
  { clientId, redirectUri, scope, issuer }: OAuthApp,
  store: BegunStore,
  { prompt, maxAge, returnTo, acrValues, resource }: StartOptions,
): Promise<string> {
  const address = await endpointOf(parts, issuer)
  const [state, codeVerifier] = [newSecret(), newSecret()]
  const nonce = scope.split(' ').includes('openid') ? newSecret() : null
  const codeChallenge = await challengeOf(codeVerifier)
  const kept = { issuer, codeVerifier, nonce, maxAge: maxAge ?? null, returnTo: returnTo ?? null }
  await keepBegun(store, state, kept)
  return withQuery(address, {
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope,
    state,
    nonce: nonce ?? undefined,
    code_challenge: codeChallenge,
    code_challenge_method: 'S256',
    prompt,
    max_age: maxAge?.toString(),
    acr_values: acrValues,
    resource,
  })
}

async function finish(
  parts: ClientParts,
  app: OAuthApp,
  store: BegunStore,
  address: string,
): Promise<Finished> {
  const answer = queryOf(address)
  const begun = await takeBegun(store, answer.get('state') ?? '')
  // Somebody else's answer would sign this browser in as them.
  if (begun === null)
    throw new OAuthError('not-begun', 'This sign-in was not begun here, or is finished.')
  if (answer.get('iss') !== begun.issuer)
    throw new OAuthError('wrong-issuer', 'Another server has answered.')
  const error = answer.get('error')
  if (error !== undefined) throw toldError(error, answer.get('error_description'))
  const exchanged = await exchange(parts, app, begun, answer.get('code') ?? '')
  return { ...exchanged, returnTo: begun.returnTo }
}
