import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Response as ExpressResponse } from 'express'
import supertest from 'supertest'
import { describe, expect, it } from 'vitest'
import type { AuthError, RequireAuthOptions } from '../../src/index.js'
import { bearer, logIn, post } from '../support/client.js'
import { startHost, type TestHost } from '../support/host.js'

async function startGuarded(options: RequireAuthOptions, express: 4 | 5 = 5) {
  const host = await startHost({
    express,
    after: (app, auth) =>
      app.get(
        '/rooms',
        auth.requireAuth(options),
        (request, response) => void response.json(request.auth?.userId ?? 'stranger'),
      ),
  })
  return { host, rooms: roomsOf(host) }
}

const roomsOf =
  (host: TestHost) =>
  (headers: Record<string, string> = {}) =>
    supertest(host.url.replace('/api/v1', '')).get('/rooms').set(headers)

/** Signed in, and out again. */
async function staleToken(host: TestHost): Promise<string> {
  const { authToken } = await logIn(host)
  await post(host, '/logout', undefined, bearer(authToken))
  return authToken
}

describe('requireAuth({ onRefused })', () => {
  const redirect = {
    onRefused: (error: AuthError, _request: IncomingMessage, response: ExpressResponse) =>
      response.redirect(303, `/sign-in?${error.code}`),
  }

  it.each([4, 5] as const)(
    'answers a refusal in the host’s words, in Express %i',
    async (express) => {
      const { host, rooms } = await startGuarded(redirect, express)
      for (const headers of [{}, bearer('wrong'), bearer(await staleToken(host))]) {
        const response = await rooms(headers)
        expect([response.status, response.headers['location']]).toEqual([
          303,
          '/sign-in?Unauthorized',
        ])
      }
      const { authToken } = await logIn(host)
      expect((await rooms(bearer(authToken))).body).toBe('u-alice')
    },
  )

  it('is asked about a missing scope and an old sign-in, too', async () => {
    const { host, rooms } = await startGuarded({ ...redirect, maxAge: 60 })
    const { authToken } = await logIn(host)
    host.clock.advance(61)
    const response = await rooms(bearer(authToken))
    expect(response.headers['location']).toBe('/sign-in?reauthentication-required')
  })

  it('is not asked about an outage, which signs nobody out: 503', async () => {
    const { host, rooms } = await startGuarded(redirect)
    const { authToken } = await logIn(host)
    host.stores.sessions.find = () => Promise.reject(new Error('down'))
    host.clock.advance(6)
    const response = await rooms(bearer(authToken))
    expect([response.status, response.headers['location']]).toEqual([503, undefined])
  })

  it.each<[string, NonNullable<RequireAuthOptions['onRefused']>]>([
    ['says next()', (_error, _request, _response, next) => next()],
    ['says next(null)', (_error, _request, _response, next) => next(null)],
    ["says next('route')", (_error, _request, _response, next) => next('route')],
    ["says next('router')", (_error, _request, _response, next) => next('router')],
    ['says next(error)', (error, _request, _response, next) => next(error)],
    [
      'throws',
      () => {
        throw new Error('no template')
      },
    ],
    ['rejects', () => Promise.reject(new Error('no template'))],
    ['rejects with nothing', () => Promise.reject()],
    ["rejects with 'route'", () => Promise.reject('route')],
  ])(
    'lets nobody in when it %s: the error goes to the host’s error handler',
    async (_name, onRefused) => {
      for (const express of [4, 5] as const) {
        const { host, rooms } = await startGuarded({ onRefused }, express)
        const response = await rooms()
        expect([response.status, response.body]).toEqual([500, { host: 'failed' }])
        expect(host.unforeseen).toEqual([expect.any(Error)])
      }
    },
  )

  it('says nothing more when it has answered and then throws', async () => {
    const { host, rooms } = await startGuarded({
      onRefused(_error, _request, response: ServerResponse) {
        response.statusCode = 418
        response.end('{}')
        throw new Error('late')
      },
    })
    expect((await rooms()).status).toBe(418)
    expect(host.unforeseen).toEqual([])
  })
})

