import { noAnswer } from '../errors.js'
import type { ClientParts } from '../parts.js'
import { platform } from '../platform.js'
import type { Me } from '../wire.js'
import { type BegunStore, keepBegun, takeBegun } from './begun.js'
import { exchange, type OAuthApp } from './exchange.js'
import type { Claims } from './id-token.js'
import { OAuthError, toldError } from './oauth-error.js'
import { queryOf, withQuery } from './query.js'
import { challengeOf, newSecret } from './secrets.js'

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

/** What an app is made of: the same, and where its server is. */
export interface AppOptions extends Omit<OAuthApp, 'issuer'> {
  readonly issuer?: string
}

/** The app, of a client whose server is there. */
export function appOf(options: AppOptions, baseUrl: string): OAuthApp {
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

async function endpointOf({ transportTo, withRetry }: ClientParts, issuer: string) {
  const { ask } = transportTo(issuer.replace(/\/$/, ''))
  const request = { method: 'GET', path: '/.well-known/openid-configuration' } as const
  const metadata = (await withRetry(() => ask(request))) as Metadata
  const { issuer: named, authorization_endpoint: address } = metadata
  // RFC 8414 §3.3: a server that speaks for another is not asked.
  if (named !== issuer)
    throw new OAuthError('wrong-issuer', `The server is ${String(named)}, not ${issuer}.`)
  if (typeof address === 'string' && /^https?:\/\//.test(address)) return address
  throw noAnswer()
}

/** Begins a sign-in; answers where the browser is to be sent. `mark` begins its state. */
export async function start(
  parts: ClientParts,
  { clientId, redirectUri, scope, issuer }: OAuthApp,
  store: BegunStore,
  { prompt, maxAge, returnTo, acrValues, resource }: StartOptions,
  mark = '',
): Promise<string> {
  const address = await endpointOf(parts, issuer)
  const [state, codeVerifier] = [`${mark}${newSecret()}`, newSecret()]
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

/** Whether the server has sent a browser back there. */
export function isAnswer(address: string): boolean {
  const query = queryOf(address)
  return query.has('state') && (query.has('code') || query.has('error'))
}

/** Takes such an address, and keeps the tokens. */
export async function finish(
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
