// https://github.com/modelcontextprotocol/typescript-sdk: its client as it is, at the tools of
// docs/agents.md and at the example server: it is refused, signs its user in, and calls a tool. It
// is known by a registration, by a document of its own at a host that the server lists, or it
// registers itself.
import { readFileSync } from 'node:fs'
import {
  type OAuthClientProvider,
  UnauthorizedError,
} from '@modelcontextprotocol/sdk/client/auth.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { OAuthClient } from '../../dist/index.js'
import { memoryOAuthStores } from '../../dist/stores/memory.js'
import { toolsOf } from '../../example-app/tools.js'
import { editorId, startVendor, vendorHost } from '../oauth/client-documents/vendor.js'
import { alice as aliceOfExample } from '../support/example.js'
import { startOurs } from './provider-ours.js'
import { openBrowser } from './support/browser.js'
import { startTools } from './support/example-tools.js'
import { alice } from './support/provider.js'

it('the example server has the tools of docs/agents.md, in 40 lines', () => {
  const page = readFileSync(new URL('../../docs/agents.md', import.meta.url), 'utf8')
  const tools = readFileSync(new URL('../../example-app/tools.ts', import.meta.url), 'utf8')
  expect(page).toContain(`\`\`\`ts\n// tools.ts\n${tools}\`\`\``)
  expect(tools.trimEnd().split('\n').length).toBeLessThanOrEqual(41)
})

const registered = (origin: string): OAuthClient => ({
  id: 'assistant',
  name: 'Assistant',
  type: 'native',
  redirectUris: ['http://127.0.0.1/callback'],
  scopes: ['messages:read'],
  resources: [`${origin}/mcp`],
})

async function start() {
  const ours = await startOurs('', [], {
    oauth: (origin) => ({
      clients: [registered(origin)],
      clientDocuments: {
        hosts: [vendorHost],
        scopes: ['messages:read'],
        resources: [`${origin}/mcp`],
      },
      registration: {
        clients: memoryOAuthStores().clients,
        scopes: ['messages:read'],
        resources: [`${origin}/mcp`],
      },
      scopes: { 'messages:read': 'Read your messages' },
      resources: { [`${origin}/mcp`]: { scopes: ['messages:read'], name: 'Tools of the chat' } },
    }),
    after: (app, auth, origin) =>
      app.use(
        '/mcp',
        toolsOf(auth, `${origin}/mcp`, async (userId, room) => [`newest of ${room} for ${userId}`]),
      ),
  })
  onTestFinished(() => ours.stop())
  return { ours, url: new URL(`${ours.issuer}/mcp`) }
}

class Assistant implements OAuthClientProvider {
  readonly redirectUrl = 'http://127.0.0.1:50127/callback'
  readonly clientMetadata = { redirect_uris: [this.redirectUrl] }
  saved: OAuthTokens | undefined
  asked: URL | undefined
  private known: { readonly client_id: string } | undefined
  private verifier = ''

  constructor(clientId?: string) {
    this.known = clientId === undefined ? undefined : { client_id: clientId }
  }

  clientInformation = () => this.known
  tokens = () => this.saved
  saveTokens = (tokens: OAuthTokens) => {
    this.saved = tokens
  }
  redirectToAuthorization = (url: URL) => {
    this.asked = url
  }
  saveCodeVerifier = (verifier: string) => {
    this.verifier = verifier
  }
  codeVerifier = () => this.verifier
  saveClientInformation = (known: { readonly client_id: string }) => {
    this.known = known
  }
}

/** It learns from the metadata that its document is taken for a registration. */
class UnknownAssistant extends Assistant {
  readonly clientMetadataUrl = editorId
}

const newClient = () => new Client({ name: 'assistant', version: '1.0.0' })

const anyId = expect.stringMatching(/^self-registered-[\w-]{22}$/)

