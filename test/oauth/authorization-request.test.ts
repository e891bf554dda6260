import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  type AuthorizationRequest,
  checkAuthorizationRequest,
  parseAuthorizationRequest,
} from '../../src/oauth/authorization-request.js'
import { decideAuthorization } from '../../src/oauth/decide-authorization.js'
import type { OAuthClient } from '../../src/stores/client-contract.js'
import { bridge, desktop, knownScopes, ownResource, tracker, wiki } from './some-clients.js'

const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
const clients = new Map([wiki, desktop, tracker, bridge].map((client) => [client.id, client]))

/** A request in which nothing is wrong, and all that may be in one. */
const full = {
  client_id: 'tracker',
  redirect_uri: 'https://tracker.example.net/callback',
  response_type: 'code',
  response_mode: 'query',
  code_challenge: challenge,
  code_challenge_method: 'S256',
  scope: 'messages:read openid',
  state: 'a b+c&d=e/?',
  nonce: 'n-0S6_WzA2Mj',
  prompt: 'login consent',
  max_age: '300',
  login_hint: 'alice@example.com',
  id_token_hint: 'eyJ.eyJ.x',
  acr_values: 'phr urn:mar:2fa',
  ui_locales: 'de-CH en',
}
type Parameters = Readonly<Record<string, string | readonly string[] | undefined>>
const least: Parameters = {
  client_id: 'wiki',
  redirect_uri: 'https://wiki.example.com/oidc/callback',
  response_type: 'code',
  code_challenge: challenge,
  code_challenge_method: 'S256',
  scope: 'openid',
  state: 'xyz',
}

function queryOf(parameters: Parameters): string {
  return Object.entries(parameters)
    .flatMap(([name, values]) =>
      values === undefined ? [] : [values].flat().map((v) => [name, v]),
    )
    .map((pair) => pair.map((text) => encodeURIComponent(String(text))).join('='))
    .join('&')
}

const settings = { knownScopes, ownResource, ownAddress: 'https://chat.example.com/api/v1' }

function ask(query: string, of: ReadonlyMap<string, OAuthClient> = clients) {
  const parsed = parseAuthorizationRequest(query)
  if (parsed.at === 'page') return parsed
  return checkAuthorizationRequest(parsed, of.get(parsed.clientId ?? '') ?? null, settings)
}

function askWith(change: Parameters, client?: OAuthClient) {
  const of = client === undefined ? clients : new Map([[client.id, client]])
  return ask(queryOf({ ...least, ...change }), of)
}

function taken(change: Parameters, client?: OAuthClient): AuthorizationRequest {
  const result = askWith(change, client)
  if (result.at === 'request') return result
  throw new Error(`refused: ${JSON.stringify(result)}`)
}

describe('the query of a request', () => {
  it('is decoded as the vectors of RFC 6749 App. B say', () => {
    expect(parseAuthorizationRequest('x=+%25%26%2B%C2%A3%E2%82%AC')).toMatchObject({
      values: new Map([['x', ' %&+\u00a3\u20ac']]),
    })
  })

  it('is read by its names, encoded or not, with whatever stands behind the first =', () => {
    const parsed = parseAuthorizationRequest('&client%5Fid=a&state=b=c=&&x&+=y&=z')
    expect(parsed).toMatchObject({
      clientId: 'a',
      values: new Map([
        ['client_id', 'a'],
        ['state', 'b=c='],
        [' ', 'y'],
        ['', 'z'],
      ]),
    })
  })

  it('may be empty, and of 4096 characters, and no longer', () => {
    expect(parseAuthorizationRequest('')).toMatchObject({ at: 'parsed', clientId: null })
    const longest = `x=${'a'.repeat(4094)}`
    expect(parseAuthorizationRequest(longest)).toMatchObject({ at: 'parsed' })
    expect(parseAuthorizationRequest(`${longest}a`)).toEqual({ at: 'page', problem: 'too-long' })
  })

  it('is kept as it came, with what nobody knows, in its order', () => {
    const query = `utm=1&${queryOf(least)}&claims=%7B%7D&audience=x&x=%c3%a4+`
    expect(ask(query)).toMatchObject({ at: 'request', raw: query })
  })

  it('counts what has no value as left out', () => {
    expect(taken({ prompt: '', max_age: '', resource: '', nonce: '' })).toMatchObject({
      prompt: [],
      maxAge: null,
      nonce: null,
      resources: [ownResource],
    })
    expect(askWith({ client_id: '' })).toEqual({ at: 'page', problem: 'unknown-client' })
    expect(askWith({ redirect_uri: '' })).toEqual({ at: 'page', problem: 'redirect-mismatch' })
  })
})

