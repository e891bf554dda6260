// Clients that register themselves (RFC 7591), with the option `oauth.registration`.
import { describe, expect, it } from 'vitest'
import { memoryOAuthStores } from '../../../src/stores/memory-oauth-stores.js'
import { bearer, logIn } from '../../support/client.js'
import { byPages } from '../by-pages.js'
import {
  formOf,
  issuer,
  clients as listed,
  ownResource,
  requestOf,
  startRelyingParties,
} from '../relying-party.js'
import { listedHost, redirect, scopes, startRegistering } from './registering.js'

const scope = 'openid messages:read'

describe('a client that registers itself', () => {
  it('gets an id, and no secret', async () => {
    const at = await startRegistering()
    const sent = {
      client_name: 'The Inspector',
      client_uri: 'https://inspector.example/',
      redirect_uris: [redirect, `https://${listedHost}/cb`],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      scope: 'everything',
    }
    const { status, body, headers } = await at.send(sent)
    expect([status, headers.get('cache-control')]).toEqual([201, 'no-store'])
    expect(body).toEqual({
      client_id: expect.stringMatching(/^self-registered-[\w-]{22}$/),
      client_id_issued_at: Math.floor(at.clock().getTime() / 1000),
      client_name: 'The Inspector',
      redirect_uris: sent.redirect_uris,
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      scope,
    })
    const [event] = at.eventsOf('client.registered')
    expect(event).toMatchObject({ clientId: body['client_id'] })
    expect(await at.store.find(String(body['client_id']))).toMatchObject({
      name: 'The Inspector',
      selfRegistered: true,
      scopes: [],
    })
  })

  it('needs nothing but a redirect URI', async () => {
    const { status, body } = await (await startRegistering()).send({ redirect_uris: [redirect] })
    expect(status).toBe(201)
    expect(body).not.toHaveProperty('client_name')
    expect(body['token_endpoint_auth_method']).toBe('none')
  })

  it('signs a user in, who reads where it leads first, and refreshes', async () => {
    const at = await startRegistering()
    const app = await at.register({ client_name: 'The Inspector' })
    const { flow, openBrowser } = byPages(at)
    // Any port of the device.
    const redirect_uri = 'http://127.0.0.1:50123/callback'
    // Agents add it wherever the metadata name it, and want the consent then.
    const asked = { scope: `${scope} offline_access`, prompt: 'consent', redirect_uri }
    const { seen, texts, tokens, claims } = await flow(app, asked, openBrowser())
    expect(tokens['scope']).toBe(scope)
    expect(seen).toEqual(['sign-in', 'consent'])
    const [, consent = ''] = texts
    expect(consent).toMatch(/<b><bdi>localhost<\/bdi><\/b> wants to use your account/)
    expect(consent).toContain(
      'It calls itself “<bdi>The Inspector</bdi>”. Nobody has checked that.',
    )
    expect(consent).toContain('You will be sent to an app on this device.')
    expect(claims).toMatchObject({ aud: app.id, sub: 'u-alice' })

    const refresh = (refresh_token: unknown) =>
      at.post('/oauth/token', app, {
        grant_type: 'refresh_token',
        refresh_token: String(refresh_token),
      })
    const refreshed = await refresh(tokens['refresh_token'])
    expect(refreshed.status).toBe(200)
    const { Authorization } = bearer((await logIn(at.host)).authToken)
    const path = `${at.host.url}/auth/consents`
    const consents = await fetch(path, { headers: { Authorization } })
    expect(await consents.json()).toMatchObject({
      data: { consents: [{ clientId: app.id, name: 'localhost' }] },
    })
    const taken = await fetch(`${path}/${app.id}`, {
      method: 'DELETE',
      headers: { Authorization },
    })
    expect(taken.status).toBe(200)
    expect(await refresh(refreshed.body['refresh_token'])).toMatchObject({ status: 400 })
  })

  it('is asked for PKCE, and gets no scope and no API but those of the option', async () => {
    const resources = [ownResource, 'https://search.example.com/']
    const at = await startRegistering({ registration: { scopes: ['messages:read'], resources } })
    const app = await at.register()
    const asked = { ...requestOf(app), scope: 'messages:read' }
    const errorOf = async (change: Readonly<Record<string, string | undefined>>) =>
      (await at.authorize(formOf({ ...asked, ...change }), at.cookie)).params['error']
    expect(await errorOf({ code_challenge: undefined })).toBe('invalid_request')
    expect(await errorOf({ scope: 'openid' })).toBe('invalid_scope')
    expect(await errorOf({ resource: 'https://other.example.com/' })).toBe('invalid_target')
    expect(await errorOf({ resource: 'https://search.example.com/' })).toBeUndefined()
  })

  it('is announced in the metadata, only with the option', async () => {
    const at = await startRegistering()
    const name = 'registration_endpoint'
    expect((await at.metadata())[name]).toBe(`${issuer}/api/v1/oauth/register`)
    const without = await startRelyingParties()
    expect(await without.metadata()).not.toHaveProperty(name)
    const answer = await fetch(`${without.host.url}/oauth/register`, { method: 'POST' })
    expect(answer.status).toBe(404)
  })

  it('shares its register with the clients of the host, which can disable it', async () => {
    const { clients } = memoryOAuthStores()
    for (const one of listed) await clients.create(one, new Date())
    const at = await startRegistering({ oauth: { clients }, registration: { clients } })
    const app = await at.register({ client_name: 'The Inspector' })
    expect(await at.host.auth.clients.find(app.id)).toMatchObject({ selfRegistered: true })
    const { flow, openBrowser } = byPages(at)
    const { tokens } = await flow(app, { scope }, openBrowser())
    expect(await at.host.auth.clients.disable(app.id)).toBe(true)
    const again = await at.post('/oauth/token', app, {
      grant_type: 'refresh_token',
      refresh_token: String(tokens['refresh_token']),
    })
    expect(again).toMatchObject({ status: 401, body: { error: 'invalid_client' } })
    expect((await at.authorize(formOf(requestOf(app)), null)).status).toBe(400)
  })

  it('is one of the host, named as the host says, once the host has changed it', async () => {
    const { clients } = memoryOAuthStores()
    const at = await startRegistering({ oauth: { clients }, registration: { clients } })
    const { id, redirectUris } = await at.register({ client_name: 'The Inspector' })
    const own = { id, redirectUris, type: 'native', name: 'Our inspector', scopes } as const
    await expect(
      at.host.auth.clients.update({ ...own, selfRegistered: true }),
    ).rejects.toMatchObject({ code: 'invalid-request' })
    await at.host.auth.clients.update(own)
    const { pass, openBrowser } = byPages(at)
    const { texts } = await pass(formOf({ ...requestOf(own), scope }), openBrowser())
    expect(texts.at(-1)).toContain('<bdi>Our inspector</bdi>')
    expect(texts.at(-1)).not.toContain('calls itself')
    at.clock.advance(30 * 60 * 60)
    expect(await clients.purge(at.clock())).toBe(0)
  })

  it('does not exist without the option, nor where its hosts are listed no more', async () => {
    const { clients } = memoryOAuthStores()
    const at = await startRegistering({ registration: { clients } })
    const local = await at.register()
    const agent = await at.register({ redirect_uris: [`https://${listedHost}/cb`] })
    const statusOf = async (host: typeof at, app: typeof local) =>
      (await host.authorize(formOf({ ...requestOf(app), scope }), null)).status
    expect([await statusOf(at, local), await statusOf(at, agent)]).toEqual([303, 303])
    const closed = await startRegistering({ registration: { clients, hosts: [] } })
    expect([await statusOf(closed, local), await statusOf(closed, agent)]).toEqual([303, 400])
    const without = await startRelyingParties({ oauth: { clients } })
    expect(await statusOf(without as typeof at, local)).toBe(400)
  })

  it('is gone a day later, unless a user has allowed it something', async () => {
    const at = await startRegistering()
    const [unused, used] = [await at.register(), await at.register()]
    const { flow, openBrowser } = byPages(at)
    await flow(used, { scope }, openBrowser())
    expect(await at.store.purge(at.clock())).toBe(0)
    at.clock.advance(24 * 60 * 60)
    expect(await at.store.purge(at.clock())).toBe(1)
    expect(await at.store.find(unused.id)).toBeNull()
    expect(await at.store.find(used.id)).not.toBeNull()
    // Within the 30 seconds for which a client is remembered, too, nobody can use it.
    at.clock.advance(31)
    expect((await at.authorize(formOf({ ...requestOf(unused), scope }), null)).status).toBe(400)
    await flow(used, { scope }, openBrowser())
  })
})

