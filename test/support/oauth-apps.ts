// Apps of a host whose OAuth endpoints are mounted, and what browsers and apps send to them: one
// app for each way in which a client can say who it is.
import { randomUUID } from 'node:crypto'
import { SignJWT } from 'jose'
import supertest from 'supertest'
import {
  type ClientSecret,
  generateClientSecret,
  type OAuthClient,
  type OAuthOptions,
} from '../../src/index.js'
import { memoryOAuthStores } from '../../src/stores/memory-oauth-stores.js'
import { pkcePair } from './client.js'
import { wordsFor } from './consents.js'
import type { Served, TestHost } from './host.js'
import { ecKeys } from './oauth-clients.js'
import { cookieOf, ownPage, send } from './pages.js'

export const issuer = 'https://chat.example.com'
const scopes = ['openid', 'profile', 'offline_access', 'messages:read']
const trackerKeys = ecKeys({ alg: 'ES256', kid: 'tracker-1' })

export const wikiSecret: ClientSecret = generateClientSecret()
/** A server of the host's own, with a secret, which may introspect. */
export const wiki: OAuthClient = {
  id: 'wiki',
  name: 'Team wiki',
  type: 'web',
  firstParty: true,
  redirectUris: ['https://wiki.example.com/callback'],
  scopes,
  secretHashes: [wikiSecret.hash],
  mayIntrospect: true,
}
/** A server of somebody else's, with a key: it has to be allowed. */
export const tracker: OAuthClient = {
  id: 'tracker',
  name: 'Tracker',
  type: 'web',
  redirectUris: ['https://tracker.example.net/callback'],
  scopes,
  jwks: { keys: [trackerKeys.jwk] },
}
/** An app of the host's own, which is public: its refresh tokens are replaced. */
export const phone: OAuthClient = {
  id: 'phone',
  name: 'Chat',
  type: 'native',
  firstParty: true,
  redirectUris: ['https://app.example.com/callback'],
  scopes,
}
export const apps: readonly OAuthClient[] = [wiki, tracker, phone]
/** A program of somebody else's without a browser; any id that begins so has one. */
export const terminal: OAuthClient = {
  id: 'terminal-',
  name: 'Terminal',
  type: 'native',
  redirectUris: [],
  grants: ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'],
  scopes,
}

/** A program that stands for a user, with the secret of the wiki; each user has one. */
export const courierOf = (serviceUserId: string): OAuthClient => ({
  id: `courier-${serviceUserId}`,
  name: 'Courier',
  type: 'service',
  redirectUris: [],
  scopes: ['messages:read'],
  secretHashes: [wikiSecret.hash],
  serviceUserId,
})

function appOf(id: string): OAuthClient | null {
  if (id.startsWith('courier-')) return courierOf(id.slice('courier-'.length))
  if (id.startsWith(terminal.id)) return { ...terminal, id }
  return apps.find((one) => one.id === id) ?? null
}

/** The option `oauth` with these apps, in a store of the host's. */
export function oauthOf(parts: Partial<OAuthOptions> = {}): OAuthOptions {
  const { consents, once } = memoryOAuthStores()
  const clients = { find: async (id: string) => appOf(id) }
  return {
    baseUrl: `${issuer}/api/v1`,
    clients,
    consents,
    once,
    scopes: { 'messages:read': 'Read your messages' },
    ...parts,
  }
}

/** Opens a session of a browser for a user, and answers its cookie. */
export async function openBrowser(host: Served, userId = 'u-alice'): Promise<string> {
  const opened = await send(host, 'POST', '/open', ownPage, { userId, methods: ['host'] })
  const cookie = cookieOf(opened)
  if (cookie === null) throw new Error(`no cookie: ${opened.status} ${opened.text}`)
  host.issued.add(cookie.value)
  return cookie.pair
}

