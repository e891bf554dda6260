import { describe, expect, it } from 'vitest'
import { startOAuthApp } from './oauth-app.js'

type App = Awaited<ReturnType<typeof startOAuthApp>>

/** What a user who has signed in sends. */
async function asUser(app: App, userId = 'u-alice', change: object = {}) {
  const { clientId: _none, ...session } = (await app.open('none', { userId })).session
  const login = { ...session, id: `login-of-${userId}`.padEnd(22, '-') }
  const own = { ...login, kind: 'login', scope: '*', refresh: null, ...change }
  await app.stores.sessions.create(own)
  await app.stores.sessions.end(session.id, 'logout', app.clock())
  return { session: own, ...app.bearer(await app.sign(own)) }
}

const grant = (app: App, clientId: string, scopes: readonly string[], userId = 'u-alice') =>
  app.oauthStores.consents.grant({
    userId,
    clientId,
    scopes,
    grantedAt: app.clock(),
    updatedAt: app.clock(),
  })

const remove = (app: App, clientId: string, init: RequestInit) =>
  app.ask(`/auth/consents/${clientId}`, { ...init, method: 'DELETE' })

describe('consents', () => {
  it('are listed, the oldest first, with the names of the apps', async () => {
    const app = await startOAuthApp()
    const user = await asUser(app)
    const granted = app.clock().toISOString()
    await grant(app, 'wiki', ['openid', 'email'])
    app.clock.advance(10)
    await grant(app, 'gone', ['openid'])
    await grant(app, 'desktop', ['openid'], 'u-bob')
    const { status, json } = await app.ask('/auth/consents', user)
    const at = app.clock().toISOString()
    expect([status, json]).toEqual([
      200,
      {
        status: 'success',
        data: {
          consents: [
            {
              clientId: 'wiki',
              name: 'The wiki',
              scopes: ['openid', 'email'],
              resources: [],
              grantedAt: granted,
              updatedAt: granted,
            },
            {
              clientId: 'gone',
              name: null,
              scopes: ['openid'],
              resources: [],
              grantedAt: at,
              updatedAt: at,
            },
          ],
        },
      },
    ])
  })

  it('are taken back with the app’s sessions of the user, and no others', async () => {
    const app = await startOAuthApp()
    const user = await asUser(app)
    for (const userId of ['u-alice', 'u-bob']) await grant(app, 'wiki', ['openid'], userId)
    const opened = [await app.open('wiki'), await app.open('wiki')]
    const others = [await app.open('desktop'), await app.open('wiki', { userId: 'u-bob' })]
    const { status, json } = await remove(app, 'wiki', user)
    expect([status, json]).toEqual([200, { status: 'success', data: { revoked: 2 } }])
    for (const { session, accessToken } of opened) {
      expect(await app.endOf(session)).toBe('consent-revoked')
      expect((await app.userinfo(accessToken)).status).toBe(401)
    }
    for (const { session } of [...others, user]) expect(await app.endOf(session)).toBeNull()
    expect(await app.oauthStores.consents.find('u-alice', 'wiki')).toBeNull()
    expect(await app.oauthStores.consents.find('u-bob', 'wiki')).not.toBeNull()
    expect(app.told('consent.revoked')).toMatchObject([{ userId: 'u-alice', clientId: 'wiki' }])
  })

  it('may be taken back where the app has no session, and sessions end without a row', async () => {
    const app = await startOAuthApp()
    const user = await asUser(app)
    await grant(app, 'wiki', ['openid'])
    expect((await remove(app, 'wiki', user)).json).toMatchObject({ data: { revoked: 0 } })
    await app.open('desktop')
    expect((await remove(app, 'desktop', user)).json).toMatchObject({ data: { revoked: 1 } })
    // Of the second there was nothing to take back.
    expect(app.told('consent.revoked')).toMatchObject([{ clientId: 'wiki' }])
  })

  it('end a session that the app opens while the row is being deleted', async () => {
    const app = await startOAuthApp()
    const user = await asUser(app)
    await grant(app, 'wiki', ['openid'])
    const { revoke } = app.oauthStores.consents
    let late: Awaited<ReturnType<typeof app.open>> | undefined
    app.oauthStores.consents.revoke = async (userId, clientId) => {
      late = await app.open('wiki')
      return revoke(userId, clientId)
    }
    expect((await remove(app, 'wiki', user)).json).toMatchObject({ data: { revoked: 1 } })
    if (late !== undefined) expect(await app.endOf(late.session)).toBe('consent-revoked')
  })

  it('stay while the sessions cannot be ended', async () => {
    const app = await startOAuthApp({
      options: ({ sessions }) => ({
        sessions: { ...sessions, endAllForClient: () => Promise.reject(new Error('down')) },
      }),
    })
    const user = await asUser(app)
    await grant(app, 'wiki', ['openid'])
    expect((await remove(app, 'wiki', user)).status).toBe(503)
    expect(await app.oauthStores.consents.find('u-alice', 'wiki')).not.toBeNull()
  })

  it('are taken back once, whoever of fifty is first', async () => {
    const app = await startOAuthApp()
    const user = await asUser(app)
    await grant(app, 'wiki', ['openid'])
    await app.open('wiki')
    const answers = await Promise.all(Array.from({ length: 50 }, () => remove(app, 'wiki', user)))
    const revoked = answers.map(({ json }) => json['data'] as { revoked?: number } | undefined)
    expect(revoked.reduce((sum, data) => sum + (data?.revoked ?? 0), 0)).toBe(1)
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 404]))
    expect(app.told('consent.revoked')).toHaveLength(1)
  })
})

describe('consents of others', () => {
  it.each(['wiki', 'nobody', 'x'.repeat(101), '%00', 'wiki%20', '__proto__'])(
    'are not found: %s',
    async (clientId) => {
      const app = await startOAuthApp()
      const user = await asUser(app)
      await grant(app, 'wiki', ['openid'], 'u-bob')
      const { session } = await app.open('wiki', { userId: 'u-bob' })
      const answer = await remove(app, clientId, user)
      expect([answer.status, answer.json['error']]).toEqual([404, 'not-found'])
      expect(await app.endOf(session)).toBeNull()
      expect(await app.oauthStores.consents.find('u-bob', 'wiki')).not.toBeNull()
    },
  )

  it('are for nobody who has not signed in, nor for a token of an app or of less scope', async () => {
    const app = await startOAuthApp()
    await grant(app, 'wiki', ['openid'])
    const ofApp = await app.open('desktop', { scope: '*' })
    const lesser = await asUser(app, 'u-alice', { scope: 'messages:read' })
    for (const [init, status] of [
      [{}, 401],
      [app.bearer(ofApp.accessToken), 403],
      [lesser, 403],
    ] as const) {
      expect((await app.ask('/auth/consents', init)).status).toBe(status)
      expect((await remove(app, 'wiki', init)).status).toBe(status)
    }
    expect(await app.oauthStores.consents.find('u-alice', 'wiki')).not.toBeNull()
  })

  it('are not for a thief whose session was ended in another process', async () => {
    const app = await startOAuthApp()
    const user = await asUser(app)
    await grant(app, 'wiki', ['openid'])
    expect((await app.ask('/auth/consents', user)).status).toBe(200)
    await app.stores.sessions.end(user.session.id, 'logout', app.clock())
    expect((await remove(app, 'wiki', user)).status).toBe(401)
    expect(await app.oauthStores.consents.find('u-alice', 'wiki')).not.toBeNull()
  })
})