describe("requireAuth({ optional: 'lenient' })", () => {
  it('takes a stale or broken token for a stranger, and a good one for its user', async () => {
    const { host, rooms } = await startGuarded({ optional: 'lenient' })
    const stale = await staleToken(host)
    for (const headers of [{}, bearer(stale), bearer('wrong'), { Authorization: 'Bearer' }])
      expect((await rooms(headers)).body).toBe('stranger')
    const { authToken } = await logIn(host)
    expect((await rooms(bearer(authToken))).body).toBe('u-alice')
  })

  it('takes nobody for a stranger whom it may not let in, nor in an outage', async () => {
    const scoped = await startGuarded({ optional: 'lenient', maxAge: 60 })
    const old = (await logIn(scoped.host)).authToken
    scoped.host.clock.advance(61)
    expect((await scoped.rooms(bearer(old))).status).toBe(403)
    const { host, rooms } = await startGuarded({ optional: 'lenient' })
    const { authToken } = await logIn(host)
    host.stores.sessions.find = () => Promise.reject(new Error('down'))
    host.clock.advance(6)
    expect((await rooms(bearer(authToken))).status).toBe(503)
    const both = { ...bearer(authToken), 'X-Auth-Token': authToken, 'X-User-Id': 'u-alice' }
    expect((await rooms(both)).status).toBe(400)
  })

  it('leaves no principal of an earlier guard to a stranger', async () => {
    const host = await startHost({
      after: (app, auth) =>
        app.get(
          '/rooms',
          (request, _response, next) => {
            request.auth = { userId: 'u-other' } as never
            next()
          },
          auth.requireAuth({ optional: 'lenient' }),
          (request, response) => void response.json(request.auth?.userId ?? 'stranger'),
        ),
    })
    expect((await roomsOf(host)(bearer('wrong'))).body).toBe('stranger')
  })
})

describe('tokenFrom(request)', () => {
  const tokenFrom = ({ headers }: IncomingMessage) => headers['x-proxy-token'] as string | undefined

  it('finds the token instead of the headers, for the first request and the ones after', async () => {
    const { host, rooms } = await startGuarded({ tokenFrom })
    const { authToken } = await logIn(host)
    for (let time = 0; time < 2; time += 1)
      expect((await rooms({ 'X-Proxy-Token': authToken })).body).toBe('u-alice')
    // The headers are not read: two ways in could name two users.
    expect((await rooms(bearer(authToken))).status).toBe(401)
    expect((await rooms({ 'X-Proxy-Token': authToken, Authorization: 'Bearer other' })).body).toBe(
      'u-alice',
    )
  })

  it('is judged as a Bearer token is: forged, stale and endless ones are 401', async () => {
    const { host, rooms } = await startGuarded({ tokenFrom })
    const stale = await staleToken(host)
    for (const token of ['wrong', stale, 'a'.repeat(10_000)]) {
      const response = await rooms({ 'X-Proxy-Token': token })
      expect([response.status, response.body.error]).toEqual([401, 'Unauthorized'])
    }
    expect((await rooms()).status).toBe(401)
  })

  it('that answers nothing is a stranger to an optional guard, an empty text is not', async () => {
    const optional = await startGuarded({ tokenFrom, optional: true })
    expect((await optional.rooms()).body).toBe('stranger')
    const empty = await startGuarded({ tokenFrom: () => '', optional: true })
    expect((await empty.rooms()).status).toBe(401)
  })

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('broken')
      },
    ],
    [
      'throws nothing',
      () => {
        throw undefined
      },
    ],
    ['answers a promise', () => Promise.resolve('token')],
    ['answers an object', () => ({ token: 'x' })],
  ])(
    'that %s lets nobody in, and is no refusal: the host’s error handler is told',
    async (_name, broken) => {
      for (const optional of [false, true, 'lenient'] as const) {
        const { host, rooms } = await startGuarded({ tokenFrom: broken as () => string, optional })
        expect((await rooms()).status).toBe(500)
        expect(host.unforeseen).toHaveLength(1)
      }
    },
  )

  it('is asked once for each request', async () => {
    let asked = 0
    const { host, rooms } = await startGuarded({
      tokenFrom: (request) => {
        asked += 1
        return tokenFrom(request)
      },
    })
    const { authToken } = await logIn(host)
    await rooms({ 'X-Proxy-Token': authToken })
    await rooms({ 'X-Proxy-Token': 'wrong' })
    expect(asked).toBe(2)
  })

  it('is an option of authenticate(), and no other name is', async () => {
    const host = await startHost()
    const { authToken } = await logIn(host)
    const request = { headers: {}, rawHeaders: [], socket: {} } as never
    const found = await host.auth.authenticate(request, { tokenFrom: () => authToken })
    expect(found.userId).toBe('u-alice')
    await expect(host.auth.authenticate(request, { tokenFrom: () => null })).rejects.toMatchObject({
      status: 401,
    })
    await expect(
      host.auth.authenticate(request, { token: authToken } as never),
    ).rejects.toMatchObject({ code: 'configuration' })
  })
})
