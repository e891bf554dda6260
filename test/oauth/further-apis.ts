// A chat server with a second API, /mcp, for whose tools apps have tokens of their own; and the way
// of an app there, by fetch alone.
import type express from 'express'
import { expect } from 'vitest'
import type { OAuthClient, OAuthOptions } from '../../src/index.js'
import { startMounted } from '../pages/mounted/mounted-host.js'
import { openVisitor, wayTo } from '../pages/mounted/visitor.js'
import { pkcePair } from '../support/client.js'
import { password } from '../support/host.js'

/** An assistant of somebody else's, which may use the tools and the chat. */
const assistant = (origin: string, change: Partial<OAuthClient> = {}): OAuthClient => ({
  id: 'assistant',
  name: 'Assistant',
  type: 'web',
  redirectUris: ['https://assistant.example.net/callback'],
  scopes: ['openid', 'messages:read', 'messages:write', 'offline_access'],
  resources: [`${origin}/api/v1`, `${origin}/mcp`],
  ...change,
})

/** Changes of the app, and of the options. */
export interface ToolsSettings {
  readonly client?: Partial<OAuthClient>
  readonly oauth?: Partial<OAuthOptions>
  /** More of them, where they depend on where the APIs are. */
  readonly oauthAt?: (origin: string) => Partial<OAuthOptions>
}

/** Starts it, with the well-known documents at the root and guards of both APIs. */
export async function startTools({ client, oauth, oauthAt }: ToolsSettings = {}) {
  const host = await startMounted({
    optionsAt: (origin, { oauthStores: { consents, once } }) => ({
      oauth: {
        baseUrl: `${origin}/api/v1`,
        clients: [assistant(origin, client)],
        consents,
        once,
        scopes: { 'messages:read': 'Read your messages', 'messages:write': 'Write messages' },
        resources: {
          [`${origin}/mcp`]: { scopes: ['messages:read'], name: { en: 'Tools', de: 'Werkzeuge' } },
        },
        ...oauth,
        ...oauthAt?.(origin),
      },
    }),
    after(app, auth, origin) {
      const resource = `${origin}/mcp`
      const tell: express.RequestHandler = (request, response) => void response.json(request.auth)
      app.use(auth.wellKnown)
      app.get('/mcp', auth.requireAuth({ resource, scope: 'messages:read' }), tell)
      app.get('/mcp/write', auth.requireAuth({ resource, scope: ['messages:write'] }), tell)
      app.get('/mcp/any', auth.requireAuth({ resource, scope: [] }), tell)
      app.get('/mcp/people', auth.requireAuth({ resource }), tell)
      app.get('/chat', auth.requireAuth({ scope: 'messages:read' }), tell)
      app.get('/chat/any', auth.requireAuth({ scope: [] }), tell)
      app.get('/chat/fresh', auth.requireAuth({ scope: [], maxAge: 60 }), tell)
      const strong = { scope: [], acr: 'urn:mar:2fa', maxAge: 600 } as const
      app.get('/chat/strong', auth.requireAuth(strong), tell)
    },
  })
  const { origin, base } = host
  const get = (path: string, token?: string, headers: Record<string, string> = {}) =>
    fetch(`${origin}${path}`, {
      headers: { ...headers, ...(token !== undefined && { Authorization: `Bearer ${token}` }) },
    })

  /** What `POST /oauth/token` answers. */
  async function token(form: Readonly<Record<string, string>>) {
    const body = new URLSearchParams({ client_id: 'assistant', ...form })
    const answer = await fetch(`${base}/oauth/token`, { method: 'POST', body })
    const json = (await answer.json()) as Readonly<Record<string, string>>
    for (const name of ['access_token', 'refresh_token', 'id_token'])
      if (json[name] !== undefined) host.host().issued.add(json[name])
    return { status: answer.status, json }
  }

  /** Sends alice through the pages, and answers what the app gets. */
  async function signIn(asked: Readonly<Record<string, string>>) {
    const { codeVerifier: code_verifier, codeChallenge: code_challenge } = pkcePair()
    const [redirect_uri = ''] = assistant(origin).redirectUris
    const query = new URLSearchParams({
      client_id: 'assistant',
      redirect_uri,
      response_type: 'code',
      code_challenge,
      code_challenge_method: 'S256',
      ...asked,
    }).toString()
    const visitor = openVisitor(host)
    let page = await visitor.open(`${base}/oauth/authorize?${query}`)
    if (page.heading === 'Sign in') page = await visitor.fill(page, { username: 'alice', password })
    if (page.heading === 'Allow access?') page = await visitor.fill(page, { choice: 'allow' })
    const told = wayTo(page)?.searchParams
    const code = told?.get('code') ?? null
    if (code === null) return { error: told?.get('error') ?? page.heading, status: 0, json: {} }
    const { status, json } = await token({
      grant_type: 'authorization_code',
      code,
      redirect_uri,
      code_verifier,
      ...(asked['resource'] !== undefined && { resource: asked['resource'] }),
    })
    return { error: json['error'] ?? null, status, json }
  }

  /** The access token of a sign-in, which must succeed. */
  async function tokenFor(scope: string, resource?: string): Promise<string> {
    const { json } = await signIn({ scope, ...(resource !== undefined && { resource }) })
    expect(json).toMatchObject({ token_type: 'Bearer' })
    return (json as Record<string, string>)['access_token'] as string
  }

  return { host, origin, base, get, token, signIn, tokenFor, mcp: `${origin}/mcp` }
}

/** The parameters of a challenge. */
export function challengeIn(answer: Response): Readonly<Record<string, string>> {
  const header = answer.headers.get('www-authenticate') ?? ''
  expect(header).toMatch(/^Bearer ([a-z_]+="[^"\\]*"(, |$))*$/)
  return Object.fromEntries(
    [...header.matchAll(/([a-z_]+)="([^"]*)"/g)].map(([, name, value]) => [name, value]),
  )
}
