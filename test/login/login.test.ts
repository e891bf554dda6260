import { describe, expect, it } from 'vitest'
import { totpCode } from '../../src/testing/testing.js'
import { bearer, get, logIn, post } from '../support/client.js'
import { cheapHasher, password, passwordHash, startHost, totpSecret } from '../support/host.js'

describe.each([4, 5] as const)('POST /login in an Express %i host', (express) => {
  it.each(['email', 'username', 'user'])('signs alice in by %s', async (kind) => {
    const host = await startHost({ express })
    const response = await post(host, '/login', {
      [kind]: kind === 'email' ? 'alice@example.com' : 'alice',
      password,
    })
    expect(response.status).toBe(200)
    expect(response.body).toEqual({
      status: 'success',
      data: {
        userId: 'u-alice',
        authToken: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]+$/),
        me: { _id: 'u-alice', name: 'Alice A.', username: 'alice', status: 'offline' },
      },
    })
  })

  it.each(['before', 'not before'])(
    'works with the host’s own body parser %s the router',
    async (order) => {
      const { default: parsers } = await import('express')
      const host = await startHost({
        express,
        before: (app) => order === 'before' && app.use(parsers.json()),
      })
      expect((await logIn(host)).userId).toBe('u-alice')
    },
  )
})

describe('POST /login', () => {
  it(
    'answers with exactly application/json, no-store and nosniff, and without a cookie or a ' +
      'product name',
    async () => {
      const host = await startHost()
      const { headers } = await post(host, '/login', { username: 'alice', password })
      expect(headers['content-type']).toBe('application/json')
      expect(headers['cache-control']).toBe('no-store')
      expect(headers['x-content-type-options']).toBe('nosniff')
      expect(headers['content-security-policy']).toBe("default-src 'none'; frame-ancestors 'none'")
      expect(headers['set-cookie']).toBeUndefined()
      expect(headers['x-powered-by']).toBeUndefined()
    },
  )

  it('finds names and e-mail addresses in any case', async () => {
    const host = await startHost()
    expect((await post(host, '/login', { email: 'Alice@Example.COM', password })).status).toBe(200)
    expect((await post(host, '/login', { username: 'ALICE', password })).status).toBe(200)
  })

  it('hands a user id over as it was typed, since case may count there', async () => {
    const host = await startHost()
    host.users.add({
      id: 'aobEdbYhX',
      username: 'dora',
      passwordHash: (await host.users.findById('u-alice'))?.passwordHash ?? null,
    })
    expect((await post(host, '/login', { user: 'aobEdbYhX', password })).status).toBe(200)
  })

  it('lets the host decide what makes identifiers the same', async () => {
    const host = await startHost({
      options: { canonicalIdentifier: ({ value }) => value.trim().toLowerCase() },
    })
    expect((await post(host, '/login', { username: ' alice ', password })).status).toBe(200)
  })

  it('ignores fields it does not know, and a code of a user who has no second factor', async () => {
    const host = await startHost()
    const response = await post(host, '/login', {
      username: 'alice',
      password,
      resume: true,
      code: '123456',
    })
    expect(response.status).toBe(200)
  })

  it(
    'shows the status the host gives, offline for one it does not know, and what describeUser ' +
      'adds, but no more',
    async () => {
      const host = await startHost({
        options: {
          describeUser: ({ username }) => ({
            avatarUrl: `/avatar/${username}`,
            _id: 'forged',
            username: 'forged',
          }),
        },
      })
      host.users.change('u-alice', { status: 'busy' })
      const { me } = await logIn(host)
      expect(me).toEqual({
        _id: 'u-alice',
        name: 'Alice A.',
        username: 'alice',
        status: 'busy',
        avatarUrl: '/avatar/alice',
      })
      host.users.change('u-alice', { status: 'asleep' as never })
      expect((await logIn(host)).me).toMatchObject({ status: 'offline' })
    },
  )

  it('opens a new session each time: one token never becomes another', async () => {
    const host = await startHost()
    const first = await logIn(host)
    const second = await post(
      host,
      '/login',
      { username: 'alice', password },
      bearer(first.authToken),
    )
    expect(second.body.data.authToken).not.toBe(first.authToken)
    await post(host, '/logout', undefined, bearer(first.authToken))
    expect((await get(host, '/me', bearer(second.body.data.authToken))).status).toBe(200)
  })

  it('tells the audit stream who signed in and how', async () => {
    const host = await startHost()
    await post(host, '/login', { username: 'alice', password })
    const event = host.events.find(({ type }) => type === 'login.succeeded')
    expect(event).toEqual({
      type: 'login.succeeded',
      at: host.clock(),
      requestId: expect.stringMatching(/^[\w-]{36}$/),
      ip: '127.0.0.1',
      userId: 'u-alice',
      sessionId: expect.any(String),
      methods: ['pwd'],
    })
  })

  it('lives until its session ends: 14 days unused, 90 days at most', async () => {
    const host = await startHost()
    const day = 24 * 60 * 60
    const { authToken } = await logIn(host)
    const status = async () => (await get(host, '/me', bearer(authToken))).status
    for (let week = 0; week < 12; week += 1) {
      host.clock.advance(7 * day)
      expect(await status()).toBe(200)
    }
    host.clock.advance(6 * day)
    expect(await status()).toBe(401)

    const idle = await logIn(host)
    host.clock.advance(14 * day + 1)
    expect((await get(host, '/me', bearer(idle.authToken))).status).toBe(401)
  })
})

