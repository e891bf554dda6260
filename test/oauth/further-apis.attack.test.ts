// A token is for one API. Whoever has one for the tools is nobody in the chat, and the other way
// round; and nothing that a stranger sends comes to stand in a challenge.
import { request } from 'node:http'
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { AuthConfigError, type OAuthOptions } from '../../src/index.js'
import { audienceOf } from '../pages/mounted/app-with-apis.js'
import { logIn } from '../support/client.js'
import { startHost } from '../support/host.js'
import { oauthOptions } from '../support/mounted-oauth.js'
import { challengeIn, startTools } from './further-apis.js'

describe('a token for one API', () => {
  it('is refused at the other, cold and warm, and whichever sees it first', async () => {
    const { mcp, get, tokenFor } = await startTools()
    const forTools = await tokenFor('messages:read', mcp)
    const forChat = await tokenFor('messages:read')
    expect([audienceOf(forTools), audienceOf(forChat)]).toEqual([mcp, 'chat'])
    for (const _time of [1, 2, 3]) {
      for (const [path, token, status] of [
        ['/chat', forTools, 401],
        ['/mcp', forTools, 200],
        ['/chat/any', forTools, 401],
        ['/mcp', forChat, 401],
        ['/chat', forChat, 200],
        ['/mcp/any', forChat, 401],
      ] as const)
        expect([path, (await get(path, token)).status]).toEqual([path, status])
    }
  })

  it('opens none of the router’s own endpoints, and no socket', async () => {
    const { host, base, mcp, tokenFor } = await startTools()
    const token = await tokenFor('openid messages:read', mcp)
    for (const path of ['/me', '/auth/sessions', '/oauth/userinfo', '/auth/consents']) {
      const answer = await fetch(`${base}${path}`, {
        headers: { Authorization: `Bearer ${token}` },
      })
      expect([path, answer.status]).toEqual([path, 401])
    }
    await expect(host.host().auth.authenticateToken(token, { scope: [] })).rejects.toMatchObject({
      status: 401,
    })
  })

  it('ends with its session', async () => {
    const { base, mcp, get, tokenFor } = await startTools()
    const token = await tokenFor('messages:read', mcp)
    expect((await get('/mcp', token)).status).toBe(200)
    const body = new URLSearchParams({ client_id: 'assistant', token })
    expect((await fetch(`${base}/oauth/revoke`, { method: 'POST', body })).status).toBe(200)
    expect((await get('/mcp', token)).status).toBe(401)
  })

  it('is none of a session that was opened for people, nor a named token', async () => {
    const { host, get } = await startTools()
    const { auth, issued } = host.host()
    const { token: ofPeople } = await auth.sessions.open({
      userId: 'u-alice',
      request: { headers: {}, rawHeaders: [], socket: { remoteAddress: '127.0.0.1' } } as never,
    })
    const named = await auth.namedTokens.create({ userId: 'u-alice', name: 'bot' })
    for (const token of [ofPeople, named.token]) {
      issued.add(token)
      expect((await get('/chat/any', token)).status).toBe(200)
      for (const path of ['/mcp', '/mcp/any', '/mcp/people', '/mcp'])
        expect([path, (await get(path, token)).status]).toEqual([path, 401])
    }
  })

  it('passes no guard without a scope, though it is for this API', async () => {
    const { mcp, get, tokenFor } = await startTools()
    expect((await get('/mcp/people', await tokenFor('messages:read', mcp))).status).toBe(403)
  })
})

