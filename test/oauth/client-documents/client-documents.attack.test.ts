// Whoever writes a document, or only an address, against the server that reads it.
import { describe, expect, it } from 'vitest'
import { gate } from '../../support/gate.js'
import { byPages } from '../by-pages.js'
import {
  type Form,
  formOf,
  type RelyingParties,
  requestOf,
  startRelyingParties,
} from '../relying-party.js'
import {
  type Answering,
  documentOf,
  editor,
  editorDocument,
  editorId,
  startVendor,
  vendorHost,
} from './vendor.js'

const scopes = ['openid', 'messages:read']

function startListing(hosts: readonly string[] = [vendorHost]) {
  return startRelyingParties({ oauth: { clientDocuments: { hosts, scopes } } })
}

const ask = (at: RelyingParties, change: Form = {}, Cookie: string | null = null) =>
  at.authorize(formOf({ ...requestOf(editor), ...change }), Cookie)

describe('an address that is not one of a document at a listed host', () => {
  it.each([
    'https://claude.example/oauth/client.json',
    'https://sub.editor.example/oauth/client.json',
    'https://editor.example.evil.example/oauth/client.json',
    'https://editor.example./oauth/client.json',
    'https://EDITOR.example/oauth/client.json',
    'https://еditor.example/oauth/client.json',
    'https://xn--ditor-4ve.example/oauth/client.json',
    'https://evil.example@editor.example/oauth/client.json',
    'https://editor.example@evil.example/oauth/client.json',
    'https://editor.example:443/oauth/client.json',
    'https://editor.example:8443/oauth/client.json',
    'http://editor.example/oauth/client.json',
    'https://editor.example',
    'https://editor.example/',
    'https://editor.example/oauth/../client.json',
    'https://editor.example/./client.json',
    'https://editor.example/%2e%2e/client.json',
    'https://editor.example/a%2fclient.json',
    'https://editor.example/client.json?x=1',
    'https://editor.example/client.json#x',
    'https://editor.example\\client.json',
    'https:///editor.example/client.json',
    'https://127.0.0.1/client.json',
    'https://[::1]/client.json',
    `https://editor.example/${'a'.repeat(200)}`,
  ])('%s is a client that there is not, and nothing is looked up', async (client_id) => {
    const vendor = await startVendor()
    const at = await startListing()
    const sent = await ask(at, { client_id })
    expect([sent.status, sent.location]).toEqual([400, ''])
    const exchanged = await at.post('/oauth/token', { ...editor, id: client_id }, {})
    expect([400, 401]).toContain(exchanged.status)
    expect([vendor.lookedUp, vendor.connected]).toEqual([[], []])
  })

  it.each([
    [['127.0.0.1']],
    [['10.1.2.3']],
    [['169.254.169.254']],
    [['::1']],
    [['fd00::1']],
    [['::ffff:7f00:1']],
    [['64:ff9b::a00:1']],
    [['93.184.215.14', '192.168.0.1']],
  ])('a listed host that stands for %j is not connected to', async (addresses) => {
    const vendor = await startVendor()
    vendor.addresses = addresses
    expect((await ask(await startListing())).status).toBe(400)
    expect([vendor.lookedUp.length, vendor.connected]).toEqual([1, []])
  })
})

const drip: Answering = (_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  const timer = setInterval(() => response.write(' '), 100)
  response.on('close', () => clearInterval(timer))
}
const endless: Answering = (_request, response) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  const more = () => {
    while (response.write(' '.repeat(65_536)));
  }
  response.on('drain', more)
  more()
}
const redirects: Answering = (_request, response) =>
  void response.writeHead(302, { location: 'http://127.0.0.1/client.json' }).end()

describe('an answer that is no document', () => {
  it.each<[string, Answering, number]>([
    ['redirects', redirects, 400],
    ['never ends', endless, 400],
    ['comes byte by byte', drip, 503],
    ['has more than 8 KiB', documentOf({ ...editorDocument, x: 'x'.repeat(8192) }), 400],
    ['is compressed', documentOf(editorDocument, { 'content-encoding': 'gzip' }), 303],
    ['is HTML', documentOf(editorDocument, { 'content-type': 'text/html' }), 400],
    ['has no type', documentOf(editorDocument, { 'content-type': '' }), 400],
    ['begins with a BOM', documentOf(`\uFEFF${JSON.stringify(editorDocument)}`), 400],
    ['is an array', documentOf([editorDocument]), 400],
    ['is deep', documentOf(`${'['.repeat(4000)}${']'.repeat(4000)}`), 400],
    ['is cut off', documentOf(JSON.stringify(editorDocument).slice(0, -1)), 400],
  ])('that %s', async (_name, answer, status) => {
    const vendor = await startVendor(answer)
    const at = await startListing()
    expect((await ask(at)).status).toBe(status)
    // Nowhere else, and no second time.
    expect((await ask(at)).status).toBe(status)
    expect(vendor.connected.length).toBe(1)
  })
})

