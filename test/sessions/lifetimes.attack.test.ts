import { describe, expect, it } from 'vitest'
import { bearer, get, logIn, obtainCode, post } from '../support/client.js'
import { startHost, type TestHost } from '../support/host.js'

const me = async (host: TestHost, token: string) => (await get(host, '/me', bearer(token))).status

describe('a session', () => {
  it('of the shortest idle time lives for as long as it is used every 5 seconds, and no longer', async () => {
    const host = await startHost({ options: { lifetimes: { sessionIdle: 60 } } })
    const { authToken } = await logIn(host)
    for (let seconds = 5; seconds <= 600; seconds += 5) {
      host.clock.advance(5)
      expect([seconds, await me(host, authToken)]).toEqual([seconds, 200])
    }
    host.clock.advance(60)
    expect(await me(host, authToken)).toBe(401)
  })

  it('of the shortest idle time dies when it is not used', async () => {
    const host = await startHost({ options: { lifetimes: { sessionIdle: 60 } } })
    const { authToken } = await logIn(host)
    host.clock.advance(59)
    expect(await me(host, (await logIn(host)).authToken)).toBe(200)
    host.clock.advance(1)
    expect(await me(host, authToken)).toBe(401)
  })

  it('used shortly before its absolute end does not get past it, whatever its idle time says', async () => {
    const host = await startHost({
      options: { lifetimes: { sessionIdle: 3600, sessionAbsolute: 7200 } },
    })
    const { authToken } = await logIn(host)
    for (const seconds of [3000, 3000, 1190]) {
      host.clock.advance(seconds)
      expect(await me(host, authToken)).toBe(200)
    }
    const [row] = await host.stores.sessions.listForUser('u-alice', host.clock())
    expect(row?.lastSeenAt).toEqual(host.clock())
    expect(row?.idleExpiresAt).toEqual(row?.expiresAt)

    const { find } = host.stores.sessions
    host.stores.sessions.find = async (id) => {
      const session = await find(id)
      return session && { ...session, idleExpiresAt: new Date(host.clock().getTime() + 86_400_000) }
    }
    host.clock.advance(9)
    expect(await me(host, authToken)).toBe(200)
    host.clock.advance(1)
    expect(await me(host, authToken)).toBe(401)
  })

  it('gives no access token that outlives it, be it exchanged or refreshed', async () => {
    const host = await startHost({
      options: {
        lifetimes: { sessionIdle: 3600, sessionAbsolute: 3600 },
        pkce: { maxAge: false },
      },
    })
    const { authToken } = await logIn(host)
    host.clock.advance(3300)
    const { body } = await post(host, '/auth/pkce/token', await obtainCode(host, authToken))
    expect(body.expires_in).toBe(300)
    host.clock.advance(100)
    expect(
      (await post(host, '/auth/refresh', { refreshToken: body.refresh_token })).body.expires_in,
    ).toBe(200)
  })

  it('says no client that its token is good for 0 seconds, and ends all the same', async () => {
    const now = new Date('2030-01-01T12:00:00.900Z')
    const host = await startHost({
      now,
      options: { lifetimes: { sessionIdle: 3600, sessionAbsolute: 3600 } },
    })
    const { body } = await post(
      host,
      '/auth/pkce/token',
      await obtainCode(host, (await logIn(host)).authToken),
    )
    host.clock.advance(3599.4)
    const last = (await post(host, '/auth/refresh', { refreshToken: body.refresh_token })).body
    expect(last.expires_in).toBe(1)
    expect(await me(host, last.access_token)).toBe(200)
    host.clock.advance(0.6)
    expect(await me(host, last.access_token)).toBe(401)
  })
})

describe('a chain of authorization codes', () => {
  it('ends when the first password is as old as a session may be', async () => {
    const host = await startHost({
      options: {
        lifetimes: { sessionIdle: 3600, sessionAbsolute: 7200 },
        pkce: { maxAge: false },
      },
    })
    const start = host.clock().getTime()
    let token = (await logIn(host)).authToken
    let links = 0
    for (; links < 100; links += 1) {
      host.clock.advance(300)
      if ((await me(host, token)) !== 200) break
      const { body } = await post(host, '/auth/pkce/token', await obtainCode(host, token))
      token = body.access_token
    }
    expect(links).toBe(23)
    expect(host.clock().getTime()).toBe(start + 7_200_000)
  })
})