describe('a resource that is spelt otherwise', () => {
  it.each<[string, (mcp: string) => string]>([
    ['in upper case', (mcp) => mcp.replace('/mcp', '/MCP')],
    ['with a host in upper case', (mcp) => mcp.replace('http', 'HTTP')],
    ['with a slash', (mcp) => `${mcp}/`],
    ['with another port', (mcp) => mcp.replace(/:\d+\//, ':1/')],
    ['without its port', (mcp) => mcp.replace(/:\d+\//, '/')],
    ['with a query', (mcp) => `${mcp}?`],
    ['with a fragment', (mcp) => `${mcp}#a`],
    ['with dots', (mcp) => mcp.replace('/mcp', '/a/../mcp')],
    ['encoded', (mcp) => mcp.replace('/mcp', '/%6dcp')],
    ['with a user', (mcp) => mcp.replace('//', '//a@')],
    ['as another name of this machine', (mcp) => mcp.replace('127.0.0.1', 'localhost')],
    ['as the chat with a slash', (mcp) => mcp.replace('/mcp', '/api/v1/')],
    ['as the chat in upper case', () => 'CHAT'],
  ])('%s is none', async (_what, spell) => {
    const { mcp, signIn } = await startTools()
    const { error } = await signIn({ scope: 'messages:read', resource: spell(mcp) })
    expect(error).toBe('invalid_target')
  })

  it('is none at the token endpoint either', async () => {
    const { mcp, origin, signIn, token } = await startTools({ client: { refreshTokens: 'always' } })
    const { json } = await signIn({ scope: 'messages:read', resource: mcp })
    const { refresh_token = '' } = json as Record<string, string>
    const refresh = { grant_type: 'refresh_token', refresh_token }
    for (const resource of [`${mcp}/`, mcp.toUpperCase(), 'chat', `${origin}/api/v1`]) {
      const refused = await token({ ...refresh, resource })
      expect([resource, refused.json['error']]).toEqual([resource, 'invalid_target'])
    }
    expect((await token({ ...refresh, resource: mcp })).status).toBe(200)
  })

  it('but the chat may be named by its address, as its metadata name it', async () => {
    const { origin, get, tokenFor } = await startTools()
    const place = `${origin}/.well-known/oauth-protected-resource/api/v1`
    const { resource } = (await (await fetch(place)).json()) as { readonly resource: string }
    expect(resource).toBe(`${origin}/api/v1`)
    const token = await tokenFor('messages:read', resource)
    expect(audienceOf(token)).toBe('chat')
    expect((await get('/chat', token)).status).toBe(200)
    expect((await get('/mcp', token)).status).toBe(401)
  })
})

describe('the challenge', () => {
  it('is the same whatever a stranger sends', async () => {
    const { origin, get } = await startTools()
    const expected = challengeIn(await get('/mcp'))
    expect(expected['resource_metadata']).toBe(`${origin}/.well-known/oauth-protected-resource/mcp`)
    const evil = 'evil.example", error="x'
    for (const [path, headers] of [
      ['/mcp', { Host: 'evil.example', 'X-Forwarded-Host': 'evil.example' }],
      ['/mcp', { Host: evil, Forwarded: `host="${evil}"`, 'X-Forwarded-Proto': evil }],
      ['/mcp?resource=https://evil.example&scope=admin', {}],
      ['/mcp?a=%22%0d%0aSet-Cookie:%20a=b', { Origin: 'https://evil.example' }],
      ['//evil.example/mcp/../mcp', {}],
    ] as const) {
      const answer = await raw(origin, path, headers)
      if (answer.status === 404) continue
      expect(answer.status).toBe(401)
      const { resource_metadata: url, ...others } = challengeIn(
        new Response(null, { headers: { 'www-authenticate': answer.challenge } }),
      )
      expect({ resource_metadata: url, ...others }).toEqual(expected)
    }
  })

  it('has no text that would need to be escaped', async () => {
    const host = await startHost({ options: oauthOptions() })
    for (const scope of ['a"b', 'a\\b', 'a b', 'a\nb', 'ä', '', ['a', '"']])
      expect(() => host.auth.requireAuth({ scope })).toThrow(AuthConfigError)
  })
})

describe('an API that its clients could not find is refused at the start', () => {
  const origin = 'https://chat.example.com'
  const started = (resources: OAuthOptions['resources']) =>
    startHost({ options: oauthOptions({ resources: resources ?? {} }) })
  it.each<[string, string, RegExp]>([
    ['of another origin', 'https://mcp.example.com/', /another origin/],
    ['without TLS', 'http://chat.example.com/mcp', /another origin/],
    ['with another port', `${origin}:8443/mcp`, /another origin/],
    ['that is no URL', 'urn:chat:mcp', /another origin/],
    ['with a query', `${origin}/mcp?a`, /a query/],
    ['with a user', 'https://a@chat.example.com/mcp', /a user/],
    ['in upper case', 'https://Chat.example.com/mcp', /clients write it/],
    ['without a slash behind the host', origin, /clients write it/],
    ['with dots', `${origin}/a/../mcp`, /clients write it/],
    ['with a quote', `${origin}/m'%22"`, /oauth\.resources/],
    ['that is the chat itself', `${origin}/api/v1`, /has its document/],
  ])('%s', async (_what, resource, problem) => {
    await expect(started({ [resource]: { scopes: [] } })).rejects.toThrow(problem)
  })

  it('or one with a scope that there is not, or with more than scopes and a name', async () => {
    const mcp = `${origin}/mcp`
    await expect(started({ [mcp]: { scopes: ['messages:reed'] } })).rejects.toThrow(/messages:reed/)
    await expect(started({ [mcp]: { scopes: ['*'] } })).rejects.toThrow(/the scope \*/)
    for (const wrong of [
      { scopes: 'messages:read' },
      { scopes: ['a b'] },
      { scopes: [7] },
      { scopes: [], name: '' },
      { scopes: [], title: 'x' },
      {},
    ])
      await expect(started({ [mcp]: wrong } as never)).rejects.toThrow(/oauth\.resources/)
  })

  it('and a guard of one that there is not', async () => {
    const resource = `${origin}/mcp`
    const without = await startHost()
    const other = await started({ [`${origin}/tools`]: { scopes: [] }, [resource]: 'Only a name' })
    for (const host of [without, other])
      expect(() => host.auth.requireAuth({ resource })).toThrow(/requireAuth\.resource/)
    const { auth } = await started({ [resource]: { scopes: [] } })
    expect(() => auth.requireAuth({ resource, from: 'cookie' })).toThrow(/requireAuth\.resource/)
    expect(() => auth.requireAuth({ resource: `${resource}/` })).toThrow(/requireAuth\.resource/)
    await expect(auth.authenticate({} as never, { resource: 'x' })).rejects.toThrow(/authenticate/)
    auth.requireAuth({ resource })
  })

  it('while sessions of people stay what they are', async () => {
    const host = await started({ [`${origin}/mcp`]: { scopes: [] } })
    const { authToken } = await logIn(host)
    expect(await host.auth.authenticateToken(authToken)).toMatchObject({ userId: 'u-alice' })
  })
})

// With headers that fetch does not let anybody set.
function raw(origin: string, path: string, headers: Record<string, string>) {
  const { hostname, port } = new URL(origin)
  return new Promise<{ status: number; challenge: string }>((resolve, reject) => {
    request({ hostname, port, path, headers }, async (answer) => {
      await text(answer)
      const { statusCode: status = 0, headers: got } = answer
      resolve({ status, challenge: String(got['www-authenticate']) })
    })
      .once('error', reject)
      .end()
  })
}