describe('a request in which nothing is wrong', () => {
  it('is read whole', () => {
    const query = `${queryOf(full)}&resource=${encodeURIComponent('https://chat.example.com/api')}`
    expect(ask(query)).toEqual({
      at: 'request',
      raw: query,
      client: tracker,
      redirectUri: full.redirect_uri,
      responseMode: 'query',
      state: full.state,
      scopes: ['messages:read', 'openid'],
      codeChallenge: challenge,
      nonce: full.nonce,
      prompt: ['login', 'consent'],
      maxAge: 300,
      loginHint: 'alice@example.com',
      idTokenHint: 'eyJ.eyJ.x',
      acrValues: ['phr', 'urn:mar:2fa'],
      uiLocales: ['de-CH', 'en'],
      resources: ['https://chat.example.com/api'],
    })
  })

  it('need not say more than it must', () => {
    expect(taken({ state: undefined })).toEqual({
      at: 'request',
      raw: expect.any(String),
      client: wiki,
      redirectUri: least['redirect_uri'],
      responseMode: 'query',
      state: null,
      scopes: ['openid'],
      codeChallenge: challenge,
      nonce: null,
      prompt: [],
      maxAge: null,
      loginHint: null,
      idTokenHint: null,
      acrValues: [],
      uiLocales: [],
      resources: [ownResource],
    })
  })

  it('is the same in any order of its parameters', () => {
    const resources = tracker.resources as readonly string[]
    const pairs = [
      ...Object.entries(full),
      ['utm', '1'],
      ...resources.map((resource) => ['resource', resource]),
    ].map((pair) => pair.map((text) => encodeURIComponent(String(text))).join('='))
    const { raw: _raw, ...wanted } = ask(pairs.join('&')) as AuthorizationRequest
    expect(wanted.resources).toEqual(resources)
    const flow = { done: [], hintedUserId: null, now: new Date(0) }
    fc.assert(
      fc.property(fc.shuffledSubarray(pairs, { minLength: pairs.length }), (shuffled) => {
        const request = ask(shuffled.join('&')) as AuthorizationRequest
        expect(request).toEqual({ ...wanted, raw: shuffled.join('&') })
        const next = decideAuthorization(request, null, false, flow)
        expect(next).toEqual({ next: 'page', page: 'sign-in' })
      }),
      { numRuns: 500, seed: 1 },
    )
  })

  it('with something wrong is refused for the same in any order', () => {
    const wrong = { ...full, prompt: 'none login', max_age: 'x', scope: 'nothing', display: 'page' }
    const pairs = Object.entries(wrong).map((pair) => pair.map(encodeURIComponent).join('='))
    const wanted = ask(pairs.join('&'))
    expect(wanted).toMatchObject({ at: 'client', error: 'invalid_scope' })
    fc.assert(
      fc.property(fc.shuffledSubarray(pairs, { minLength: pairs.length }), (shuffled) => {
        expect(ask(shuffled.join('&'))).toEqual(wanted)
      }),
      { numRuns: 500, seed: 2 },
    )
  })
})

describe('scope', () => {
  it.each(['openid  profile', ' openid profile', 'openid profile '])(
    'may have blanks too many: %j',
    (scope) => {
      const wanted = askWith({ scope: 'openid profile' }) as AuthorizationRequest
      expect((askWith({ scope }) as AuthorizationRequest).scopes).toEqual(wanted.scopes)
    },
  )
})

