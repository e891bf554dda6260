import { describe, expect, it } from 'vitest'
import { bearer, get, logIn, post } from '../support/client.js'
import { password, startHost } from '../support/host.js'
import { signIn, startSigningHost } from '../support/host-sign-in.js'
import { refreshed, use } from '../support/pairs.js'

const alice = { username: 'alice', password }

describe('auth.signIn', () => {
  it('answers a token, the session and the user, as a login does', async () => {
    const host = await startSigningHost()
    const { status, body } = await signIn(host, alice)
    expect(status).toBe(200)
    expect(body).toEqual({
      userId: 'u-alice',
      token: expect.stringMatching(/^ey/),
      expiresAt: expect.any(String),
      me: expect.objectContaining({ _id: 'u-alice', username: 'alice' }),
      session: expect.objectContaining({ kind: 'login', ip: '127.0.0.1', liveSockets: 0 }),
    })
    expect((await get(host, '/me', bearer(body.token))).body).toMatchObject(body.me)
    const [session] = await host.auth.sessions.list('u-alice')
    expect(body.session.id).toBe(session?.id)
    expect(Date.parse(body.expiresAt)).toBeLessThanOrEqual(Number(session?.expiresAt))
  })

  it.each([
    [{ username: 'alice', password: 'wrong' }],
    [{ username: 'nobody', password }],
    [{ username: 'alice' }],
    [{ username: 'alice', email: 'alice@example.com', password }],
    [{ password }],
    [{ username: { $ne: null }, password }],
    [{ username: 'alice', password: { $ne: null } }],
    [{ username: 'alice', password, code: 7 }],
  ])('refuses %j by the same error and events as POST /login', async (body) => {
    const told = async (ask: (host: Awaited<ReturnType<typeof startSigningHost>>) => unknown) => {
      const host = await startSigningHost()
      await ask(host)
      return host.events.map(({ at: _at, requestId: _id, ...event }) => event)
    }
    const host = await startSigningHost()
    const [byForm, byWire] = [await signIn(host, body), await post(host, '/login', body)]
    const { error, message, details } = byWire.body
    expect(byForm.status).toBe(byWire.status)
    expect(byForm.body).toMatchObject(JSON.parse(JSON.stringify({ error, message, details })))
    expect(await told((one) => signIn(one, body))).toEqual(
      await told((one) => post(one, '/login', body)),
    )
  })

  it('is limited by the address of the request, together with POST /login', async () => {
    const host = await startSigningHost()
    const wrong = { username: 'alice', password: 'wrong' }
    const burst = await Promise.all(Array.from({ length: 50 }, () => signIn(host, wrong)))
    expect(burst.filter(({ status }) => status === 401).length).toBeLessThanOrEqual(5)
    const refused = burst.find(({ status }) => status === 429)
    expect(refused?.body).toMatchObject({ error: 'too-many-requests' })
    expect(refused?.body.retryAfter).toBeGreaterThan(0)
    expect((await post(host, '/login', alice)).status).toBe(429)
    expect((await signIn(host, alice)).status).toBe(429)
  })

  it('rejects for what is no request, no object and no option', async () => {
    const { auth } = await startHost()
    const request = { headers: {}, socket: {} } as never
    const refused = [
      () => auth.signIn(undefined as never, alice),
      () => auth.signIn({} as never, alice),
      () => auth.signIn(request, undefined as never),
      () => auth.signIn(request, 'alice' as never),
      () => auth.signIn(request, [] as never),
      () => auth.signIn(request, alice, { tokens: 'all' as never }),
      () => auth.signIn(request, alice, { lifetimes: {} } as never),
      () => auth.signIn(request, alice, { lifetime: { idle: 1 } }),
      () => auth.signIn(request, { ...alice, password: 'x'.repeat(9000) }),
    ]
    for (const one of refused)
      await expect(one()).rejects.toMatchObject({ status: expect.toBeOneOf([400, 413]) })
  })
})

