// What stays of a user whose password was changed on a page that a token has signed in.
import { describe, expect, it } from 'vitest'
import { bearer, get, logIn, obtainCode, post } from '../support/client.js'
import { password } from '../support/host.js'
import { startBrowserSessions } from './browser-session-host.js'

const calls = ['passwordChanged', 'revokeAllForUser', 'revokeAllForUser, but named'] as const

type Started = Awaited<ReturnType<typeof startBrowserSessions>>

function endAllBut({ host }: Started, call: (typeof calls)[number], except: string) {
  if (call === 'passwordChanged') return host.auth.passwordChanged('u-alice', { except })
  const keepNamedTokens = call === 'revokeAllForUser, but named'
  return host.auth.sessions.revokeAllForUser('u-alice', { except, keepNamedTokens })
}

const statusOf = async ({ host }: Started, token: string) =>
  (await get(host, '/me', bearer(token))).status

describe('a cookie that a token has opened, as the exception', () => {
  it.each(calls)('of %s, stays, and so does its token; all others end', async (call) => {
    const started = await startBrowserSessions()
    const { host, signInBrowser, page } = started
    const { authToken } = await logIn(host)
    const { authToken: other } = await logIn(host)
    const elsewhere = await signInBrowser(other)
    const twin = await signInBrowser(authToken)
    const { id, Cookie } = await signInBrowser(authToken)
    expect(await endAllBut(started, call, id)).toBe(3)
    expect([await page(Cookie), await statusOf(started, authToken)]).toEqual([200, 200])
    expect([await page(elsewhere.Cookie), await page(twin.Cookie)]).toEqual([401, 401])
    expect(await statusOf(started, other)).toBe(401)
    expect((await host.stores.sessions.listForUser('u-alice', host.clock())).length).toBe(2)
  })

  it('stays under the new password, where sessions end with theirs', async () => {
    const started = await startBrowserSessions({ options: () => ({ watchPasswordHash: true }) })
    const { host, users, signInBrowser, page } = started
    const { authToken } = await logIn(host)
    const { id, Cookie } = await signInBrowser(authToken)
    users.change('u-alice', { passwordHash: await host.auth.hashPassword('another password') })
    await host.auth.passwordChanged('u-alice', { except: id })
    expect([await page(Cookie), await statusOf(started, authToken)]).toEqual([200, 200])
  })

  it('ends with its token later, as ever', async () => {
    const started = await startBrowserSessions()
    const { host, signInBrowser, page } = started
    const { authToken } = await logIn(host)
    const { id, Cookie } = await signInBrowser(authToken)
    await host.auth.passwordChanged('u-alice', { except: id })
    await host.auth.sessions.revokeByToken(authToken)
    expect(await page(Cookie)).toBe(401)
  })

  it('keeps nobody else’s session, whoever names it', async () => {
    const started = await startBrowserSessions()
    const { host, signInBrowser, page } = started
    const bob = await logIn(host, { username: 'bob', password })
    const { id, Cookie } = await signInBrowser(bob.authToken)
    const { authToken } = await logIn(host)
    expect(await endAllBut(started, 'passwordChanged', id)).toBe(1)
    expect([await statusOf(started, authToken), await page(Cookie)]).toEqual([401, 200])
  })
})

describe('a token, as the exception', () => {
  it.each(calls)('of %s, keeps no cookie that it has opened', async (call) => {
    const started = await startBrowserSessions()
    const { host, signInBrowser, page } = started
    const { authToken } = await logIn(host)
    const { Cookie, session } = await signInBrowser(authToken)
    expect(await endAllBut(started, call, session?.parentId ?? '')).toBe(1)
    expect([await statusOf(started, authToken), await page(Cookie)]).toEqual([200, 401])
  })
})

describe('a device that ends with the one that has signed it in, as the exception', () => {
  it.each(['the device', 'its browser'])('ends with all others: %s', async (which) => {
    const started = await startBrowserSessions({
      options: () => ({ pkce: { endWithIssuer: true } }),
    })
    const { host, signInBrowser, page, stores, clock } = started
    const { authToken } = await logIn(host)
    const { body } = await post(host, '/auth/pkce/token', await obtainCode(host, authToken))
    const device = await host.auth.authenticateToken(body.access_token)
    const { id, Cookie } = await signInBrowser(body.access_token)
    const except = which === 'the device' ? device.sessionId : id
    expect(await endAllBut(started, 'passwordChanged', except)).toBe(3)
    expect([await page(Cookie), await statusOf(started, body.access_token)]).toEqual([401, 401])
    expect(await stores.sessions.listForUser('u-alice', clock())).toEqual([])
  })
})
