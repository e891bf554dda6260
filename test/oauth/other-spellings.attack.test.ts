// What is almost a right request, at the endpoints themselves and by a browser that is signed in:
// another spelling gets nothing, and spends nothing.
import { type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterEach, describe, expect, it } from 'vitest'
import { afterAttack } from '../support/after-attack.js'
import { bearer, get, logIn } from '../support/client.js'
import { basic } from '../support/oauth-clients.js'
import {
  desktop as app,
  type Form,
  formOf,
  issuer,
  legacy,
  type RelyingParties,
  requestOf,
  secret,
  startRelyingParties,
  tracker,
  wiki,
} from './relying-party.js'

const desktop = { ...app, redirectUris: ['http://127.0.0.1/callback', 'com.example.cli:/cb'] }
const clients = [wiki, tracker, legacy, desktop]
const running: RelyingParties[] = []

async function start() {
  const at = await startRelyingParties({ oauth: { clients } })
  running.push(at)
  return at
}

afterEach(async () => {
  for (const { host } of running.splice(0)) {
    const { authToken } = await logIn(host)
    await afterAttack(host, await get(host, '/me', bearer(authToken)), [secret.secret])
  }
})

/** Sends a query as it stands here: no library writes it otherwise. */
async function visit({ host, cookie }: RelyingParties, query: string) {
  const { hostname, port, pathname } = new URL(`${host.url}/oauth/authorize`)
  const headers = { Cookie: cookie, 'Sec-Fetch-Site': 'cross-site', ...navigation }
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    const path = `${pathname}?${query}`
    request({ hostname, port, path, headers }, resolve).once('error', reject).end()
  })
  const { statusCode: status, headers: got } = response
  return { status, type: got['content-type'], location: got.location, text: await text(response) }
}

const navigation = { 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'document' }
const honest = formOf(requestOf(wiki))

/** 400, and nowhere to go on from there. */
async function expectPage(at: RelyingParties, query: string): Promise<void> {
  const { text: page, ...answer } = await visit(at, query)
  expect(answer, query).toEqual({
    status: 400,
    type: 'text/html; charset=utf-8',
    location: undefined,
  })
  expect(page).not.toMatch(/evil|http-equiv="refresh"|<form/)
}

const site = 'https://wiki.example.com'
const sites = [
  ...[`${site}`, `${site}/callback/`, `${site}/Callback`, `${site}/callback?`],
  ...[`${site}/callback?x=1`, `${site}/callback#`, `${site}/callback#f`, `${site}/./callback`],
  ...[`${site}/%63allback`, `${site}:443/callback`, `${site}./callback`, `${site}/callback;x`],
  ...[`${site}@evil.example/callback`, `${site}/callback/../evil`, `${site}/callback%2f..`],
  ...[`${site}/callback\t`, ` ${site}/callback`, `${site}/callback\r\nX: y`, `${site}/callback\0`],
  ...[`${site}/callback%00`, `${site}\u3002evil.example/callback`, `${site}/cb?tenant=b`],
  'https://WIKI.example.com/callback',
  'HTTPS://wiki.example.com/callback',
  'https://evil.example\\@wiki.example.com/callback',
  'https:\\\\wiki.example.com\\callback',
  'https:/wiki.example.com/callback',
  '//wiki.example.com/callback',
  '/callback',
  'http://wiki.example.com/callback',
  `javascript:alert(1)//${site}/callback`,
  'data:text/html,x',
  '',
]
const device = [
  ...['http://127.0.0.1:1/callback/', 'http://127.0.0.1:0/callback', 'http://127.0.0.1:/callback'],
  ...['http://127.0.0.1:65536/callback', 'http://127.0.0.1:080/callback'],
  ...['http://127.0.0.1:80:80/callback', 'http://127.0.0.1:1e3/callback'],
  ...['http://127.0.0.1:+80/callback', 'http://127.0.0.1:80/callback?x'],
  ...['http://127.1/callback', 'http://2130706433/callback', 'http://0x7f.0.0.1/callback'],
  ...['http://[::1]/callback', 'http://[::ffff:127.0.0.1]/callback', 'http://localhost/callback'],
  ...['http://127.0.0.1.evil.example/callback', 'http://127.0.0.1:80@evil.example/callback'],
  ...['http://127.0.0.1\\@evil.example/callback', 'https://127.0.0.1/callback'],
  ...[
    'com.example.cli:/cb2',
    'com.example.cli://cb',
    'com.example.cli:/cb?x',
    'COM.example.cli:/cb',
  ],
]