describe('tokens: refreshable', () => {
  it('gets a short token and a refresh token from POST /login by one request', async () => {
    const host = await startHost()
    const { status, body } = await post(host, '/login', { ...alice, tokens: 'refreshable' })
    expect(status).toBe(200)
    expect(Object.keys(body.data)).toEqual([
      'userId',
      'authToken',
      'me',
      'refreshToken',
      'expiresIn',
    ])
    const { authToken, refreshToken, expiresIn } = body.data
    expect(expiresIn).toBe(600)
    const pair = { access_token: authToken, refresh_token: refreshToken }
    expect(await use(host, pair)).toBe(200)
    host.clock.advance(700)
    expect(await use(host, pair)).toBe(401)
    const next = await refreshed(host, refreshToken)
    expect(await use(host, next)).toBe(200)
    expect(await host.auth.sessions.list('u-alice')).toHaveLength(1)
  })

  it('and session are all there is, and session is what a client gets that asks for none', async () => {
    const host = await startHost()
    for (const tokens of ['all', '', null, true, ['refreshable'], { $ne: null }])
      expect((await post(host, '/login', { ...alice, tokens })).status).toBe(400)
    const [plain, asked] = [await logIn(host), await logIn(host, { ...alice, tokens: 'session' })]
    for (const data of [plain, asked])
      expect(Object.keys(data)).toEqual(['userId', 'authToken', 'me'])
  })

  it('is for the host to say in its own form, and not for whoever fills it in', async () => {
    const form = { ...alice, tokens: 'refreshable' }
    expect((await signIn(await startSigningHost(), form)).body).not.toHaveProperty('refreshToken')
    const host = await startSigningHost({}, { options: { tokens: 'refreshable' } })
    const { body } = await signIn(host, alice)
    expect(Date.parse(body.expiresAt) - host.clock().getTime()).toBeLessThanOrEqual(600_000)
    expect(await use(host, await refreshed(host, body.refreshToken))).toBe(200)
  })
})

describe('lifetime', () => {
  const lifetime = { idle: 600, absolute: 3600 }

  it('ends an unused session, and a used one at its absolute end', async () => {
    const host = await startSigningHost({}, { options: { lifetime } })
    const unused = (await signIn(host, alice)).body.token
    host.clock.advance(599)
    expect((await get(host, '/me', bearer(unused))).status).toBe(200)
    host.clock.advance(601)
    expect((await get(host, '/me', bearer(unused))).status).toBe(401)

    const used = (await signIn(host, alice)).body
    expect(Date.parse(used.expiresAt) - host.clock().getTime()).toBeLessThanOrEqual(3600_000)
    for (let step = 0; step < 7; step += 1) {
      host.clock.advance(500)
      expect((await get(host, '/me', bearer(used.token))).status).toBe(200)
    }
    host.clock.advance(110)
    expect((await get(host, '/me', bearer(used.token))).status).toBe(401)
  })

  it('is never longer than the router’s own', async () => {
    const year = 365 * 24 * 3600
    const long = { lifetime: { idle: year, absolute: year } }
    const lifetimes = { sessionIdle: 1000, sessionAbsolute: 2000 }
    const host = await startSigningHost({ options: { lifetimes } }, { options: long })
    const { body } = await signIn(host, alice)
    expect(Date.parse(body.session.expiresAt) - host.clock().getTime()).toBe(2_000_000)
    host.clock.advance(1001)
    expect((await get(host, '/me', bearer(body.token))).status).toBe(401)
  })

  it('of the router is no member of a record', async () => {
    const host = await startHost()
    await logIn(host)
    const [session] = await host.stores.sessions.listForUser('u-alice', host.clock())
    expect(session).not.toHaveProperty('lifetime')
  })
})

describe('auth.authenticateToken', () => {
  it('answers whose token it is, and 401 for any other text, a session’s end and a user’s', async () => {
    const host = await startHost()
    const { authToken } = await logIn(host)
    expect(await host.auth.authenticateToken(authToken)).toMatchObject({
      userId: 'u-alice',
      scope: ['*'],
      kind: 'login',
    })
    for (const other of ['', 'x', `${authToken}x`, 'y'.repeat(100_000), undefined, {}, 7])
      await expect(host.auth.authenticateToken(other as string)).rejects.toMatchObject({
        status: 401,
      })
    await host.auth.sessions.revokeAllForUser('u-alice')
    await expect(host.auth.authenticateToken(authToken)).rejects.toMatchObject({ status: 401 })
    expect(host.events.at(-1)).toMatchObject({ type: 'request.refused' })
  })
})
