import supertest, { type Response } from 'supertest'
import { describe, expect, it, vi } from 'vitest'
import type { AuthRouter, Principal, RequireAuthOptions } from '../../src/index.js'
import { bearer, logIn, obtainCode, post } from '../support/client.js'
import { type HostSettings, passwordHash, startHost, type TestHost } from '../support/host.js'

type App = Parameters<NonNullable<HostSettings['before']>>[0]
type Headers = Record<string, string>

/**
 * A host with a guarded route, and a user whom it has just let in there: what follows is judged by
 * memory, if nothing is in the way.
 */
async function startRemembering(options: RequireAuthOptions = {}, settings: HostSettings = {}) {
  const seen: Principal[] = []
  let application: App | undefined
  const guarded = (app: App, auth: AuthRouter) => {
    application = app
    app.get('/rooms', auth.requireAuth(options), (request, response) => {
      seen.push(request.auth)
      response.json({ for: request.auth?.userId ?? null })
    })
  }
  const host = await startHost({ ...settings, after: guarded })
  const rooms = (headers: Headers): Promise<Response> =>
    Promise.resolve(supertest(host.url.replace('/api/v1', '')).get('/rooms').set(headers))
  const { authToken, userId } = await logIn(host)
  expect((await rooms(bearer(authToken))).body).toEqual({ for: 'u-alice' })
  return { host, app: application as App, rooms, authToken, userId, seen }
}

const countFinds = (host: TestHost) => vi.spyOn(host.stores.sessions, 'find')

