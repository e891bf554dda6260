// The option `oauth`: what it mounts, and what a host that does not use it pays, which is nothing.
import supertest from 'supertest'
import { describe, expect, it } from 'vitest'
import {
  type AuthRouterOptions,
  createAuthRouter,
  generateSigningKey,
  joseSigner,
} from '../../src/index.js'
import { memoryStores } from '../../src/stores/memory-stores.js'
import { bearer, logIn, pkcePair } from '../support/client.js'
import { cheapHasher, encryptionKey, startHost } from '../support/host.js'
import { issuer, oauthOptions, signer, wiki, wikiSecret } from '../support/mounted-oauth.js'
import { cookieOf, ownPage, send, startPages } from '../support/pages.js'

describe('the option oauth', () => {
  it('signs a user in to an app: found, asked, exchanged, refreshed and revoked', async () => {
    const host = await startPages({
      options: oauthOptions(),
      before: (app, auth) => app.use(auth.wellKnown),
    })
    const found = await send(host, 'GET', '/.well-known/openid-configuration')
    expect(found.body).toMatchObject({ issuer, token_endpoint: `${issuer}/api/v1/oauth/token` })

    const opened = await send(host, 'POST', '/open', ownPage, {
      userId: 'u-alice',
      methods: ['host'],
    })
    const Cookie = cookieOf(opened)?.pair ?? ''
    const { codeVerifier, codeChallenge } = pkcePair()
    const redirect_uri = wiki.redirectUris[0] as string
    const asked = new URLSearchParams({
      client_id: 'wiki',
      response_type: 'code',
      redirect_uri,
      scope: 'openid profile offline_access messages:read',
      code_challenge: codeChallenge,
      code_challenge_method: 'S256',
    })
    const sent = await supertest(host.url)
      .get(`/oauth/authorize?${asked}`)
      .set({ Cookie, 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate' })
      .set({ 'Sec-Fetch-Dest': 'document' })
    expect(sent.status).toBe(303)
    const code = new URL(sent.headers['location'] as string).searchParams.get('code') as string

    const post = (path: string, form: object) =>
      supertest(host.url).post(path).auth('wiki', wikiSecret.secret).type('form').send(form)
    const exchanged = await post('/oauth/token', {
      grant_type: 'authorization_code',
      code,
      redirect_uri,
      code_verifier: codeVerifier,
    })
    expect([exchanged.status, exchanged.body.scope]).toEqual([200, asked.get('scope')])
    const { access_token, refresh_token } = exchanged.body
    const told = await supertest(host.url)
      .get('/oauth/userinfo')
      .auth(access_token, { type: 'bearer' })
    expect(told.body).toEqual({ sub: 'u-alice', name: 'Alice A.', preferred_username: 'alice' })
    const listed = await host.auth.sessions.list('u-alice')
    expect(listed.map(({ kind, name }) => [kind, name])).toContainEqual(['oauth', 'Team wiki'])
    const refreshed = await post('/oauth/token', { grant_type: 'refresh_token', refresh_token })
    expect(refreshed.status).toBe(200)
    expect((await post('/oauth/revoke', { token: refresh_token })).body).toEqual({})
    const over = await supertest(host.url)
      .get('/oauth/userinfo')
      .auth(refreshed.body.access_token, { type: 'bearer' })
    expect(over.status).toBe(401)
  })

  it('is nothing without it: no route, no document, no cookie', async () => {
    const host = await startHost({ before: (app, auth) => app.use(auth.wellKnown) })
    const paths = [
      'GET /oauth/authorize',
      'POST /oauth/authorize',
      'GET /oauth/sign-in',
      'POST /oauth/sign-in',
      'GET /oauth/second-factor',
      'GET /oauth/enrolment',
      'GET /oauth/consent',
      'GET /oauth/continue',
      'GET /oauth/sign-out',
      'POST /oauth/token',
      'POST /oauth/revoke',
      'POST /oauth/introspect',
      'GET /oauth/userinfo',
      'GET /auth/consents',
      'POST /auth/browser-session',
      'DELETE /auth/browser-session',
      'DELETE /auth/consents/wiki',
      'GET /.well-known/openid-configuration',
    ]
    for (const one of paths) {
      const [method, path] = one.split(' ') as [string, string]
      const { status, headers } = await send(host, method, `/api/v1${path}`)
      expect([one, status, headers['set-cookie']]).toEqual([one, 404, undefined])
    }
    const site = host.url.replace('/api/v1', '')
    expect((await supertest(site).get('/.well-known/openid-configuration')).status).toBe(404)
  })

  it('leaves the session that signs a browser in, also where a user may have one alone', async () => {
    const host = await startPages({ options: { ...oauthOptions(), maxSessionsPerUser: 1 } })
    const { authToken: token } = await logIn(host)
    host.clock.advance(1)
    const headers = { ...bearer(token), ...ownPage, 'Content-Type': 'application/json' }
    const signedIn = await send(host, 'POST', '/api/v1/auth/browser-session', headers, {})
    expect([signedIn.status, cookieOf(signedIn)?.pair]).toEqual([204, expect.any(String)])
    expect((await send(host, 'GET', '/api/v1/me', bearer(token))).status).toBe(200)
  })

  it('tells the operator once when a network asks for too many invented ids', async () => {
    const clients = { find: async () => null }
    const throttle = { endpoints: { points: 5, duration: 60 } }
    const host = await startHost({ options: { ...oauthOptions({ clients }), throttle } })
    const toldAfter: number[] = []
    for (let id = 0; id < 8; id += 1) {
      await supertest(host.url).get(`/oauth/authorize?client_id=c${id}`).expect(400)
      toldAfter.push(host.events.filter(({ type }) => type === 'login.throttled').length)
    }
    expect(toldAfter).toEqual([0, 0, 0, 0, 0, 1, 1, 1])
  })

  it('leaves out what no client or signer can use', async () => {
    const plain = joseSigner({
      issuer,
      audience: 'chat',
      keys: [await generateSigningKey('EdDSA')],
    })
    const clients = [{ ...wiki, scopes: ['profile'] }]
    const host = await startHost({ options: { ...oauthOptions({ clients }), signer: plain } })
    expect((await supertest(host.url).get('/oauth/userinfo')).status).toBe(404)
    expect((await supertest(host.url).post('/oauth/introspect')).status).toBe(404)
  })

  it('tells once where the router is mounted elsewhere than it says', async () => {
    const host = await startHost({ options: oauthOptions(), prefix: '/elsewhere' })
    await supertest(host.url).post('/oauth/token')
    await supertest(host.url).post('/oauth/token')
    const told = host.log.filter(({ message }) => message.includes('oauth.baseUrl'))
    expect(told).toMatchObject([{ level: 'warn' }])
  })
})

const localWiki = { ...wiki, redirectUris: ['http://localhost:4000/callback'] }
const required = { signer, encryptionKeys: [encryptionKey], passwords: cheapHasher }

describe('options of oauth that will not do are refused at the start', () => {
  const cases: [string, Partial<AuthRouterOptions>, string][] = [
    ['no address', oauthOptions({ baseUrl: '' }), 'oauth.baseUrl'],
    ['one of another origin', oauthOptions({ baseUrl: 'https://x.example' }), 'oauth.baseUrl'],
    [
      'web clients on a loopback address',
      oauthOptions({ clients: [localWiki] }),
      'oauth.clients[0].redirectUris[0]',
    ],
    ['no clients', oauthOptions({ clients: null as never }), 'oauth.clients'],
    ['a client that is none', oauthOptions({ clients: [{} as never] }), 'oauth.clients[0].id'],
    ['no consents', oauthOptions({ consents: {} as never }), 'oauth.consents'],
    ['no store of names used once', oauthOptions({ once: undefined as never }), 'oauth.once'],
    ['a scope of two words', oauthOptions({ scopes: { 'a b': 'A' } }), 'oauth.scopes'],
    ['a scope without text', oauthOptions({ scopes: { read: '' } }), 'oauth.scopes'],
    ['a scope of the standard', oauthOptions({ scopes: { openid: 'Who' } }), 'oauth.scopes'],
    ['a scope of the router', oauthOptions({ scopes: { 'mar-at:x': 'X' } }), 'oauth.scopes'],
    ['an API that is no URI', oauthOptions({ resources: { files: 'Files' } }), 'oauth.resources'],
    ['one with a fragment', oauthOptions({ resources: { 'a:b#c': 'Files' } }), 'oauth.resources'],
    [
      'an API without a name',
      oauthOptions({ resources: { 'a:b': { en: ' ' } } }),
      'oauth.resources',
    ],
    ['names of APIs in a list', oauthOptions({ resources: ['a:b'] as never }), 'oauth.resources'],
    ['claims that are no function', oauthOptions({ claims: {} as never }), 'oauth.claims'],
    ['logout that is no flag', oauthOptions({ logout: 'yes' as never }), 'oauth.logout'],
    [
      'logout without ID tokens',
      {
        ...oauthOptions({ logout: true, clients: [{ ...wiki, scopes: ['profile'] }] }),
        signer: { ...signer, signIdToken: undefined } as never,
      },
      'oauth.logout',
    ],
    ['a name that is none', oauthOptions({ client: [] } as never), 'oauth.client'],
    ['no encryption key', { ...oauthOptions(), encryptionKeys: [] }, 'encryptionKeys'],
    ['pages elsewhere', { ...oauthOptions(), pagesOrigin: 'https://x.example' }, 'pagesOrigin'],
    ['a signer without issuer', { ...oauthOptions(), signer: without('issuer') }, 'signer'],
    ['a signer without audience', { ...oauthOptions(), signer: without('audience') }, 'signer'],
  ]
  it.each(cases)('%s', (_what, options, name) => {
    const users = { findById: async () => null, findByIdentifier: async () => null }
    const { secondFactors: _none, ...stores } = memoryStores()
    const make = () => createAuthRouter({ ...required, users, ...stores, ...options })
    expect(make).toThrow(expect.objectContaining({ code: 'configuration', option: name }))
  })

  it.each(['endAllForClient', 'endChildren', 'replaceSecret'])('sessions without %s', (method) => {
    const users = { findById: async () => null, findByIdentifier: async () => null }
    const { codes, sessions } = memoryStores()
    const stores = { codes, sessions: { ...sessions, [method]: undefined } as typeof sessions }
    const make = () => createAuthRouter({ ...required, ...oauthOptions(), users, ...stores })
    expect(make).toThrow(expect.objectContaining({ option: 'oauth' }))
  })
})

function without(member: 'issuer' | 'audience') {
  return { ...signer, [member]: undefined } as typeof signer
}