describe.each([
  ['that is registered', 'assistant', () => new Assistant('assistant')],
  ['that has a document', editorId, () => new UnknownAssistant()],
  ['that registers itself', anyId, () => new Assistant()],
])('an assistant %s', (_what, id, newAssistant) => {
  it('is refused, signs its user in by the pages, and calls a tool', async () => {
    const vendor = await startVendor()
    const { ours, url } = await start()
    const authProvider = newAssistant()
    const first = new StreamableHTTPClientTransport(url, { authProvider })
    await expect(newClient().connect(first)).rejects.toThrow(UnauthorizedError)
    const { asked } = authProvider
    expect(Object.fromEntries(asked?.searchParams ?? [])).toMatchObject({
      client_id: id,
      resource: url.href,
      scope: 'messages:read',
    })
    const { url: back } = await openBrowser(ours).open(String(asked))
    await first.finishAuth(back.searchParams.get('code') ?? '')
    const client = newClient()
    onTestFinished(() => client.close())
    await client.connect(new StreamableHTTPClientTransport(url, { authProvider }))
    const { tools: listed } = await client.listTools()
    expect(listed.map(({ name }) => name)).toEqual(['read_room'])
    const answer = await client.callTool({ name: 'read_room', arguments: { room: 'general' } })
    expect(answer.content).toEqual([{ type: 'text', text: `newest of general for ${alice.id}` }])
    expect(
      vendor.requests.map((request) => `https://${request.headers.host}${request.url}`),
    ).toEqual(id === editorId ? [editorId] : [])
  })

  it('refreshes by itself when its token has ended', async () => {
    await startVendor()
    const { ours, url } = await start()
    const authProvider = newAssistant()
    const first = new StreamableHTTPClientTransport(url, { authProvider })
    await newClient()
      .connect(first)
      .catch(() => {})
    const { url: back } = await openBrowser(ours).open(String(authProvider.asked))
    await first.finishAuth(back.searchParams.get('code') ?? '')
    const { saved } = authProvider
    if (saved === undefined) throw new Error('no tokens')
    authProvider.saved = { ...saved, access_token: `${saved.access_token.slice(0, -4)}AAAA` }
    const client = newClient()
    onTestFinished(() => client.close())
    await client.connect(new StreamableHTTPClientTransport(url, { authProvider }))
    expect(authProvider.saved.refresh_token).not.toBe(saved.refresh_token)
    expect((await client.listTools()).tools).toHaveLength(1)
  })
})

describe('the example server', () => {
  it('lets an assistant read a room, and do nothing else', async () => {
    const { url: tools, provider } = await startTools()
    const chat = (path: string, token: string, body?: object) =>
      fetch(`${provider.issuer}/api/v1${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
        ...(body && { body: JSON.stringify(body) }),
      })
    const login = await chat('/login', '', aliceOfExample)
    const { data } = (await login.json()) as { data: { authToken: string } }
    await chat('/rooms/general/messages', data.authToken, { text: 'Lunch at twelve' })

    const url = new URL(tools)
    // The example lets it register itself.
    const authProvider = new Assistant()
    const first = new StreamableHTTPClientTransport(url, { authProvider })
    await expect(newClient().connect(first)).rejects.toThrow(UnauthorizedError)
    const { url: back } = await openBrowser(provider).open(String(authProvider.asked))
    await first.finishAuth(back.searchParams.get('code') ?? '')
    const client = newClient()
    onTestFinished(() => client.close())
    await client.connect(new StreamableHTTPClientTransport(url, { authProvider }))
    const read = (room: string) =>
      client.callTool({ name: 'read_room', arguments: { room } }) as Promise<{
        content: { text: string }[]
        isError?: boolean
      }>
    expect((await read('general')).content.at(-1)?.text).toMatch(/Z alice: Lunch at twelve$/)
    expect(await read('secret')).toMatchObject({ isError: true })
    await expect(client.callTool({ name: 'read_room' })).resolves.toMatchObject({ isError: true })
    await expect(client.listPrompts()).rejects.toThrow()

    const token = authProvider.saved?.access_token ?? ''
    expect((await chat('/rooms/general/messages', token)).status).toBe(401)
    expect((await chat('/me', token)).status).toBe(401)
    const asUser = { method: 'POST', headers: { authorization: `Bearer ${data.authToken}` } }
    expect((await fetch(url, asUser)).status).toBe(401)
    expect((await fetch(url)).status).toBe(405)
  })
})
