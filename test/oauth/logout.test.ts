// Signing out of an app signs the browser out here, too: OpenID Connect RP-Initiated Logout 1.0.
import supertest from 'supertest'
import { describe, expect, it } from 'vitest'
import { bearer, logIn } from '../support/client.js'
import { sendAs } from '../support/oauth-apps.js'
import { cookieOf, ownPage, send } from '../support/pages.js'
import {
  askingAt,
  base,
  board,
  byLink,
  goodbye,
  leadsOnTo,
  ledTo,
  phone,
  plain,
  startLogout,
  wiki,
} from './logout-host.js'

describe('an app with an ID token of the session in the browser', () => {
  it('signs the browser out at once, and gets it back with its state', async () => {
    const { host, signIn, signInTo, logout, isSignedIn, requested } = await startLogout()
    const browser = await signIn()
    const elsewhere = await signIn()
    const { id_token, access_token } = await signInTo(wiki, browser)
    const toBoard = await signInTo(board, browser)
    const answer = await logout(
      { id_token_hint: id_token, post_logout_redirect_uri: goodbye, state: 'a b&c=d' },
      browser,
    )
    expect(ledTo(answer)).toEqual({ to: `${goodbye}?state=a%20b%26c%3Dd`, forgets: true })
    expect([await isSignedIn(browser), await isSignedIn(elsewhere)]).toEqual([false, true])
    for (const token of [access_token, toBoard.access_token]) {
      const { status } = await supertest(host.url).get('/oauth/userinfo').set(bearer(token))
      expect(status).toBe(401)
    }
    expect(requested()).toMatchObject([{ clientId: 'wiki', endsSession: true, refused: null }])
  })

  it('needs neither client_id nor state, and may have registered a query', async () => {
    const { signIn, signInTo, logout } = await startLogout()
    const [, withQuery = ''] = wiki.postLogoutRedirectUris ?? []
    for (const [more, to] of [
      [{ post_logout_redirect_uri: goodbye }, goodbye],
      [{ post_logout_redirect_uri: withQuery, state: 'x' }, `${withQuery}&state=x`],
      [{ client_id: 'wiki', post_logout_redirect_uri: withQuery }, withQuery],
      [{ post_logout_redirect_uri: goodbye, state: '' }, goodbye],
      [{}, askingAt()],
      [{ logout_hint: 'alice', ui_locales: 'de' }, askingAt({ ui_locales: 'de' })],
    ] as const) {
      const browser = await signIn()
      const { id_token } = await signInTo(wiki, browser)
      const answer = await logout({ id_token_hint: id_token, ...more }, browser)
      expect(ledTo(answer)).toEqual({ to, forgets: true })
    }
  })

  it('may show an expired one: it signs nobody in', async () => {
    const { host, signIn, signInTo, logout, isSignedIn } = await startLogout()
    const browser = await signIn()
    const { id_token } = await signInTo(wiki, browser)
    host.clock.advance(2 * 60 * 60)
    expect(await isSignedIn(browser)).toBe(true)
    const answer = await logout({ id_token_hint: id_token }, browser)
    expect(ledTo(answer).forgets).toBe(true)
    expect(await isSignedIn(browser)).toBe(false)
  })

  it('may have a refresh token, with which its own session goes on', async () => {
    const { host, signIn, signInTo, logout, isSignedIn } = await startLogout()
    const browser = await signIn()
    const tokens = await signInTo(wiki, browser, 'openid offline_access')
    expect(ledTo(await logout({ id_token_hint: tokens.id_token }, browser)).forgets).toBe(true)
    expect(await isSignedIn(browser)).toBe(false)
    const form = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token }
    expect((await sendAs(host, wiki, '/oauth/token', form)).status).toBe(200)
  })

  it('may have revoked its refresh token just before', async () => {
    const { host, signIn, signInTo, logout, isSignedIn } = await startLogout()
    const browser = await signIn()
    const tokens = await signInTo(wiki, browser, 'openid offline_access')
    const form = { token: tokens.refresh_token }
    expect((await sendAs(host, wiki, '/oauth/revoke', form)).status).toBe(200)
    expect(await isSignedIn(browser)).toBe(true)
    expect(ledTo(await logout({ id_token_hint: tokens.id_token }, browser)).forgets).toBe(true)
    expect(await isSignedIn(browser)).toBe(false)
  })

  it('comes back at once where nobody is signed in any more', async () => {
    const { host, signIn, signInTo, logout, ask } = await startLogout()
    const browser = await signIn()
    const { id_token } = await signInTo(wiki, browser)
    const parameters = { id_token_hint: id_token, post_logout_redirect_uri: goodbye, state: 's' }
    await logout(parameters, browser)
    const { to, forgets } = ledTo(await logout(parameters, browser))
    const counts = { client_id: 'wiki', post_logout_redirect_uri: goodbye, state: 's' }
    expect([to, forgets]).toEqual([askingAt(counts), false])
    const back = await ask(to.slice(base.length), { Cookie: browser.Cookie })
    expect(ledTo(back).to).toBe(`${goodbye}?state=s`)
    expect(host.events.filter(({ type }) => type === 'session.ended')).toHaveLength(2)
  })
})