describe('a document that says what it may not', () => {
  const without = (member: keyof typeof editorDocument) => {
    const { [member]: _left, ...others } = editorDocument
    return others
  }
  const many = Array.from({ length: 21 }, (_, index) => `http://127.0.0.1/${index}`)
  it.each<[string, unknown]>([
    ['of another client', { ...editorDocument, client_id: 'wiki' }],
    ['of another spelling', { ...editorDocument, client_id: `${editorId}/` }],
    ['without its address', without('client_id')],
    [
      'whose prototype has its address',
      `{"__proto__":${JSON.stringify(editorDocument)},"redirect_uris":["http://127.0.0.1/"]}`,
    ],
    [
      'whose second member is another',
      `${JSON.stringify(editorDocument).slice(0, -1)},"client_id":"x"}`,
    ],
    ['without redirect URIs', without('redirect_uris')],
    [
      'with a redirect to another host',
      { ...editorDocument, redirect_uris: ['https://evil.example/'] },
    ],
    [
      'with a redirect to another port',
      { ...editorDocument, redirect_uris: [`https://${vendorHost}:8443/callback`] },
    ],
    ['with a script', { ...editorDocument, redirect_uris: ['javascript:alert(1)'] }],
    ['with http', { ...editorDocument, redirect_uris: [`http://${vendorHost}/callback`] }],
    ['with a number', { ...editorDocument, redirect_uris: [1] }],
    ['with 21 redirects', { ...editorDocument, redirect_uris: many }],
    ['with a secret', { ...editorDocument, client_secret: 'x' }],
    ['with a secret that expires', { ...editorDocument, client_secret_expires_at: 0 }],
    ['with a key', { ...editorDocument, token_endpoint_auth_method: 'private_key_jwt' }],
    ['with a grant of its own', { ...editorDocument, grant_types: ['implicit'] }],
    [
      'with the grant of refresh tokens alone',
      { ...editorDocument, grant_types: ['refresh_token'] },
    ],
    ['with a name of two lines', { ...editorDocument, client_name: 'Chat\nTeam' }],
    ['with a name that turns around', { ...editorDocument, client_name: 'a\u202Eb' }],
    ['with a name of 61 characters', { ...editorDocument, client_name: 'x'.repeat(61) }],
  ])('%s: there is no such client', async (_name, document) => {
    await startVendor(documentOf(document))
    const at = await startListing()
    const sent = await ask(at, {}, at.cookie)
    expect([sent.status, sent.location]).toEqual([400, ''])
    expect(at.host.events).toContainEqual(
      expect.objectContaining({ type: 'client-document.refused', reason: 'unfit' }),
    )
  })

  it('is never of the house: consent is asked for, and everything is refused', async () => {
    await startVendor(
      documentOf({ ...editorDocument, firstParty: true, scopes: ['*'], scope: '*' }),
    )
    const at = await startListing()
    expect((await ask(at, { prompt: 'none' }, at.cookie)).params['error']).toBe('consent_required')
    expect((await ask(at, { scope: '*' }, at.cookie)).params['error']).toBe('invalid_scope')
    expect((await ask(at, { redirect_uri: 'https://evil.example/' }, at.cookie)).status).toBe(400)
  })

  it('shows its host, whatever it calls itself', async () => {
    await startVendor(documentOf({ ...editorDocument, client_name: '<b>Example Chat</b>' }))
    const at = await startListing()
    const { texts } = await byPages(at).flow(editor, {}, byPages(at).openBrowser())
    expect(texts.at(-1)).toContain('<b><bdi>editor.example</bdi></b> wants')
    expect(texts.at(-1)).toContain('“<bdi>&lt;b&gt;Example Chat&lt;/b&gt;</bdi>”')
  })
})