describe('POST /login with a second factor', () => {
  const withFactor = async () => {
    const host = await startHost()
    const { recoveryCodes } = await host.auth.secondFactors.importTotp({
      userId: 'u-alice',
      secret: totpSecret,
    })
    const attempt = (code?: string, headers = {}) =>
      post(
        host,
        '/login',
        { username: 'alice', password, ...(code === undefined ? {} : { code }) },
        headers,
      )
    return { host, recoveryCodes, attempt, codeNow: () => totpCode(totpSecret, host.clock()) }
  }

  it('asks for the code, and for which kinds, when the password was right', async () => {
    const { attempt } = await withFactor()
    const response = await attempt()
    expect(response.status).toBe(401)
    expect(response.body).toEqual({
      success: false,
      status: 'error',
      error: 'totp-required',
      message: expect.any(String),
      details: { method: 'totp', codeGenerated: false, availableMethods: ['totp', 'recovery'] },
    })
  })

  it('accepts the code of the moment, in the body or in x-2fa-code, where the body wins', async () => {
    const { host, attempt, codeNow } = await withFactor()
    expect((await attempt(codeNow())).status).toBe(200)
    host.clock.advance(30)
    expect((await attempt(undefined, { 'x-2fa-code': codeNow() })).status).toBe(200)
    host.clock.advance(30)
    expect((await attempt(codeNow(), { 'x-2fa-code': '000000' })).status).toBe(200)
    expect(host.events.filter(({ type }) => type === 'login.succeeded').at(-1)).toMatchObject({
      methods: ['pwd', 'otp'],
    })
  })

  it.each([
    [-60, 401],
    [-30, 200],
    [30, 200],
    [60, 401],
  ])('takes a code from %i seconds away with %i: one step either side', async (seconds, status) => {
    const { host, attempt } = await withFactor()
    const response = await attempt(
      totpCode(totpSecret, new Date(host.clock().getTime() + seconds * 1000)),
    )
    expect(response.status).toBe(status)
  })

  it('accepts each recovery code once, however it is typed', async () => {
    const { host, recoveryCodes, attempt } = await withFactor()
    expect(recoveryCodes).toHaveLength(10)
    expect((await attempt(recoveryCodes[0])).status).toBe(200)
    expect((await attempt(recoveryCodes[0])).body.error).toBe('totp-invalid')
    expect((await attempt(recoveryCodes[1]?.toLowerCase().replaceAll('-', ' '))).status).toBe(200)
    expect(host.events.filter(({ type }) => type === 'recovery-code.used')).toHaveLength(2)
  })

  it('can be taken over from another system once', async () => {
    const { host } = await withFactor()
    await expect(
      host.auth.secondFactors.importTotp({ userId: 'u-alice', secret: totpSecret }),
    ).rejects.toMatchObject({
      code: 'totp-already-enabled',
    })
    await expect(
      host.auth.secondFactors.importTotp({ userId: 'u-bob', secret: 'GEZDGNBV' }),
    ).rejects.toMatchObject({
      code: 'invalid-request',
    })
  })

  it(
    'is not there without a second-factor store: a code is ignored and an import names the ' +
      'option',
    async () => {
      const host = await startHost({ options: { secondFactors: undefined as never } })
      expect(
        (await post(host, '/login', { username: 'alice', password, code: '123456' })).status,
      ).toBe(200)
      await expect(
        host.auth.secondFactors.importTotp({ userId: 'u-alice', secret: totpSecret }),
      ).rejects.toMatchObject({
        name: 'AuthConfigError',
        option: 'secondFactors',
      })
    },
  )
})

