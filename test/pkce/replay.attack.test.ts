import { describe, expect, it } from 'vitest'
import { bearer, get, logIn, obtainCode, pkcePair, post } from '../support/client.js'
import { startHost } from '../support/host.js'

const issued = async () => {
  const host = await startHost()
  const code = await obtainCode(host, (await logIn(host)).authToken)
  const redeem = () => post(host, '/auth/pkce/token', code)
  const ended = () =>
    host.events.some((event) => event.type === 'session.ended' && event.reason === 'code-replayed')
  return { host, redeem, ended }
}

const sidOf = (token: string): string =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()).sid

describe('a code that is shown again', () => {
  it('is judged by the time since its first use, not since it was issued', async () => {
    const { host, redeem, ended } = await issued()
    host.clock.advance(50)
    const { body } = await redeem()
    const status = async () => (await get(host, '/me', bearer(body.access_token))).status
    host.clock.advance(10)
    expect((await redeem()).body.error).toBe('invalid_grant')
    expect(ended()).toBe(false)
    expect(await status()).toBe(200)
    host.clock.advance(15)
    expect((await redeem()).body.error).toBe('invalid_grant')
    expect(ended()).toBe(true)
    expect(await status()).toBe(401)
  })

  it('while the clock was set back an hour ends its session too', async () => {
    const { host, redeem, ended } = await issued()
    const { body } = await redeem()
    host.clock.advance(-3600)
    expect((await redeem()).body.error).toBe('invalid_grant')
    expect(ended()).toBe(true)
    host.clock.advance(3600)
    expect((await get(host, '/me', bearer(body.access_token))).status).toBe(401)
  })

  it('an hour later still ends its session, however often the store was cleared', async () => {
    const { host, redeem, ended } = await issued()
    const { body } = await redeem()
    for (let minute = 0; minute < 59; minute += 1) {
      host.clock.advance(60)
      await host.stores.codes.purge(host.clock())
    }
    expect(ended()).toBe(false)
    expect((await redeem()).body.error).toBe('invalid_grant')
    expect(ended()).toBe(true)
    expect(
      (await post(host, '/auth/refresh', { refreshToken: body.refresh_token })).body.error,
    ).toBe('invalid_grant')
  })

  it('is kept for no longer than that: a user who uses codes all day fills no store', async () => {
    const { host, redeem } = await issued()
    await redeem()
    host.clock.advance(3600)
    expect(await host.stores.codes.purge(host.clock())).toBe(1)
  })
})

describe('a session that may do little', () => {
  it('breeds no session that would outlive it: no code, however often it refreshes', async () => {
    const host = await startHost()
    const { authToken } = await logIn(host)
    const { codeChallenge, codeVerifier } = pkcePair()
    const { authorizationCode } = await host.auth.issueAuthorizationCode({
      userId: 'u-alice',
      codeChallenge,
      scope: ['read'],
    })
    let tokens = (await post(host, '/auth/pkce/token', { authorizationCode, codeVerifier })).body
    const ask = (token: string) =>
      post(host, '/auth/pkce/authorize', { codeChallenge }, bearer(token))
    for (let link = 0; link < 3; link += 1) {
      const principal = await host.auth.authenticate({
        headers: { authorization: `Bearer ${tokens.access_token}` },
        socket: {},
      } as never)
      expect(principal.scope).toEqual(['read'])
      const refused = await ask(tokens.access_token)
      expect([refused.status, refused.body.error]).toEqual([403, 'forbidden'])
      tokens = (
        await post(host, '/auth/refresh', { refreshToken: tokens.refresh_token, scope: '*' })
      ).body
    }
    expect((await ask(authToken)).status).toBe(200)
    expect((await host.auth.sessions.list('u-alice')).map(({ kind }) => kind).sort()).toEqual([
      'login',
      'pkce',
    ])
    expect(await host.auth.sessions.revoke(sidOf(tokens.access_token))).toBe(true)
    expect(
      (await post(host, '/auth/refresh', { refreshToken: tokens.refresh_token })).body.error,
    ).toBe('invalid_grant')
  })
})