describe('A redirect URI', () => {
  it(`of a site, in ${sites.length} other spellings, is a page and no way on`, async () => {
    const at = await start()
    for (const redirect_uri of sites)
      await expectPage(at, formOf({ ...requestOf(wiki), redirect_uri }))
    expect((await visit(at, honest)).location).toMatch(`${site}/callback?code=`)
  })

  it(`of an app, in ${device.length} other spellings, is a page and no way on`, async () => {
    const at = await start()
    for (const redirect_uri of device)
      await expectPage(at, formOf({ ...requestOf(desktop), redirect_uri }))
    for (const redirect_uri of ['http://127.0.0.1:51234/callback', 'com.example.cli:/cb'])
      expect((await visit(at, formOf({ ...requestOf(desktop), redirect_uri }))).status).toBe(303)
  })
})

describe('A query', () => {
  it.each([...Object.keys(requestOf(wiki)), 'prompt', 'max_age', 'x'])(
    'with %s twice, with values or empty, is a page',
    async (name) => {
      const at = await start()
      const without = formOf({ ...requestOf(wiki), [name]: undefined })
      for (const twice of [`${name}=a&${name}=b`, `${name}=&${name}=`, `${name}&${name}`])
        await expectPage(at, `${without}&${twice}`)
    },
  )

  it('that two readers may read in two ways is a page', async () => {
    const at = await start()
    for (const query of [
      `${honest}&redirect%5furi=https://evil.example`,
      `${honest}&x=%c0%af`,
      `${honest}&x=#&redirect_uri=https://evil.example`,
      `${honest}&x=${'a'.repeat(4097 - honest.length)}`,
      ...['wiki%00', 'wiki+', '%20wiki', 'Wiki', '__proto__', 'constructor', 'wiki%2Ctracker'].map(
        (id) => honest.replace('client_id=wiki', `client_id=${id}`),
      ),
    ])
      await expectPage(at, query)
    // Node itself may say so, without a page.
    const { status, location } = await visit(at, `${honest}&x=\xff`)
    expect([status, location]).toEqual([400, undefined])
  })

  it('goes by its own names alone', async () => {
    const at = await start()
    for (const more of ['redirect_uri[]=https://evil.example', 'redirect_uri.=x', 'REDIRECT_URI=x'])
      expect((await visit(at, `${honest}&${more}`)).location).toMatch(`${site}/callback?code=`)
  })
})

const noChallenge = { code_challenge: undefined, code_challenge_method: undefined }

describe('A request of a site that is proven', () => {
  it.each<[error: string, change: Form]>([
    ...['token', 'code id_token', 'code token', 'none', 'CODE'].map(
      (response_type): [string, Form] => ['unsupported_response_type', { response_type }],
    ),
    ...['fragment', 'Form_post', 'form_post.jwt', 'web_message', 'query.jwt'].map(
      (response_mode): [string, Form] => ['invalid_request', { response_mode }],
    ),
    ['request_not_supported', { request: 'eyJhbGciOiJub25lIn0.e30.' }],
    ['request_uri_not_supported', { request_uri: 'http://169.254.169.254/' }],
    ['registration_not_supported', { registration: '{}' }],
    ['invalid_request', noChallenge],
    ['invalid_request', { code_challenge_method: undefined }],
    ['invalid_request', { code_challenge_method: 'plain' }],
    ['invalid_request', { code_challenge_method: 's256' }],
    ['invalid_request', { code_challenge: `${'A'.repeat(43)}=` }],
    ['invalid_request', { code_challenge: '' }],
    ['invalid_scope', { scope: '*' }],
    ['invalid_scope', { scope: 'openid *' }],
    ['invalid_scope', { scope: 'openid "' }],
    ['invalid_target', { resource: 'https://evil.example' }],
    ['invalid_request', { prompt: 'none login' }],
    ['invalid_request', { max_age: '-1' }],
    ['invalid_request', { state: 'a\nb' }],
    ['invalid_request', { id_token_hint: 'x.y.z' }],
  ])('is told %s of %j in the query of its own address, with iss', async (error, change) => {
    const at = await start()
    const { status, location = '' } = await visit(at, formOf({ ...requestOf(wiki), ...change }))
    const { origin, pathname, hash, searchParams } = new URL(location)
    expect([status, `${origin}${pathname}`, hash]).toEqual([303, `${site}/callback`, ''])
    const { error_description: _why, ...told } = Object.fromEntries(searchParams)
    const state = change['state'] === undefined && { state: 'af0ifjsldkj' }
    expect(told).toEqual({ error, iss: issuer, ...state })
  })

  it('that may send a nonce instead of a challenge cannot leave out both', async () => {
    const at = await start()
    const errorOf = async (change: Form) => {
      const { location = '' } = await visit(at, formOf({ ...requestOf(legacy), ...change }))
      return new URL(location).searchParams.get('error')
    }
    for (const change of [{ nonce: undefined }, { scope: 'profile' }, { nonce: '' }])
      expect(await errorOf({ ...noChallenge, ...change })).toBe('invalid_request')
    expect(await errorOf(noChallenge)).toBeNull()
  })
})

