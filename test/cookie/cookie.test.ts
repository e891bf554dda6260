import { describe, expect, it } from 'vitest'
import { bearer, get, logIn } from '../support/client.js'
import { password } from '../support/host.js'
import { cookieName, cookieOf, ownPage, send, signInByPage, startPages } from '../support/pages.js'

const hour = 3600
const day = 24 * hour
const alice = { username: 'alice', password }
const fixed = ['HttpOnly', 'Path=/', 'SameSite=Lax', 'Secure']

describe('a browser that signs in by the form of a page', () => {
  it('gets one cookie, for itself and this host alone, and no token', async () => {
    const host = await startPages()
    const { response, attributes, value, session } = await signInByPage(host)
    expect(attributes).toEqual(fixed)
    expect(value).toMatch(new RegExp(`^${session}\\.[\\w-]{43}$`))
    expect(response.body).toEqual({
      userId: 'u-alice',
      session: expect.objectContaining({ id: session, kind: 'browser' }),
      me: expect.objectContaining({ _id: 'u-alice', username: 'alice' }),
    })
    expect(response.text).not.toContain(value.split('.')[1])
    expect(
      JSON.stringify([...(await host.stores.sessions.listForUser('u-alice', new Date()))]),
    ).not.toContain(value.split('.')[1])
  })

  it('may leave the field of the code empty, as browsers send each field of a form', async () => {
    const host = await startPages()
    const form = new URLSearchParams({ ...alice, code: '', passkey: '' }).toString()
    const sent = { ...ownPage, 'Content-Type': 'application/x-www-form-urlencoded' }
    const signedIn = await send(host, 'POST', '/sign-in', sent, form as never)
    expect([signedIn.status, signedIn.body.userId]).toEqual([200, 'u-alice'])
    const opened = await send(host, 'POST', '/open', ownPage, { userId: 'u-alice', code: '' })
    expect([opened.status, opened.body.userId]).toEqual([200, 'u-alice'])
  })

  it('is told which field is at fault, of those that must be filled in', async () => {
    const host = await startPages()
    for (const name of ['username', 'password']) {
      const answer = await send(host, 'POST', '/sign-in', ownPage, { ...alice, [name]: '' })
      expect([answer.status, answer.body.details.issues[0].path]).toEqual([400, name])
    }
  })

  it('is let in to pages by it, and on the own machine without TLS by one of another name', async () => {
    const host = await startPages()
    const { Cookie } = await signInByPage(host)
    const page = await send(host, 'GET', '/page', { Cookie })
    expect([page.status, page.body]).toEqual([200, { userId: 'u-alice', kind: 'browser' }])

    const origin = 'http://localhost:3000'
    const local = await startPages({ options: { pagesOrigin: origin } })
    const form = { username: 'alice', password }
    const answer = await send(local, 'POST', '/sign-in', { Origin: origin }, form)
    const cookie = cookieOf(answer, 'mar_session_dev_3000')
    expect(cookie?.attributes).toEqual(['HttpOnly', 'Path=/', 'SameSite=Lax'])
    const localPage = await send(local, 'GET', '/page', { Cookie: cookie?.pair ?? '' })
    expect(localPage.status).toBe(200)
    expect((await send(local, 'GET', '/page', { Cookie })).status).toBe(401)
  })

  it('is signed out 12 hours after its last request, and 24 hours after the form', async () => {
    const host = await startPages()
    const idle = await signInByPage(host)
    const used = await signInByPage(host)
    for (let hours = 0; hours < 22; hours += 11) {
      host.clock.advance(11 * hour)
      expect((await send(host, 'GET', '/page', { Cookie: used.Cookie })).status).toBe(200)
    }
    expect((await send(host, 'GET', '/page', { Cookie: idle.Cookie })).status).toBe(401)
    host.clock.advance(2 * hour - 1)
    expect((await send(host, 'GET', '/page', { Cookie: used.Cookie })).status).toBe(200)
    host.clock.advance(1)
    expect((await send(host, 'GET', '/page', { Cookie: used.Cookie })).status).toBe(401)
  })

  it('stays as long as any session where that is asked for, also when it was closed', async () => {
    const host = await startPages()
    const { attributes, Cookie } = await signInByPage(host, { stay: 'on' })
    expect(attributes).toEqual([
      'HttpOnly',
      `Max-Age=${90 * day}`,
      'Path=/',
      'SameSite=Lax',
      'Secure',
    ])
    host.clock.advance(13 * day)
    expect((await send(host, 'GET', '/page', { Cookie })).status).toBe(200)
  })

  it('never stays longer than the router’s own lifetimes', async () => {
    const lifetimes = { sessionIdle: 600, sessionAbsolute: hour, accessToken: 60 }
    const host = await startPages({ options: { lifetimes } })
    const short = await signInByPage(host)
    const long = await signInByPage(host, { stay: 'on' })
    expect(long.attributes).toContain(`Max-Age=${hour}`)
    host.clock.advance(601)
    for (const { Cookie } of [short, long])
      expect((await send(host, 'GET', '/page', { Cookie })).status).toBe(401)
  })

  it('has a new secret each time, and what it had before is over', async () => {
    const host = await startPages()
    const first = await signInByPage(host)
    const second = await signInByPage(host, {}, { Cookie: first.Cookie })
    expect(second.value).not.toBe(first.value)
    expect((await send(host, 'GET', '/page', { Cookie: first.Cookie })).status).toBe(401)
    expect((await send(host, 'GET', '/page', { Cookie: second.Cookie })).status).toBe(200)
    expect(host.events).toContainEqual(
      expect.objectContaining({
        type: 'session.ended',
        sessionId: first.session,
        reason: 'logout',
      }),
    )
  })

  it('keeps the session it had when the password is wrong', async () => {
    const host = await startPages()
    const { Cookie } = await signInByPage(host)
    const wrong = { username: 'alice', password: 'wrong' }
    const refused = await send(host, 'POST', '/sign-in', { ...ownPage, Cookie }, wrong)
    expect([refused.status, cookieOf(refused)]).toEqual([401, null])
    expect((await send(host, 'GET', '/page', { Cookie })).status).toBe(200)
  })

  it('keeps the cookies that the host sets in the same answer', async () => {
    const host = await startPages({
      before: (app) =>
        app.use((_request, response, next) => {
          response.cookie('theme', 'dark')
          next()
        }),
    })
    const { response } = await signInByPage(host)
    expect(response.headers['set-cookie']).toEqual([
      'theme=dark; Path=/',
      expect.stringMatching(/^__Host-Http-mar_session=/),
    ])
  })
})