describe('a refused login', () => {
  it('is told to the audit stream with its reason, and with its user where there is one', async () => {
    const host = await startHost({
      options: { beforeLogin: ({ user }) => (user.username === 'grumpy' ? 'No.' : undefined) },
    })
    for (const [username, account] of [
      ['off', { disabled: true }],
      ['bare', { passwordHash: null }],
      ['cut', { passwordHash: passwordHash.slice(0, 40) }],
      ['grumpy', {}],
      ['factor', {}],
    ] as const) {
      host.users.add({ id: `u-${username}`, username, passwordHash, ...account })
    }
    await host.auth.secondFactors.importTotp({ userId: 'u-factor', secret: totpSecret })
    const send = (username: string, rest = {}) =>
      post(host, '/login', { username, password, ...rest })
    for (const username of ['nobody', 'off', 'bare', 'cut', 'grumpy', 'factor'])
      await send(username)
    await send('factor', { code: 'wrong' })
    await send('alice', { password: 'wrong' })
    const told = host.events.flatMap((event) =>
      event.type === 'login.failed' ? [[event.userId, event.reason]] : [],
    )
    expect(told).toEqual([
      [null, 'unknown-user'],
      ['u-off', 'disabled'],
      ['u-bare', 'no-password'],
      ['u-cut', 'unreadable-hash'],
      ['u-grumpy', 'vetoed'],
      ['u-factor', 'second-factor-required'],
      ['u-factor', 'second-factor-invalid'],
      ['u-alice', 'wrong-password'],
    ])
    expect(host.events.find(({ type }) => type === 'password.unreadable')).toMatchObject({
      userId: 'u-cut',
    })
  })
})

describe('beforeLogin', () => {
  it('lets pass by saying nothing, and is told the door, the user and what was proven', async () => {
    const seen: unknown[] = []
    const host = await startHost({
      options: { beforeLogin: (attempt) => void seen.push(attempt) as undefined },
    })
    await post(host, '/login', { username: 'alice', password }, { 'User-Agent': 'tests' })
    expect(seen).toEqual([
      {
        door: 'login',
        user: host.users.rows.get('u-alice'),
        methods: ['pwd'],
        ip: '127.0.0.1',
        userAgent: 'tests',
      },
    ])
  })

  it('refuses with the host’s reason', async () => {
    const host = await startHost({
      options: { beforeLogin: async () => 'Closed for maintenance.' },
    })
    const response = await post(host, '/login', { username: 'alice', password })
    expect(response.status).toBe(403)
    expect(response.body).toMatchObject({ error: 'forbidden', message: 'Closed for maintenance.' })
  })

  it('refuses when it answers anything else, and is an outage when it fails', async () => {
    const odd = await startHost({ options: { beforeLogin: (() => false) as never } })
    const refused = await post(odd, '/login', { username: 'alice', password })
    expect(refused.status).toBe(403)
    expect(refused.body).toMatchObject({
      error: 'forbidden',
      message: 'This sign-in is not allowed.',
    })
    const broken = await startHost({
      options: { beforeLogin: () => Promise.reject(new Error('broken')) },
    })
    expect((await post(broken, '/login', { username: 'alice', password })).status).toBe(503)
    expect(broken.events).toContainEqual(
      expect.objectContaining({ type: 'host.failed', operation: 'beforeLogin' }),
    )
  })
})

describe('old password hashes', () => {
  const target = () => ({
    ...cheapHasher,
    needsRehash: (hash: string) => hash.startsWith('$2b$04$abc'),
  })

  it('that are brought down again each time are told of at the third, once in a day', async () => {
    const host = await startHost({ options: { passwords: target() } })
    const told = () => host.events.filter(({ type }) => type === 'password.contested')
    const logInRehashed = async () => {
      host.users.change('u-alice', { passwordHash })
      await logIn(host)
    }
    for (let time = 0; time < 2; time += 1) await logInRehashed()
    expect(told()).toEqual([])
    for (let time = 0; time < 3; time += 1) await logInRehashed()
    expect(told()).toEqual([expect.objectContaining({ userId: 'u-alice' })])
    // A day later it begins anew: two are no sign of anything.
    host.clock.advance(24 * 3600)
    for (let time = 0; time < 2; time += 1) await logInRehashed()
    expect(told()).toHaveLength(1)
    await logInRehashed()
    expect(told()).toHaveLength(2)
    expect(host.log).toContainEqual(
      expect.objectContaining({ level: 'warn', message: 'password.contested' }),
    )
  })

  it('are replaced at a login, if nothing else has replaced them meanwhile', async () => {
    const host = await startHost({ options: { passwords: target() } })
    const before = host.users.rows.get('u-alice')?.passwordHash
    await logIn(host)
    expect(host.users.rows.get('u-alice')?.passwordHash).not.toBe(before)
    expect(host.events.map(({ type }) => type)).toContain('password.rehashed')
    expect((await post(host, '/login', { username: 'alice', password })).status).toBe(200)
  })

  it('stay when the host cannot replace them, or fails to; the user is signed in all the same', async () => {
    const users = (await startHost()).users
    users.updatePasswordHash = () => Promise.reject(new Error('read-only'))
    const host = await startHost({ options: { passwords: target(), users } })
    const before = users.rows.get('u-alice')?.passwordHash
    expect((await post(host, '/login', { username: 'alice', password })).status).toBe(200)
    expect(users.rows.get('u-alice')?.passwordHash).toBe(before)
    const { updatePasswordHash: _none, ...readOnly } = users
    const second = await startHost({ options: { passwords: target(), users: readOnly } })
    expect((await post(second, '/login', { username: 'alice', password })).status).toBe(200)
  })
})
