// https://github.com/modelcontextprotocol/typescript-sdk: its client as it is, at the server of
// docs/agents.md: it is refused, signs its user in, and calls a tool. It is known by a
// registration, or by a document of its own at a host that the server lists.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type OAuthClientProvider,
  UnauthorizedError,
} from '@modelcontextprotocol/sdk/client/auth.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { OAuthTokens } from '@modelcontextprotocol/sdk/shared/auth.js'
import type express from 'express'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { AuthRouter, OAuthClient } from '../../dist/index.js'
import { editorId, startVendor, vendorHost } from '../oauth/client-documents/vendor.js'
import { startOurs } from './provider-ours.js'
import { openBrowser } from './support/browser.js'
import { alice } from './support/provider.js'

const root = join(import.meta.dirname, '../..')
const folder = join(import.meta.dirname, 'node_modules/.docs-agents')

interface Tools {
  toolsOf(
    auth: AuthRouter,
    resource: string,
    read: (userId: string, room: string) => readonly string[],
  ): express.Router
}
let tools: Tools

beforeAll(async () => {
  const page = readFileSync(join(root, 'docs/agents.md'), 'utf8')
  const [, code = ''] = /```ts\n(\/\/ tools\.ts\n[\s\S]*?)```/.exec(page) ?? []
  expect(code.split('\n').length).toBeLessThanOrEqual(41)
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'tools.ts'), code)
  tools = (await import(/* @vite-ignore */ join(folder, 'tools.ts'))) as Tools
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

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
      scopes: { 'messages:read': 'Read your messages' },
      resources: { [`${origin}/mcp`]: { scopes: ['messages:read'], name: 'Tools of the chat' } },
    }),
    after: (app, auth, origin) =>
      app.use(
        '/mcp',
        tools.toolsOf(auth, `${origin}/mcp`, (userId, room) => [`newest of ${room} for ${userId}`]),
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

describe.each([
  ['that is registered', 'assistant', () => new Assistant('assistant')],
  ['that has a document', editorId, () => new UnknownAssistant()],
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
