import supertest from 'supertest'
import { describe, expect, it } from 'vitest'
import { bearer, get, logIn, post } from '../support/client.js'
import { password } from '../support/host.js'
import { cookieName, cookieOf, ownPage, signInByPage } from '../support/pages.js'
import { startBrowserSessions } from './browser-session-host.js'

type Started = Awaited<ReturnType<typeof startBrowserSessions>>

const leave = ({ host }: Started, headers: Record<string, string>) =>
  supertest(host.url).delete('/auth/browser-session').set(headers)

describe('a page that signs its browser out', () => {
  it('ends its session, and makes it forget the cookie: 204 without a body', async () => {
    const started = await startBrowserSessions()
    const { events, page, isAlive } = started
    const { Cookie, session } = await signInByPage(started.host)
    const answer = await leave(started, { ...ownPage, Cookie })
    expect([answer.status, answer.text]).toEqual([204, ''])
    expect(answer.headers['cache-control']).toBe('no-store')
    expect(cookieOf(answer)).toMatchObject({
      value: '',
      attributes: expect.arrayContaining(['Max-Age=0', 'HttpOnly', 'Path=/', 'Secure']),
    })
    expect(await isAlive(session)).toBe(false)
    expect(await page(Cookie)).toBe(401)
    const ended = events.filter(({ type }) => type === 'session.ended')
    expect(ended).toMatchObject([{ sessionId: session, reason: 'logout' }])
  })

  it('looks at no token: neither at one that is over, nor at whose it is', async () => {
    const started = await startBrowserSessions()
    const { host, isAlive } = started
    const over = await logIn(host)
    expect((await post(host, '/logout', undefined, bearer(over.authToken))).status).toBe(200)
    const bob = await logIn(host, { username: 'bob', password })
    for (const { authToken } of [over, bob]) {
      const { Cookie, session } = await signInByPage(host)
      const headers = { ...ownPage, ...bearer(authToken), Cookie }
      expect((await leave(started, headers)).status).toBe(204)
      expect(await isAlive(session)).toBe(false)
    }
    // `POST /logout` ends what a token is of.
    expect((await get(host, '/me', bearer(bob.authToken))).status).toBe(200)
  })

  it('leaves the sign-in of the web app that had signed it in', async () => {
    const started = await startBrowserSessions()
    const { host, signInBrowser, isAlive } = started
    const { authToken } = await logIn(host)
    const { Cookie, id, session } = await signInBrowser(authToken)
    expect((await leave(started, { ...ownPage, Cookie })).status).toBe(204)
    expect(await isAlive(id)).toBe(false)
    expect(await isAlive(session?.parentId ?? '')).toBe(true)
  })

  it('may ask again, and where nobody is signed in, as often as it likes', async () => {
    const started = await startBrowserSessions()
    const { Cookie } = await signInByPage(started.host)
    const asked = await Promise.all(
      Array.from({ length: 10 }, () => leave(started, { ...ownPage, Cookie })),
    )
    expect(asked.map(({ status }) => status)).toEqual(Array(10).fill(204))
    const ended = started.events.filter(({ type }) => type === 'session.ended')
    expect(ended).toHaveLength(1)
    for (const sent of [{}, { Cookie: `${cookieName}=nonsense` }])
      expect((await leave(started, { ...ownPage, ...sent })).status).toBe(204)
  })

  it('is answered 503 in an outage, keeps its cookie, and can try again', async () => {
    const started = await startBrowserSessions()
    const { host, isAlive } = started
    const { Cookie, session } = await signInByPage(host)
    const { end } = host.stores.sessions
    host.stores.sessions.end = () => Promise.reject(new Error('away'))
    const away = await leave(started, { ...ownPage, Cookie })
    expect([away.status, away.body.error, cookieOf(away)]).toEqual([
      503,
      'temporarily-unavailable',
      null,
    ])
    expect(Number(away.headers['retry-after'])).toBeGreaterThan(0)
    host.stores.sessions.end = end
    expect(await isAlive(session)).toBe(true)
    expect((await leave(started, { ...ownPage, Cookie })).status).toBe(204)
    expect(await isAlive(session)).toBe(false)
  })
})
