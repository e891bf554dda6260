// Whoever registers a client, against the server that lets everybody register one.
import { describe, expect, it } from 'vitest'
import { memoryOAuthStores } from '../../../src/stores/memory-oauth-stores.js'
import { byPages } from '../by-pages.js'
import { formOf, requestOf, tracker } from '../relying-party.js'
import { listedHost, nextAddress, redirect, scopes, startRegistering } from './registering.js'

const scope = scopes.join(' ')
const whole = { redirect_uris: [redirect] }

describe('an open redirect', () => {
  it.each([
    ['none', []],
    ['no list', redirect],
    ['a number', [1]],
    ['one twice', [redirect, redirect]],
    ['21 of them', Array.from({ length: 21 }, (_none, i) => `${redirect}/${i}`)],
    ['another host', ['https://evil.example/cb']],
    ['another host among good ones', [redirect, 'https://evil.example/cb']],
    ['a host below the listed one', [`https://sub.${listedHost}/cb`]],
    ['a host that begins like it', [`https://${listedHost}.evil.example/cb`]],
    ['a user name before it', [`https://evil.example@${listedHost}/cb`]],
    ['the listed host before it', [`https://${listedHost}@evil.example/cb`]],
    ['another port', [`https://${listedHost}:8443/cb`]],
    ['no TLS', [`http://${listedHost}/cb`]],
    ['capital letters', [`https://${listedHost.toUpperCase()}/cb`]],
    ['a backslash', [`https://${listedHost}\\@evil.example/`]],
    ['a tab in it', [`https://${listedHost}\t.evil.example/`]],
    ['a fragment', [`${redirect}#a`]],
    ['a wildcard', ['http://127.0.0.1/*']],
    ['a parameter of the answer', [`${redirect}?code=1`]],
    ['another spelling of the device', ['http://127.1/cb']],
    ['a name that only looks like it', ['http://localhost.evil.example/cb']],
    ['no scheme', ['//127.0.0.1/cb']],
    ['a script', ['javascript:alert(1)']],
    ['data', ['data:text/html,x']],
    ['a scheme of an app', ['com.example.app:/cb']],
    ['a scheme without a maker', ['vscode://x/cb']],
    ['a very long one', [`${redirect}/${'a'.repeat(2000)}`]],
  ])('is refused as a redirect: %s', async (_what, redirect_uris) => {
    const at = await startRegistering()
    const { status, body } = await at.send({ redirect_uris })
    expect([status, body['error']]).toEqual([400, 'invalid_redirect_uri'])
    expect(await at.store.list()).toEqual([])
    expect(at.eventsOf('client-registration.refused')).toMatchObject([{ reason: 'redirect-uris' }])
  })

  it('is none: only what was registered is redirected to', async () => {
    const at = await startRegistering()
    const app = await at.register()
    for (const redirect_uri of [
      'https://evil.example/',
      `${redirect}/other`,
      'http://localhost/cb',
    ])
      expect(
        await at.authorize(formOf({ ...requestOf(app), redirect_uri }), at.cookie),
      ).toMatchObject({ status: 400, location: '' })
  })
})

