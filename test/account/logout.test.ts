import { describe, expect, it } from 'vitest'
import { bearer, get, logIn, obtainCode, post } from '../support/client.js'
import { startHost } from '../support/host.js'

describe('POST /logout', () => {
  it('ends the session and says so, in either form of credentials', async () => {
    const host = await startHost()
    const first = await logIn(host)
    const response = await post(host, '/logout', undefined, {
      'X-User-Id': first.userId,
      'X-Auth-Token': first.authToken,
    })
    expect(response.status).toBe(200)
    expect(response.body).toEqual({
      status: 'success',
      data: { message: "You've been logged out!" },
    })
    expect((await get(host, '/me', bearer(first.authToken))).status).toBe(401)
    expect(host.events.find(({ type }) => type === 'session.ended')).toMatchObject({
      userId: 'u-alice',
      reason: 'logout',
    })
  })

  it.each([4, 5] as const)(
    'is what GET with the same headers does, as old clients ask for it, in Express %i',
    async (express) => {
      const host = await startHost({ express })
      for (const headersFor of [
        bearer,
        (token: string) => ({ 'X-User-Id': 'u-alice', 'X-Auth-Token': token }),
      ]) {
        const { authToken } = await logIn(host)
        const response = await get(host, '/logout', headersFor(authToken))
        expect([response.status, response.body]).toEqual([
          200,
          { status: 'success', data: { message: "You've been logged out!" } },
        ])
        expect(response.headers['content-type']).toBe('application/json')
        expect((await get(host, '/me', bearer(authToken))).status).toBe(401)
      }
    },
  )

  it.each([4, 5] as const)(
    'is nothing that HEAD, a cookie or a link can do, in Express %i',
    async (express) => {
      const host = await startHost({ express })
      const { authToken, userId } = await logIn(host)
      expect(
        (await fetch(`${host.url}/logout`, { method: 'HEAD', headers: bearer(authToken) })).status,
      ).toBe(405)
      const cookie = `X-Auth-Token=${authToken}; X-User-Id=${userId}; authToken=${authToken}`
      expect((await get(host, '/logout', { Cookie: cookie })).status).toBe(401)
      expect((await get(host, `/logout?authToken=${authToken}&userId=${userId}`)).status).toBe(401)
      expect((await get(host, '/me', bearer(authToken))).status).toBe(200)
    },
  )

  it('ends this session only', async () => {
    const host = await startHost()
    const [one, other] = [await logIn(host), await logIn(host)]
    await post(host, '/logout', {}, bearer(one.authToken))
    expect((await get(host, '/me', bearer(other.authToken))).status).toBe(200)
  })

  it('ends a session that a code opened', async () => {
    const host = await startHost()
    const { body } = await post(
      host,
      '/auth/pkce/token',
      await obtainCode(host, (await logIn(host)).authToken),
    )
    expect((await post(host, '/logout', undefined, bearer(body.access_token))).status).toBe(200)
    expect((await get(host, '/me', bearer(body.access_token))).status).toBe(401)
  })

  it('twice at once: whoever is answered 200 is logged out, and the session ended once', async () => {
    const host = await startHost()
    const { authToken } = await logIn(host)
    const answers = await Promise.all(
      Array.from({ length: 10 }, () => post(host, '/logout', undefined, bearer(authToken))),
    )
    expect(answers.every(({ status }) => status === 200 || status === 401)).toBe(true)
    expect(answers.some(({ status }) => status === 200)).toBe(true)
    expect(host.events.filter(({ type }) => type === 'session.ended')).toHaveLength(1)
    expect((await get(host, '/me', bearer(authToken))).status).toBe(401)
  })

  it('is not confirmed while the store has not: 503, the session lives, and the next try works', async () => {
    const host = await startHost()
    const { authToken } = await logIn(host)
    const { end } = host.stores.sessions
    host.stores.sessions.end = () => Promise.reject(new Error('disk full'))
    const refused = await post(host, '/logout', undefined, bearer(authToken))
    expect(refused.status).toBe(503)
    expect(refused.headers['retry-after']).toBe('2')
    expect((await get(host, '/me', bearer(authToken))).status).toBe(200)
    host.stores.sessions.end = end
    expect((await post(host, '/logout', undefined, bearer(authToken))).status).toBe(200)
  })
})

describe('a session in use', () => {
  it('is written at most once a minute, however often it is used', async () => {
    const host = await startHost()
    const { authToken } = await logIn(host)
    let writes = 0
    const { touch } = host.stores.sessions
    host.stores.sessions.touch = (id, seen) => {
      writes += 1
      return touch(id, seen)
    }
    for (let i = 0; i < 10; i += 1) await get(host, '/me', bearer(authToken))
    expect(writes).toBe(0)
    host.clock.advance(60)
    for (let i = 0; i < 10; i += 1) await get(host, '/me', bearer(authToken))
    expect(writes).toBe(1)
  })

  it('does not fail because that note could not be written', async () => {
    const host = await startHost()
    const { authToken } = await logIn(host)
    host.stores.sessions.touch = () => Promise.reject(new Error('read-only'))
    host.clock.advance(61)
    expect((await get(host, '/me', bearer(authToken))).status).toBe(200)
  })
})
