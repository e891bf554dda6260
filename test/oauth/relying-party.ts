// A host with the option `oauth`, and apps that sign alice in there as the conformance suite does:
// by HTTP alone, with keys and addresses taken from the served documents.
import type express from 'express'
import { createLocalJWKSet, jwtVerify } from 'jose'
import supertest from 'supertest'
import { expect } from 'vitest'
import {
  type AuthRouterOptions,
  generateClientSecret,
  generateSigningKey,
  joseSigner,
  type OAuthClient,
  type OAuthOptions,
  type SigningKey,
} from '../../src/index.js'
import { memoryOAuthStores } from '../../src/stores/memory-oauth-stores.js'
import { manualClock } from '../../src/testing/testing.js'
import { pkcePair } from '../support/client.js'
import { passwordHash } from '../support/host.js'
import { basic } from '../support/oauth-clients.js'
import { signInByPage, startPages } from '../support/pages.js'
import { rsaKey } from '../support/rsa-key.js'
import type { TestUser } from '../support/users.js'
import { hiddenIn } from './page-browser.js'

/** What a browser says of a link on a page of somebody else. */
const byLink = {
  'Sec-Fetch-Site': 'cross-site',
  'Sec-Fetch-Mode': 'navigate',
  'Sec-Fetch-Dest': 'document',
}

export const issuer = 'https://chat.example.com'
const baseUrl = `${issuer}/api/v1`
export const ownResource = `${issuer}/api`
export const search = 'https://search.example.com/'
const ecKey = await generateSigningKey('ES256')
export const secret = generateClientSecret()

const confidential = { type: 'web', secretHashes: [secret.hash] } as const
const all = ['openid', 'profile', 'email', 'address', 'phone', 'offline_access', 'messages:read']
/** A server of the host's own. */
export const wiki: OAuthClient = {
  ...confidential,
  id: 'wiki',
  name: 'Team wiki',
  firstParty: true,
  redirectUris: ['https://wiki.example.com/callback', 'https://wiki.example.com/cb?tenant=a'],
  scopes: all,
}
/** Another one, which takes nothing but RS256. */
export const ledger: OAuthClient = {
  ...wiki,
  id: 'ledger',
  name: 'Ledger',
  redirectUris: ['https://ledger.example.com/callback'],
  idTokenAlgorithm: 'RS256',
}
/** An app of the host's own: public, at a redirect URI that is nobody else's. */
export const desktop: OAuthClient = {
  id: 'desktop',
  name: 'Desktop',
  type: 'native',
  firstParty: true,
  redirectUris: ['https://app.example.com/callback'],
  scopes: ['*', ...all],
  resources: [ownResource, search],
}
/** A server of somebody else's. */
export const tracker: OAuthClient = {
  ...confidential,
  id: 'tracker',
  name: 'Tracker',
  redirectUris: ['https://tracker.example.net/callback'],
  scopes: ['openid', 'messages:read'],
}
/** One that cannot do PKCE. */
export const legacy: OAuthClient = {
  ...wiki,
  id: 'legacy',
  name: 'Legacy',
  redirectUris: ['https://legacy.example.com/callback'],
  allowNonceInsteadOfPkce: true,
}
/** A service that asks about tokens. */
export const service: OAuthClient = {
  ...confidential,
  id: 'service',
  name: 'Service',
  redirectUris: [],
  scopes: [],
  type: 'service',
  mayIntrospect: true,
}

export const clients = [wiki, ledger, desktop, tracker, legacy, service]

/** What a test wants to be otherwise. */
export interface SignerChange {
  readonly issuer?: string
  readonly keys?: readonly SigningKey[]
  /** Null: none. */
  readonly rs256?: null
}

export function signerOf(clock: () => Date, change: SignerChange = {}) {
  const { rs256, ...others } = change
  const rsa = rs256 === null ? {} : { rs256: [rsaKey] }
  return joseSigner({ issuer, audience: ownResource, keys: [ecKey], ...rsa, clock, ...others })
}

export interface RelyingSettings {
  readonly oauth?: Partial<OAuthOptions>
  readonly options?: Partial<AuthRouterOptions>
  /** Of the signer. */
  readonly signer?: SignerChange
  readonly before?: (app: express.Express) => void
}

export type Form = Readonly<Record<string, string | undefined>>

/** What the endpoint has sent a browser back with, or shown it. */
export interface Sent {
  readonly status: number
  /** The parameters of the redirect; none where a page was shown. */
  readonly params: Readonly<Record<string, string>>
  readonly location: string
  readonly text: string
}