describe('metadata that a client may not have', () => {
  it.each([
    ['a secret in the header', { token_endpoint_auth_method: 'client_secret_basic' }],
    ['a secret in the body', { token_endpoint_auth_method: 'client_secret_post' }],
    ['keys', { token_endpoint_auth_method: 'private_key_jwt' }],
    ['a list of methods', { token_endpoint_auth_method: ['none'] }],
    ['keys by value', { jwks: { keys: [] } }],
    ['keys by address', { jwks_uri: 'http://169.254.169.254/' }],
    ['a statement', { software_statement: 'e30.e30.' }],
    ['the implicit grant', { grant_types: ['authorization_code', 'implicit'] }],
    ['the password grant', { grant_types: ['password'] }],
    ['the grant of services alone', { grant_types: ['client_credentials'] }],
    ['no grant', { grant_types: [] }],
    ['grants that are no list', { grant_types: 'authorization_code' }],
    ['very many grants', { grant_types: Array(200).fill('authorization_code') }],
    ['tokens in the address', { response_types: ['token'] }],
    ['a name of two lines', { client_name: 'Chat\nYou may trust it' }],
    ['a name that turns round', { client_name: 'Chat \u202e)laiciffo(' }],
    ['a name with an isolate', { client_name: '\u2066Chat\u2069' }],
    ['a name with a control character', { client_name: 'Chat\u0007' }],
    ['a name of NUL', { client_name: 'Chat\0' }],
    ['half a character', { client_name: 'Chat \ud800' }],
    ['a blank name', { client_name: '  ' }],
    ['a name without end', { client_name: 'x'.repeat(61) }],
    ['a name that is no text', { client_name: { en: 'Chat' } }],
    ['a name of zero width', { client_name: '\u200b\u200d\u2060\ufeff' }],
    ['a name with a zero width in it', { client_name: 'Ch\u200bat' }],
    ['a name of soft hyphens', { client_name: '\u00ad' }],
    ['a name with a soft hyphen', { client_name: 'Ch\u00adat' }],
    ['a name of fillers of Hangul', { client_name: '\u3164\u115f\u1160\uffa0' }],
    ['a name of a blank of Braille', { client_name: '\u2800' }],
    ['a name of combining marks', { client_name: '\u0301\u0308\u034f\ufe0f' }],
    ['a name of marks and blanks', { client_name: '\u3164\u0301 \u2800\u0301' }],
    ['a name of signs', { client_name: '… –' }],
    ['a name for private use', { client_name: 'Chat \ue000' }],
    ['a name for private use, of the last plane', { client_name: 'Chat \u{10fffd}' }],
    ['a name with tags', { client_name: 'Chat\u{e0041}' }],
    ['a name of another control character', { client_name: 'Chat\u009b' }],
  ])('is refused as metadata: %s', async (_what, change) => {
    const at = await startRegistering()
    const { status, body } = await at.send({ ...whole, ...change })
    expect([status, body['error']]).toEqual([400, 'invalid_client_metadata'])
    expect(await at.store.list()).toEqual([])
  })

  it.each([
    ['no JSON', '{', 400],
    ['a list', '[]', 400],
    ['no object', 'null', 400],
    ['8 KiB and more', JSON.stringify({ ...whole, more: 'x'.repeat(8 * 1024) }), 413],
    ['nothing', '', 400],
  ])('is refused as a body: %s', async (_what, text, status) => {
    const at = await startRegistering()
    expect((await at.send(text)).status).toBe(status)
    expect(await at.store.list()).toEqual([])
  })

  it('is never what decides: not the id, nor the rights, nor who vouches for it', async () => {
    const at = await startRegistering()
    const app = await at.register({
      client_id: tracker.id,
      id: tracker.id,
      client_secret: 'x',
      firstParty: true,
      first_party: true,
      selfRegistered: false,
      scope: '*',
      scopes: ['*'],
      type: 'web',
      __proto__: { firstParty: true },
      constructor: { prototype: { firstParty: true } },
    })
    expect(app.id).not.toBe(tracker.id)
    const { seen } = await byPages(at).flow(app, { scope }, byPages(at).openBrowser())
    expect(seen).toContain('consent')
    const all = await at.authorize(formOf({ ...requestOf(app), scope: '*' }), at.cookie)
    expect(all.params['error']).toBe('invalid_scope')
  })

  it('is the name of another app: it is shown as what it calls itself, below the host', async () => {
    const at = await startRegistering()
    const redirect_uris = [`https://${listedHost}/cb`]
    const app = await at.register({ client_name: 'Team wiki (official)', redirect_uris })
    const { pass, openBrowser } = byPages(at)
    const { texts } = await pass(formOf({ ...requestOf(app), scope }), openBrowser())
    const consent = texts.at(-1) ?? ''
    expect(consent).toMatch(/<b><bdi>agent\.example<\/bdi><\/b> wants to use your account/)
    expect(consent.indexOf('Team wiki')).toBe(consent.lastIndexOf('Team wiki'))
    expect(consent).toContain('It calls itself “<bdi>Team wiki (official)</bdi>”.')
  })

  it('is markup: it is shown as text', async () => {
    const at = await startRegistering()
    const app = await at.register({ client_name: '<img src=x onerror=alert(1)>' })
    const { pass, openBrowser } = byPages(at)
    const { texts } = await pass(formOf({ ...requestOf(app), scope }), openBrowser())
    expect(texts.at(-1)).toContain('&lt;img src=x')
    expect(texts.at(-1)).not.toContain('<img src=x')
  })
})

it.each(['Über-Chat 2', 'チャット', 'e\u0301tude', '٣', 'Chat 💬\ufe0f', 'นักพัฒนา', 'x'])(
  'a name that people can read is registered as it is: %s',
  async (client_name) => {
    const at = await startRegistering()
    const { status, body } = await at.send({ ...whole, client_name })
    expect([status, body['client_name']]).toEqual([201, client_name])
  },
)

