// The plan `oidcc-basic` of the OpenID conformance suite, transcribed: each test has the name of a
// module, and does what that module does.
// https://openid.net/certification/conformance-testing-for-openid-connect/
import { expect, test } from 'vitest'
import { byPages } from './by-pages.js'
import {
  type Form,
  formOf,
  issuer,
  ledger,
  requestOf,
  startRelyingParties,
  wiki,
} from './relying-party.js'

const both = [wiki, ledger]

/** A server, and a browser in which nobody is signed in yet. */
async function start() {
  const at = await startRelyingParties()
  const pages = byPages(at)
  return { ...at, ...pages, browser: pages.openBrowser() }
}

test.each(both)('oidcc-server: $id', async (client) => {
  const { flow, browser, clock, userinfo } = await start()
  const { tokens, claims, header, seen } = await flow(client, {}, browser)
  expect(seen).toEqual(['sign-in'])
  const now = clock().getTime() / 1000
  expect(claims).toMatchObject({
    iss: issuer,
    sub: 'u-alice',
    aud: client.id,
    nonce: 'n-0S6_WzA2Mj',
    iat: now,
    at_hash: expect.stringMatching(/^[\w-]{22}$/),
  })
  expect(claims.exp).toBeGreaterThan(now)
  expect(header).toEqual({
    alg: client.idTokenAlgorithm ?? 'ES256',
    typ: 'JWT',
    kid: expect.any(String),
  })
  expect((await userinfo(tokens['access_token'])).body).toMatchObject({ sub: claims.sub })
})

test('oidcc-response-type-missing', async () => {
  const { authorize, cookie } = await startRelyingParties()
  const { status, params } = await authorize(
    formOf({ ...requestOf(wiki), response_type: undefined }),
    cookie,
  )
  // The suite takes invalid_request as well.
  expect([status, params]).toEqual([
    303,
    {
      error: 'unsupported_response_type',
      error_description: expect.any(String),
      state: 'af0ifjsldkj',
      iss: issuer,
    },
  ])
})

test.each([
  ['oidcc-userinfo-get', 'GET'],
  ['oidcc-userinfo-post-header', 'POST'],
] as const)('%s', async (_name, method) => {
  const { flow, userinfo } = await startRelyingParties()
  const { tokens } = await flow(wiki)
  const { status, body, headers } = await userinfo(tokens['access_token'], method)
  expect([status, body]).toEqual([200, { sub: 'u-alice' }])
  expect(headers.get('content-type')).toMatch(/^application\/json\b/)
})

test('oidcc-ensure-request-without-nonce-succeeds-for-code-flow', async () => {
  const { flow } = await startRelyingParties()
  const { claims } = await flow(wiki, { nonce: undefined })
  expect(claims).not.toHaveProperty('nonce')
})

const profile = { name: 'Alice A.', preferred_username: 'alice', locale: 'en' }
const email = { email: 'alice@example.com', email_verified: true }

test.each<[string, string, object]>([
  ['oidcc-scope-profile', 'profile', profile],
  ['oidcc-scope-email', 'email', email],
  // The host of this test knows neither of anybody.
  ['oidcc-scope-address', 'address', {}],
  ['oidcc-scope-phone', 'phone', {}],
  ['oidcc-scope-all', 'profile email address phone', { ...profile, ...email }],
])('%s', async (_name, scopes, told) => {
  const { flow, userinfo } = await startRelyingParties()
  const scope = `openid ${scopes}`
  const { tokens, claims } = await flow(wiki, { scope })
  expect(tokens['scope']).toBe(scope)
  const { body } = await userinfo(tokens['access_token'])
  expect(body).toEqual({ sub: 'u-alice', ...told })
  // The same stands in the ID token, and nothing of a scope that was not granted.
  expect(claims).toMatchObject(told)
  const ofUser = Object.keys({ ...profile, ...email }).filter((claim) => claim in claims)
  expect(ofUser.toSorted()).toEqual(Object.keys(told).toSorted())
})

test('oidcc-ensure-other-scope-order-succeeds', async () => {
  const { flow, userinfo } = await startRelyingParties()
  const { tokens } = await flow(wiki, { scope: 'email openid' })
  expect((await userinfo(tokens['access_token'])).body).toEqual({ sub: 'u-alice', ...email })
})

/** What a client may say, and is signed in all the same: on a page that says this. */
const harmless: [string, Form, string][] = [
  ['oidcc-display-page', { display: 'page' }, '<h1>Sign in</h1>'],
  ['oidcc-display-popup', { display: 'popup' }, '<h1>Sign in</h1>'],
  ['oidcc-ensure-request-with-unknown-parameter-succeeds', { extra: 'foobar' }, 'extra=foobar'],
  ['oidcc-login-hint', { login_hint: 'alice@example.com' }, 'value="alice@example.com"'],
  ['oidcc-ui-locales', { ui_locales: 'se' }, '<html lang="en"'],
  ['oidcc-ui-locales, of a language of the pages', { ui_locales: 'se de' }, '<h1>Anmelden</h1>'],
  ['oidcc-claims-locales', { claims_locales: 'se' }, '<html lang="en"'],
  ['oidcc-ensure-request-with-acr-values-succeeds', { acr_values: '1 2' }, '<h1>Sign in</h1>'],
  ['oidcc-claims-essential', { claims: '{"userinfo":{"name":{"essential":true}}}' }, '<h1>Sign'],
  ['oidcc-ensure-request-with-valid-pkce-succeeds', {}, '<h1>Sign in</h1>'],
]
test.each(harmless)('%s', async (_name, said, shown) => {
  const { flow, browser } = await start()
  const first = await flow(wiki, said, browser)
  expect(first.texts).toEqual([expect.stringContaining(shown)])
  const { claims, seen } = await flow(wiki, said, browser)
  expect(claims).toMatchObject({ sub: 'u-alice', auth_time: first.claims['auth_time'] })
  expect(seen).toEqual([])
})