describe('a page that registers a client', () => {
  const origins = [
    'http://localhost:6274',
    'http://127.0.0.1:6274',
    'http://[::1]:6274',
    `https://${listedHost}`,
  ]

  it.each(origins)('of %s may, after a preflight', async (origin) => {
    const at = await startRegistering()
    const headers = { Origin: origin, 'Sec-Fetch-Site': 'cross-site' }
    const preflight = await fetch(`${at.host.url}/oauth/register`, {
      method: 'OPTIONS',
      headers: {
        ...headers,
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'content-type,mcp-protocol-version',
      },
    })
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([
      204,
      origin,
    ])
    const answer = await at.send({ redirect_uris: [redirect] }, headers)
    expect([answer.status, answer.headers.get('access-control-allow-origin')]).toEqual([
      201,
      origin,
    ])
    expect(answer.headers.get('vary')).toContain('Origin')
  })
})

describe('the option', () => {
  const { clients } = memoryOAuthStores()
  it.each([
    [{ clients, hosts: ['Agent.example'], scopes: [] }, 'oauth.registration.hosts'],
    [{ clients, hosts: ['*.agent.example'], scopes: [] }, 'oauth.registration.hosts'],
    [{ clients, hosts: ['agent.example:8443'], scopes: [] }, 'oauth.registration.hosts'],
    // Users would read that they return to this server.
    [{ clients, hosts: ['chat.example.com'], scopes: [] }, 'oauth.registration.hosts'],
    [{ clients, scopes: ['*'] }, 'oauth.registration.scopes'],
    [{ clients, scopes: ['message:read'] }, 'oauth.registration.scopes[0]'],
    [{ clients, scopes: [], resources: [] }, 'oauth.registration.resources'],
    [{ clients: [], scopes: [] }, 'oauth.registration.clients'],
    [{ clients: { find: async () => null }, scopes: [] }, 'oauth.registration.clients'],
    [{ scopes: [] }, 'oauth.registration.clients'],
  ])('%#: a mistake is named, and the server does not start', async (wrong, option) => {
    const registration = wrong as never
    await expect(startRelyingParties({ oauth: { registration } })).rejects.toThrow(`${option}: `)
  })

  it('a client of the host cannot say that it registered itself', async () => {
    const [one, ...others] = listed
    const wrong = [{ ...one, selfRegistered: true }, ...others] as typeof listed
    await expect(startRelyingParties({ oauth: { clients: wrong } })).rejects.toThrow(
      'oauth.clients[0].selfRegistered: ',
    )
  })
})
