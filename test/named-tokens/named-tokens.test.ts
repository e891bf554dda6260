import { describe, expect, it } from 'vitest'
import { AuthError } from '../../src/index.js'
import { sha256 } from '../../src/lib/secrets.js'
import { bearer, get, logIn, post, remove } from '../support/client.js'
import { password, startHost, type TestHost } from '../support/host.js'
import { makeToken, namedTokens } from '../support/named-tokens.js'
import { codeOf, enrolled, wrongCode } from '../support/two-factor.js'

const day = 24 * 60 * 60
const withTokens = { options: { namedTokens: true } }

const list = async (host: TestHost, authToken: string) =>
  (await get(host, namedTokens, bearer(authToken))).body.data.accessTokens

describe('a named token', () => {
  it('is shown once, opaque, and only its hash is kept', async () => {
    const host = await startHost(withTokens)
    const { authToken } = await logIn(host)
    const { id, token, expiresAt } = await makeToken(host, authToken)
    expect(token).toMatch(new RegExp(`^mar_pat_${id}\\.[A-Za-z0-9_-]{43}$`))
    expect(new Date(expiresAt).getTime()).toBe(host.clock().getTime() + 90 * day * 1000)
    const row = await host.stores.sessions.find(id)
    expect(row).toMatchObject({ kind: 'token', secretHash: sha256(token), refresh: null })
    expect(JSON.stringify(row)).not.toContain(token.slice(-43))
    const listed = await get(host, namedTokens, bearer(authToken))
    expect(listed.body.data.accessTokens).toEqual([
      expect.objectContaining({ id, name: 'CI bot', scope: ['*'], expiresAt }),
    ])
    const told = JSON.stringify([
      listed.body,
      (await get(host, '/auth/sessions', bearer(authToken))).body,
    ])
    expect(told).not.toContain(token.slice(-43))
    expect(told).not.toContain(sha256(token))
  })

  it('signs its bearer in by either header, as its maker', async () => {
    const host = await startHost(withTokens)
    const { token } = await makeToken(host, (await logIn(host)).authToken)
    expect((await get(host, '/me', bearer(token))).body).toMatchObject({ username: 'alice' })
    const headers = { 'X-Auth-Token': token, 'X-User-Id': 'u-alice' }
    expect((await get(host, '/me', headers)).status).toBe(200)
    expect((await get(host, '/me', { ...headers, 'X-User-Id': 'u-bob' })).status).toBe(401)
  })

  it('stands in the list of devices by its name, and is ended there like any', async () => {
    const host = await startHost(withTokens)
    const { authToken } = await logIn(host)
    const { id, token } = await makeToken(host, authToken, { name: ' Nightly build (ci/7) ' })
    const { sessions } = (await get(host, '/auth/sessions', bearer(authToken))).body.data
    expect(sessions).toContainEqual(
      expect.objectContaining({
        id,
        kind: 'token',
        name: 'Nightly build (ci/7)',
        userAgent: null,
        current: false,
      }),
    )
    expect((await get(host, '/me', bearer(token))).status).toBe(200)
    expect((await remove(host, `/auth/sessions/${id}`, bearer(authToken))).status).toBe(200)
    expect((await get(host, '/me', bearer(token))).status).toBe(401)
  })

  it('does not idle out, and ends when it was made to, whatever lifetimes sessions have', async () => {
    const lifetimes = { sessionIdle: 300, sessionAbsolute: 3600, accessToken: 60 }
    const host = await startHost({ options: { namedTokens: true, lifetimes } })
    const { authToken } = await logIn(host)
    const { token } = await makeToken(host, authToken, { expiresIn: 365 * day })
    const { token: short } = await makeToken(host, authToken, { expiresIn: 60 })
    host.clock.advance(59)
    expect((await get(host, '/me', bearer(short))).status).toBe(200)
    host.clock.advance(1)
    expect((await get(host, '/me', bearer(short))).status).toBe(401)
    for (const days of [100, 264]) {
      host.clock.advance(days * day)
      expect((await get(host, '/me', bearer(token))).status).toBe(200)
    }
    host.clock.advance(day - 61)
    expect((await get(host, '/me', bearer(token))).status).toBe(200)
    host.clock.advance(1)
    expect((await get(host, '/me', bearer(token))).status).toBe(401)
  })

  it('is listed without those that are over, and ended one by one or all at once', async () => {
    const host = await startHost(withTokens)
    const { authToken } = await logIn(host)
    const first = await makeToken(host, authToken, {
      name: 'first',
      scope: 'rooms:read rooms:write',
    })
    host.clock.advance(1)
    const second = await makeToken(host, authToken, { name: 'second', scope: ['rooms:read'] })
    await makeToken(host, authToken, { name: 'over', expiresIn: 60 })
    host.clock.advance(61)
    expect(await list(host, authToken)).toEqual([
      expect.objectContaining({ name: 'first', scope: ['rooms:read', 'rooms:write'] }),
      expect.objectContaining({ name: 'second', scope: ['rooms:read'] }),
    ])
    const one = await remove(host, `${namedTokens}/${first.id}`, bearer(authToken))
    expect(one.body.data).toEqual({ revoked: 1 })
    expect((await remove(host, `${namedTokens}/${first.id}`, bearer(authToken))).status).toBe(404)
    expect((await get(host, '/me', bearer(first.token))).status).toBe(401)
    expect((await get(host, '/me', bearer(second.token))).status).toBe(200)
    expect((await remove(host, namedTokens, bearer(authToken))).body.data).toEqual({ revoked: 1 })
    expect((await get(host, '/me', bearer(second.token))).status).toBe(401)
    // The session it was made in is none of them.
    expect((await get(host, '/me', bearer(authToken))).status).toBe(200)
  })

  it.each([
    'a\nb',
    '\u001b[2Jbot',
    'a\u2028b',
    ...[...'\u200e\u200f\u061c\u202a\u202e\u2066\u2069'].map((turn) => `toB ${turn}IC`),
  ])('is made under no name that looks like another: %j', async (name) => {
    const host = await startHost(withTokens)
    const { authToken } = await logIn(host)
    const refused = await post(host, namedTokens, { name }, bearer(authToken))
    expect([refused.status, refused.body.details.issues[0].path]).toEqual([400, 'name'])
    await expect(host.auth.namedTokens.create({ userId: 'u-alice', name })).rejects.toMatchObject({
      code: 'invalid-request',
    })
    expect(await list(host, authToken)).toEqual([])
    // What is written from right to left needs none of them.
    await makeToken(host, authToken, { name: 'בוט של הבנייה' })
  })

  it('is not made by a session of which the sign-in is old, unless by the password', async () => {
    const host = await startHost(withTokens)
    const { authToken } = await logIn(host)
    host.clock.advance(600)
    await makeToken(host, authToken)
    host.clock.advance(1)
    const ask = (body: object) =>
      post(host, namedTokens, { name: 'bot', ...body }, bearer(authToken))
    const late = await ask({})
    expect(late.status).toBe(403)
    expect(late.body).toMatchObject({
      error: 'reauthentication-required',
      details: { maxAge: 600 },
    })
    const wrong = await ask({ password: 'wrong' })
    expect(wrong.status).toBe(401)
    expect(wrong.body.details).toEqual({ wrong: 'password' })
    expect(await list(host, authToken)).toHaveLength(1)
    expect((await ask({ password })).status).toBe(200)
  })

  it('is made by an old session with the second factor only, and says what was shown', async () => {
    const { host, token: authToken, secret } = await enrolled(withTokens)
    host.clock.advance(3600)
    const ask = (body: object) =>
      post(host, namedTokens, { name: 'bot', ...body }, bearer(authToken))
    const bare = await ask({ password })
    expect({ status: bare.status, error: bare.body.error }).toEqual({
      status: 401,
      error: 'totp-required',
    })
    expect((await ask({ password, code: wrongCode(host, secret) })).body.error).toBe('totp-invalid')
    expect((await ask({ code: codeOf(host, secret) })).body.error).toBe('reauthentication-required')
    expect(await list(host, authToken)).toHaveLength(0)
    const made = await ask({ password, code: codeOf(host, secret) })
    expect(made.status).toBe(200)
    expect(await host.stores.sessions.find(made.body.data.id)).toMatchObject({
      methods: ['pwd', 'otp'],
      authenticatedAt: host.clock(),
    })
    expect((await ask({ password, passkey: {} })).status).toBe(400)
  })

  it('survives its maker’s logout, and is not counted by maxSessionsPerUser', async () => {
    const host = await startHost({ options: { namedTokens: true, maxSessionsPerUser: 2 } })
    const { authToken } = await logIn(host)
    const { token } = await makeToken(host, authToken)
    const other = await logIn(host)
    expect((await get(host, '/me', bearer(authToken))).status).toBe(200)
    for (let count = 0; count < 3; count += 1) {
      host.clock.advance(1)
      await logIn(host)
    }
    expect((await get(host, '/me', bearer(authToken))).status).toBe(401)
    expect((await get(host, '/me', bearer(other.authToken))).status).toBe(401)
    expect((await get(host, '/me', bearer(token))).status).toBe(200)
  })

  it('signs itself out, by POST and by GET', async () => {
    const host = await startHost(withTokens)
    const { authToken } = await logIn(host)
    const [one, two] = [await makeToken(host, authToken), await makeToken(host, authToken)]
    expect((await post(host, '/logout', undefined, bearer(one.token))).status).toBe(200)
    expect((await get(host, '/logout', bearer(two.token))).status).toBe(200)
    for (const { token } of [one, two])
      expect((await get(host, '/me', bearer(token))).status).toBe(401)
  })

  it('is told of by events that hold neither its secret nor its name', async () => {
    const host = await startHost(withTokens)
    const { authToken } = await logIn(host)
    const [{ id: madeBy } = { id: '' }] = await host.auth.sessions.list('u-alice')
    const { id } = await makeToken(host, authToken, { name: 'Zaphod' })
    expect(host.events).toContainEqual(
      expect.objectContaining({ type: 'named-token.created', sessionId: id, madeBy }),
    )
    expect(host.events).toContainEqual(
      expect.objectContaining({ type: 'session.started', sessionId: id, kind: 'token' }),
    )
    expect(JSON.stringify([host.events, host.log])).not.toContain('Zaphod')
  })

  it('is refused with 400 for a name, scope or time that cannot be', async () => {
    const host = await startHost(withTokens)
    const { authToken } = await logIn(host)
    const wrong: object[] = [
      { name: '' },
      { name: '   ' },
      { name: 7 },
      { name: 'x'.repeat(101) },
      { name: 'two\nlines' },
      { name: '\ud800' },
      { name: undefined },
      { scope: '' },
      { scope: [] },
      { scope: 'a  b' },
      { scope: 'a"b' },
      { scope: ['a', 7] },
      { scope: 'x'.repeat(1001) },
      { scope: Array(101).fill('x') },
      { expiresIn: 59 },
      { expiresIn: 365 * day + 1 },
      { expiresIn: 60.5 },
      { expiresIn: '60' },
    ]
    for (const body of wrong) {
      const { status } = await post(host, namedTokens, { name: 'bot', ...body }, bearer(authToken))
      expect(status, JSON.stringify(body)).toBe(400)
    }
    expect(await list(host, authToken)).toEqual([])
  })

  it('is not there for users unless the host says so', async () => {
    const host = await startHost()
    const { authToken } = await logIn(host)
    expect((await post(host, namedTokens, { name: 'bot' }, bearer(authToken))).status).toBe(404)
  })
})

