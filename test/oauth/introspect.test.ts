import { describe, expect, it } from 'vitest'
import { generateSigningKey, joseSigner } from '../../src/index.js'
import { issuer, startOAuthApp } from './oauth-app.js'

type App = Awaited<ReturnType<typeof startOAuthApp>>

const keys = [await generateSigningKey()]
const seconds = (moment: Date) => Math.floor(moment.getTime() / 1000)

describe('introspection', () => {
  it('tells a service of an access token for an API of its own', async () => {
    const app = await startOAuthApp()
    const { session } = await app.open('wiki')
    const token = await app.sign(session, { aud: 'https://search.example.com/' })
    const answer = await app.introspect('search', token)
    const now = seconds(app.clock())
    expect(answer.status).toBe(200)
    expect(answer.json).toEqual({
      active: true,
      scope: 'openid profile',
      client_id: 'wiki',
      username: 'alice',
      sub: 'u-alice',
      aud: 'https://search.example.com/',
      iss: 'https://chat.example.com',
      exp: now + 300,
      iat: now,
      sid: session.id,
      auth_time: seconds(session.authenticatedAt),
      amr: ['pwd', 'otp'],
      token_type: 'Bearer',
    })
    expect(answer.headers.get('cache-control')).toBe('no-store')
  })

  it('tells a companion of the host’s own API of the tokens of people and of apps', async () => {
    const app = await startOAuthApp()
    const { accessToken } = await app.open('wiki')
    const { json } = await app.introspect('companion', accessToken)
    expect(json).toMatchObject({ active: true, aud: 'chat', client_id: 'wiki' })
    const { clientId: _none, ...login } = (await app.open('wiki', { kind: 'login' })).session
    const ofLogin = await app.introspect('companion', await app.sign(login))
    expect(ofLogin.json).toMatchObject({ active: true, aud: 'chat', client_id: 'chat' })
  })

  it('tells a client of a refresh token of its own, also of one that may be repeated', async () => {
    const app = await startOAuthApp()
    const opened = await app.open('companion')
    const { session, refreshToken } = opened
    const expected = {
      active: true,
      scope: 'openid profile',
      client_id: 'companion',
      username: 'alice',
      sub: 'u-alice',
      iss: 'https://chat.example.com',
      exp: seconds(session.idleExpiresAt),
      sid: session.id,
      auth_time: seconds(session.authenticatedAt),
      amr: ['pwd', 'otp'],
    }
    expect((await app.introspect('companion', refreshToken)).json).toEqual(expected)
    const successor = await app.rotate(opened)
    for (const token of [refreshToken, successor])
      expect((await app.introspect('companion', token)).json).toEqual(expected)
  })

  const ends: Readonly<Record<string, (app: App, id: string) => unknown>> = {
    'has ended in another process': (app, id) => app.stores.sessions.end(id, 'logout', app.clock()),
    'is of a user who was disabled': (app) => app.users.change('u-alice', { disabled: true }),
    'is of a user who is gone': (app) => app.users.rows.delete('u-alice'),
  }
  it.each(Object.entries(ends))('sees at once that a session %s', async (_name, end) => {
    const app = await startOAuthApp()
    const { session, accessToken, refreshToken } = await app.open('companion')
    const tokens = [accessToken, refreshToken]
    for (const token of tokens)
      expect((await app.introspect('companion', token)).json['active']).toBe(true)
    expect((await app.userinfo(accessToken)).status).toBe(200)
    await end(app, session.id)
    for (const token of tokens)
      expect((await app.introspect('companion', token)).text).toBe('{"active":false}')
  })

  it('sees that a session has idled out', async () => {
    const app = await startOAuthApp()
    const { session, refreshToken } = await app.open('companion')
    app.clock.set(session.idleExpiresAt)
    expect((await app.introspect('companion', refreshToken)).text).toBe('{"active":false}')
  })

  it('is no use of the session, and spends nothing', async () => {
    const app = await startOAuthApp()
    const { session, accessToken, refreshToken } = await app.open('companion')
    app.clock.advance(90)
    for (const token of [accessToken, refreshToken]) await app.introspect('companion', token)
    expect(await app.stores.sessions.find(session.id)).toEqual(session)
  })

  it('is not for pages', async () => {
    const app = await startOAuthApp()
    const { headers } = await app.introspect('companion', 'nothing')
    expect(headers.get('access-control-allow-origin')).toBeNull()
  })

  it('is 503 where a store or the signer is out of reach', async () => {
    const down = () => Promise.reject(new Error('down'))
    const broken = [
      await startOAuthApp({
        options: ({ sessions }) => ({ sessions: { ...sessions, find: down } }),
      }),
      await startOAuthApp({
        options: () => ({ users: { findById: down, findByIdentifier: down } }),
      }),
      await startOAuthApp({
        options: () => ({ signer: { sign: down, verify: down, issuer: 'x', audience: 'chat' } }),
      }),
    ]
    for (const app of broken) {
      const { accessToken } = await app.open('companion')
      const answer = await app.introspect('companion', accessToken)
      expect([answer.status, answer.json['error']]).toEqual([503, 'temporarily_unavailable'])
    }
  })
})

describe('a signer of the host’s that ignores audiences', () => {
  it('has its tokens known as those of its own audience alone', async () => {
    const app = await startOAuthApp({
      options: (_stores, clock) => {
        const good = joseSigner({
          issuer: 'https://chat.example.com',
          audience: 'chat',
          keys,
          clock,
        })
        return { signer: { ...good, verify: (token) => good.verify(token) } }
      },
    })
    const { session } = await app.open('wiki')
    const token = await app.kit.accessTokens.issue(session, 300, app.clock())
    expect((await app.introspect('search', token.token)).text).toBe('{"active":false}')
  })
})

describe('a signer of the host’s that forgets the times', () => {
  it('has its tokens judged by our clock', async () => {
    const app = await startOAuthApp({
      options: (_stores, clock) => {
        const good = joseSigner({ issuer, audience: 'chat', keys, clock })
        const forgets = joseSigner({ issuer, audience: 'chat', keys, clock: () => new Date(then) })
        const then = clock().getTime()
        return { signer: { ...good, verify: forgets.verify } }
      },
    })
    const { session } = await app.open('companion')
    const { token } = await app.kit.accessTokens.issue(session, 300, app.clock())
    expect((await app.introspect('companion', token)).json['active']).toBe(true)
    app.clock.advance(400)
    expect((await app.introspect('companion', token)).text).toBe('{"active":false}')
    app.clock.advance(-600)
    expect((await app.introspect('companion', token)).text).toBe('{"active":false}')
  })
})
