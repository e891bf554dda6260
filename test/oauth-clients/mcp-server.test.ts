// https://github.com/modelcontextprotocol/typescript-sdk: its client as it is, at the server of
// docs/agents.md: it is refused, signs its user in, and calls a tool.
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
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import type { AuthRouter, OAuthClient } from '../../dist/index.js'
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

const assistantAt = (origin: string): OAuthClient => ({
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
      clients: [assistantAt(origin)],
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
  private verifier = ''

  clientInformation = () => ({ client_id: 'assistant' })
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
}

const newClient = () => new Client({ name: 'assistant', version: '1.0.0' })

it('an assistant is refused, signs its user in by the pages, and calls a tool', async () => {
  const { ours, url } = await start()
  const authProvider = new Assistant()
  const first = new StreamableHTTPClientTransport(url, { authProvider })
  await expect(newClient().connect(first)).rejects.toThrow(UnauthorizedError)
  const { asked } = authProvider
  expect(asked?.searchParams.get('resource')).toBe(url.href)
  expect(asked?.searchParams.get('scope')).toBe('messages:read')
  const { url: back } = await openBrowser(ours).open(String(asked))
  await first.finishAuth(back.searchParams.get('code') ?? '')
  const client = newClient()
  onTestFinished(() => client.close())
  await client.connect(new StreamableHTTPClientTransport(url, { authProvider }))
  const { tools: listed } = await client.listTools()
  expect(listed.map(({ name }) => name)).toEqual(['read_room'])
  const answer = await client.callTool({ name: 'read_room', arguments: { room: 'general' } })
  expect(answer.content).toEqual([{ type: 'text', text: `newest of general for ${alice.id}` }])
})

it('it refreshes by itself when its token has ended', async () => {
  const { ours, url } = await start()
  const authProvider = new Assistant()
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