describe('a request whose token and session are remembered', () => {
  it('asks nobody, and finds the same principal', async () => {
    const { host, rooms, authToken, seen } = await startRemembering()
    const finds = countFinds(host)
    expect((await rooms(bearer(authToken))).status).toBe(200)
    expect(finds).not.toHaveBeenCalled()
    expect(seen[1]).toEqual(seen[0])
  })

  it('is let in before the guard returns, and no other is', async () => {
    const { host, app, authToken, userId } = await startRemembering()
    const { authToken: unseen } = await logIn(host)
    const guards = {
      any: host.auth.requireAuth(),
      scoped: host.auth.requireAuth({ scope: 'chat' }),
      fresh: host.auth.requireAuth({ maxAge: 60 }),
    }
    app.get('/at-once/:guard', (request, response) => {
      let isIn = false
      guards[request.params['guard'] as keyof typeof guards](request, response, () => {
        isIn = true
      })
      // Whoever has to be judged comes in, or is refused, after this.
      if (!response.headersSent) response.json({ isIn })
    })
    const atOnce = async (guard: string, headers: Headers) =>
      (await supertest(host.url.replace('/api/v1', '')).get(`/at-once/${guard}`).set(headers)).body
        .isIn
    expect(
      await Promise.all(
        ['any', 'scoped', 'fresh'].map((guard) => atOnce(guard, bearer(authToken))),
      ),
    ).toEqual([true, true, true])
    expect(await atOnce('any', { 'X-User-Id': userId, 'X-Auth-Token': authToken })).toBe(true)
    expect(await atOnce('any', bearer(unseen))).toBe(false)
    host.clock.advance(4)
    expect(await atOnce('any', bearer(authToken))).toBe(true)
    host.clock.advance(1)
    expect(await atOnce('any', bearer(authToken))).toBe(false)
  })

  it('is refused from the moment its session ends', async () => {
    const { host, rooms, authToken } = await startRemembering()
    await post(host, '/logout', undefined, bearer(authToken))
    expect((await rooms(bearer(authToken))).status).toBe(401)
  })

  it('is refused five seconds after its user was disabled', async () => {
    const { host, rooms, authToken } = await startRemembering()
    host.users.change('u-alice', { disabled: true })
    host.clock.advance(5)
    expect((await rooms(bearer(authToken))).status).toBe(401)
  })

  it('is refused when its token has expired', async () => {
    const { host, rooms, authToken } = await startRemembering(
      {},
      { options: { lifetimes: { accessToken: 30 } } },
    )
    const { codeChallenge: _challenge, ...exchange } = await obtainCode(host, authToken)
    const { access_token: token } = (await post(host, '/auth/pkce/token', exchange)).body
    host.clock.advance(29)
    expect((await rooms(bearer(token))).status).toBe(200)
    const finds = countFinds(host)
    expect((await rooms(bearer(token))).status).toBe(200)
    expect(finds).not.toHaveBeenCalled()
    // Past its end, and past the five seconds that the signer forgives.
    host.clock.advance(7)
    expect((await rooms(bearer(token))).status).toBe(401)
  })

  it('is refused where the client says that the token is another user’s', async () => {
    const { host, rooms, authToken, userId } = await startRemembering()
    host.users.add({ id: 'u-bob', username: 'bob', passwordHash })
    expect((await rooms({ 'X-User-Id': userId, 'X-Auth-Token': authToken })).status).toBe(200)
    expect((await rooms({ 'X-User-Id': 'u-bob', 'X-Auth-Token': authToken })).status).toBe(401)
    expect((await rooms({ ...bearer(authToken), 'X-User-Id': userId })).status).toBe(400)
  })

  it.each([
    [
      'another signature',
      (token: string) =>
        token.replace(
          /(.)([^.]+)$/,
          (_whole, letter, rest) => `${letter === 'A' ? 'B' : 'A'}${rest}`,
        ),
    ],
    [
      'another payload',
      (token: string) =>
        token.replace(/\.(.)/, (_whole, letter) => `.${letter === 'e' ? 'f' : 'e'}`),
    ],
    ['nothing but its digest', (token: string) => token.slice(-43)],
  ])('does not speak for a token with %s', async (_name, forge) => {
    const { rooms, authToken } = await startRemembering()
    expect((await rooms(bearer(forge(authToken)))).status).toBe(401)
  })

  it('is refused, like any other, within five seconds of when the host trusts every proxy', async () => {
    const { host, app, rooms, authToken } = await startRemembering()
    app.set('trust proxy', true)
    host.clock.advance(5)
    expect((await rooms(bearer(authToken))).status).toBe(500)
    expect(host.unforeseen).toEqual([expect.objectContaining({ name: 'AuthConfigError' })])
  })

  it('is asked for its password again when the sign-in has become too old', async () => {
    const { host, rooms, authToken } = await startRemembering({ maxAge: 3 })
    host.clock.advance(3)
    expect((await rooms(bearer(authToken))).status).toBe(200)
    host.clock.advance(1)
    expect((await rooms(bearer(authToken))).body).toMatchObject({
      error: 'reauthentication-required',
      details: { maxAge: 3 },
    })
  })

  it('is noted as in use once in a minute', async () => {
    const { host, rooms, authToken } = await startRemembering()
    const touches = vi.spyOn(host.stores.sessions, 'touch')
    for (let second = 0; second < 59; second += 4)
      await rooms(bearer(authToken)).then(() => host.clock.advance(4))
    expect(touches).toHaveBeenCalledTimes(0)
    for (let second = 0; second < 59; second += 4)
      await rooms(bearer(authToken)).then(() => host.clock.advance(4))
    expect(touches).toHaveBeenCalledTimes(1)
  })

  it('is not changed by what a handler did with the principal of the one before', async () => {
    const { rooms, authToken, seen } = await startRemembering({ maxAge: 60 })
    const { authenticatedAt, expiresAt, methods } = seen[0] as Principal
    const before = structuredClone(seen[0])
    authenticatedAt.setFullYear(2000)
    expiresAt.setFullYear(2999)
    expect(() => (methods as string[]).push('otp')).toThrow(TypeError)
    expect((await rooms(bearer(authToken))).status).toBe(200)
    expect(seen[1]).toEqual(before)
  })

  it('is refused when its factor has become a duty', async () => {
    let demanded = false
    const settings = {
      options: { secondFactor: () => (demanded ? ('required' as const) : ('optional' as const)) },
    }
    const { host, rooms, authToken } = await startRemembering({}, settings)
    demanded = true
    host.clock.advance(5)
    expect((await rooms(bearer(authToken))).body.error).toBe('second-factor-enrolment-required')
    expect((await rooms(bearer(authToken))).body.error).toBe('second-factor-enrolment-required')
  })
})