describe('auth.namedTokens', () => {
  it('makes, lists and ends tokens of a user whom the host vouches for', async () => {
    const host = await startHost()
    const { namedTokens: tokens } = host.auth
    const made = await tokens.create({ userId: 'u-alice', name: 'bridge', scope: ['rooms:read'] })
    host.issued.add(made.token)
    expect((await get(host, '/me', bearer(made.token))).status).toBe(200)
    const summary = { id: made.id, name: 'bridge', scope: ['rooms:read'] }
    expect(await tokens.list('u-alice')).toEqual([expect.objectContaining(summary)])
    expect(await tokens.list('u-bob')).toEqual([])
    expect(await tokens.revoke('u-bob', made.id)).toBe(false)
    expect(await tokens.revoke('u-alice', made.id)).toBe(true)
    expect(await tokens.revoke('u-alice', made.id)).toBe(false)
    expect((await get(host, '/me', bearer(made.token))).status).toBe(401)
    // A sign-in is ended elsewhere.
    await logIn(host)
    const [login] = await host.auth.sessions.list('u-alice')
    expect(await tokens.revoke('u-alice', login?.id ?? '')).toBe(false)
  })

  it('is refused as any sign-in is: nobody, disabled, vetoed, input that is none', async () => {
    const host = await startHost({
      options: { beforeLogin: ({ door }) => (door === 'named-token' ? 'No bots.' : undefined) },
    })
    const { create } = host.auth.namedTokens
    const code = (request: object) =>
      create(request as never).catch((error: unknown) => (error as AuthError).code)
    expect(await code({ userId: 'u-alice', name: 'bot' })).toBe('forbidden')
    expect(await code({ userId: 'u-nobody', name: 'bot' })).toBe('Unauthorized')
    host.users.add({ id: 'u-gone', username: 'gone', disabled: true })
    expect(await code({ userId: 'u-gone', name: 'bot' })).toBe('Unauthorized')
    for (const request of [{}, { userId: 'u-alice' }, { userId: 7, name: 'bot' }])
      expect(await code(request)).toBe('invalid-request')
    expect(await code({ userId: 'u-alice', name: 'bot', methods: ['otp'] })).toBe('invalid-request')
    await expect(host.auth.namedTokens.list('')).rejects.toBeInstanceOf(AuthError)
  })

  it('has the factors of the session that asks, and no more than it', async () => {
    const host = await startHost()
    const { create } = host.auth.namedTokens
    await logIn(host)
    const [{ id: sessionId } = { id: '' }] = await host.auth.sessions.list('u-alice')
    const made = await create({ userId: 'u-alice', name: 'bot', sessionId })
    expect(await host.stores.sessions.find(made.id)).toMatchObject({ methods: ['pwd'] })
    const refused = [
      [{ userId: 'u-bob', sessionId }, 'Unauthorized'],
      [{ userId: 'u-alice', sessionId: 'none' }, 'Unauthorized'],
      [{ userId: 'u-alice', sessionId: made.id }, 'forbidden'],
    ] as const
    for (const [request, code] of refused)
      await expect(create({ name: 'bot', ...request })).rejects.toMatchObject({ code })
  })
})
