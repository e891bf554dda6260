// What a session may open besides itself: nothing that a leaked token could make into more.
import { describe, expect, it } from 'vitest'
import type { AuthRouterOptions, PkceOptions } from '../../src/router/options.js'
import { afterAttack } from '../support/after-attack.js'
import { bearer, get, logIn, obtainCode, pkcePair, post } from '../support/client.js'
import { startHost, type TestHost } from '../support/host.js'

const authorize = '/auth/pkce/authorize'
const asked = () => ({ codeChallenge: pkcePair().codeChallenge })
const start = (pkce: PkceOptions, options: Partial<AuthRouterOptions> = {}) =>
  startHost({ options: { ...options, pkce } })

/** Opens the session of another device by a token of this one. */
async function openDevice(host: TestHost, token: string) {
  const { status, body } = await post(host, '/auth/pkce/token', await obtainCode(host, token))
  if (status !== 200) throw new Error(`${status}`)
  return body as { access_token: string; refresh_token: string }
}

const statusOf = async (host: TestHost, token: string) =>
  (await get(host, '/me', bearer(token))).status
const refresh = (host: TestHost, { refresh_token }: { refresh_token: string }) =>
  post(host, '/auth/refresh', { refreshToken: refresh_token })

describe('an access token that has leaked', () => {
  it('becomes no session of its own ten minutes after the sign-in', async () => {
    const host = await startHost()
    const { authToken } = await logIn(host)
    host.clock.advance(600)
    expect((await post(host, authorize, asked(), bearer(authToken))).status).toBe(200)
    host.clock.advance(1)
    const refused = await post(host, authorize, asked(), bearer(authToken))
    expect([refused.status, refused.body.error]).toEqual([403, 'reauthentication-required'])
    expect(refused.body.details).toEqual({ maxAge: 600 })
    const again = await logIn(host)
    expect((await post(host, authorize, asked(), bearer(again.authToken))).status).toBe(200)
    await afterAttack(host, [refused])
  })

  it('nor does what it has opened: that is as old as the sign-in', async () => {
    const host = await startHost()
    const { access_token } = await openDevice(host, (await logIn(host)).authToken)
    host.clock.advance(599)
    expect((await post(host, authorize, asked(), bearer(access_token))).status).toBe(200)
    host.clock.advance(2)
    const { authToken } = await logIn(host)
    const old = await openDevice(host, authToken)
    host.clock.advance(601)
    const fresh = await refresh(host, old)
    const token = fresh.body.access_token as string
    expect((await post(host, authorize, asked(), bearer(token))).status).toBe(403)
  })

  it('may, where the host says so', async () => {
    const host = await start({ maxAge: false })
    const { authToken } = await logIn(host)
    host.clock.advance(86_400)
    expect((await post(host, authorize, asked(), bearer(authToken))).status).toBe(200)
  })

  it('within another time, where the host says so', async () => {
    const host = await start({ maxAge: 30 })
    const { authToken } = await logIn(host)
    host.clock.advance(31)
    const { body } = await post(host, authorize, asked(), bearer(authToken))
    expect(body.details).toEqual({ maxAge: 30 })
  })
})

describe('with endWithIssuer, the session of another device', () => {
  it('ends with the one that has asked for its code, however that ends', async () => {
    const host = await start({ endWithIssuer: true })
    const one = await logIn(host)
    const device = await openDevice(host, one.authToken)
    expect(await statusOf(host, device.access_token)).toBe(200)
    await post(host, '/logout', {}, bearer(one.authToken))
    expect(await statusOf(host, device.access_token)).toBe(401)
    expect((await refresh(host, device)).status).toBe(400)

    const idle = await openDevice(host, (await logIn(host)).authToken)
    let last = idle
    for (let days = 0; days < 14; days += 7) {
      host.clock.advance(7 * 86_400)
      const { status, body } = await refresh(host, last)
      if (status !== 200) break
      last = body
    }
    // Its own use keeps the other not in use.
    expect((await refresh(host, last)).status).toBe(400)
  })

  it('is told of with its code: of 20 exchanges during a logout none outlives it', async () => {
    const host = await start({ endWithIssuer: true })
    const { authToken } = await logIn(host)
    const codes = await Promise.all(Array.from({ length: 20 }, () => obtainCode(host, authToken)))
    const [, ...answers] = await Promise.all([
      post(host, '/logout', {}, bearer(authToken)),
      ...codes.map((code) => post(host, '/auth/pkce/token', code)),
    ])
    for (const { status, body } of answers)
      if (status === 200) expect(await statusOf(host, body.access_token)).toBe(401)
    expect(await host.auth.sessions.list('u-alice')).toEqual([])
  })

  it('asks for no code itself, and a code of the host’s page opens one of its own', async () => {
    const host = await start({ endWithIssuer: true })
    const device = await openDevice(host, (await logIn(host)).authToken)
    const refused = await post(host, authorize, asked(), bearer(device.access_token))
    expect([refused.status, refused.body.error]).toEqual([403, 'forbidden'])
    const { codeVerifier, codeChallenge } = pkcePair()
    const { authorizationCode } = await host.auth.issueAuthorizationCode({
      userId: 'u-alice',
      codeChallenge,
    })
    const own = await post(host, '/auth/pkce/token', { authorizationCode, codeVerifier })
    host.clock.advance(3600)
    expect((await refresh(host, own.body)).status).toBe(200)
  })
})

it('without endWithIssuer it is a device of its own', async () => {
  const host = await startHost()
  const { authToken } = await logIn(host)
  const device = await openDevice(host, authToken)
  await post(host, '/logout', {}, bearer(authToken))
  expect((await refresh(host, device)).status).toBe(200)
})

describe('a session whose lifetime the host has cut short', () => {
  const lifetime = { idle: 1800, absolute: 43_200 }

  async function openShort() {
    const host = await startHost({
      options: { pkce: { maxAge: false } },
      after: (app, auth) =>
        app.post('/api/v1/short', (request, response, next) => {
          const asking = { userId: 'u-alice', request, lifetime }
          auth.sessions.open(asking).then(({ token }) => response.json({ token }), next)
        }),
    })
    const token = (await post(host, '/short')).body.token as string
    host.issued.add(token)
    return { host, token }
  }

  it('opens none that lasts longer: the end is counted from its own sign-in', async () => {
    const { host, token } = await openShort()
    const signedInAt = host.clock().getTime()
    host.clock.advance(1200)
    const device = await openDevice(host, token)
    const grandchild = await openDevice(host, device.access_token)
    const ends = (await host.auth.sessions.list('u-alice')).map(({ expiresAt }) => expiresAt)
    expect(ends).toEqual(Array(3).fill(new Date(signedInAt + 43_200_000)))
    let last = grandchild
    for (let seconds = 1200; seconds + 1500 < 43_200; seconds += 1500) {
      host.clock.advance(1500)
      last = (await refresh(host, last)).body
    }
    expect(await statusOf(host, last.access_token)).toBe(200)
    host.clock.set(new Date(signedInAt + 43_200_000))
    expect((await refresh(host, last)).status).toBe(400)
  })

  it('opens none that may be longer without use', async () => {
    const { host, token } = await openShort()
    const device = await openDevice(host, token)
    host.clock.advance(1799)
    const next = await refresh(host, device)
    expect(next.status).toBe(200)
    host.clock.advance(1801)
    expect((await refresh(host, next.body)).status).toBe(400)
  })
})
