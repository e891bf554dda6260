import passport from 'passport'
import supertest from 'supertest'
import { describe, expect, it } from 'vitest'
import type { AuthRouter, Principal, RequireAuthOptions } from '../../src/index.js'
import { bearer, logIn, obtainCode, pkcePair, post } from '../support/client.js'
import { startHost, type TestHost } from '../support/host.js'

type App = Parameters<NonNullable<NonNullable<Parameters<typeof startHost>[0]>['after']>>[0]

const guarded = (options?: RequireAuthOptions) => (app: App, auth: AuthRouter) => {
  app.get(
    '/rooms',
    auth.requireAuth(options),
    (request, response) => void response.json(request.auth ?? 'stranger'),
  )
}
const rooms = (host: TestHost, headers: Record<string, string> = {}) =>
  supertest(host.url.replace('/api/v1', '')).get('/rooms').set(headers)

describe.each([4, 5] as const)('requireAuth() in an Express %i host', (express) => {
  it('lets a signed-in request through and says who is asking', async () => {
    const host = await startHost({ express, after: guarded() })
    const signedInAt = host.clock()
    const { authToken, userId } = await logIn(host)
    for (const headers of [bearer(authToken), { 'X-User-Id': userId, 'X-Auth-Token': authToken }]) {
      const response = await rooms(host, headers)
      expect(response.status).toBe(200)
      expect(response.body).toEqual({
        userId: 'u-alice',
        sessionId: expect.any(String),
        kind: 'login',
        scope: ['*'],
        authenticatedAt: signedInAt.toISOString(),
        methods: ['pwd'],
        expiresAt: expect.any(String),
        actor: null,
      })
    }
  })

  it('answers a stranger 401 with the published message and a challenge', async () => {
    const host = await startHost({ express, after: guarded() })
    const response = await rooms(host)
    expect(response.status).toBe(401)
    expect(response.headers['www-authenticate']).toBe('Bearer')
    expect(response.headers['content-type']).toBe('application/json')
    expect(response.body).toEqual({
      success: false,
      status: 'error',
      error: 'Unauthorized',
      message: 'You must be logged in to do this.',
    })
  })

  it('hands what was not foreseen to the host’s error handler', async () => {
    const host = await startHost({
      express,
      before: (app) => app.set('trust proxy', true),
      after: guarded(),
    })
    expect((await rooms(host)).body).toEqual({ host: 'failed' })
    expect(host.unforeseen).toHaveLength(1)
  })
})

describe('requireAuth({ optional: true })', () => {
  it('lets strangers through as strangers, and refuses wrong credentials all the same', async () => {
    const host = await startHost({ after: guarded({ optional: true }) })
    expect((await rooms(host)).body).toBe('stranger')
    expect((await rooms(host, bearer((await logIn(host)).authToken))).body.userId).toBe('u-alice')
    expect((await rooms(host, bearer('wrong'))).status).toBe(401)
  })
})

describe('requireAuth({ scope })', () => {
  const scoped = async (
    scope: readonly string[],
    options: RequireAuthOptions = { scope: ['rooms:read', 'me'] },
  ) => {
    const host = await startHost({ after: guarded(options) })
    const { codeChallenge, codeVerifier } = pkcePair()
    const { authorizationCode } = await host.auth.issueAuthorizationCode({
      userId: 'u-alice',
      codeChallenge,
      scope,
    })
    const { body } = await post(host, '/auth/pkce/token', { authorizationCode, codeVerifier })
    return rooms(host, bearer(body.access_token))
  }

  it('wants every scope it names, or the one that stands for all', async () => {
    expect((await scoped(['rooms:read', 'me', 'more'])).status).toBe(200)
    expect((await scoped(['*'])).status).toBe(200)
    const refused = await scoped(['rooms:read'])
    expect(refused.status).toBe(403)
    expect(refused.body.error).toBe('forbidden')
    expect(refused.headers['www-authenticate']).toBe(
      'Bearer error="insufficient_scope", scope="rooms:read me"',
    )
  })

  it('wants none where it names none: a token for a part of the account is let in', async () => {
    expect((await scoped(['rooms:read'], {})).body.scope).toEqual(['rooms:read'])
    expect((await scoped(['rooms:read'], { scope: 'rooms:read' })).status).toBe(200)
    expect((await scoped(['me'], { scope: 'rooms:read' })).status).toBe(403)
  })
})