describe('auth.cookie.open', () => {
  it('signs a browser in for whom the host vouches', async () => {
    const host = await startPages()
    const body = { userId: 'u-alice', methods: ['hwk'], stay: true }
    const opened = await send(host, 'POST', '/open', ownPage, body)
    const cookie = cookieOf(opened)
    host.issued.add(cookie?.value ?? '')
    expect(cookie?.attributes).toContain(`Max-Age=${90 * day}`)
    expect((await send(host, 'GET', '/page', { Cookie: cookie?.pair ?? '' })).body).toEqual({
      userId: 'u-alice',
      kind: 'browser',
    })
    expect(host.events).toContainEqual(
      expect.objectContaining({ type: 'session.opened', methods: ['hwk'] }),
    )
  })

  it.each([
    ['nobody', { userId: 'u-nobody' }, 401],
    ['no id', {}, 400],
    ['a word that is no option', { userId: 'u-alice', tokens: 'refreshable' }, 400],
    ['a text where a flag belongs', { userId: 'u-alice', stay: 'on' }, 400],
  ])('sets no cookie for %s', async (_what, body, status) => {
    const host = await startPages()
    const refused = await send(host, 'POST', '/open', ownPage, body)
    expect([refused.status, cookieOf(refused)]).toEqual([status, null])
  })
})