describe('an app without such a token', () => {
  const counts = { client_id: 'wiki', post_logout_redirect_uri: goodbye, state: 'x' }

  it('has its user asked; then the browser returns to it by a page', async () => {
    const { signIn, logout, openPage, isSignedIn, requested } = await startLogout()
    const browser = await signIn()
    const { to, forgets } = ledTo(await logout({ ...counts, logout_hint: 'alice' }, browser))
    expect([to, forgets]).toEqual([askingAt(counts), false])
    const { page, submit } = await openPage(to, browser)
    expect([page.status, page.text]).toEqual([200, expect.stringContaining('<h1>Sign out?</h1>')])
    expect(page.text).toContain('alice')
    expect(await isSignedIn(browser)).toBe(true)
    const last = await submit()
    expect([last.status, leadsOnTo(last)]).toEqual([200, `${goodbye}?state=x`])
    expect(last.headers['content-security-policy']).toContain("form-action 'self'")
    expect(last.text).toContain('Continue to <bdi>Team wiki</bdi>')
    expect(await isSignedIn(browser)).toBe(false)
    expect(requested()).toMatchObject([{ clientId: 'wiki', endsSession: false, refused: null }])
  })

  it('without an address, leaves its user on a page of the server', async () => {
    const { signIn, logout, openPage, ask } = await startLogout()
    for (const parameters of [{}, { client_id: 'wiki' }, { client_id: 'plain' }]) {
      const browser = await signIn()
      const { to } = ledTo(await logout(parameters, browser))
      expect(to).toBe(askingAt())
      const { submit } = await openPage(to, browser)
      const done = ledTo(await submit())
      expect(done).toEqual({ to: askingAt(), forgets: true })
      expect((await ask(done.to.slice(base.length))).text).toContain('You are signed out')
    }
  })

  it('gets the browser back from a page that was left open in a second tab', async () => {
    const { signIn, logout, openPage } = await startLogout()
    const browser = await signIn()
    const { to } = ledTo(await logout(counts, browser))
    const [first, second] = [await openPage(to, browser), await openPage(to, browser)]
    expect(leadsOnTo(await first.submit())).toBe(`${goodbye}?state=x`)
    expect(leadsOnTo(await second.submit())).toBe(`${goodbye}?state=x`)
  })

  it('chooses the language of the page, and another choice keeps the request', async () => {
    const { signIn, logout, openPage } = await startLogout()
    const browser = await signIn()
    const { to } = ledTo(await logout({ ...counts, ui_locales: 'fr de' }, browser))
    expect(to).toBe(askingAt({ ...counts, ui_locales: 'fr de' }))
    const { page } = await openPage(to, browser)
    expect(page.text).toContain('<h1>Abmelden?</h1>')
    const [, english = ''] = /href="([^"]*&amp;language=en)"/.exec(page.text) ?? []
    const inEnglish = await openPage(english.replaceAll('&amp;', '&'), browser)
    expect(inEnglish.page.text).toContain('<h1>Sign out?</h1>')
    expect(leadsOnTo(await inEnglish.submit())).toBe(`${goodbye}?state=x`)
  })

  it('may be an app on a device, at any port of it', async () => {
    const { signIn, logout, openPage } = await startLogout()
    for (const address of ['http://127.0.0.1:49152/bye', 'com.example.chat:/bye']) {
      const browser = await signIn()
      const { to } = ledTo(
        await logout({ client_id: phone.id, post_logout_redirect_uri: address }, browser),
      )
      const last = await (await openPage(to, browser)).submit()
      expect(leadsOnTo(last)).toBe(address)
      expect(last.text).toContain('You can close this window.')
    }
  })

  it('may send a form, which becomes the same request', async () => {
    const { host, signIn, signInTo, logout, isSignedIn } = await startLogout()
    const browser = await signIn()
    const { id_token } = await signInTo(wiki, browser)
    const form = { id_token_hint: id_token, post_logout_redirect_uri: goodbye, state: 'ä b' }
    const posted = await supertest(host.url)
      .post('/oauth/logout')
      .redirects(0)
      .set({ ...byLink, Origin: 'https://wiki.example.com' })
      .type('form')
      .send(form)
    const { to, forgets } = ledTo(posted)
    expect(to.startsWith(`${base}/oauth/logout?`)).toBe(true)
    expect([forgets, await isSignedIn(browser)]).toEqual([false, true])
    const answer = await logout(to.slice(to.indexOf('?') + 1).replace('%C3%A4', 'a'), browser)
    expect(ledTo(answer).to).toBe(`${goodbye}?state=a%20b`)
  })
})

