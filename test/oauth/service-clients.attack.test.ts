// What a program may not do, and what ends it.
import { describe, expect, it } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { AuthConfigError, type OAuthClient } from '../../src/index.js'
import { startHost } from '../support/host.js'
import { oauthOptions, wiki, wikiSecret } from '../support/mounted-oauth.js'
import { basic } from '../support/oauth-clients.js'
import { claimsIn, courier, courierSecret, mcp, startService } from './service-host.js'

describe('a service that asks and ends its session over and over', () => {
  it('has 60 sessions stored in a minute, and waits then', async () => {
    const { host, ask } = await startService()
    let ended = 0
    const askAndEnd = async () => {
      const { status } = await ask()
      ended += await host.auth.sessions.revokeAllForUser('u-bot')
      return status
    }
    const statuses: number[] = []
    for (let count = 0; count < 62; count += 1) statuses.push(await askAndEnd())
    expect(statuses).toEqual([...Array(60).fill(200), 429, 429])
    expect(ended).toBe(60)
  })

  it('is refused nothing while its session is there', async () => {
    const { ask, live } = await startService()
    const answers = await Promise.all(Array.from({ length: 40 }, () => ask()))
    for (let count = 0; count < 40; count += 1) answers.push(await ask())
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(await live()).toHaveLength(1)
  })
})