/** What an app asks the authorization endpoint, and the verifier that it keeps. */
export function authorizeQuery(app: OAuthClient, more: Record<string, string> = {}) {
  const { codeVerifier, codeChallenge } = pkcePair()
  const query = new URLSearchParams({
    client_id: app.id,
    response_type: 'code',
    redirect_uri: app.redirectUris[0] as string,
    scope: scopes.join(' '),
    code_challenge: codeChallenge,
    code_challenge_method: 'S256',
    ...more,
  })
  return { query, codeVerifier }
}

/** Sends a browser with its cookie to the authorization endpoint. */
export function authorize(host: Served, cookie: string, query: URLSearchParams): Promise<Response> {
  return visit(host, cookie, `/oauth/authorize?${query}`)
}

/** Follows a link of another site, with a cookie. */
export async function visit(host: Served, cookie: string, path: string): Promise<Response> {
  // Not by `fetch`, which says `Sec-Fetch-Mode` of itself, whatever it is told.
  const { status, text, headers } = await supertest(host.url)
    .get(path)
    .set({ Cookie: cookie, 'Sec-Fetch-Site': 'cross-site' })
    .set({ 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' })
  return new Response(text, { status, headers })
}

/** A code for an app, and all that the token endpoint has to see with it. */
export async function codeFor(host: Served, cookie: string, app: OAuthClient) {
  const { query, codeVerifier } = authorizeQuery(app)
  const answer = await authorize(host, cookie, query)
  const code = codeIn(answer.headers.get('location'))
  if (code === null) throw new Error(`no code: ${answer.status} ${await answer.text()}`)
  host.issued.add(code)
  return {
    grant_type: 'authorization_code',
    code,
    redirect_uri: app.redirectUris[0] as string,
    code_verifier: codeVerifier,
  }
}

/** The code in an address, if one is there. */
export function codeIn(location: string | null): string | null {
  return location === null ? null : new URL(location).searchParams.get('code')
}

/** An assertion of the tracker, good once and for a minute after that moment. */
function assertionOf(now: Date): Promise<string> {
  const { id } = tracker
  const exp = Math.floor(now.getTime() / 1000) + 60
  return new SignJWT({ iss: id, sub: id, aud: issuer, jti: randomUUID(), exp })
    .setProtectedHeader({ alg: 'ES256', kid: 'tracker-1' })
    .sign(trackerKeys.privateKey)
}

/** How an app says who it is. */
export async function credentialsOf(app: OAuthClient, now: Date): Promise<Record<string, string>> {
  if (app.secretHashes !== undefined) return { client_id: app.id, client_secret: wikiSecret.secret }
  if (app.jwks === undefined) return { client_id: app.id }
  return {
    client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
    client_assertion: await assertionOf(now),
  }
}

/** Sends a form as an app. */
export async function sendAs(
  host: TestHost,
  app: OAuthClient,
  path: string,
  parameters: Record<string, string>,
): Promise<Response> {
  const body = { ...(await credentialsOf(app, host.clock())), ...parameters }
  return fetch(`${host.url}${path}`, { method: 'POST', body: new URLSearchParams(body) })
}

/** Tokens as an app is answered them. */
export interface AppTokens {
  readonly access_token: string
  readonly refresh_token: string
  readonly id_token: string
}

/** Signs a user in to an app. */
export async function signInTo(
  host: TestHost,
  app: OAuthClient,
  userId = 'u-alice',
): Promise<AppTokens> {
  const code = await codeFor(host, await openBrowser(host, userId), app)
  const answer = await sendAs(host, app, '/oauth/token', code)
  const tokens = (await answer.json()) as AppTokens
  if (answer.status !== 200) throw new Error(`${answer.status} ${JSON.stringify(tokens)}`)
  for (const one of Object.values(tokens))
    if (typeof one === 'string' && one.length > 40) host.issued.add(one)
  return tokens
}

/** As if the user had allowed an app all that it asks for. */
export function allow(consents: OAuthOptions['consents'], userId: string, app: OAuthClient) {
  const now = new Date()
  const scopes = wordsFor(app, 'chat')
  return consents.grant({ userId, clientId: app.id, scopes, grantedAt: now, updatedAt: now })
}
