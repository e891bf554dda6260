import { describe, expect, it } from 'vitest'
import { bearer, get, logIn, obtainCode, pkcePair, post } from '../support/client.js'
import { startHost } from '../support/host.js'

const issued = async () => {
  const host = await startHost()
  const code = await obtainCode(host, (await logIn(host)).authToken)
  const redeem = () => post(host, '/auth/pkce/token', code)
  const ended = () => host.events.some((event) => event.type === 'session.ended' && event.reason === 'code-replayed')
  return { host, redeem, ended }
}

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

  it('two hours later still ends its session, however often the store was cleared', async () => {
    const { host, redeem, ended } = await issued()
    const { body } = await redeem()
    for (let minute = 0; minute < 120; minute += 1) {
      host.clock.advance(60)
      await host.stores.codes.purge(host.clock())
    }
    expect(ended()).toBe(false)
    expect((await redeem()).body.error).toBe('invalid_grant')
    expect(ended()).toBe(true)
    expect((await post(host, '/auth/refresh', { refreshToken: body.refresh_token })).body.error).toBe('invalid_grant')
  })
})

describe('a code asked for by a session that may do little', () => {
  it('opens a session that may do no more, however long the chain and however often refreshed', async () => {
    const host = await startHost()
    const { codeChallenge, codeVerifier } = pkcePair()
    const first = await host.auth.issueAuthorizationCode({ userId: 'u-alice', codeChallenge, scope: ['read'] })
    let tokens = (await post(host, '/auth/pkce/token', { authorizationCode: first.authorizationCode, codeVerifier })).body
    for (let link = 0; link < 3; link += 1) {
      const { scope } = await host.auth.authenticate({
        headers: { authorization: `Bearer ${tokens.access_token}` },
        socket: {},
      } as never)
      expect(scope).toEqual(['read'])
      expect((await get(host, '/auth/sessions', bearer(tokens.access_token))).status).toBe(403)
      const pair = await obtainCode(host, tokens.access_token)
      tokens = (await post(host, '/auth/pkce/token', { ...pair, scope: '*' })).body
      tokens = (await post(host, '/auth/refresh', { refreshToken: tokens.refresh_token, scope: '*' })).body
    }
    const rows = await host.stores.sessions.listForUser('u-alice', host.clock())
    expect(rows.map(({ scope }) => scope)).toEqual(['read', 'read', 'read', 'read'])
  })
})
