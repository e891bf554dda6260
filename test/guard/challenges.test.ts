// With the option `oauth` a refusal says where a client finds the way to a token.
import passport from 'passport'
import { describe, expect, it } from 'vitest'
import { editorId, startVendor, vendorHost } from '../oauth/client-documents/vendor.js'
import { challengeIn, startTools } from '../oauth/further-apis.js'
import { formOf, wayTo } from '../pages/mounted/visitor.js'
import { bearer, pkcePair } from '../support/client.js'
import { password, startHost } from '../support/host.js'
import { oauthOptions } from '../support/mounted-oauth.js'

describe('a stranger', () => {
  it.each([
    ['that is registered', 'assistant', 'https://assistant.example.net/callback'],
    ['that has a document', editorId, 'http://127.0.0.1:49152/callback'],
  ])('%s finds the way from the refusal to the answer, by fetch alone', async (_, id, callback) => {
    await startVendor()
    const { hosts, scopes } = { hosts: [vendorHost], scopes: ['messages:read'] }
    const { host, mcp, get } = await startTools({
      oauthAt: (at) => ({ clientDocuments: { hosts, scopes, resources: [`${at}/mcp`] } }),
    })
    const json = async (url: unknown, init?: RequestInit) =>
      (await (await fetch(String(url), init)).json()) as Readonly<Record<string, string>>
    const refused = await get('/mcp')
    expect(refused.status).toBe(401)
    const { resource_metadata, scope = '' } = challengeIn(refused)
    const { resource = '', authorization_servers } = await json(resource_metadata)
    expect(resource).toBe(mcp)
    const [issuer] = authorization_servers as unknown as readonly string[]
    const found = await json(`${issuer}/.well-known/oauth-authorization-server`)
    expect(found['issuer']).toBe(issuer)
    const { codeVerifier: code_verifier, codeChallenge: code_challenge } = pkcePair()
    const client = { client_id: id, redirect_uri: callback }
    const asked = { response_type: 'code', code_challenge, code_challenge_method: 'S256' }
    const query = new URLSearchParams({ ...client, ...asked, scope, resource })
    const browser = openFetchBrowser()
    let page = await browser.open(`${found['authorization_endpoint']}?${query}`)
    page = await browser.send(page, { username: 'alice', password })
    host.clock.advance(1)
    const { url } = await browser.send(page, { choice: 'allow' })
    const code = new URL(url).searchParams.get('code') ?? ''
    host.host().issued.add(code)
    const form = { ...client, grant_type: 'authorization_code', code, code_verifier, resource }
    const body = new URLSearchParams(form)
    const { access_token = '' } = await json(found['token_endpoint'], { method: 'POST', body })
    host.host().issued.add(access_token)
    const answer = await get('/mcp', access_token)
    expect([answer.status, await answer.json()]).toEqual([
      200,
      expect.objectContaining({ userId: 'u-alice', kind: 'oauth', scope: ['messages:read'] }),
    ])
  })

  it('is told the scope that the guard names, and no error', async () => {
    const { origin, get } = await startTools()
    const place = `${origin}/.well-known/oauth-protected-resource`
    const told = async (path: string) => challengeIn(await get(path))
    expect(await told('/mcp')).toEqual({
      scope: 'messages:read',
      resource_metadata: `${place}/mcp`,
    })
    expect(await told('/mcp/any')).toEqual({ resource_metadata: `${place}/mcp` })
    expect(await told('/chat')).toEqual({
      scope: 'messages:read',
      resource_metadata: `${place}/api/v1`,
    })
  })

  it('with a token that is not valid is told that', async () => {
    const { origin, get } = await startTools()
    const resource_metadata = `${origin}/.well-known/oauth-protected-resource/mcp`
    const headers = { 'X-User-Id': 'u-alice', 'X-Auth-Token': 'wrong' }
    for (const answer of [await get('/mcp', 'wrong'), await get('/mcp', undefined, headers)])
      expect(challengeIn(answer)).toEqual({
        error: 'invalid_token',
        scope: 'messages:read',
        resource_metadata,
      })
    // Credentials of another scheme are none of ours.
    const other = await get('/mcp', undefined, { Authorization: 'Basic YTpi' })
    expect(challengeIn(other)['error']).toBeUndefined()
  })

  it('learns the same from authenticate() and from the strategy for passport', async () => {
    const seen: unknown[] = []
    const host = await startHost({
      options: oauthOptions(),
      after(app, auth) {
        app.get('/by-hand', (request, response) => {
          auth.authenticate(request, { scope: 'messages:read' }).then(
            () => response.json({}),
            (error) => {
              seen.push(error.message)
              response.status(error.status).set(error.headers).json({})
            },
          )
        })
        const own = new passport.Passport()
        own.use(auth.passportStrategy({ scope: 'messages:read' }))
        app.get('/passport', own.authenticate('messaging-auth', { session: false }))
      },
    })
    const expected = 'https://chat.example.com/.well-known/oauth-protected-resource/api/v1'
    for (const path of ['/by-hand', '/passport']) {
      const url = `${new URL(host.url).origin}${path}`
      for (const [headers, error] of [
        [{}, undefined],
        [bearer('x'), 'invalid_token'],
      ] as const) {
        const answer = await fetch(url, { headers })
        const { resource_metadata, scope, ...rest } = challengeIn(answer)
        expect([answer.status, resource_metadata, scope, rest['error']]).toEqual([
          401,
          expected,
          'messages:read',
          error,
        ])
      }
    }
    // The reason stays in the log.
    expect(seen).toEqual(['no credentials', expect.any(String)])
  })
})

