import { describe, expect, it } from 'vitest'
import { bearer, get, logIn, obtainCode, post } from '../support/client.js'
import { startHost, type TestHost } from '../support/host.js'

const authenticate = (host: TestHost, request: object) =>
  host.auth.authenticate({ headers: {}, socket: { remoteAddress: '::1' }, ...request } as never)

describe('authenticate() of a request without headersDistinct', () => {
  it('finds the token in rawHeaders alone, however the name is written', async () => {
    const host = await startHost()
    const { authToken } = await logIn(host)
    for (const name of ['Authorization', 'authorization', 'AUTHORIZATION']) {
      const rawHeaders = ['Host', 'x', name, `Bearer ${authToken}`]
      expect(await authenticate(host, { rawHeaders })).toMatchObject({ userId: 'u-alice' })
    }
  })

  it('finds it in headers alone, as text or as a list of one', async () => {
    const host = await startHost()
    const { authToken, userId } = await logIn(host)
    expect(
      await authenticate(host, { headers: { authorization: `Bearer ${authToken}` } }),
    ).toMatchObject({ userId })
    const pair = { 'x-auth-token': [authToken], 'x-user-id': userId }
    expect(await authenticate(host, { headers: pair })).toMatchObject({ userId })
  })

  it('takes no header’s value for a header’s name', async () => {
    const host = await startHost()
    const { authToken } = await logIn(host)
    const rawHeaders = ['X-Note', 'Authorization', `Bearer ${authToken}`, 'x']
    await expect(authenticate(host, { rawHeaders })).rejects.toMatchObject({ status: 401 })
  })

  it('refuses a repeated header that only rawHeaders shows', async () => {
    const host = await startHost()
    const { authToken, userId } = await logIn(host)
    const twice = ['Authorization', `Bearer ${authToken}`, 'authorization', `Bearer ${authToken}`]
    const headers = { authorization: `Bearer ${authToken}` }
    await expect(authenticate(host, { rawHeaders: twice, headers })).rejects.toMatchObject({
      code: 'invalid-request',
      status: 400,
    })
    await expect(authenticate(host, { rawHeaders: twice })).rejects.toMatchObject({ status: 400 })
    const tokens = ['X-User-Id', userId, 'X-Auth-Token', authToken, 'X-AUTH-TOKEN', authToken]
    await expect(authenticate(host, { rawHeaders: tokens })).rejects.toMatchObject({ status: 400 })
    await expect(
      authenticate(host, { headers: { authorization: Object.values(headers).concat('Bearer x') } }),
    ).rejects.toMatchObject({
      status: 400,
    })
  })
})

describe('the principal’s expiresAt', () => {
  it('is when the presented token ends, not when its session does', async () => {
    const host = await startHost({ now: new Date('2030-01-01T00:00:00Z') })
    const { authToken } = await logIn(host)
    host.clock.advance(100)
    const { body } = await post(host, '/auth/pkce/token', await obtainCode(host, authToken))
    const { expiresAt } = await authenticate(host, {
      headers: { authorization: `Bearer ${body.access_token}` },
    })
    expect(expiresAt).toEqual(new Date('2030-01-01T00:11:40Z'))
    const ofLogin = await authenticate(host, { headers: { authorization: `Bearer ${authToken}` } })
    expect(ofLogin.expiresAt).toEqual(
      new Date(Date.parse('2030-01-01T00:00:00Z') + 90 * 86_400_000),
    )
    expect((await get(host, '/me', bearer(authToken))).status).toBe(200)
  })
})