test('oidcc-prompt-login', async () => {
  const { flow, browser, clock } = await start()
  const first = await flow(wiki, {}, browser)
  clock.advance(10)
  const second = await flow(wiki, { prompt: 'login' }, browser)
  expect(second.seen).toEqual(['sign-in'])
  expect(second.claims).toMatchObject({ sub: first.claims.sub })
  expect(second.claims['auth_time']).toBe(Math.floor(clock().getTime() / 1000))
})

test('oidcc-prompt-none-not-logged-in', async () => {
  const { pass, browser } = await start()
  const { params, seen } = await pass(formOf({ ...requestOf(wiki), prompt: 'none' }), browser)
  const told = { error: 'login_required', error_description: expect.any(String) }
  expect([seen, params]).toEqual([[], { ...told, state: 'af0ifjsldkj', iss: issuer }])
})

test('oidcc-prompt-none-logged-in', async () => {
  const { flow, browser, clock } = await start()
  const first = await flow(wiki, {}, browser)
  clock.advance(1)
  const { claims, seen } = await flow(wiki, { prompt: 'none' }, browser)
  const { sub, auth_time } = first.claims
  expect(seen).toEqual([])
  expect(claims).toMatchObject({ sub, auth_time, iat: (first.claims.iat as number) + 1 })
})

test('oidcc-max-age-1', async () => {
  const { flow, browser, clock } = await start()
  await flow(wiki, {}, browser)
  clock.advance(2)
  const second = await flow(wiki, { max_age: '1' }, browser)
  expect(second.seen).toEqual(['sign-in'])
  expect(second.claims['auth_time']).toBe(Math.floor(clock().getTime() / 1000))
})

test('oidcc-max-age-10000', async () => {
  const { flow, browser, clock } = await start()
  const first = await flow(wiki, {}, browser)
  clock.advance(10)
  const second = await flow(wiki, { max_age: '10000' }, browser)
  expect(second.seen).toEqual([])
  expect(second.claims['auth_time']).toBe(first.claims['auth_time'])
})

test('oidcc-id-token-hint', async () => {
  const { flow, browser } = await start()
  for (const client of both) {
    const first = await flow(client, {}, browser)
    const hint = String(first.tokens['id_token'])
    const said = { prompt: 'none', id_token_hint: hint }
    const { claims, seen } = await flow(client, said, browser)
    expect([claims.sub, seen]).toEqual([first.claims.sub, []])
  }
})

test('oidcc-codereuse', async () => {
  const { flow, post } = await startRelyingParties()
  const { form } = await flow(wiki)
  const { status, body } = await post('/oauth/token', wiki, form)
  expect([status, body['error']]).toEqual([400, 'invalid_grant'])
})

test('oidcc-codereuse-30seconds', async () => {
  const { flow, post, userinfo, clock } = await startRelyingParties()
  const { form, tokens } = await flow(wiki, { scope: 'openid offline_access' })
  clock.advance(30)
  const { status, body } = await post('/oauth/token', wiki, form)
  expect([status, body['error']]).toEqual([400, 'invalid_grant'])
  // Of the suite a SHOULD: what the code has opened is over.
  expect((await userinfo(tokens['access_token'])).status).toBe(401)
  const again = { grant_type: 'refresh_token', refresh_token: String(tokens['refresh_token']) }
  expect((await post('/oauth/token', wiki, again)).body['error']).toBe('invalid_grant')
})

test('oidcc-ensure-registered-redirect-uri', async () => {
  const { authorize, cookie } = await startRelyingParties()
  const others = [`${wiki.redirectUris[0]}/x`, `${wiki.redirectUris[0]}?foo=bar`, undefined]
  for (const redirect_uri of others) {
    const { status, location, text } = await authorize(
      formOf({ ...requestOf(wiki), redirect_uri }),
      cookie,
    )
    expect([status, location, text]).toEqual([400, '', expect.stringContaining('not registered')])
  }
})

test('oidcc-ensure-post-request-succeeds', async () => {
  const { authorize, cookie } = await startRelyingParties()
  const asked = formOf(requestOf(wiki))
  const { status, location } = await authorize(asked, null, 'POST')
  expect([status, location]).toEqual([303, `${issuer}/api/v1/oauth/authorize?${asked}`])
  const { params } = await authorize(location.split('?')[1] as string, cookie)
  expect(params).toEqual({ code: expect.any(String), state: 'af0ifjsldkj', iss: issuer })
})
