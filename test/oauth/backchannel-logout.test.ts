// Apps are told when a session of theirs has ended: OpenID Connect Back-Channel Logout 1.0.
import supertest from 'supertest'
import { describe, expect, it } from 'vitest'
import type { EndReason, SessionRecord } from '../../src/index.js'
import { sidOf } from '../../src/oauth/issue-tokens.js'
import { memoryOAuthStores, memoryStores } from '../../src/stores/memory-stores.js'
import { bearer, logIn, post, remove } from '../support/client.js'
import { claimsOf } from './oauth-parts.js'
import {
  logoutEvent,
  startTelling,
  startToldApp,
  type ToldHost,
  tokenIn,
  verified,
} from './told-apps.js'

const sessionIdIn = (token: string) => String(claimsOf(token)['sid'])

describe('the end of a session of an app', () => {
  it('is told to the app, with a token for it alone', async () => {
    const wiki = await startToldApp('wiki')
    const host = await startTelling({ clients: [wiki.client] })
    const session = await host.openApp(wiki.client)
    expect(await host.auth.sessions.revoke(session.id)).toBe(true)
    await wiki.toldTimes(1)
    await host.settled()
    const [{ method, url, headers, body } = { body: '' }] = wiki.told
    expect([method, url, headers?.['content-type'], headers?.['cookie']]).toEqual([
      'POST',
      '/logged-out?from=chat',
      'application/x-www-form-urlencoded',
      undefined,
    ])
    const { payload, protectedHeader } = await verified(host, tokenIn(body), wiki.client)
    const iat = host.clock().getTime() / 1000
    expect([protectedHeader, payload]).toEqual([
      { alg: 'ES256', typ: 'logout+jwt', kid: expect.any(String) },
      {
        iss: 'http://localhost:3000',
        aud: 'wiki',
        sub: 'u-alice',
        sid: session.id,
        iat,
        exp: iat + 120,
        jti: expect.any(String),
        events: { [logoutEvent]: {} },
      },
    ])
    expect(host.outcomes()).toEqual([
      { type: 'rp-logout.sent', userId: 'u-alice', sessionId: session.id, clientId: 'wiki' },
    ])
    expect(host.auth.stats().rpLogout).toEqual({ sent: 1, failed: 0, waiting: 0 })
  })

  it('has the algorithm of the app, and the name that the session has in its ID tokens', async () => {
    const wiki = await startToldApp('wiki', undefined, { idTokenAlgorithm: 'RS256' })
    const host = await startTelling({ clients: [wiki.client] })
    const parentId = sessionIdIn((await logIn(host)).authToken)
    const session = await host.openApp(wiki.client, { parentId })
    await host.auth.sessions.revoke(session.id)
    await wiki.toldTimes(1)
    const { payload, protectedHeader } = await verified(
      host,
      tokenIn(wiki.told[0]?.body ?? ''),
      wiki.client,
    )
    expect([protectedHeader.alg, payload['sid']]).toEqual(['RS256', sidOf(session, 'wiki')])
    expect(payload['sid']).not.toBe(session.id)
  })

  it('is told to each app, once for each session', async () => {
    const [wiki, tracker, mute] = [
      await startToldApp('wiki'),
      await startToldApp('tracker'),
      await startToldApp('mute'),
    ]
    const { backchannelLogoutUri: _none, ...silent } = mute.client
    const clients = [wiki.client, tracker.client, silent]
    const host = await startTelling({ clients })
    const opened = []
    for (const client of [wiki.client, wiki.client, tracker.client, mute.client])
      opened.push(await host.openApp(client))
    const { authToken } = await logIn(host)
    expect(await host.auth.sessions.revokeAllForUser('u-alice')).toBe(5)
    await wiki.toldTimes(2)
    await tracker.toldTimes(1)
    await host.settled()
    expect(wiki.claims().map(({ sid }) => sid)).toEqual(opened.slice(0, 2).map(({ id }) => id))
    expect(new Set(wiki.claims().map(({ jti }) => jti)).size).toBe(2)
    // What has ended does not end again.
    await post(host, '/logout', {}, bearer(authToken)).expect(401)
    for (const { id } of opened) await host.auth.sessions.revoke(id)
    await host.auth.sessions.revokeAllForUser('u-alice')
    await host.settled()
    expect([wiki.told.length, tracker.told.length, mute.told.length]).toEqual([2, 1, 0])
  })

  it('comes with the end of the browser that it was opened from', async () => {
    const wiki = await startToldApp('wiki')
    const host = await startTelling({ clients: [wiki.client] })
    const { authToken } = await logIn(host)
    const parentId = sessionIdIn(authToken)
    const session = await host.openApp(wiki.client, { parentId })
    const other = await host.openApp(wiki.client)
    await post(host, '/logout', {}, bearer(authToken)).expect(200)
    await wiki.toldTimes(1)
    await host.settled()
    expect(wiki.claims()).toMatchObject([{ sid: sidOf(session, 'wiki') }])
    expect((await host.stores.sessions.find(other.id))?.endedAt).toBeNull()
  })

  it('is not told where a newer one has taken its place, which has the same name', async () => {
    const wiki = await startToldApp('wiki')
    const host = await startTelling({ clients: [wiki.client] })
    const { authToken } = await logIn(host)
    const parentId = sessionIdIn(authToken)
    const soon = new Date(host.clock().getTime() + 60_000)
    const former = await host.openApp(wiki.client, { parentId, idleExpiresAt: soon })
    const newer = await host.openApp(wiki.client, { parentId })
    const alone = await host.openApp(wiki.client, { parentId, idleExpiresAt: soon })
    expect(await host.auth.sessions.revoke(alone.id)).toBe(true)
    await post(host, '/logout', {}, bearer(authToken)).expect(200)
    for (const { id } of [former, newer])
      expect((await host.stores.sessions.find(id))?.endReason).toBe('logout')
    await wiki.toldTimes(1)
    await host.settled()
    expect(wiki.claims()).toMatchObject([{ sid: sidOf(newer, 'wiki') }])
  })
})

