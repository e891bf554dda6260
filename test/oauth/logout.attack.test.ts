// Who may sign somebody out by /oauth/logout, and where a browser may be sent from there.
import '../support/steps.js'
import { createHmac, createPublicKey } from 'node:crypto'
import supertest from 'supertest'
import { describe, expect, it } from 'vitest'
import type { OAuthClient } from '../../src/index.js'
import { createJudgeLogout } from '../../src/oauth/judge-logout.js'
import { bearer } from '../support/client.js'
import { password } from '../support/host.js'
import { ownPage } from '../support/pages.js'
import { stepsUntil } from '../support/steps.js'
import {
  askingAt,
  base,
  board,
  byLink,
  disabled,
  goodbye,
  type LogoutHost,
  leadsOnTo,
  ledTo,
  pathOf,
  phone,
  queryOf,
  type SignedInBrowser,
  signer,
  signingKey,
  startLogout,
  wiki,
} from './logout-host.js'

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
const decoded = (part = '') => JSON.parse(Buffer.from(part, 'base64url').toString())

/** Nothing has happened: nobody is signed out, and the user is asked without any way to an app. */
async function expectAskedOnly(
  at: LogoutHost,
  browser: SignedInBrowser,
  response: Awaited<ReturnType<LogoutHost['logout']>>,
) {
  expect(ledTo(response)).toEqual({ to: askingAt(), forgets: false })
  expect(await at.isSignedIn(browser)).toBe(true)
}

describe('an open redirect', () => {
  const spellings = [
    `${goodbye}/`,
    `${goodbye}?`,
    `${goodbye}#`,
    `${goodbye}?a=1`,
    `${goodbye}%00`,
    `${goodbye}%20`,
    `${goodbye} `,
    ` ${goodbye}`,
    `${goodbye}.evil.example`,
    `${goodbye}/../evil`,
    goodbye.replace('goodbye', './goodbye'),
    goodbye.replace('goodbye', 'Goodbye'),
    goodbye.replace('goodbye', '%67oodbye'),
    goodbye.replace('https:', 'http:'),
    goodbye.replace('https:', 'HTTPS:'),
    goodbye.replace('https://', '//'),
    goodbye.replace('https://', 'https:/\\'),
    goodbye.replace('https://', 'https:'),
    goodbye.replace('wiki.example.com', 'wiki.example.com.'),
    goodbye.replace('wiki.example.com', 'WIKI.example.com'),
    goodbye.replace('wiki.example.com', 'wiki.example.com:443'),
    goodbye.replace('wiki.example.com', 'wiki.example.com@evil.example'),
    goodbye.replace('wiki.example.com', 'evil.example\\@wiki.example.com'),
    goodbye.replace('wiki.example.com', 'wiki.example.com.evil.example'),
    'https://wiki.example.com/callback',
    'https://board.example.com/goodbye',
    'https://evil.example/',
    'javascript:alert(1)',
    '/oauth/sign-out',
    'null',
  ]

  it.each(spellings)('is none: %s', async (address) => {
    const at = await startLogout()
    const browser = await at.signIn()
    const asked = await at.logout({ client_id: 'wiki', post_logout_redirect_uri: address }, browser)
    await expectAskedOnly(at, browser, asked)
    const { id_token } = await at.signInTo(wiki, browser)
    const wanted = { id_token_hint: id_token, post_logout_redirect_uri: address, state: 'x' }
    expect(ledTo(await at.logout(wanted, browser))).toEqual({ to: askingAt(), forgets: true })
    expect(ledTo(await at.logout(wanted)).to).toBe(askingAt())
    expect(at.requested()).toMatchObject(Array(3).fill({ refused: 'redirect-mismatch' }))
  })

  it('is none at the page that asks, whoever has written its address', async () => {
    const at = await startLogout()
    const browser = await at.signIn()
    const addresses = spellings.map((post_logout_redirect_uri) => ({ post_logout_redirect_uri }))
    for (const parameters of [...addresses, { post_logout_redirect_uri: goodbye }]) {
      const client_id = parameters.post_logout_redirect_uri === goodbye ? undefined : 'wiki'
      const { page } = await at.openPage(askingAt({ client_id, ...parameters }), browser)
      expect(page.text).toContain(`action="${askingAt()}"`)
      const stranger = await at.ask(pathOf(askingAt({ client_id, ...parameters })))
      expect([stranger.status, leadsOnTo(stranger)]).toEqual([200, null])
    }
  })

  it('is none for an app on a device: only the port is free', async () => {
    const at = await startLogout()
    for (const address of [
      'http://127.0.0.1:49152/Bye',
      'http://localhost:49152/bye',
      'http://127.0.0.1:99999/bye',
      'http://127.0.0.1:49152@evil.example/bye',
      'com.example.chat:/bye?a',
      'com.example.chat://bye',
    ]) {
      const answer = await at.logout({ client_id: phone.id, post_logout_redirect_uri: address })
      expect([address, ledTo(answer).to]).toEqual([address, askingAt()])
    }
  })

  it.each([
    ['an unknown one', { client_id: 'nobody' }],
    ['a disabled one', { client_id: disabled.id }],
    ['none', {}],
    ['an empty one', { client_id: '' }],
    ['one that every object has', { client_id: 'constructor' }],
  ])('is none without a client, or with one that does not count: %s', async (_what, named) => {
    const at = await startLogout()
    const browser = await at.signIn()
    const wanted = { ...named, post_logout_redirect_uri: goodbye }
    await expectAskedOnly(at, browser, await at.logout(wanted, browser))
    expect(at.requested()).toMatchObject([{ clientId: null, refused: 'unknown-client' }])
  })
})