describe('A code', () => {
  it.each<[string, (form: Form) => Form]>([
    ['its challenge for a verifier', (form) => ({ ...form, code_verifier: 'A'.repeat(43) })],
    ['its first character changed', ({ code, ...form }) => ({ ...form, code: `x${code}` })],
    ['no redirect URI', ({ redirect_uri: _none, ...form }) => form],
    ['no grant', ({ grant_type: _none, ...form }) => form],
    ['a verifier of 42 characters', (form) => ({ ...form, code_verifier: 'a'.repeat(42) })],
  ])('brings nothing with %s', async (_what, change) => {
    const at = await start()
    const challenged = await at.codeFor(wiki)
    const { status, body } = await at.post('/oauth/token', wiki, change(challenged))
    expect([status, Object.keys(body)]).toEqual([400, expect.not.arrayContaining(['access_token'])])
  })

  it('is not spent by a request that cannot be read, whatever is wrong with that', async () => {
    const at = await start()
    const form = await at.codeFor(wiki)
    const good = formOf(form)
    const own = { ...basic(wiki.id, secret.secret), 'Content-Type': urlencoded }
    const send = async (body: string, headers = own, query = '', method = 'POST') => {
      const init = method === 'GET' ? { headers } : { method, headers, body }
      return (await fetch(`${at.host.url}/oauth/token${query}`, init)).status
    }
    for (const more of [
      ...['code=x', 'code=', 'grant_type=refresh_token', 'redirect_uri=', 'code_verifier=a'],
      ...['client_id=wiki&client_id=wiki', 'client_id=tracker', 'client_secret=x', 'x=%ff'],
      ...['client_assertion=x', 'resource=https://evil.example'],
    ])
      expect(await send(`${good}&${more}`), more).toBeOneOf([400, 401])
    expect(await send(good.replace('code=', 'code%5B%5D='))).toBe(400)
    expect(await send('x=y', own, `?${good}`)).toBe(400)
    expect(await send('', own, `?${good}`, 'GET')).toBe(405)
    const plain = { ...own, 'Content-Type': 'text/plain' }
    expect(await send(good, plain)).toBe(415)
    expect(await send(good)).toBe(200)
  })

  it('is not spent by one who shows no secret, half of it, or another’s', async () => {
    const at = await start()
    const form = await at.codeFor(wiki)
    const withId = (user: string, password: string) => ({
      Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
    })
    for (const headers of [
      {},
      withId('wiki', ''),
      withId('wiki', `${secret.secret}x`),
      withId('wiki', `${secret.secret} `),
      withId('wiki', `${secret.secret}\0`),
      withId('wiki', `:${secret.secret}`),
      withId('WIKI', secret.secret),
      withId('wiki', `%zz${secret.secret}`),
      withId('wiki', secret.hash),
      { Authorization: `Bearer ${secret.secret}` },
    ]) {
      const { status, body } = await at.post('/oauth/token', wiki, { ...form, x: '' }, headers)
      expect(status).toBeOneOf([400, 401])
      expect(body['error']).toBeOneOf(['invalid_request', 'invalid_client'])
    }
    expect((await at.post('/oauth/token', wiki, form)).status).toBe(200)
  })
})

const urlencoded = 'application/x-www-form-urlencoded'

describe('The account of a user', () => {
  it.each([
    ['GET', '/auth/sessions'],
    ['DELETE', '/auth/sessions'],
    ['GET', '/auth/consents'],
    ['DELETE', '/auth/consents/tracker'],
    ['POST', '/auth/browser-session'],
    ['GET', '/auth/access-tokens'],
    ['POST', '/auth/access-tokens'],
    ['POST', '/auth/pkce/authorize'],
  ])('is closed to apps, be it %s %s', async (method, path) => {
    const at = await start()
    const { tokens } = await at.flow(wiki, { scope: 'openid messages:read offline_access' })
    const answer = await fetch(`${at.host.url}${path}`, {
      method,
      headers: {
        Authorization: `Bearer ${tokens['access_token']}`,
        'Sec-Fetch-Site': 'same-origin',
        'Content-Type': 'application/json',
      },
      ...(method === 'POST' && { body: '{}' }),
    })
    expect(answer.status).toBeOneOf([403, 404])
    expect((await at.userinfo(tokens['access_token'])).status).toBe(200)
  })
})