describe('signing out', () => {
  it('ends the session before the browser forgets the cookie', async () => {
    const host = await startPages()
    const { Cookie } = await signInByPage(host)
    const out = await send(host, 'POST', '/sign-out', { ...ownPage, Cookie })
    expect([out.status, out.body]).toEqual([200, { ended: true }])
    expect(cookieOf(out)).toMatchObject({
      value: '',
      attributes: [...fixed, 'Max-Age=0'].toSorted(),
    })
    expect((await send(host, 'GET', '/page', { Cookie })).status).toBe(401)
  })

  it('is no error for who is not signed in', async () => {
    const host = await startPages()
    for (const headers of [ownPage, { ...ownPage, Cookie: `${cookieName}=stale` }]) {
      const out = await send(host, 'POST', '/sign-out', headers)
      expect([out.status, out.body]).toEqual([200, { ended: false }])
      expect(cookieOf(out)?.value).toBe('')
    }
  })
})

describe('a session of a page', () => {
  it('stands in the list of devices, and is ended there as any other', async () => {
    const host = await startPages()
    const { Cookie, session } = await signInByPage(host)
    const { authToken } = await logIn(host)
    const { body } = await get(host, '/auth/sessions', bearer(authToken))
    expect(body.data.sessions).toContainEqual(
      expect.objectContaining({ id: session, kind: 'browser', current: false }),
    )
    expect(await host.auth.sessions.revoke(session)).toBe(true)
    expect((await send(host, 'GET', '/page', { Cookie })).status).toBe(401)
  })

  it('makes room for newer ones as any other', async () => {
    const host = await startPages({ options: { maxSessionsPerUser: 2 } })
    const { Cookie } = await signInByPage(host)
    host.clock.advance(1)
    await logIn(host)
    host.clock.advance(1)
    await logIn(host)
    expect((await send(host, 'GET', '/page', { Cookie })).status).toBe(401)
  })

  it('ends when the password has changed', async () => {
    const host = await startPages()
    const { Cookie } = await signInByPage(host)
    await host.auth.passwordChanged('u-alice')
    expect((await send(host, 'GET', '/page', { Cookie })).status).toBe(401)
  })
})

describe('what a guard takes', () => {
  it('is the headers alone where nothing else is said, the cookie alone, or headers first', async () => {
    const host = await startPages()
    const { Cookie } = await signInByPage(host)
    const token = bearer((await logIn(host)).authToken)
    const wrong = bearer('wrong')
    const status = async (path: string, headers: Record<string, string>) =>
      (await send(host, 'GET', path, headers)).status
    expect(await status('/api', { Cookie })).toBe(401)
    expect(await status('/api', { ...token, Cookie })).toBe(200)
    expect(await status('/page', token)).toBe(401)
    expect(await status('/page', { ...wrong, Cookie })).toBe(200)
    expect(await status('/either', token)).toBe(200)
    expect(await status('/either', { Cookie })).toBe(200)
    expect(await status('/either', { ...wrong, Cookie })).toBe(401)
    const both = await send(host, 'GET', '/either', { ...token, Cookie })
    expect(both.body.kind).toBe('login')
  })

  it('lets strangers in by name, and a stale cookie where it is lenient', async () => {
    const host = await startPages()
    const { Cookie } = await signInByPage(host)
    await host.auth.sessions.revokeAllForUser('u-alice')
    expect((await send(host, 'GET', '/optional')).body.userId).toBe(null)
    expect((await send(host, 'GET', '/optional', { Cookie })).status).toBe(401)
    expect((await send(host, 'GET', '/lenient', { Cookie })).body.userId).toBe(null)
  })

  it('is asked outside of Express as well', async () => {
    const host = await startPages({
      after: (app, auth) =>
        app.get('/asked', (request, response, next) => {
          const from = request.query['from'] as 'cookie'
          auth.authenticate(request, { from }).then(({ userId }) => response.json({ userId }), next)
        }),
    })
    const { Cookie } = await signInByPage(host)
    const token = bearer((await logIn(host)).authToken)
    const status = async (from: string, headers: Record<string, string>) =>
      (await send(host, 'GET', `/asked?from=${from}`, headers)).status
    expect(await status('cookie', { Cookie })).toBe(200)
    expect(await status('cookie', token)).toBe(401)
    expect(await status('either', { Cookie })).toBe(200)
    expect(await status('headers', { Cookie })).toBe(401)
    expect(await status('url', { Cookie })).toBe(500)
  })
})

