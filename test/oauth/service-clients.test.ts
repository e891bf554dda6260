// Programs that show their own credentials get tokens of a user of the host's: RFC 6749 §4.4.
import { describe, expect, it } from 'vitest'
import { claimsIn, courier, mcp, startService } from './service-host.js'

describe('a service', () => {
  it('gets an access token of its user, and nothing else', async () => {
    const { ask, get } = await startService()
    const { status, json } = await ask()
    expect([status, json]).toEqual([
      200,
      {
        access_token: expect.any(String),
        token_type: 'Bearer',
        expires_in: 600,
        scope: 'messages:read',
      },
    ])
    const token = json['access_token'] as string
    expect(claimsIn(token)).toMatchObject({
      sub: 'u-bot',
      client_id: 'courier',
      aud: 'chat',
      scope: 'messages:read',
      amr: [],
    })
    expect(await get('/read', token)).toMatchObject({
      status: 200,
      json: { userId: 'u-bot', kind: 'service', scope: ['messages:read'], methods: [] },
    })
  })

  it('has one session for each API, which it finds again with every request', async () => {
    const { host, ask, live, advance } = await startService()
    const sids = new Set<unknown>()
    for (const form of [
      { scope: 'messages:read' },
      { scope: 'messages:write messages:read' },
      { scope: 'messages:read', resource: 'chat' },
      { scope: 'messages:read', resource: 'https://chat.example.com/api/v1' },
      { scope: 'messages:read', resource: mcp },
      { scope: 'messages:write', resource: mcp },
    ]) {
      const { json } = await ask(form)
      const { sid, aud, scope } = claimsIn(json['access_token'] as string)
      sids.add(`${aud} ${sid}`)
      expect(scope).toBe(form.scope)
      advance(1)
    }
    expect(sids.size).toBe(2)
    expect((await live()).map(({ kind, name }) => [kind, name])).toEqual([
      ['service', 'Courier'],
      ['service', 'Courier'],
    ])
    const started = host.events.filter(({ type }) => type === 'session.started')
    expect(started).toHaveLength(2)
  })

  it('uses its token at the API that it is for', async () => {
    const { tokenFor, get } = await startService()
    const forTools = await tokenFor({ scope: 'messages:read', resource: mcp })
    const forChat = await tokenFor()
    expect((await get('/mcp', forTools)).status).toBe(200)
    expect((await get('/read', forTools)).status).toBe(401)
    expect((await get('/mcp', forChat)).status).toBe(401)
  })

  it('keeps its session alive by asking, and has another one before the end', async () => {
    const options = { lifetimes: { sessionIdle: 3600, sessionAbsolute: 7200 } }
    const { ask, advance } = await startService({ options })
    const sidOf = async () => {
      const { json } = await ask()
      expect(json['expires_in']).toBe(600)
      return claimsIn(json['access_token'] as string)['sid']
    }
    const first = await sidOf()
    for (const seconds of [3000, 3000]) {
      advance(seconds)
      expect(await sidOf()).toBe(first)
    }
    // Fewer seconds are left to it than a token has.
    advance(601)
    const second = await sidOf()
    expect(second).not.toBe(first)
    expect(await sidOf()).toBe(second)
  })

  it('gets the scopes that it has by default', async () => {
    const clients = [{ ...courier, defaultScopes: ['messages:write'] }]
    const { ask } = await startService({ clients })
    expect((await ask({})).json['scope']).toBe('messages:write')
  })

  it('needs no second factor, though everybody else must have one', async () => {
    const { tokenFor, get } = await startService({ options: { secondFactor: () => 'required' } })
    expect((await get('/read', await tokenFor())).status).toBe(200)
  })

  it('is asked about by the host, as every sign-in is', async () => {
    const doors: string[] = []
    const beforeLogin = ({ door }: { readonly door: string }) => void doors.push(door) as undefined
    const { ask } = await startService({ options: { beforeLogin } })
    await ask()
    await ask()
    expect(doors).toEqual(['service', 'service'])
  })

  it('takes no room from the devices of its user, nor do they from it', async () => {
    const { host, tokenFor, get, live } = await startService({ options: { maxSessionsPerUser: 1 } })
    const token = await tokenFor()
    const open = () =>
      host.auth.sessions.open({
        userId: 'u-bot',
        request: { headers: {}, rawHeaders: [], socket: { remoteAddress: '127.0.0.1' } } as never,
      })
    for (const { token: secret } of [await open(), await open()]) host.issued.add(secret)
    expect((await live()).map(({ kind }) => kind).sort()).toEqual(['login', 'service'])
    expect((await get('/read', token)).status).toBe(200)
  })

  it('is named in the metadata', async () => {
    const { origin } = await startService()
    const answer = await fetch(`${origin}/.well-known/oauth-authorization-server`)
    const told = (await answer.json()) as Readonly<Record<string, unknown>>
    expect(told['grant_types_supported']).toContain('client_credentials')
  })
})