describe('a request that the user has not made', () => {
  it('signs nobody out by an image, a frame or a script, not even with an ID token', async () => {
    const at = await startLogout()
    const browser = await at.signIn()
    const { id_token } = await at.signInTo(wiki, browser)
    const elsewhere = ['cross-site', 'same-site'] as const
    const places = [
      { 'Sec-Fetch-Mode': 'no-cors', 'Sec-Fetch-Dest': 'image' },
      { 'Sec-Fetch-Mode': 'navigate', 'Sec-Fetch-Dest': 'iframe' },
      { 'Sec-Fetch-Mode': 'cors', 'Sec-Fetch-Dest': 'empty' },
      { 'Sec-Fetch-Mode': 'no-cors', 'Sec-Fetch-Dest': 'script' },
    ]
    for (const site of elsewhere)
      for (const place of places)
        for (const query of ['', `id_token_hint=${id_token}`]) {
          const headers = { ...place, 'Sec-Fetch-Site': site }
          expect(ledTo(await at.logout(query, browser, headers))).toMatchObject({ forgets: false })
        }
    expect(await at.isSignedIn(browser)).toBe(true)
  })

  it.each([
    ['Sec-Purpose', 'prefetch'],
    ['Sec-Purpose', 'prefetch;prerender'],
    ['Purpose', 'prefetch'],
  ])('signs nobody out before the link is followed: %s: %s', async (name, value) => {
    const at = await startLogout()
    const browser = await at.signIn()
    const ask = { id_token_hint: (await at.signInTo(wiki, browser)).id_token }
    const early = await at.logout(ask, browser, { ...byLink, [name]: value })
    expect([early.status, early.headers['cache-control']]).toEqual([503, 'no-store'])
    expect(await at.isSignedIn(browser)).toBe(true)
    await at.logout(ask, browser, byLink)
    expect(await at.isSignedIn(browser)).toBe(false)
  })

  it('signs nobody out by a link without an ID token, however often it is followed', async () => {
    const at = await startLogout()
    const browser = await at.signIn()
    for (const query of [
      '',
      'client_id=wiki',
      `client_id=wiki&post_logout_redirect_uri=${goodbye}`,
    ])
      expect(ledTo(await at.logout(query, browser)).forgets).toBe(false)
    expect(await at.isSignedIn(browser)).toBe(true)
    expect(at.host.events.filter(({ type }) => type === 'session.ended')).toEqual([])
  })

  it('signs nobody out by a form: of another site, without its token, of another browser', async () => {
    const at = await startLogout()
    const [browser, attacker] = [await at.signIn(), await at.signIn('u-bob')]
    const address = askingAt({ client_id: 'wiki', post_logout_redirect_uri: goodbye })
    const mine = await at.openPage(address, browser)
    const theirs = await at.openPage(address, attacker)
    const elsewhere = { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' }
    for (const choice of ['', 'everywhere']) {
      const refused = [
        await mine.submit({ choice }, elsewhere),
        await mine.submit({ choice, csrf: '' }),
        await mine.submit({ choice, csrf: theirs.csrf }),
        await mine.submit({ choice }, { Cookie: browser.Cookie }),
      ]
      for (const { status, text, headers } of refused) {
        expect([status, headers['set-cookie'] ?? '']).toEqual([
          403,
          expect.not.stringContaining('mar_session'),
        ])
        expect(text).not.toContain('http-equiv="refresh"')
      }
    }
    expect(await at.isSignedIn(browser)).toBe(true)
  })

  it('signs out no other account that has signed in meanwhile', async () => {
    const at = await startLogout()
    const [alice, bob] = [await at.signIn(), await at.signIn('u-bob')]
    const { Cookie, submit } = await at.openPage(askingAt(), alice)
    const swapped = Cookie.replace(alice.Cookie, bob.Cookie)
    const answer = await submit({ choice: 'everywhere' }, { Cookie: swapped })
    expect([answer.status, answer.text]).toEqual([403, expect.stringContaining('Bob B.')])
    expect([await at.isSignedIn(alice), await at.isSignedIn(bob)]).toEqual([true, true])
  })

  it('by POST changes nothing by itself, whatever the cookie', async () => {
    const at = await startLogout()
    const browser = await at.signIn()
    const { id_token } = await at.signInTo(wiki, browser)
    for (const headers of [byLink, ownPage, { 'Sec-Fetch-Site': 'same-site' }]) {
      const posted = await supertest(at.host.url)
        .post('/oauth/logout')
        .redirects(0)
        .set({ ...headers, Cookie: browser.Cookie })
        .type('form')
        .send({ id_token_hint: id_token })
      expect(ledTo(posted)).toMatchObject({ forgets: false })
    }
    expect(await at.isSignedIn(browser)).toBe(true)
  })
})

describe('a hint that is not of this session', () => {
  /** An ID token of alice for the wiki, and the claims of one that fits her browser. */
  async function start() {
    const at = await startLogout()
    const browser = await at.signIn()
    const { id_token, access_token } = await at.signInTo(wiki, browser)
    const [header = '', payload = '', signature = ''] = id_token.split('.')
    const sign = (claims: object) =>
      signer.signIdToken?.({ ...decoded(payload), ...claims }, { algorithm: 'ES256' })
    return { at, browser, id_token, access_token, header, payload, signature, sign }
  }

  /** With and without the client's name. */
  async function expectRefused(at: LogoutHost, browser: SignedInBrowser, hint: string) {
    for (const client_id of [undefined, 'wiki']) {
      const wanted = { id_token_hint: hint, client_id, post_logout_redirect_uri: goodbye }
      await expectAskedOnly(at, browser, await at.logout(wanted, browser))
    }
    const reasons = new Set(at.requested().map((event) => 'refused' in event && event.refused))
    expect([...reasons].every((one) => one === 'foreign-hint' || one === 'unknown-client')).toBe(
      true,
    )
  }

  it('none-signed', async () => {
    const { at, browser, header, payload, signature } = await start()
    const { kid } = decoded(header)
    for (const alg of ['none', 'None', 'NONE', ''])
      for (const end of ['', signature])
        await expectRefused(at, browser, `${encoded({ alg, typ: 'JWT', kid })}.${payload}.${end}`)
  })

  it('HS256-signed with the public key', async () => {
    const { at, browser, header, payload } = await start()
    const { kid } = decoded(header)
    const { d: _private, ...jwk } = signingKey as { d?: string }
    const key = createPublicKey({ key: jwk as never, format: 'jwk' })
    const secrets = [
      key.export({ type: 'spki', format: 'pem' }),
      key.export({ type: 'spki', format: 'der' }),
      JSON.stringify(jwk),
    ]
    for (const secret of secrets) {
      const signed = `${encoded({ alg: 'HS256', typ: 'JWT', kid })}.${payload}`
      const mac = createHmac('sha256', secret).update(signed).digest('base64url')
      await expectRefused(at, browser, `${signed}.${mac}`)
    }
  })

  it('an access token, a token of a login, or something that is no token', async () => {
    const { at, browser, access_token, header, payload, signature } = await start()
    const { body } = await supertest(at.host.url)
      .post('/login')
      .send({ username: 'alice', password })
    const { authToken } = body.data
    at.host.issued.add(authToken)
    for (const hint of [
      access_token,
      authToken,
      `${header}.${payload}.`,
      `${header}.${payload}`,
      `${header}.${encoded({ ...decoded(payload), sub: 'u-bob' })}.${signature}`,
      `${header}.${'A'.repeat(40)}.${signature}`,
      'x',
      '..',
      '{}',
    ])
      await expectRefused(at, browser, hint)
  })

  it('for other audiences, or for several', async () => {
    const { at, browser, sign } = await start()
    for (const aud of ['chat', 'nobody', disabled.id, ['wiki'], ['wiki', 'board'], '', null]) {
      const hint = (await sign({ aud } as object)) ?? ''
      await expectRefused(at, browser, hint)
    }
  })

  it('of another client: asked, and nothing of the request counts', async () => {
    const { at, browser } = await start()
    const { id_token } = await at.signInTo(board, browser)
    const wanted = { id_token_hint: id_token, client_id: 'wiki', post_logout_redirect_uri: goodbye }
    await expectAskedOnly(at, browser, await at.logout(wanted, browser))
    expect(at.requested().at(-1)).toMatchObject({ clientId: 'wiki', refused: 'foreign-hint' })
  })

  it('of another user, another browser, or the same one before: asked first', async () => {
    const { at, browser, id_token } = await start()
    const [bob, other, anew] = [await at.signIn('u-bob'), await at.signIn(), await at.signIn()]
    const counts = { client_id: 'wiki', post_logout_redirect_uri: goodbye }
    const parameters = { id_token_hint: id_token, post_logout_redirect_uri: goodbye }
    for (const one of [bob, other, anew]) {
      const answer = await at.logout(parameters, one)
      expect(ledTo(answer)).toEqual({ to: askingAt(counts), forgets: false })
      expect(await at.isSignedIn(one)).toBe(true)
    }
    expect(await at.isSignedIn(browser)).toBe(true)
  })

  it('with the sid of nobody, or of a session of another client or browser', async () => {
    const { at, browser, sign } = await start()
    const elsewhere = await at.signIn()
    const bob = await at.signIn('u-bob')
    const sids = await Promise.all(
      [
        at.signInTo(board, browser, 'openid offline_access'),
        at.signInTo(wiki, elsewhere, 'openid offline_access'),
        at.signInTo(wiki, bob, 'openid offline_access'),
        at.signInTo(board, browser),
      ].map(async (tokens) => decoded((await tokens).id_token.split('.')[1]).sid),
    )
    for (const sid of [...sids, undefined, null, '', 7, ['a'], 'constructor', 'x'.repeat(3000)]) {
      const hint = (await sign({ sid })) ?? ''
      const answer = await at.logout({ id_token_hint: hint }, browser)
      expect(ledTo(answer)).toEqual({ to: askingAt(), forgets: false })
    }
    expect(await at.isSignedIn(browser)).toBe(true)
    const right = (await sign({})) ?? ''
    expect(ledTo(await at.logout({ id_token_hint: right }, browser)).forgets).toBe(true)
  })

  it('of another user with the sid of this session', async () => {
    const { at, browser, sign } = await start()
    const hint = (await sign({ sub: 'u-bob' })) ?? ''
    expect(ledTo(await at.logout({ id_token_hint: hint }, browser)).forgets).toBe(false)
    expect(await at.isSignedIn(browser)).toBe(true)
  })
})

describe('a request with a fault', () => {
  const counts = { client_id: 'wiki', post_logout_redirect_uri: goodbye }
  const right = queryOf(counts)

  it.each([
    ['a state of 2,049 characters', queryOf({ ...counts, state: 's'.repeat(2049) })],
    ['a state with a line break', queryOf({ ...counts, state: 'a\r\nSet-Cookie: b=c' })],
    ['a state that is no ASCII', queryOf({ ...counts, state: 'ä' })],
    ['the client twice', `${right}&client_id=wiki`],
    ['two clients', `${right}&client_id=board`],
    ['the address twice', `${right}&post_logout_redirect_uri=${goodbye}`],
    ['two addresses', `${right}&post_logout_redirect_uri=https%3A%2F%2Fevil.example`],
    ['the state twice', `${right}&state=a&state=b`],
    ['the state twice, once empty', `${right}&state=a&state=`],
    ['an unknown parameter twice', `${right}&x=1&x=2`],
    ['bytes that are no UTF-8', `${right}&state=%ff`],
    ['half an escape', `${right}&state=%4`],
    ['8,193 characters', `${right}&x=${'a'.repeat(8193 - 3 - right.length)}`],
  ])('signs nobody out and leads nowhere: %s', async (_what, query) => {
    const at = await startLogout()
    const browser = await at.signIn()
    const { id_token } = await at.signInTo(wiki, browser)
    await expectAskedOnly(at, browser, await at.logout(query, browser))
    if (query.length < 3000) {
      const proven = await at.logout(`${query}&id_token_hint=${id_token}`, browser)
      await expectAskedOnly(at, browser, proven)
    }
    const posted = await supertest(at.host.url)
      .post('/oauth/logout')
      .redirects(0)
      .type('form')
      .send(query)
    if (query.length > 8192) expect(posted.status).toBe(413)
    else {
      const followed = await at.logout(ledTo(posted).to.slice(`${base}/oauth/logout?`.length))
      expect(ledTo(followed).to).toBe(askingAt())
    }
    for (const one of at.requested()) expect(one).toMatchObject({ refused: 'malformed' })
  })

  it('is none up to the bounds', async () => {
    const at = await startLogout()
    const state = 's'.repeat(2048)
    const { to } = ledTo(await at.logout({ ...counts, state }))
    expect(to).toBe(askingAt({ ...counts, state }))
    const full = `${right}&x=${'a'.repeat(8192 - 3 - right.length)}`
    expect(ledTo(await at.logout(full)).to).toBe(askingAt(counts))
  })

  it('with a hint of 64 KB is over unread, and at twice that length as well', async () => {
    const at = await startLogout({ server: { maxHeaderSize: 1024 * 1024 } })
    const browser = await at.signIn()
    for (const length of [64 * 1024, 128 * 1024]) {
      const hint = 'eyJhbGciOiJub25lIn0.'.repeat(length / 20)
      await expectAskedOnly(at, browser, await at.logout(`id_token_hint=${hint}`, browser))
    }
    const posted = await supertest(at.host.url)
      .post('/oauth/logout')
      .type('form')
      .send({ id_token_hint: 'a'.repeat(64 * 1024) })
    expect(posted.status).toBe(413)
    const judge = createJudgeLogout({
      clients: { find: async () => null, isFamiliar: () => true },
      throttle: { limitLookups: async () => null },
      signer: {},
      sessions: { findEver: async () => null },
    } as never)
    const payload = (length: number) => `a.${'W1tb'.repeat(length / 4)}.b`
    const steps = (length: number) => {
      const query = `id_token_hint=${payload(length)}`
      return stepsUntil(async () => judge(query, {} as never))
    }
    await steps(2000)
    expect(await steps(4000)).toBeLessThan(2.1 * (await steps(2000)))
    expect(await steps(4000)).toBeLessThan(50 * 4000)
    // Far beyond what is read at all.
    expect(await steps(128 * 1024)).toBeLessThan(5000)
  })

  it('counts invented clients, as everywhere, and still shows the way out', async () => {
    const find = async (): Promise<OAuthClient | null> => null
    const options = { throttle: { endpoints: { points: 5, duration: 60 } } }
    const at = await startLogout({ oauth: { clients: { find } }, options })
    const told: number[] = []
    for (let id = 0; id < 8; id += 1) {
      expect(ledTo(await at.logout({ client_id: `c${id}` })).to).toBe(askingAt())
      told.push(at.host.events.filter(({ type }) => type === 'login.throttled').length)
    }
    expect(told).toEqual([0, 0, 0, 0, 0, 1, 1, 1])
    expect((await at.ask('/oauth/sign-out')).status).toBe(200)
  })
})

describe('at once and without stores', () => {
  it('twenty requests end the session once, and all come back', async () => {
    const at = await startLogout()
    const browser = await at.signIn()
    const { id_token, access_token } = await at.signInTo(wiki, browser)
    const wanted = { id_token_hint: id_token, post_logout_redirect_uri: goodbye }
    const answers = await Promise.all(Array.from({ length: 20 }, () => at.logout(wanted, browser)))
    const counts = { client_id: 'wiki', post_logout_redirect_uri: goodbye }
    for (const answer of answers) expect([goodbye, askingAt(counts)]).toContain(ledTo(answer).to)
    const ended = at.host.events.filter(({ type }) => type === 'session.ended')
    expect(ended).toHaveLength(2)
    const { status } = await supertest(at.host.url).get('/oauth/userinfo').set(bearer(access_token))
    expect(status).toBe(401)
  })

  it('an outage signs nobody out falsely: 503, the cookie stays, and it works later', async () => {
    const at = await startLogout()
    const browser = await at.signIn()
    const { id_token } = await at.signInTo(wiki, browser)
    const { sessions } = at.host.stores
    for (const method of ['end', 'find'] as const) {
      const working = sessions[method]
      sessions[method] = async () => {
        throw new Error('gone')
      }
      const { status, headers } = await at.logout({ id_token_hint: id_token }, browser)
      expect([method, status, headers['set-cookie']]).toEqual([method, 503, undefined])
      expect(headers['content-type']).toContain('text/html')
      sessions[method] = working as never
    }
    expect(await at.isSignedIn(browser)).toBe(true)
    expect(at.requested()).toEqual([])
    expect(ledTo(await at.logout({ id_token_hint: id_token }, browser)).forgets).toBe(true)
  })
})
