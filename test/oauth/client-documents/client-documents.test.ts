// Apps that nobody registered here: each is known by a document at a host that the server lists.
import { describe, expect, it } from 'vitest'
import { bearer, logIn } from '../../support/client.js'
import { byPages } from '../by-pages.js'
import {
  formOf,
  ownResource,
  type RelyingSettings,
  requestOf,
  startRelyingParties,
} from '../relying-party.js'
import { documentOf, editor, editorDocument, editorId, startVendor, vendorHost } from './vendor.js'

const listed: RelyingSettings = {
  oauth: { clientDocuments: { hosts: [vendorHost], scopes: ['openid', 'messages:read'] } },
}

describe('an app that nobody registered', () => {
  it('signs a user in by its document, asks for consent, and is known by its address', async () => {
    const vendor = await startVendor()
    const at = await startRelyingParties(listed)
    const { flow, openBrowser } = byPages(at)
    const scope = 'openid messages:read'
    const { seen, texts, tokens, claims } = await flow(editor, { scope }, openBrowser())
    expect(seen).toEqual(['sign-in', 'consent'])
    const [, consent = ''] = texts
    // Its host first. What it calls itself comes after, as its own words.
    expect(consent).toMatch(/<b><bdi>editor\.example<\/bdi><\/b> wants to use your account/)
    expect(consent).toContain('It calls itself “<bdi>The Editor</bdi>”. Nobody has checked that.')
    expect(consent).toContain('You will be sent to an app on this device.')
    expect(claims).toMatchObject({ aud: editorId, sub: 'u-alice' })
    // Fetched once, by its own name, from the address that was checked.
    expect(vendor.lookedUp).toEqual([vendorHost])
    expect(vendor.connected).toEqual([{ name: vendorHost, address: '93.184.215.14' }])
    const [request] = vendor.requests
    expect([vendor.requests.length, request?.url]).toEqual([1, '/oauth/client.json'])
    expect(request?.headers).toEqual({
      accept: 'application/json',
      'accept-encoding': 'identity',
      connection: 'close',
      host: vendorHost,
    })

    // It refreshes without its document, and its user sees it and takes the consent back.
    vendor.answer = (_request, response) => void response.writeHead(404).end()
    at.clock.advance(2 * 60 * 60)
    const refreshed = await at.post('/oauth/token', editor, {
      grant_type: 'refresh_token',
      refresh_token: String(tokens['refresh_token']),
    })
    expect([refreshed.status, vendor.requests.length]).toEqual([200, 1])
    const { Authorization } = bearer((await logIn(at.host)).authToken)
    const consents = await fetch(`${at.host.url}/auth/consents`, { headers: { Authorization } })
    expect(await consents.json()).toMatchObject({
      data: { consents: [{ clientId: editorId, name: vendorHost }] },
    })
    const path = `/auth/consents/${encodeURIComponent(editorId)}`
    const taken = await fetch(at.host.url + path, { method: 'DELETE', headers: { Authorization } })
    expect(taken.status).toBe(200)
    const again = await at.post('/oauth/token', editor, {
      grant_type: 'refresh_token',
      refresh_token: String(refreshed.body['refresh_token']),
    })
    expect(again).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  })

  it('is announced in the metadata, only where there is a list of hosts', async () => {
    const supported = async (settings: RelyingSettings) => {
      const metadata = await (await startRelyingParties(settings)).metadata()
      expect(metadata['token_endpoint_auth_methods_supported']).toContain('none')
      return metadata['client_id_metadata_document_supported']
    }
    const clientDocuments = { hosts: [], scopes: ['messages:read'] }
    expect(await supported(listed)).toBe(true)
    expect(await supported({ oauth: { clientDocuments } })).toBe(false)
    expect(await supported({})).toBe(false)
  })

  it.each([
    ['', 300],
    ['no-store', 300],
    ['max-age=10', 300],
    ['public, max-age=1200', 1200],
    ['max-age=86400', 3600],
  ])('is remembered with Cache-Control "%s" for %i seconds', async (control, seconds) => {
    const vendor = await startVendor(documentOf(editorDocument, { 'cache-control': control }))
    const at = await startRelyingParties(listed)
    for (const [wait, requests] of [
      [0, 1],
      [seconds - 1, 1],
      [2, 2],
    ] as const) {
      at.clock.advance(wait)
      const { status } = await at.authorize(formOf(requestOf(editor)), null)
      expect([status, vendor.requests.length]).toEqual([303, requests])
    }
  })

  it('is asked for again half a minute after a failure; an outage is a 503', async () => {
    const vendor = await startVendor((_request, response) => void response.writeHead(500).end())
    const at = await startRelyingParties(listed)
    const ask = () => at.authorize(formOf(requestOf(editor)), null)
    expect([(await ask()).status, (await ask()).status]).toEqual([503, 503])
    expect(vendor.requests.length).toBe(1)
    at.clock.advance(31)
    vendor.answer = documentOf(editorDocument)
    expect((await ask()).status).toBe(303)
    expect(at.host.events).toContainEqual(
      expect.objectContaining({
        type: 'client-document.refused',
        reason: 'away',
        clientId: editorId,
      }),
    )
  })

  it('is used for an hour more while its host is away, and no minute once it is gone', async () => {
    const vendor = await startVendor()
    const at = await startRelyingParties(listed)
    const ask = async () => (await at.authorize(formOf(requestOf(editor)), null)).status
    expect(await ask()).toBe(303)
    vendor.answer = (_request, response) => void response.writeHead(503).end()
    at.clock.advance(301)
    expect([await ask(), await ask(), vendor.requests.length]).toEqual([303, 303, 2])
    // The hour begins when the document is over, and no failure prolongs it.
    at.clock.advance(3598)
    expect(await ask()).toBe(303)
    at.clock.advance(31)
    expect(await ask()).toBe(503)
    at.clock.advance(31)
    vendor.answer = documentOf(editorDocument)
    expect(await ask()).toBe(303)

    at.clock.advance(301)
    vendor.answer = (_request, response) => void response.writeHead(404).end()
    expect(await ask()).toBe(400)
    // Nor when the host fails after that.
    vendor.answer = (_request, response) => void response.writeHead(503).end()
    at.clock.advance(31)
    expect(await ask()).toBe(503)
  })

  it('gets a token for the APIs that such apps may use, and no other', async () => {
    await startVendor()
    const resources = [ownResource, 'https://search.example.com/']
    const { hosts, scopes } = { hosts: [vendorHost], scopes: ['messages:read'] }
    const at = await startRelyingParties({
      oauth: { clientDocuments: { hosts, scopes, resources } },
    })
    const ask = async (resource: string) => {
      const query = formOf({ ...requestOf(editor), scope: 'messages:read', resource })
      return (await at.authorize(query, at.cookie)).params['error'] ?? 'page'
    }
    expect(await ask('https://search.example.com/')).toBe('page')
    expect(await ask('https://other.example.com/')).toBe('invalid_target')
  })

  it.each([
    [{ hosts: ['Editor.example'], scopes: [] }, 'oauth.clientDocuments.hosts'],
    [{ hosts: ['*.editor.example'], scopes: [] }, 'oauth.clientDocuments.hosts'],
    [{ hosts: ['editor.example:8443'], scopes: [] }, 'oauth.clientDocuments.hosts'],
    [{ hosts: ['localhost'], scopes: [] }, 'oauth.clientDocuments.hosts'],
    // The id of an app there could be that of an API of this server.
    [{ hosts: [vendorHost, 'chat.example.com'], scopes: [] }, 'oauth.clientDocuments.hosts'],
    [{ hosts: [vendorHost], except: ['editor'], scopes: [] }, 'oauth.clientDocuments.except'],
    [{ hosts: [vendorHost], scopes: ['*'] }, 'oauth.clientDocuments.scopes'],
    [{ hosts: [vendorHost], scopes: ['message:read'] }, 'oauth.clientDocuments.scopes[0]'],
    [{ hosts: [vendorHost], scopes: [], resources: [] }, 'oauth.clientDocuments.resources'],
  ])('is not what the setting %j allows: the server does not start', async (wrong, option) => {
    await expect(startRelyingParties({ oauth: { clientDocuments: wrong } })).rejects.toThrow(
      `${option}: `,
    )
  })
})
