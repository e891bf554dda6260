import { describe, expect, it } from 'vitest'
import { startOAuthApp } from './oauth-app.js'

type App = Awaited<ReturnType<typeof startOAuthApp>>

/** Tokens that are none, or no more. */
const bad: Readonly<Record<string, (app: App) => Promise<string>>> = {
  'that is invented': async () => 'nothing',
  'that has expired': async (app) => {
    const { accessToken } = await app.open('wiki')
    app.clock.advance(400)
    return accessToken
  },
  'whose session was ended': async (app) => {
    const { session, accessToken } = await app.open('wiki')
    await app.stores.sessions.end(session.id, 'logout', app.clock())
    return accessToken
  },
  'for another API': async (app) =>
    app.sign((await app.open('search')).session, { aud: 'https://search.example.com/' }),
  'of somebody else’s key': async (app) => app.forge((await app.open('wiki')).session),
  'of another user': async (app) =>
    app.sign({ ...(await app.open('wiki')).session, userId: 'u-bob' }),
  'of a user who was disabled': async (app) => {
    const { accessToken } = await app.open('wiki')
    app.users.change('u-alice', { disabled: true })
    return accessToken
  },
  'of a client that was disabled': async (app) => {
    const { accessToken } = await app.open('wiki')
    await app.oauthStores.clients.setDisabled('wiki', true, app.clock())
    return accessToken
  },
  'of a client that is gone': async (app) => (await app.open('gone')).accessToken,
  'that refreshes': async (app) => (await app.open('wiki')).refreshToken,
}

describe('userinfo', () => {
  it.each(Object.entries(bad))('refuses a token %s', async (_name, make) => {
    const app = await startOAuthApp()
    const answer = await app.userinfo(await make(app))
    expect([answer.status, answer.json['error']]).toEqual([401, 'invalid_token'])
    expect(answer.headers.get('www-authenticate')).toBe('Bearer error="invalid_token"')
    expect(app.told('request.refused')).toHaveLength(1)
  })

  it('gives no reason away', async () => {
    const seen = new Set<string>()
    for (const make of Object.values(bad)) {
      const app = await startOAuthApp()
      seen.add((await app.userinfo(await make(app))).text)
    }
    expect(seen.size).toBe(1)
  })

  it('takes a token from the header Authorization alone', async () => {
    const app = await startOAuthApp()
    const { accessToken } = await app.open('wiki')
    const form = new URLSearchParams({ access_token: accessToken })
    const elsewhere = [
      await app.ask(`/oauth/userinfo?${form}`),
      await app.ask('/oauth/userinfo', { method: 'POST', body: form }),
      await app.ask('/oauth/userinfo', { headers: { Cookie: `access_token=${accessToken}` } }),
      await app.ask('/oauth/userinfo', {
        headers: { 'X-Auth-Token': accessToken, 'X-User-Id': 'u-alice' },
      }),
      await app.ask('/oauth/userinfo', { headers: { Authorization: 'Basic d2lraTp4' } }),
    ]
    for (const { status, headers } of elsewhere)
      expect([status, headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
  })

  it('refuses two tokens at once', async () => {
    const app = await startOAuthApp()
    const { accessToken } = await app.open('wiki')
    const headers = { Authorization: `Bearer ${accessToken}`, 'X-Auth-Token': accessToken }
    const answer = await app.ask('/oauth/userinfo', { headers })
    expect([answer.status, answer.json['error']]).toEqual([400, 'invalid_request'])
  })

  it.each(['profile email', '*', '* profile', ''])(
    'refuses a token of the scope %o: it is not openid',
    async (scope) => {
      const app = await startOAuthApp()
      const { accessToken } = await app.open('wiki', { scope })
      const answer = await app.userinfo(accessToken)
      expect([answer.status, answer.json['error']]).toEqual([403, 'insufficient_scope'])
      expect(answer.headers.get('www-authenticate')).toBe(
        'Bearer error="insufficient_scope", scope="openid"',
      )
      expect(app.told('request.refused')).toHaveLength(1)
    },
  )

  it('goes by the scope of the token, which may be less than that of its session', async () => {
    const app = await startOAuthApp()
    const { session } = await app.open('wiki', { scope: 'openid profile' })
    const less = await app.sign(session, { scope: 'profile' })
    expect((await app.userinfo(less)).status).toBe(403)
    const openId = await app.sign(session, { scope: 'openid' })
    expect((await app.userinfo(openId)).json).toEqual({ sub: 'u-alice' })
  })

  it('refuses the token of a session that is not an app’s', async () => {
    const app = await startOAuthApp()
    const { clientId: _none, ...login } = (await app.open('wiki')).session
    const id = 'z'.repeat(22)
    await app.stores.sessions.create({ ...login, id, kind: 'login', scope: '* openid' })
    const token = await app.sign({ ...login, id, kind: 'login', scope: '* openid' })
    expect((await app.userinfo(token)).status).toBe(403)
  })
})