describe('an answer that depends on the cookie', () => {
  it('is kept by no cache that others share, whatever it is', async () => {
    const host = await startPages()
    const { Cookie } = await signInByPage(host)
    for (const path of ['/page', '/either', '/optional']) {
      const { headers } = await send(host, 'GET', path, { Cookie })
      expect([headers['cache-control'], headers['vary']]).toEqual(['private', 'Cookie'])
    }
    const refused = await send(host, 'GET', '/page')
    expect([refused.headers['cache-control'], refused.headers['vary']]).toEqual([
      'no-store',
      'Cookie',
    ])
    const { headers } = await send(host, 'GET', '/api')
    expect(headers['vary']).toBeUndefined()
  })

  it.each([
    ['Accept', 'Accept, Cookie'],
    ['Accept, cookie', 'Accept, cookie'],
    ['*', '*'],
    ['X-Cookie', 'X-Cookie, Cookie'],
  ])('keeps what the host has set: Vary: %s becomes %s', async (given, expected) => {
    const host = await startPages({
      before: (app) =>
        app.use((_request, response, next) => {
          response.set({ 'Cache-Control': 'no-cache', Vary: given })
          next()
        }),
    })
    const { Cookie } = await signInByPage(host)
    const { headers } = await send(host, 'GET', '/page', { Cookie })
    expect([headers['cache-control'], headers['vary']]).toEqual(['no-cache', expected])
  })
})

describe('pagesOrigin', () => {
  it.each([
    'https://chat.example.com',
    'https://chat.example.com:8443',
    'https://127.0.0.1',
    'http://localhost',
    'http://localhost:3000',
    'http://chat.localhost:3000',
    'http://127.0.0.1:3000',
    'http://127.8.9.10',
    'http://[::1]:3000',
  ])('may be %s', async (origin) => {
    const host = await startPages({ options: { pagesOrigin: origin } })
    const answer = await send(host, 'POST', '/sign-in', { Origin: origin }, alice)
    expect(answer.status).toBe(200)
  })

  it.each([
    'https://chat.example.com/',
    'https://chat.example.com/chat',
    'https://chat.example.com:443',
    'https://CHAT.example.com',
    'https://user@chat.example.com',
    'http://chat.example.com',
    'http://localhost.example.com',
    'http://127.0.0.1.example.com',
    'http://10.0.0.1',
    'http://0.0.0.0:3000',
    'wss://chat.example.com',
    'file://',
    'chat.example.com',
    'null',
    '*',
    '',
    null,
    ['https://chat.example.com'],
  ])('is refused at start where it is %j', async (pagesOrigin) => {
    await expect(
      startPages({ options: { pagesOrigin: pagesOrigin as string } }),
    ).rejects.toMatchObject({ name: 'AuthConfigError', option: 'pagesOrigin' })
  })
})

describe('a guard that says twice where the token is, or in a place that is none', () => {
  it.each([
    [{ from: 'url' }, 'requireAuth.from'],
    [{ from: ['cookie'] }, 'requireAuth.from'],
    [{ from: 'cookie', tokenFrom: () => null }, 'requireAuth.tokenFrom'],
    [{ from: 'either', tokenFrom: () => null }, 'requireAuth.tokenFrom'],
  ])('is refused at start: %j', async (options, option) => {
    const { auth } = await startPages()
    expect(() => auth.requireAuth(options as never)).toThrowError(
      expect.objectContaining({ name: 'AuthConfigError', option }),
    )
  })
})