describe('a document that changes', () => {
  const site = { ...editor, redirectUris: [`https://${vendorHost}/callback`] }
  const other = { ...editorDocument, client_name: 'The Bank' }

  it('between the page and the exchange: the code is void', async () => {
    const vendor = await startVendor(documentOf(editorDocument))
    const at = await startListing()
    await byPages(at).flow(site, {}, byPages(at).openBrowser())
    at.clock.advance(290)
    const form = await at.codeFor(site)
    vendor.answer = documentOf(other)
    // No longer remembered.
    at.clock.advance(10)
    const exchanged = await at.post('/oauth/token', editor, form)
    expect(exchanged).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
  })

  it('between the page and its answer: the page comes again', async () => {
    const vendor = await startVendor(documentOf(editorDocument))
    const at = await startListing()
    const { openBrowser } = byPages(at)
    const browser = openBrowser()
    const query = formOf(requestOf(editor))
    let rest = await browser.open(`https://chat.example.com/api/v1/oauth/authorize?${query}`)
    const password = 'correct horse battery staple'
    rest = await browser.send(rest, { username: 'alice', password })
    expect(rest.page?.text).toContain('The Editor')
    vendor.answer = documentOf(other)
    at.clock.advance(301)
    rest = await browser.send(rest, { choice: 'allow' })
    expect(rest.page?.text).toContain('The Bank')
    expect(rest.page?.text).not.toContain('The Editor')
    expect(await at.consents.find('u-alice', editorId)).toBeNull()
  })

  it('away at the exchange: the code is good for what its user was shown', async () => {
    const vendor = await startVendor(documentOf(editorDocument))
    const at = await startListing()
    await byPages(at).flow(site, {}, byPages(at).openBrowser())
    at.clock.advance(290)
    const form = await at.codeFor(site)
    vendor.answer = (_request, response) => void response.writeHead(503).end()
    at.clock.advance(10)
    expect((await at.post('/oauth/token', editor, form)).status).toBe(200)
    expect(vendor.requests.length).toBe(2)
  })
})

describe('a flood of addresses', () => {
  it('at one listed host: two requests at once, whatever the number of paths', async () => {
    const opened = gate()
    const waits = opened.shut()
    const vendor = await startVendor((...asked) => {
      void opened.pass().then(() => documentOf(editorDocument)(...asked))
    })
    const at = await startListing()
    const asking = Array.from({ length: 60 }, (_, index) =>
      ask(at, { client_id: `https://${vendorHost}/${index}` }),
    )
    await waits
    await expect.poll(() => vendor.requests.length).toBe(2)
    opened.open()
    const statuses = new Set((await Promise.all(asking)).map(({ status }) => status))
    // A page that says what to do, whatever becomes of each.
    expect([...statuses].every((status) => [400, 429, 503].includes(status))).toBe(true)
  })

  it('at many listed hosts: ten at once', async () => {
    const vendor = await startVendor()
    const opened = gate()
    const waits = opened.shut()
    vendor.lookUp = opened.pass
    const hosts = Array.from({ length: 20 }, (_, index) => `host${index}.example`)
    const at = await startListing(hosts)
    const busy: number[] = []
    const asking = hosts.map(async (host) => {
      const { status } = await ask(at, { client_id: `https://${host}/client` })
      busy.push(status)
    })
    await waits
    // The others are told at once that they may try again.
    await expect.poll(() => busy.length).toBe(10)
    expect([busy, vendor.lookedUp.length]).toEqual([Array(10).fill(503), 10])
    opened.open()
    await Promise.all(asking)
  })

  it('of a client that is known: one request, and all wait for it', async () => {
    const vendor = await startVendor()
    const at = await startListing()
    const answers = await Promise.all(Array.from({ length: 50 }, () => ask(at)))
    expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(303))
    expect(vendor.requests.length).toBe(1)
  })

  it('at the host of a client that is known: its users sign in all the time', async () => {
    const vendor = await startVendor()
    const at = await startListing()
    expect((await ask(at)).status).toBe(303)
    // Its document is over, and both places of its host are taken.
    at.clock.advance(301)
    const opened = gate()
    void opened.shut()
    const isFlood = (path = '') => path.startsWith('/flood')
    vendor.answer = (request, response) => {
      const wait = isFlood(request.url) ? opened.pass() : Promise.resolve()
      void wait.then(() => documentOf(editorDocument)(request, response))
    }
    const flooding = Array.from({ length: 5 }, (_, index) =>
      ask(at, { client_id: `https://${vendorHost}/flood/${index}` }),
    )
    await expect.poll(() => vendor.requests.filter(({ url }) => isFlood(url)).length).toBe(2)
    const asked = vendor.requests.length
    expect((await ask(at)).status).toBe(303)
    // Not the old one: it was fetched, in a place of its own.
    expect(vendor.requests.length).toBe(asked + 1)
    opened.open()
    await Promise.all(flooding)
  })
})