describe('a token of a service', () => {
  it('opens no account: neither to read nor to change it', async () => {
    const { host, tokenFor, get } = await startService({ options: { namedTokens: true } })
    const token = await tokenFor({ scope: 'messages:read messages:write' })
    const requests: readonly (readonly [string, string, object?])[] = [
      ['GET', '/me'],
      ['GET', '/auth/sessions'],
      ['DELETE', '/auth/sessions'],
      ['GET', '/auth/consents'],
      ['DELETE', '/auth/consents/courier'],
      ['GET', '/auth/totp'],
      ['POST', '/auth/totp', { password: 'x' }],
      ['GET', '/auth/access-tokens'],
      ['POST', '/auth/access-tokens', { name: 'x' }],
      [
        'POST',
        '/auth/pkce/authorize',
        { codeChallenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM' },
      ],
      ['GET', '/oauth/userinfo'],
    ]
    for (const [method, path, body] of requests) {
      const { status } = await get(`/api/v1${path}`, token, method, body)
      expect([method, path, status]).toEqual([method, path, 403])
    }
    expect(await host.auth.sessions.list('u-bot')).toHaveLength(1)
  })

  it('passes no guard that names no scope, or wants a person', async () => {
    const { tokenFor, get } = await startService()
    const token = await tokenFor()
    for (const [path, status] of [
      ['/people', 403],
      ['/fresh', 403],
      ['/any', 200],
      ['/read', 200],
    ] as const)
      expect([path, (await get(path, token)).status]).toEqual([path, status])
  })

  it('opens a socket only where that names a scope of it', async () => {
    const { host, tokenFor } = await startService()
    const token = await tokenFor()
    const guarded = [
      ['/none', {}, 403],
      ['/write', { scope: 'messages:write' }, 403],
      ['/read', { scope: 'messages:read' }, 101],
      ['/any', { scope: [] }, 101],
    ] as const
    for (const [path, options, status] of guarded) {
      const sockets = new WebSocketServer({ noServer: true })
      host.auth.sockets.attach(host.server, path, sockets, options)
      expect([path, await upgrade(host.url, path, token)]).toEqual([path, status])
    }
  })
})

describe('a service is refused', () => {
  it.each<[string, Record<string, string>, string]>([
    ['a refresh token', { scope: 'messages:read offline_access' }, 'invalid_scope'],
    ['to be somebody', { scope: 'openid' }, 'invalid_scope'],
    ['everything', { scope: '*' }, 'invalid_scope'],
    ['a scope of others', { scope: 'messages:read profile' }, 'invalid_scope'],
    ['one that there is not', { scope: 'admin' }, 'invalid_scope'],
    ['none, without a default', {}, 'invalid_scope'],
    ['a scope that is no word', { scope: ' ' }, 'invalid_scope'],
    [
      'another API',
      { scope: 'messages:read', resource: 'https://files.example/' },
      'invalid_target',
    ],
    [
      'one in upper case',
      { scope: 'messages:read', resource: mcp.toUpperCase() },
      'invalid_target',
    ],
    ['one with a slash', { scope: 'messages:read', resource: `${mcp}/` }, 'invalid_target'],
  ])('%s', async (_what, form, error) => {
    const { ask, live } = await startService()
    const { status, json } = await ask(form)
    expect([status, json['error']]).toEqual([400, error])
    expect(await live()).toEqual([])
  })

  it('while its user is disabled or gone, and its tokens are dead', async () => {
    const { host, ask, tokenFor, get, advance } = await startService()
    const token = await tokenFor()
    host.users.change('u-bot', { disabled: true })
    const refused = await ask()
    expect([refused.status, refused.json['error']]).toEqual([400, 'unauthorized_client'])
    expect(host.events).toContainEqual(
      expect.objectContaining({ type: 'client.refused', reason: 'service-user' }),
    )
    advance(6)
    expect((await get('/read', token)).status).toBe(401)
    host.users.rows.delete('u-bot')
    expect((await ask()).json['error']).toBe('unauthorized_client')
  })

  it('where the host objects', async () => {
    const { ask, live } = await startService({ options: { beforeLogin: () => 'Not now.' } })
    expect((await ask()).json['error']).toBe('unauthorized_client')
    expect(await live()).toEqual([])
  })

  it('and so is everybody who is no service', async () => {
    const { host } = await startService({ clients: [courier, wiki] })
    const body = { grant_type: 'client_credentials', scope: 'messages:read' }
    const headers = basic(wiki.id, wikiSecret.secret)
    const ask = (url: string) =>
      fetch(`${url}/oauth/token`, { method: 'POST', headers, body: new URLSearchParams(body) })
    expect(await (await ask(host.url)).json()).toMatchObject({ error: 'unauthorized_client' })
    // Where there is no service, there is no such grant.
    const other = await startHost({ options: oauthOptions() })
    expect(await (await ask(other.url)).json()).toMatchObject({ error: 'unsupported_grant_type' })
  })

  it('without its secret, or with another one', async () => {
    const { host } = await startService()
    for (const form of [{ client_id: 'courier' }, { client_id: 'courier', client_secret: 'x' }]) {
      const body = new URLSearchParams({ grant_type: 'client_credentials', scope: 'a', ...form })
      const answer = await fetch(`${host.url}/oauth/token`, { method: 'POST', body })
      expect(answer.status).toBe(401)
      expect(await answer.json()).toMatchObject({ error: 'invalid_client' })
    }
  })
})

describe('the session of a service ends', () => {
  it('with the client, which then gets no other', async () => {
    const { host, ask, tokenFor, get } = await startService()
    const tokens = [await tokenFor(), await tokenFor({ scope: 'messages:read', resource: mcp })]
    expect(await host.auth.clients.disable('courier')).toBe(true)
    expect((await get('/read', tokens[0] as string)).status).toBe(401)
    expect((await get('/mcp', tokens[1] as string)).status).toBe(401)
    expect([(await ask()).status, (await ask()).json['error']]).toEqual([401, 'invalid_client'])
    await host.auth.clients.enable('courier')
    expect((await ask()).status).toBe(200)
    expect((await get('/read', tokens[0] as string)).status).toBe(401)
  })

  it('with all sessions of its user, and the next one is another', async () => {
    const { host, tokenFor, get } = await startService()
    const token = await tokenFor()
    expect(await host.auth.sessions.revokeAllForUser('u-bot')).toBe(1)
    expect((await get('/read', token)).status).toBe(401)
    const next = await tokenFor()
    expect(claimsIn(next)['sid']).not.toBe(claimsIn(token)['sid'])
    expect((await get('/read', next)).status).toBe(200)
  })

  it('when the client revokes its token', async () => {
    const { host, ask, tokenFor, get } = await startService()
    const token = await tokenFor()
    const form = { client_id: courier.id, client_secret: courierSecret, token }
    const body = new URLSearchParams(form)
    expect((await fetch(`${host.url}/oauth/revoke`, { method: 'POST', body })).status).toBe(200)
    expect((await get('/read', token)).status).toBe(401)
    expect((await ask()).status).toBe(200)
  })

  it('a hundred times, and the next one is found as quickly as the first', async () => {
    const { host, tokenFor } = await startService({ options: { throttle: { dryRun: true } } })
    const { find } = host.stores.sessions
    let asked = 0
    host.stores.sessions.find = (id) => {
      asked += 1
      return find.call(host.stores.sessions, id)
    }
    const seen = new Set<unknown>()
    for (let time = 0; time < 100; time += 1) {
      seen.add(claimsIn(await tokenFor())['sid'])
      await host.auth.sessions.revokeAllForUser('u-bot')
    }
    expect(seen.size).toBe(100)
    asked = 0
    await tokenFor()
    expect(asked).toBeLessThan(40)
  })
})

describe('fifty requests at once', () => {
  it('get tokens of one session, also when the former one has ended', async () => {
    const { host, ask, live } = await startService()
    for (let round = 0; round < 5; round += 1) {
      const answers = await Promise.all(Array.from({ length: 50 }, () => ask()))
      expect(answers.map(({ status }) => status)).toEqual(Array(50).fill(200))
      const sids = answers.map(({ json }) => claimsIn(json['access_token'] as string)['sid'])
      expect(new Set(sids).size).toBe(1)
      expect(await live()).toHaveLength(1)
      await host.auth.sessions.revokeAllForUser('u-bot')
    }
    // Who comes second is no outage.
    expect(host.events.filter(({ type }) => type === 'host.failed')).toEqual([])
  })

  it('leave no session behind when the client is disabled meanwhile', async () => {
    const { host, ask, live, register } = await startService()
    const disabling = host.auth.clients.disable('courier')
    await Promise.all([disabling, ...Array.from({ length: 50 }, () => ask())])
    expect((await register.find('courier'))?.disabled).toBe(true)
    expect(await live()).toEqual([])
  })

  it('are an outage if the store refuses every session', async () => {
    const { host, ask, live } = await startService()
    host.stores.sessions.create = () => Promise.reject(new Error('disk full'))
    expect((await ask()).status).toBe(503)
    expect(await live()).toEqual([])
  })
})

describe('a registration is refused', () => {
  const { serviceUserId: _none, ...nobody } = courier
  it.each<[string, OAuthClient, RegExp]>([
    ['of a service that signs people in', { ...courier, grants: ['authorization_code'] }, /grants/],
    ['of a service of nobody', { ...nobody, grants: ['client_credentials'] }, /serviceUserId/],
    ['of one whose user is of no use', { ...courier, grants: [] }, /serviceUserId/],
    ['of an app with a user of its own', { ...wiki, serviceUserId: 'u-bot' }, /serviceUserId/],
    ['of an app with the grant', { ...wiki, grants: ['client_credentials'] }, /grants/],
    ['of a service with everything', { ...courier, firstParty: true, scopes: ['*'] }, /scopes/],
    ['of one without a secret', withoutSecret(), /secretHashes/],
    ['of one with an empty user', { ...courier, serviceUserId: '' }, /serviceUserId/],
  ])('%s', async (_what, client, member) => {
    const options = oauthOptions({ clients: [{ ...client, resources: [mcp] }] })
    await expect(startHost({ options })).rejects.toThrow(AuthConfigError)
    await expect(startHost({ options })).rejects.toThrow(member)
  })
})

function upgrade(url: string, path: string, token: string): Promise<number | undefined> {
  const socket = new WebSocket(new URL(path, url.replace('http', 'ws')), {
    headers: { Authorization: `Bearer ${token}` },
  })
  return new Promise((resolve, reject) => {
    socket.once('upgrade', ({ statusCode }) => resolve(statusCode))
    socket.once('unexpected-response', (_request, { statusCode }) => resolve(statusCode))
    socket.once('error', reject)
  }).finally(() => socket.terminate()) as Promise<number | undefined>
}

function withoutSecret(): OAuthClient {
  const { secretHashes: _none, ...rest } = courier
  return rest
}