type Ending = (host: ToldHost, session: SessionRecord, authToken: string) => Promise<unknown>

const endings: [string, EndReason, Ending][] = [
  [
    'the user ends it',
    'revoked',
    (host, { id }, token) => remove(host, `/auth/sessions/${id}`, bearer(token)).expect(200),
  ],
  [
    'the user ends all others',
    'revoked',
    (host, _session, token) => remove(host, '/auth/sessions', bearer(token)).expect(200),
  ],
  [
    'the user takes the consent back',
    'consent-revoked',
    (host, _session, token) => remove(host, '/auth/consents/wiki', bearer(token)).expect(200),
  ],
  ['the password was changed', 'password-changed', (host) => host.auth.passwordChanged('u-alice')],
  [
    'the second factor was reset',
    'factor-changed',
    (host) => host.auth.secondFactors.reset('u-alice'),
  ],
  ['the host disables the app', 'client-disabled', (host) => host.auth.clients.disable('wiki')],
  [
    'the host ends all of the user',
    'revoked',
    (host) => host.auth.sessions.revokeAllForUser('u-alice', { keepNamedTokens: true }),
  ],
]

describe('a session of an app that ends because', () => {
  it.each(endings)('%s is told to the app once', async (_what, reason, end) => {
    const wiki = await startToldApp('wiki')
    const { clients } = memoryOAuthStores()
    await clients.create(wiki.client, new Date())
    const host = await startTelling({ clients: [], oauth: { clients } })
    const session = await host.openApp(wiki.client)
    const { authToken } = await logIn(host)
    await end(host, session, authToken)
    await wiki.toldTimes(1)
    await host.settled()
    expect((await host.stores.sessions.find(session.id))?.endReason).toBe(reason)
    expect(wiki.claims()).toMatchObject([{ sid: session.id, aud: 'wiki', sub: 'u-alice' }])
    await end(host, session, authToken).catch(() => {})
    await host.settled()
    expect(wiki.told).toHaveLength(1)
  })
})

describe('the option oauth.logout', () => {
  it.each([true, false])('is in the metadata: %s', async (logout) => {
    const host = await startTelling({ clients: [], oauth: { logout } })
    const root = new URL(host.url).origin
    const { body } = await supertest(root).get('/.well-known/openid-configuration')
    const names = ['backchannel_logout_supported', 'backchannel_logout_session_supported']
    expect(names.map((name) => body[name])).toEqual(logout ? [true, true] : [undefined, undefined])
  })

  it.each([true, false])('with it: %s; rows are read for it alone', async (logout) => {
    const wiki = await startToldApp('wiki')
    const { sessions } = memoryStores()
    const read: string[] = []
    const counting: typeof sessions = {
      ...sessions,
      find: (id) => {
        read.push(id)
        return sessions.find(id)
      },
    }
    const host = await startTelling({
      clients: [wiki.client],
      oauth: { logout },
      options: { sessions: counting },
    })
    const session = await host.openApp(wiki.client)
    read.length = 0
    await host.auth.sessions.revokeAllForUser('u-alice')
    expect(read).toEqual(logout ? [session.id] : [])
    const { authToken } = await logIn(host)
    await post(host, '/logout', {}, bearer(authToken)).expect(200)
    // A session that opens no app is known by its kind: nothing is read, with or without.
    const sid = sessionIdIn(authToken)
    expect(read.filter((id) => id === sid).length).toBeLessThanOrEqual(1)
    await host.settled()
    expect(wiki.told).toHaveLength(logout ? 1 : 0)
    expect(host.auth.stats().rpLogout).toEqual({ sent: logout ? 1 : 0, failed: 0, waiting: 0 })
  })
})