/** Starts it, until the test is over; alice is signed in to the browser by her password. */
export async function startRelyingParties(settings: RelyingSettings = {}) {
  const clock = manualClock(new Date('2026-03-01T12:00:00Z'))
  const { consents, once } = memoryOAuthStores()
  const iss = settings.signer?.issuer ?? issuer
  const host = await startPages({
    options: {
      clock,
      signer: signerOf(clock, settings.signer),
      oauth: {
        baseUrl,
        clients,
        consents,
        once,
        scopes: { 'messages:read': 'Read your messages' },
        claims: (user) => ({
          email: (user as TestUser).email,
          email_verified: true,
          locale: 'en',
          zoneinfo: null,
        }),
        ...settings.oauth,
      },
      ...settings.options,
    },
    before: (app, auth) => {
      settings.before?.(app)
      app.use(auth.wellKnown)
      app.get('/read', (...all) => auth.requireAuth({ scope: 'messages:read' })(...all))
      app.get('/read', (_request, response) => void response.json({}))
    },
  })
  const site = host.url.replace('/api/v1', '')
  /** Where an address of the metadata is reached in the test. */
  const local = (url: string) => url.replace(issuer, site)
  const metadata = async () =>
    (await supertest(site).get('/.well-known/openid-configuration')).body as Record<string, unknown>
  const signIn = async (username = 'alice') => (await signInByPage(host, { username })).Cookie
  const addUser = (id: string) => host.users.add({ id: `u-${id}`, username: id, passwordHash })

  /** Sends a browser to the endpoint, by a link or by a form of somebody else. */
  async function authorize(
    query: string,
    Cookie: string | null,
    method: 'GET' | 'POST' = 'GET',
  ): Promise<Sent> {
    const address = supertest(`${host.url}/oauth/authorize`)
    const sending = method === 'GET' ? address.get(`?${query}`) : address.post('').send(query)
    const answer = await sending
      .type('form')
      .set({ ...byLink, ...(Cookie !== null && { Cookie }) })
      .redirects(0)
    const location = answer.headers['location'] ?? ''
    const inQuery = location === '' ? {} : Object.fromEntries(new URL(location).searchParams)
    const isPosted = answer.text.includes('/post-over-')
    const params = isPosted ? hiddenIn(answer.text) : inQuery
    if (params['code'] !== undefined) host.issued.add(params['code'])
    return { status: answer.status, params, location, text: answer.text }
  }

  /**
   * Posts a form to an endpoint, by its path or its address. A client with a secret shows it by
   * Basic, unless headers are given.
   */
  async function post(path: string, client: OAuthClient, form: Form, headers?: object) {
    const isPublic = client.secretHashes === undefined
    const own = isPublic ? {} : basic(client.id, secret.secret)
    const answer = await fetch(path.startsWith('http') ? path : `${host.url}${path}`, {
      method: 'POST',
      headers: { ...(headers ?? own) },
      body: new URLSearchParams(
        formOf({ ...(isPublic && headers === undefined && { client_id: client.id }), ...form }),
      ),
    })
    const body = (await answer.json()) as Record<string, unknown>
    for (const name of ['access_token', 'refresh_token', 'id_token'])
      if (typeof body[name] === 'string') host.issued.add(body[name])
    return { status: answer.status, body, headers: answer.headers }
  }

  async function userinfo(token: unknown, method: 'GET' | 'POST' = 'GET') {
    const headers = { Authorization: `Bearer ${token}` }
    const answer = await fetch(`${host.url}/oauth/userinfo`, { method, headers })
    return { status: answer.status, body: await answer.json(), headers: answer.headers }
  }

  /** What is in an ID token once its signature and its claims are proven, as a client does. */
  async function verifiedIdToken(token: unknown, client: OAuthClient) {
    const { body } = await supertest(host.url).get('/auth/jwks.json')
    return jwtVerify(String(token), createLocalJWKSet(body), {
      issuer: iss,
      audience: client.id,
      algorithms: [client.idTokenAlgorithm ?? 'ES256'],
      currentDate: clock(),
      requiredClaims: ['sub', 'iat', 'exp'],
    })
  }

  const cookie = await signIn()

  /** A code for a client, and what is to be sent with it. */
  async function codeFor(client: OAuthClient, change: Form = {}, Cookie = cookie) {
    const { codeVerifier, codeChallenge } = pkcePair()
    const asked = { ...requestOf(client, codeChallenge), ...change }
    const { code_challenge, redirect_uri, state } = asked
    const sent = await authorize(formOf(asked), Cookie)
    expect([sent.status, sent.params], sent.text).toEqual([
      303,
      { code: expect.any(String), iss, ...(state && { state }) },
    ])
    const { code } = sent.params
    const code_verifier = code_challenge === undefined ? undefined : codeVerifier
    return { grant_type: 'authorization_code', code, redirect_uri, code_verifier }
  }

  /** Signs alice in to a client, and proves all that it was given. */
  async function flow(client: OAuthClient, change: Form = {}, Cookie = cookie) {
    const form = await codeFor(client, change, Cookie)
    const exchanged = await post('/oauth/token', client, form)
    expect([exchanged.status, exchanged.body['token_type']]).toEqual([200, 'Bearer'])
    expect(exchanged.headers.get('cache-control')).toBe('no-store')
    const { payload, protectedHeader } = await verifiedIdToken(exchanged.body['id_token'], client)
    return { form, tokens: exchanged.body, claims: payload, header: protectedHeader }
  }

  return {
    host,
    site,
    clock,
    consents,
    cookie,
    local,
    metadata,
    signIn,
    addUser,
    authorize,
    post,
    userinfo,
    verifiedIdToken,
    codeFor,
    flow,
  }
}

export type RelyingParties = Awaited<ReturnType<typeof startRelyingParties>>

/** What a client asks for, in which nothing is wrong. */
export function requestOf(client: OAuthClient, codeChallenge = 'A'.repeat(43)) {
  return {
    client_id: client.id,
    response_type: 'code',
    redirect_uri: client.redirectUris[0],
    scope: 'openid',
    state: 'af0ifjsldkj',
    nonce: 'n-0S6_WzA2Mj',
    code_challenge: codeChallenge,
    code_challenge_method: 'S256',
  } satisfies Form as Form
}

/** A form or a query, without what is left out. */
export function formOf(form: Form): string {
  const sent = Object.entries(form).filter(
    (pair): pair is [string, string] => pair[1] !== undefined,
  )
  return new URLSearchParams(sent).toString()
}

/** What a token says, unverified. */
export function partOf(token: unknown, part: 0 | 1): Readonly<Record<string, unknown>> {
  return JSON.parse(Buffer.from(String(token).split('.')[part] ?? '', 'base64url').toString())
}
