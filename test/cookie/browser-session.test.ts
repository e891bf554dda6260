import { describe, expect, it } from 'vitest'
import { bearer, logIn, post } from '../support/client.js'
import { send, signInByPage } from '../support/pages.js'
import { startBrowserSessions } from './browser-session-host.js'

const hours = (count: number) => count * 60 * 60

describe('a web app that is signed in by a token', () => {
  it('signs its browser in: 204, and a cookie that scripts and other sites never see', async () => {
    const { host, signInBrowser, page } = await startBrowserSessions()
    const { authToken } = await logIn(host)
    const { response, attributes, Cookie } = await signInBrowser(authToken)
    expect(response.text).toBe('')
    expect(response.headers).toMatchObject({
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
    })
    for (const name of ['content-type', 'content-length', 'transfer-encoding', 'x-powered-by'])
      expect([name, response.headers[name]]).toEqual([name, undefined])
    expect(attributes).toEqual(['HttpOnly', 'Path=/', 'SameSite=Lax', 'Secure'])
    expect(await page(Cookie)).toBe(200)
  })

  it('does so by either form of headers, and with a body of JSON', async () => {
    const { host, ask } = await startBrowserSessions()
    const { authToken, userId } = await logIn(host)
    const pair = { 'X-Auth-Token': authToken, 'X-User-Id': userId, 'Sec-Fetch-Site': 'same-origin' }
    expect((await ask(null, pair)).status).toBe(204)
    expect((await ask(authToken, undefined, {})).status).toBe(204)
  })

  it('gets a session of the same user below its own, with what was shown, and when', async () => {
    const { host, clock, signInBrowser, kit } = await startBrowserSessions({
      options: () => ({ pkce: { maxAge: false } }),
    })
    const { authToken } = await logIn(host)
    const shownAt = clock()
    const [login] = await host.stores.sessions.listForUser('u-alice', shownAt)
    clock.advance(hours(3))
    const { session } = await signInBrowser(authToken)
    expect(session).toMatchObject({
      userId: 'u-alice',
      kind: 'browser',
      scope: '*',
      methods: ['pwd'],
      authenticatedAt: shownAt,
      createdAt: clock(),
      parentId: login?.id,
      refresh: null,
    })
    expect(await kit.sessions.findLive(session?.id ?? '')).not.toBeNull()
  })

  it('has it for 12 hours without use and 24 in all, however old the sign-in, never longer than its own', async () => {
    const { host, clock, signInBrowser } = await startBrowserSessions({
      options: () => ({ pkce: { maxAge: false } }),
    })
    const { authToken } = await logIn(host)
    const later = (seconds: number) => new Date(clock().getTime() + seconds * 1000)
    clock.advance(hours(24 * 10))
    const { session } = await signInBrowser(authToken)
    expect([session?.idleExpiresAt, session?.expiresAt]).toEqual([
      later(hours(12)),
      later(hours(24)),
    ])
    const { sessions } = host.stores
    const asking = await sessions.find(session?.parentId ?? '')
    const expiresAt = later(600)
    sessions.find = async () => asking && { ...asking, expiresAt }
    clock.advance(60)
    const short = await signInBrowser(authToken)
    const [row] = (await sessions.listForUser('u-alice', clock())).filter(
      ({ id }) => id === short.id,
    )
    expect([row?.idleExpiresAt, row?.expiresAt]).toEqual([expiresAt, expiresAt])
  })

  it('keeps the one that it has, as often as it asks, until it signs in anew', async () => {
    const { host, clock, ask, signInBrowser, browsers, isAlive } = await startBrowserSessions()
    const { authToken } = await logIn(host)
    const { id, Cookie } = await signInBrowser(authToken)
    for (let times = 0; times < 100; times += 1) {
      const { status, headers } = await ask(authToken, { 'Sec-Fetch-Site': 'same-origin', Cookie })
      expect([status, headers['set-cookie']]).toEqual([204, undefined])
    }
    expect((await browsers()).map((one) => one.id)).toEqual([id])
    clock.advance(60)
    const again = await logIn(host)
    const next = await signInBrowser(again.authToken, { Cookie })
    expect(await isAlive(id)).toBe(false)
    expect((await browsers()).map((one) => one.id)).toEqual([next.id])
  })

  it('has one left of five that are asked for at once, of which its browser keeps one', async () => {
    const { host, clock, signInBrowser, browsers, page } = await startBrowserSessions()
    const { authToken } = await logIn(host)
    const other = await signInBrowser((await logIn(host)).authToken)
    const asked = await Promise.all(Array.from({ length: 5 }, () => signInBrowser(authToken)))
    for (const { Cookie } of asked) expect(await page(Cookie)).toBe(200)
    clock.advance(5 * 60)
    const left = (await browsers()).map(({ id }) => id)
    expect(left).toHaveLength(2)
    expect(left.filter((id) => id !== other.id && asked.some((one) => one.id === id))).toHaveLength(
      1,
    )
  })

  it('stays signed in by whichever of two its browser has kept', async () => {
    const { host, clock, signInBrowser, page } = await startBrowserSessions()
    const { authToken } = await logIn(host)
    const kept = await signInBrowser(authToken)
    clock.advance(1)
    // The answer to this one came first, or never.
    await signInBrowser(authToken)
    for (let minute = 0; minute < 20; minute += 1) {
      clock.advance(61)
      expect([minute, await page(kept.Cookie)]).toEqual([minute, 200])
    }
  })

  it('takes the place of the one that the browser had, whosever it was', async () => {
    for (const username of ['alice', 'bob']) {
      const { host, events, signInBrowser, page, isAlive } = await startBrowserSessions()
      const former = await signInByPage(host, { username })
      const { authToken } = await logIn(host)
      const { Cookie } = await signInBrowser(authToken, { Cookie: former.Cookie })
      expect(await isAlive(former.session)).toBe(false)
      expect(await page(former.Cookie)).toBe(401)
      expect(await page(Cookie)).toBe(200)
      const ended = events.filter(({ type }) => type === 'session.ended')
      expect(ended).toMatchObject([{ sessionId: former.session, reason: 'logout' }])
      const { body } = await send(host, 'GET', '/page', { Cookie })
      expect(body).toEqual({ userId: 'u-alice', kind: 'browser' })
    }
  })

  it('is told of it in the list of devices, and signs out of each by itself', async () => {
    const { host, signInBrowser, page } = await startBrowserSessions()
    const { authToken } = await logIn(host)
    const { id, Cookie } = await signInBrowser(authToken)
    const listed = await host.auth.sessions.list('u-alice')
    expect(listed.map((one) => [one.id, one.kind])).toContainEqual([id, 'browser'])
    expect(await host.auth.sessions.revoke(id)).toBe(true)
    expect(await page(Cookie)).toBe(401)
    expect((await post(host, '/logout', undefined, bearer(authToken))).status).toBe(200)
  })
})