describe('client_id and redirect_uri', () => {
  it.each<[string, Parameters]>([
    ['no client_id', { client_id: undefined }],
    ['an unknown client', { client_id: 'nobody' }],
    ['a client of 201 characters', { client_id: 'w'.repeat(201) }],
    ['an address for a client', { client_id: 'https://wiki.example.com/client' }],
  ])('have a page for %s', (_what, change) => {
    expect(askWith(change)).toEqual({ at: 'page', problem: 'unknown-client' })
  })

  it('have the same page for a client that is disabled', () => {
    expect(askWith({}, { ...wiki, disabled: true })).toEqual({
      at: 'page',
      problem: 'unknown-client',
    })
  })

  it('have it also where another client than the one that asks is handed in', () => {
    const parsed = parseAuthorizationRequest(queryOf(least))
    if (parsed.at === 'page') throw new Error('not parsed')
    expect(checkAuthorizationRequest(parsed, { ...wiki, id: 'other' }, settings)).toEqual({
      at: 'page',
      problem: 'unknown-client',
    })
  })

  it.each<[string, Parameters]>([
    ['no redirect_uri', { redirect_uri: undefined }],
    ['one that is not registered', { redirect_uri: 'https://wiki.example.com/other' }],
    ["another client's", { redirect_uri: 'https://tracker.example.net/callback' }],
    ['a service', { client_id: 'search' }],
  ])('have a page for %s', (_what, change) => {
    const search: OAuthClient = { ...wiki, id: 'search', type: 'service', redirectUris: [] }
    const of = new Map(clients).set('search', search)
    const query = queryOf({ ...least, ...change })
    expect(ask(query, of)).toEqual({ at: 'page', problem: 'redirect-mismatch' })
  })

  it('are answered with the port that an app listens on', () => {
    const redirect_uri = 'http://127.0.0.1:53217/callback'
    const request = taken({ client_id: 'desktop', redirect_uri })
    expect(request.redirectUri).toBe(redirect_uri)
  })
})

