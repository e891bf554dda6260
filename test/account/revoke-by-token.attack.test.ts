import { describe, expect, it } from 'vitest'
import { generateSigningKey, joseSigner } from '../../src/index.js'
import { afterAttack } from '../support/after-attack.js'
import { bearer, get, logIn, post } from '../support/client.js'
import { password, passwordHash, startHost, type TestHost } from '../support/host.js'
import { openPair, refreshed, sessionOf } from '../support/pairs.js'
import { replace } from '../support/two-factor.js'

const alive = async (host: TestHost) => (await host.auth.sessions.list('u-alice')).length

describe('revokeByToken', () => {
  it('ends the session of an authToken, once among 50', async () => {
    const host = await startHost()
    const { authToken } = await logIn(host)
    const other = (await logIn(host)).authToken
    const burst = await Promise.all(
      Array.from({ length: 50 }, () => host.auth.sessions.revokeByToken(authToken)),
    )
    expect(burst.filter(Boolean)).toHaveLength(1)
    expect((await get(host, '/me', bearer(authToken))).status).toBe(401)
    expect((await get(host, '/me', bearer(other))).status).toBe(200)
    expect(await host.auth.sessions.revokeByToken(authToken)).toBe(false)
    await afterAttack(host, [])
  })

  it('takes an access token that has expired, a refresh token, and one that is spent', async () => {
    const host = await startHost()
    const { access_token: expired } = await openPair(host)
    host.clock.advance(3000)
    expect((await get(host, '/me', bearer(expired))).status).toBe(401)
    const { refresh_token: current } = await openPair(host)
    const { refresh_token: spent } = await openPair(host)
    const second = await refreshed(host, spent)
    await refreshed(host, (await refreshed(host, second.refresh_token)).refresh_token)
    host.clock.advance(100)
    const before = await alive(host)
    for (const token of [expired, current, spent])
      expect(await host.auth.sessions.revokeByToken(token)).toBe(true)
    expect(await alive(host)).toBe(before - 3)
  })

  it('ends nothing by an id, a forged, foreign or damaged token, or what is none', async () => {
    const host = await startHost()
    const pair = await openPair(host)
    const sid = sessionOf(pair)
    const keys = [await generateSigningKey()]
    const at = { issuer: 'https://chat.example.com', audience: 'chat' }
    const now = Math.floor(host.clock().getTime() / 1000)
    const claims = {
      sub: 'u-alice',
      sid,
      iat: now,
      exp: now + 60,
      jti: 'x',
      auth_time: now,
      amr: [],
    }
    const forged = await joseSigner({ ...at, keys }).sign({ ...claims, scope: '*' })
    const [head, body, signature] = pair.access_token.split('.') as [string, string, string]
    const none = Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url')
    const { sessions } = host.auth
    const count = await alive(host)
    const worthless: unknown[] = [
      sid,
      `mar_rt_${sid}`,
      `mar_rt_${sid}.${'A'.repeat(65)}`,
      `${pair.refresh_token.slice(0, -1)}${pair.refresh_token.endsWith('A') ? 'B' : 'A'}`,
      `mar_pat_${sid}.${'A'.repeat(43)}`,
      forged,
      `${none}.${body}.`,
      `${head}.${body}.`,
      `${head}.${body}.${signature.slice(0, -4)}AAAA`,
      `${pair.access_token}${' '.repeat(9000)}`,
      'x'.repeat(1_000_000),
      '',
      undefined,
      null,
      7,
      { $ne: null },
      [pair.access_token],
    ]
    for (const token of worthless) expect(await sessions.revokeByToken(token as string)).toBe(false)
    expect(await alive(host)).toBe(count)
    expect(await sessions.revokeByToken(pair.access_token)).toBe(true)
    await afterAttack(host, [], [pair.refresh_token])
  })

  it('ends the session of the token’s user alone, where a store answers another’s', async () => {
    const host = await startHost()
    host.users.add({ id: 'u-bob', username: 'bob', passwordHash })
    const { authToken } = await logIn(host, { username: 'bob', password })
    await logIn(host)
    const { find } = host.stores.sessions
    replace(host.stores.sessions, 'find', async (id: never) => {
      const session = await find(id)
      return session && { ...session, userId: 'u-alice' }
    })
    expect(await host.auth.sessions.revokeByToken(authToken)).toBe(false)
  })

  it('is 503 where the store or the signer fails, and may be called again', async () => {
    const host = await startHost()
    const { data } = (await post(host, '/login', { username: 'alice', password })).body
    const away = async () => Promise.reject(new Error('away'))
    for (const method of ['find', 'end'] as const) {
      const mend = replace(host.stores.sessions, method, away)
      const ending = host.auth.sessions.revokeByToken(data.authToken)
      await expect(ending).rejects.toMatchObject({ status: 503 })
      mend()
    }
    expect(await host.auth.sessions.revokeByToken(data.authToken)).toBe(true)
  })

  it('ends nothing by an expired token of a signer that cannot tell, and takes a fresh one', async () => {
    const own = joseSigner({
      issuer: 'https://chat.example.com',
      audience: 'chat',
      keys: [await generateSigningKey()],
    })
    const { sign, verify } = own
    const host = await startHost({ options: { signer: { sign, verify } } })
    const { access_token: token } = await openPair(host)
    host.clock.advance(700)
    expect(await host.auth.sessions.revokeByToken(token)).toBe(false)
    const { authToken } = await logIn(host)
    expect(await host.auth.sessions.revokeByToken(authToken)).toBe(true)
  })
})