describe('an app', () => {
  it('whose token lacks a scope is told which, and where to ask for it', async () => {
    const { origin, mcp, get, tokenFor } = await startTools()
    const refused = await get('/mcp/write', await tokenFor('messages:read', mcp))
    expect(refused.status).toBe(403)
    expect(challengeIn(refused)).toEqual({
      error: 'insufficient_scope',
      scope: 'messages:write',
      resource_metadata: `${origin}/.well-known/oauth-protected-resource/mcp`,
    })
  })

  // RFC 9470 §3.
  it('whose user signed in too long ago, or too weakly, can send them to sign in again', async () => {
    const { host, origin, get, tokenFor } = await startTools()
    const token = await tokenFor('messages:read')
    expect((await get('/chat/fresh', token)).status).toBe(200)
    host.clock.advance(90)
    const resource_metadata = `${origin}/.well-known/oauth-protected-resource/api/v1`
    const error = 'insufficient_user_authentication'
    for (const [path, wanted, details] of [
      ['/chat/fresh', { max_age: '60' }, { maxAge: 60 }],
      [
        '/chat/strong',
        { max_age: '600', acr_values: 'urn:mar:2fa' },
        { maxAge: 600, acr: 'urn:mar:2fa' },
      ],
    ] as const) {
      const refused = await get(path, token)
      expect(refused.status).toBe(401)
      expect(challengeIn(refused)).toEqual({ error, ...wanted, resource_metadata })
      expect(await refused.json()).toMatchObject({ error, details })
    }
  })

  it('that has sent them gets in', async () => {
    const { host, get, tokenFor } = await startTools()
    const token = await tokenFor('messages:read')
    host.clock.advance(90)
    expect((await get('/chat/fresh', token)).status).toBe(401)
    expect((await get('/chat/fresh', await tokenFor('messages:read'))).status).toBe(200)
  })
})

describe('a session of the user’s own', () => {
  it('is refused as before where it is too old, or too weak', async () => {
    const { host, base, get } = await startTools()
    const { auth } = host.host()
    const { token } = await auth.sessions.open({
      userId: 'u-alice',
      request: { headers: {}, rawHeaders: [], socket: { remoteAddress: '127.0.0.1' } } as never,
    })
    host.host().issued.add(token)
    expect(base).toContain('/api/v1')
    host.clock.advance(61)
    for (const path of ['/chat/fresh', '/chat/strong']) {
      const refused = await get(path, token)
      expect(refused.status).toBe(403)
      expect(await refused.json()).toMatchObject({ error: 'reauthentication-required' })
    }
  })
})

describe('without the option', () => {
  it('nobody gives out tokens, and the challenge is that of before', async () => {
    const host = await startHost({
      after: (app, auth) => app.get('/rooms', auth.requireAuth({ scope: 'a' })),
    })
    for (const headers of [{}, bearer('wrong')]) {
      const answer = await fetch(`${new URL(host.url).origin}/rooms`, { headers })
      expect(answer.headers.get('www-authenticate')).toBe('Bearer')
    }
  })
})

interface FetchedPage {
  readonly url: string
  readonly text: string
}

// What a browser says of its navigations, and its cookies.
function openFetchBrowser() {
  const cookies = new Map<string, string>()
  async function load(url: string, init: RequestInit = {}): Promise<FetchedPage> {
    const Cookie = [...cookies].map((pair) => pair.join('=')).join('; ')
    const sent = { ...init, headers: { ...init.headers, Cookie } }
    const answer = await fetch(url, { ...sent, redirect: 'manual' })
    for (const set of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
      if (/max-age=0(;|$)/i.test(set)) cookies.delete(name)
      else cookies.set(name, value)
    }
    const text = await answer.text()
    const location = answer.headers.get('location')
    const headers = location === null ? {} : { location: new URL(location, url).href }
    const target = wayTo({ url, status: answer.status, text, headers, heading: '' })
    if (target === null) return { url, text }
    const isOwn = target.origin === new URL(url).origin
    return isOwn ? load(target.href) : { url: target.href, text: '' }
  }
  return {
    open: (url: string) => load(url),
    send({ url, text }: FetchedPage, fields: Readonly<Record<string, string>>) {
      const { action, fields: hidden } = formOf({
        url,
        text,
        status: 200,
        headers: {},
        heading: '',
      })
      const body = new URLSearchParams({ ...hidden, ...fields })
      return load(action, { method: 'POST', body, headers: { Origin: new URL(url).origin } })
    },
  }
}