describe('a request of a client that is known', () => {
  const nonceClient: OAuthClient = { ...wiki, allowNonceInsteadOfPkce: true }
  const withoutPkce = { code_challenge: undefined, code_challenge_method: undefined }

  it.each<[string, Parameters, string, OAuthClient?]>([
    ['no response_type', { response_type: undefined }, 'unsupported_response_type'],
    ['response_type token', { response_type: 'token' }, 'unsupported_response_type'],
    [
      'response_type code id_token',
      { response_type: 'code id_token' },
      'unsupported_response_type',
    ],
    ['response_type Code', { response_type: 'Code' }, 'unsupported_response_type'],
    ['response_mode fragment', { response_mode: 'fragment' }, 'invalid_request'],
    ['response_mode form_post.jwt', { response_mode: 'form_post.jwt' }, 'invalid_request'],
    ['no PKCE', withoutPkce, 'invalid_request'],
    ['no code_challenge', { code_challenge: undefined }, 'invalid_request'],
    ['no code_challenge_method', { code_challenge_method: undefined }, 'invalid_request'],
    ['code_challenge_method plain', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['code_challenge_method s256', { code_challenge_method: 's256' }, 'invalid_request'],
    ['a code_challenge of 42', { code_challenge: challenge.slice(1) }, 'invalid_request'],
    ['a code_challenge of 44', { code_challenge: `${challenge}A` }, 'invalid_request'],
    [
      'a code_challenge with padding',
      { code_challenge: `${challenge.slice(1)}=` },
      'invalid_request',
    ],
    ['a nonce of a client that may not', { ...withoutPkce, nonce: 'n' }, 'invalid_request'],
    ['neither nonce nor PKCE', withoutPkce, 'invalid_request', nonceClient],
    [
      'a nonce that stands in no ID Token',
      { ...withoutPkce, nonce: 'n', scope: 'profile' },
      'invalid_request',
      nonceClient,
    ],
    [
      'a nonce of a client without a secret',
      { ...withoutPkce, nonce: 'n' },
      'invalid_request',
      { ...nonceClient, secretHashes: [] },
    ],
    [
      'a plain challenge beside a nonce',
      { code_challenge_method: 'plain', nonce: 'n' },
      'invalid_request',
      nonceClient,
    ],
    [
      'a method alone beside a nonce',
      { code_challenge: undefined, nonce: 'n' },
      'invalid_request',
      nonceClient,
    ],
    [
      'a challenge without its method beside a nonce',
      { code_challenge_method: undefined, nonce: 'n' },
      'invalid_request',
      nonceClient,
    ],
    ['no scope and no default', { scope: undefined }, 'invalid_scope'],
    ['a scope of others', { scope: 'openid messages:read' }, 'invalid_scope'],
    ['* of a client that has it not', { scope: '*' }, 'invalid_scope'],
    ['nothing but unknown scopes', { scope: 'address phone' }, 'invalid_scope'],
    ['nothing but blanks', { scope: '  ' }, 'invalid_scope'],
    ['a scope with a quote', { scope: 'openid "' }, 'invalid_scope'],
    ['a scope that is no ASCII', { scope: 'openid \u00fc' }, 'invalid_scope'],
    [
      '31 scopes',
      { scope: Array.from({ length: 31 }, (_, at) => `s${at}`).join(' ') },
      'invalid_scope',
    ],
    ['a nonce of 513', { nonce: 'n'.repeat(513) }, 'invalid_request'],
    ['a nonce with a NUL', { nonce: 'n\0' }, 'invalid_request'],
    ['prompt none and login', { prompt: 'none login' }, 'invalid_request'],
    ['prompt of another kind', { prompt: 'maybe' }, 'invalid_request'],
    ['prompt of a prototype', { prompt: 'constructor' }, 'invalid_request'],
    ['prompt in capitals', { prompt: 'Login' }, 'invalid_request'],
    ['max_age -1', { max_age: '-1' }, 'invalid_request'],
    ['max_age 1.5', { max_age: '1.5' }, 'invalid_request'],
    ['max_age 1e3', { max_age: '1e3' }, 'invalid_request'],
    ['max_age 2^31 + 1', { max_age: '2147483649' }, 'invalid_request'],
    ['a resource of others', { resource: 'https://search.example.com/' }, 'invalid_target'],
    ['a resource with a fragment', { resource: `${ownResource}#a` }, 'invalid_target'],
    ['a relative resource', { resource: '/api' }, 'invalid_target'],
    ['six resources', { resource: Array.from({ length: 6 }, () => ownResource) }, 'invalid_target'],
    ['request', { request: 'eyJ.eyJ.x' }, 'request_not_supported'],
    ['request_uri', { request_uri: 'https://a.example/' }, 'request_uri_not_supported'],
    ['registration', { registration: '{}' }, 'registration_not_supported'],
    ['no grant for codes', {}, 'unauthorized_client', { ...wiki, grants: [] }],
  ])('with %s: %j is answered with %s', (_what, change, error, client) => {
    const answer = askWith(change, client)
    expect(answer).toEqual({
      at: 'client',
      client: expect.anything(),
      error,
      description: expect.stringMatching(/^[ -!#-[\]-~]+$/),
      redirectUri: least['redirect_uri'],
      responseMode: 'query',
      state: 'xyz',
    })
  })

  it('gets its state back only if it is short enough and printable', () => {
    const longest = ' !"\\~'.padEnd(2048, 'a')
    expect(taken({ state: longest }).state).toBe(longest)
    for (const state of [`${longest}a`, 'a\n', 'a\0', '\u00e4'])
      expect(askWith({ state })).toMatchObject({
        at: 'client',
        error: 'invalid_request',
        responseMode: 'query',
        state: null,
      })
  })

  it('may send a nonce instead of a challenge if it is one that may', () => {
    expect(taken({ ...withoutPkce, nonce: 'n' }, nonceClient)).toMatchObject({
      codeChallenge: null,
      nonce: 'n',
    })
    expect(taken({ nonce: 'n'.repeat(512) }, nonceClient).codeChallenge).toBe(challenge)
  })

  it('gets the scopes that there are of those that it asks for, each once', () => {
    expect(taken({ scope: 'openid address openid email' }).scopes).toEqual(['openid', 'email'])
    const thirty = ['openid', ...Array.from({ length: 29 }, (_none, at) => `s${at}`)]
    expect(taken({ scope: thirty.join(' ') }).scopes).toEqual(['openid'])
  })

  it('has offline_access ignored where it gets refresh tokens without', () => {
    const change = {
      client_id: 'bridge',
      redirect_uri: bridge.redirectUris[1],
      scope: 'openid offline_access',
    }
    expect(taken(change).scopes).toEqual(['openid'])
    for (const other of [{ refreshTokens: 'on-request' }, { grants: ['authorization_code'] }])
      expect(askWith(change, { ...bridge, ...other } as OAuthClient)).toMatchObject({
        at: 'client',
        error: 'invalid_scope',
      })
    expect(askWith({ ...change, scope: 'offline_access' })).toMatchObject({
      error: 'invalid_scope',
    })
    expect(taken({ scope: 'openid offline_access' }).scopes).toEqual(['openid', 'offline_access'])
  })

  it('gets its default scopes where it asks for none', () => {
    const change = { client_id: 'desktop', redirect_uri: desktop.redirectUris[1], scope: undefined }
    expect(taken(change).scopes).toEqual(['openid', 'profile'])
  })

  it('may ask for pages of each kind, and once for each', () => {
    for (const prompt of ['none', 'login', 'consent', 'select_account', 'create'])
      expect(taken({ prompt }).prompt).toEqual([prompt])
    expect(taken({ prompt: 'login login' }).prompt).toEqual(['login'])
  })

  it('may set any age from 0 to 2^31 seconds', () => {
    for (const max_age of ['0', '1', '86400', '2147483648'])
      expect(taken({ max_age }).maxAge).toBe(Number(max_age))
  })

  it.each([['a'.repeat(321)], ['sub:u-alice'], ['alice\n'], [' alice'], ['\uff41lice']])(
    'has a login_hint of %j ignored',
    (login_hint) => {
      expect(taken({ login_hint }).loginHint).toBeNull()
    },
  )

  it('has a login_hint handed on as it was typed', () => {
    for (const login_hint of ['Alice', 'alice+x@example.com', '\u00e4lice', 'a'.repeat(320)])
      expect(taken({ login_hint }).loginHint).toBe(login_hint)
  })

  it('has what is wished for left out where nobody knows it', () => {
    const request = taken({
      acr_values: 'urn:other phr constructor urn:mar:1fa',
      ui_locales: 'de_CH de "><script> fr',
    })
    expect(request.acrValues).toEqual(['phr', 'urn:mar:1fa'])
    expect(request.uiLocales).toEqual(['de', 'fr'])
  })

  it('gets tokens for the API of the host, or for the first that it may have tokens for', () => {
    const change = { client_id: 'tracker', redirect_uri: tracker.redirectUris[0] }
    expect(taken(change).resources).toEqual([ownResource])
    const resources = ['https://b.example/', 'https://a.example/']
    expect(taken(change, { ...tracker, resources }).resources).toEqual(['https://b.example/'])
    const five = Array.from({ length: 5 }, () => resources[0] as string)
    expect(taken({ ...change, resource: five }, { ...tracker, resources }).resources).toEqual(
      resources.slice(0, 1),
    )
    expect(taken({ ...change, resource: resources }, { ...tracker, resources }).resources).toEqual(
      resources,
    )
  })

  it.each(['claims', 'claims_locales', 'display', 'audience', 'dpop_jkt', 'whatever'])(
    'may send %s, which changes nothing',
    (name) => {
      const { raw: _raw, ...request } = taken({ [name]: 'x' })
      const { raw: _plain, ...plain } = taken({})
      expect(request).toEqual(plain)
    },
  )
})