describe('the second button', () => {
  it('signs the user out on all devices; bots keep their tokens', async () => {
    const options = { namedTokens: true }
    const { host, signIn, signInTo, logout, openPage, isSignedIn } = await startLogout({ options })
    const [browser, other, bobs] = [await signIn(), await signIn(), await signIn('u-bob')]
    const { access_token } = await signInTo(wiki, other, 'openid offline_access')
    const bot = await host.auth.namedTokens.create({ userId: 'u-alice', name: 'bot' })
    host.issued.add(bot.token)
    const { submit } = await openPage(ledTo(await logout({}, browser)).to, browser)
    expect(ledTo(await submit({ choice: 'everywhere' })).forgets).toBe(true)
    const browsers = await Promise.all([browser, other, bobs].map(isSignedIn))
    expect(browsers).toEqual([false, false, true])
    const status = async (token: string) =>
      (await supertest(host.url).get('/me').set(bearer(token))).status
    expect(await status(bot.token)).toBe(200)
    const userinfo = await supertest(host.url).get('/oauth/userinfo').set(bearer(access_token))
    expect(userinfo.status).toBe(401)
  })

  it('can be pressed again after a failure, also where a web app has signed the browser in', async () => {
    const { host, signIn, openPage, isSignedIn } = await startLogout()
    const { listForUser, end } = host.stores.sessions
    const { authToken } = await logIn(host)
    const opened = await send(
      host,
      'POST',
      '/api/v1/auth/browser-session',
      { ...ownPage, ...bearer(authToken), 'Content-Type': 'application/json' },
      {},
    )
    const browser = { Cookie: cookieOf(opened)?.pair ?? '', userId: 'u-alice' }
    const others = [await signIn(), await signIn(), await signIn()]
    expect(await isSignedIn(browser)).toBe(true)
    const { submit } = await openPage(askingAt(), browser)
    let left = 2
    host.stores.sessions.end = async (...given) => {
      left -= 1
      if (left < 0) throw new Error('gone')
      return end(...given)
    }
    const failed = await submit({ choice: 'everywhere' })
    expect([failed.status, failed.headers['set-cookie']]).toEqual([503, undefined])
    expect(await isSignedIn(browser)).toBe(true)
    host.stores.sessions.end = end
    expect(ledTo(await submit({ choice: 'everywhere' })).forgets).toBe(true)
    expect(await Promise.all([browser, ...others].map(isSignedIn))).toEqual(Array(4).fill(false))
    expect(await listForUser('u-alice', host.clock())).toEqual([])
  })
})

describe('the option oauth.logout', () => {
  it('is off by default: no route, no metadata, no button, no way back', async () => {
    const { host, signIn, openPage, ask } = await startLogout({ oauth: { logout: false } })
    expect((await ask('/oauth/logout')).status).toBe(404)
    const { body } = await supertest(host.url).get('/../../.well-known/openid-configuration')
    expect(body).not.toHaveProperty('end_session_endpoint')
    const browser = await signIn()
    const other = await signIn()
    const counts = { client_id: 'wiki', post_logout_redirect_uri: goodbye }
    const { page, submit } = await openPage(askingAt(counts), browser)
    expect(page.text).not.toContain('everywhere')
    expect(ledTo(await submit({ choice: 'everywhere' })).to).toBe(askingAt())
    const { status } = await send(host, 'GET', '/page', { ...ownPage, Cookie: other.Cookie })
    expect(status).toBe(200)
  })

  it('answers no HEAD, which a scanner of links sends', async () => {
    const { host, signIn, signInTo, isSignedIn } = await startLogout()
    const browser = await signIn()
    const { id_token } = await signInTo(wiki, browser)
    const { status, headers } = await supertest(host.url)
      .head(`/oauth/logout?id_token_hint=${id_token}`)
      .set({ ...byLink, Cookie: browser.Cookie })
    expect([status, headers['allow']]).toEqual([405, 'GET, POST'])
    expect(await isSignedIn(browser)).toBe(true)
  })

  it('leads nobody to a client that has registered no address', async () => {
    const { signIn, signInTo, logout, requested } = await startLogout()
    const browser = await signIn()
    const { id_token } = await signInTo(plain, browser)
    const [address] = plain.redirectUris
    const wanted = { id_token_hint: id_token, post_logout_redirect_uri: address }
    expect(ledTo(await logout(wanted, browser))).toEqual({ to: askingAt(), forgets: true })
    expect(requested()).toMatchObject([
      { clientId: 'plain', endsSession: true, refused: 'redirect-mismatch' },
    ])
  })
})