describe('requireAuth({ maxAge })', () => {
  it('wants a recent sign-in', async () => {
    const host = await startHost({ after: guarded({ maxAge: 600 }) })
    const { authToken } = await logIn(host)
    host.clock.advance(600)
    expect((await rooms(host, bearer(authToken))).status).toBe(200)
    host.clock.advance(1)
    const refused = await rooms(host, bearer(authToken))
    expect(refused.status).toBe(403)
    expect(refused.body).toMatchObject({
      error: 'reauthentication-required',
      details: { maxAge: 600 },
    })
  })

  it('is not fooled by a code: the exchange is no new sign-in', async () => {
    const options = { pkce: { maxAge: false } } as const
    const host = await startHost({ options, after: guarded({ maxAge: 600 }) })
    const { authToken } = await logIn(host)
    host.clock.advance(601)
    const { body } = await post(host, '/auth/pkce/token', await obtainCode(host, authToken))
    expect((await rooms(host, bearer(body.access_token))).status).toBe(403)
  })
})

describe('authenticate()', () => {
  it('tells code without Express who is asking, and rejects with an AuthError', async () => {
    const host = await startHost()
    const { authToken } = await logIn(host)
    const request = (authorization: string) =>
      ({
        headersDistinct: { authorization: [authorization] },
        headers: {},
        socket: { remoteAddress: '::1' },
      }) as never
    const principal: Principal = await host.auth.authenticate(request(`Bearer ${authToken}`))
    expect(principal).toMatchObject({ userId: 'u-alice', kind: 'login' })
    expect(Object.isFrozen(principal)).toBe(true)
    await expect(host.auth.authenticate(request('Bearer wrong'))).rejects.toMatchObject({
      name: 'AuthError',
      status: 401,
    })
  })
})

describe('passportStrategy()', () => {
  const withPassport = async (options = {}) => {
    const own = new passport.Authenticator()
    return startHost({
      ...options,
      after: (app, auth) => {
        own.use(auth.passportStrategy() as never)
        app.get(
          '/rooms',
          own.authenticate('messaging-auth', { session: false }),
          (request, response) => void response.json(request.user),
        )
      },
    })
  }

  it('guards a host’s routes through the host’s own passport', async () => {
    const host = await withPassport()
    const { authToken } = await logIn(host)
    expect((await rooms(host, bearer(authToken))).body).toMatchObject({ userId: 'u-alice' })
    const refused = await rooms(host, bearer('wrong'))
    expect(refused.status).toBe(401)
    expect(refused.headers['www-authenticate']).toBe('Bearer')
    expect((await rooms(host, { ...bearer(authToken), 'X-Auth-Token': authToken })).status).toBe(
      400,
    )
  })

  it('makes an outage an error, not a refusal', async () => {
    const { stores } = await startHost()
    const host = await withPassport({
      options: { sessions: { ...stores.sessions, find: () => Promise.reject(new Error('down')) } },
    })
    const { authToken } = await logIn(host)
    expect((await rooms(host, bearer(authToken))).body).toEqual({ host: 'failed' })
    expect(host.unforeseen[0]).toMatchObject({ code: 'temporarily-unavailable' })
  })

  it('leaves the global passport and the request’s user alone on our own routes', async () => {
    const host = await startHost({
      after: (app, auth) =>
        app.get(
          '/rooms',
          auth.requireAuth(),
          (request, response) =>
            void response.json({
              user: request.user ?? null,
              login: typeof Object.getOwnPropertyDescriptor(request, 'login'),
            }),
        ),
    })
    const { authToken } = await logIn(host)
    expect((await rooms(host, bearer(authToken))).body).toEqual({ user: null, login: 'undefined' })
    expect(Object.keys((passport as unknown as { _strategies: object })._strategies)).toEqual([
      'session',
    ])
  })
})
