import { noAnswer } from '../errors.js'
import type { ClientParts } from '../parts.js'
import { originOf, toBase64Url } from '../platform.js'
import type { Me } from '../wire.js'
import { type BegunStore, keepBegun, takeBegun } from './begun.js'
import { type Claims, exchange, type OAuthApp } from './exchange.js'
import { OAuthError, queryOf, toldError, withQuery } from './query.js'

/** Options of a sign-in. */
export interface StartOptions {
  /** `none` shows no page; `login`, `consent` and `select_account` always show their page. */
  readonly prompt?: 'none' | 'login' | 'consent' | 'select_account'
  /** Maximum age of the browser's sign-in, in seconds. */
  readonly maxAge?: number
  /** A text that `finish` returns, such as the user's last page. It does not leave this browser. */
  readonly returnTo?: string
  /** Required assurance: `urn:mar:2fa` for a second factor. */
  readonly acrValues?: string
  /** The API that the tokens are for, RFC 8707. */
  readonly resource?: string
}

/** A finished sign-in. */
export interface Finished {
  readonly me: Me
  /** The granted scopes, perhaps fewer than requested. */
  readonly scope: readonly string[]
  readonly returnTo: string | null
  /** Claims of the ID token; null without the scope `openid`. */
  readonly claims: Claims | null
}

/** An app whose `issuer` may be omitted. */
export interface AppOptions extends Omit<OAuthApp, 'issuer'> {
  readonly issuer?: string
}

/** The app, with the origin of `baseUrl` as default issuer. */
export function appOf(options: AppOptions, baseUrl: string): OAuthApp {
  const { clientId, redirectUri, scope } = options
  const scopes = scope.split(' ')
  if (!scopes.includes('openid') && !scopes.includes('*'))
    throw new TypeError('oauth: scope has neither openid nor *.')
  return { clientId, redirectUri, scope, issuer: options.issuer ?? originOf(baseUrl) }
}

/** The members of the server's metadata used here, RFC 8414 §2. */
interface Metadata {
  readonly issuer?: unknown
  readonly authorization_endpoint?: unknown
}

async function endpointOf({ transportTo, withRetry }: ClientParts, issuer: string) {
  const { ask } = transportTo(issuer.replace(/\/$/, ''))
  const request = { method: 'GET', path: '/.well-known/openid-configuration' } as const
  const metadata = (await withRetry(() => ask(request))) as Metadata
  const { issuer: named, authorization_endpoint: address } = metadata
  // RFC 8414 §3.3: the metadata must name the issuer that was requested.
  if (named !== issuer)
    throw new OAuthError('wrong-issuer', `The server is ${String(named)}, not ${issuer}.`)
  if (typeof address === 'string' && /^https?:\/\//.test(address)) return address
  throw noAnswer()
}

/** Begins a sign-in; resolves with the address for the browser. `mark` is a prefix of `state`. */
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

/** Whether the address is an answer of the server. */
export function isAnswer(address: string): boolean {
  const query = queryOf(address)
  return query.has('state') && (query.has('code') || query.has('error'))
}

/** Finishes a sign-in from such an address and stores the tokens. */
export async function finish(
  parts: ClientParts,
  app: OAuthApp,
  store: BegunStore,
  address: string,
): Promise<Finished> {
  const answer = queryOf(address)
  const begun = await takeBegun(store, answer.get('state') ?? '')
  // An answer begun elsewhere could sign this browser in as an attacker (login CSRF).
  if (begun === null)
    throw new OAuthError('not-begun', 'This sign-in was not begun here, or is finished.')
  if (answer.get('iss') !== begun.issuer)
    throw new OAuthError('wrong-issuer', 'Another server has answered.')
  const error = answer.get('error')
  if (error !== undefined) throw toldError(error, answer.get('error_description'))
  const exchanged = await exchange(parts, app, begun, answer.get('code') ?? '')
  return { ...exchanged, returnTo: begun.returnTo }
}

/** The parts of the runtime used here. Read at each use: a polyfill may load later. */
interface Runtime {
  readonly crypto?: {
    getRandomValues(bytes: Uint8Array): Uint8Array
    readonly subtle?: { digest(algorithm: string, data: Uint8Array): Promise<ArrayBuffer> }
  }
  readonly TextEncoder: new () => { encode(text: string): Uint8Array }
}

const runtime = globalThis as unknown as Runtime

/** 256 random bits, base64url. */
export function newSecret(): string {
  if (runtime.crypto === undefined) throw notSupported()
  return toBase64Url(runtime.crypto.getRandomValues(new Uint8Array(32)))
}

/** The code challenge of a verifier, RFC 7636 §4.2. */
export async function challengeOf(codeVerifier: string): Promise<string> {
  const subtle = runtime.crypto?.subtle
  if (subtle === undefined) throw notSupported()
  const bytes = new runtime.TextEncoder().encode(codeVerifier)
  return toBase64Url(await subtle.digest('SHA-256', bytes))
}

function notSupported(): OAuthError {
  return new OAuthError('not-supported', 'crypto.subtle is missing: the page needs HTTPS.')
}