describe('many registrations', () => {
  it('of one network end at 20 in an hour, refused ones not counted, at once or not', async () => {
    const at = await startRegistering()
    const ip = nextAddress()
    const ask = (metadata: object = whole) => at.send(metadata, { 'X-Test-Ip': ip })
    for (let i = 0; i < 25; i += 1) expect((await ask({})).status).toBe(400)
    const answers = await Promise.all(Array.from({ length: 40 }, () => ask()))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(20)
    const refused = answers.find(({ status }) => status !== 201)
    expect([refused?.status, refused?.body['error']]).toEqual([429, 'too-many-requests'])
    expect(Number(refused?.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await at.store.list()).toHaveLength(20)
    // Another network has its own.
    await at.register()
    expect(at.eventsOf('login.throttled')[0]).toMatchObject({ scope: 'client-registration' })
  })

  it('of many networks end at 1,000 unused clients, and begin again a day later', async () => {
    const at = await startRegistering()
    const register = () => at.send(whole, { 'X-Test-Ip': nextAddress() })
    for (let round = 0; round < 10; round += 1)
      await Promise.all(Array.from({ length: 99 }, register))
    const last = await Promise.all(Array.from({ length: 40 }, register))
    expect(last.filter(({ status }) => status === 201)).toHaveLength(10)
    expect(await at.store.list()).toHaveLength(1000)
    const full = await register()
    expect([full.status, full.body['error']]).toEqual([503, 'temporarily_unavailable'])
    expect(Number(full.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(at.eventsOf('client-registration.refused')).toContainEqual(
      expect.objectContaining({ reason: 'full' }),
    )
    at.clock.advance(24 * 60 * 60)
    expect((await register()).status).toBe(201)
    expect(await at.store.list()).toHaveLength(1)
  }, 120_000)

  it.each([
    ['a page of another site', { Origin: 'https://evil.example', 'Sec-Fetch-Site': 'cross-site' }],
    ['a page of a neighbour', { Origin: 'https://b.example.com', 'Sec-Fetch-Site': 'same-site' }],
    ['an old browser', { Origin: 'https://evil.example' }],
    ['a page without an origin', { Origin: 'null', 'Sec-Fetch-Site': 'cross-site' }],
    ['a name like that of the device', { Origin: 'http://localhost.evil.example' }],
    ['the listed host without TLS', { Origin: `http://${listedHost}` }],
    ['the listed host at another port', { Origin: `https://${listedHost}:8443` }],
  ])('by visitors of %s cost their network nothing', async (_what, headers) => {
    const at = await startRegistering()
    const ip = { 'X-Test-Ip': nextAddress() }
    for (let i = 0; i < 21; i += 1) {
      const { status, headers: got } = await at.send(whole, { ...headers, ...ip })
      expect([status, got.get('access-control-allow-origin')]).toEqual([403, null])
    }
    expect((await at.send(whole, ip)).status).toBe(201)
  })

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data'])(
    'as a page can send them without a preflight, %s, are not read',
    async (type) => {
      const at = await startRegistering()
      const headers = { 'content-type': type, Origin: 'http://localhost:1' }
      expect((await at.send(whole, headers)).status).toBe(415)
      expect(await at.store.list()).toEqual([])
    },
  )
})

describe('an outage of the store', () => {
  const down = () => {
    throw new Error('connection refused')
  }

  it('registers nobody, and is a 503', async () => {
    const { clients } = memoryOAuthStores()
    const at = await startRegistering({ registration: { clients } })
    const app = await at.register()
    for (const method of ['register', 'find', 'use'] as const)
      Object.assign(clients, { [method]: down })
    const { status, headers } = await at.send(whole)
    expect([status, headers.get('retry-after')]).toEqual([503, expect.any(String)])
    at.clock.advance(31)
    expect((await at.authorize(formOf({ ...requestOf(app), scope }), null)).status).toBe(503)
  })

  it('stores no consent to a client that may be purged', async () => {
    const { clients } = memoryOAuthStores()
    const at = await startRegistering({ registration: { clients } })
    const app = await at.register()
    const { flow, openBrowser } = byPages(at)
    const { use } = clients
    Object.assign(clients, { use: down })
    await expect(flow(app, { scope }, openBrowser())).rejects.toThrow()
    expect(await at.consents.find('u-alice', app.id)).toBeNull()
    // Nor to one that was purged while the page was open.
    Object.assign(clients, { use })
    const browser = openBrowser()
    Object.assign(clients, {
      use: async (...given: Parameters<typeof use>) => {
        at.clock.advance(25 * 60 * 60)
        await clients.purge(at.clock())
        return use(...given)
      },
    })
    await expect(flow(app, { scope }, browser)).rejects.toThrow()
    expect(await at.consents.find('u-alice', app.id)).toBeNull()
  })
})
