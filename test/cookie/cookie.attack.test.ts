import { request as httpRequest } from 'node:http'
import { describe, expect, it } from 'vitest'
import { totpCode } from '../../src/testing/testing.js'
import { afterAttack } from '../support/after-attack.js'
import { bearer, get, logIn, obtainCode, post, remove } from '../support/client.js'
import { requests } from '../support/described.js'
import { password, type TestHost, totpSecret } from '../support/host.js'
import {
  cookieName,
  cookieOf,
  ownPage,
  pagesOrigin,
  send,
  signInByPage,
  startPages,
} from '../support/pages.js'

const endpoints = requests.map(({ route }) => {
  const [method = '', path = ''] = route.split(' ')
  return { method, path }
})

/** What the page answers to cookies that are sent as several headers, byte by byte. */
function rawPage(host: TestHost, cookies: string[], path = '/page'): Promise<number> {
  const url = host.url.replace('/api/v1', path)
  return new Promise((resolve, reject) => {
    httpRequest(url, { headers: { Cookie: cookies } }, (response) => {
      response.resume()
      resolve(response.statusCode ?? 0)
    })
      .on('error', reject)
      .end()
  })
}

describe('the cookie of a page', () => {
  it('is taken by none of the router’s own endpoints: each answers as it does without', async () => {
    const host = await startPages()
    const { Cookie, session } = await signInByPage(host)
    expect(endpoints.length).toBeGreaterThan(12)
    for (const { method, path } of endpoints) {
      const url = `/api/v1${path.replace(':id', session)}`
      const body = method === 'POST' ? {} : undefined
      const [without, withIt] = [
        await send(host, method, url, ownPage, body),
        await send(host, method, url, { ...ownPage, Cookie }, body),
      ]
      expect([url, withIt.status, withIt.body]).toEqual([url, without.status, without.body])
      expect(withIt.headers['set-cookie']).toBeUndefined()
    }
    expect((await send(host, 'GET', '/page', { Cookie })).status).toBe(200)
  })

  it('is no token: as a header, in a body or at the doors of the others it is nothing', async () => {
    const host = await startPages({
      after: (app, auth) =>
        app.get(
          '/tokens',
          auth.requireAuth({ tokenFrom: ({ headers }) => headers['x-t'] as string }),
        ),
    })
    const { value, Cookie } = await signInByPage(host)
    const answers = [
      await get(host, '/me', bearer(value)),
      await get(host, '/me', { 'X-Auth-Token': value, 'X-User-Id': 'u-alice' }),
      await post(host, '/logout', undefined, bearer(value)),
      await send(host, 'GET', '/api', bearer(value)),
      await send(host, 'GET', '/either', bearer(value)),
      await send(host, 'GET', '/tokens', { 'X-T': value }),
      await get(host, '/me', bearer(`mar_pat_${value}`)),
    ]
    expect(answers.map(({ status }) => status)).toEqual(Array(7).fill(401))
    const refreshed = await post(host, '/auth/refresh', { refreshToken: value })
    const exchanged = await post(host, '/auth/pkce/token', {
      authorizationCode: value,
      codeVerifier: 'v'.repeat(43),
    })
    expect([refreshed.status, exchanged.status]).toEqual([400, 400])
    expect(await host.auth.sessions.revokeByToken(value)).toBe(false)
    await expect(host.auth.authenticateToken(value)).rejects.toMatchObject({ status: 401 })
    expect((await send(host, 'GET', '/page', { Cookie })).status).toBe(200)
    await afterAttack(host, answers, [value])
  })

  it('is nothing that a token can be made into', async () => {
    const host = await startPages()
    const { authToken } = await logIn(host)
    const { body } = await post(host, '/auth/pkce/token', await obtainCode(host, authToken))
    const pair = await host.auth.signIn(
      { headers: {}, rawHeaders: [], socket: {} } as never,
      { username: 'alice', password },
      { tokens: 'refreshable' },
    )
    const tokens = [authToken, body.access_token, body.refresh_token, pair.token, pair.refreshToken]
    const secrets = tokens.map((token) => token as string)
    for (const token of secrets) host.issued.add(token)
    const answers = []
    for (const token of [...secrets, `mar_pat_${'a'.repeat(22)}.${'b'.repeat(43)}`])
      answers.push(await send(host, 'GET', '/page', { Cookie: `${cookieName}=${token}` }))
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(401))
    expect(answers.map(({ headers }) => headers['set-cookie'])).toEqual(Array(6).fill(undefined))
    await afterAttack(host, answers, secrets)
  })

  it('is of its own session alone, and a wrong one is not even noted as use of it', async () => {
    const host = await startPages()
    const mine = await signInByPage(host)
    host.users.add({
      ...(await host.users.findById('u-alice')),
      id: 'u-eve',
      username: 'eve',
    } as never)
    const other = await signInByPage(host, { username: 'eve' })
    const { authToken } = await logIn(host)
    const login = (await host.stores.sessions.listForUser('u-alice', host.clock())).find(
      ({ kind }) => kind === 'login',
    )
    const before = await host.stores.sessions.find(mine.session)
    host.clock.advance(120)
    const secret = (value: string) => value.split('.')[1]
    const forged = [
      `${mine.session}.${secret(other.value)}`,
      `${mine.session}.${'A'.repeat(43)}`,
      `${mine.session}.`,
      mine.session,
      `${login?.id}.${secret(mine.value)}`,
      `${mine.value}=`,
      ` ${mine.value}x`,
      `"${mine.value}"`,
      encodeURIComponent(mine.value).replace('.', '%2E'),
      mine.value.toUpperCase(),
      'x'.repeat(8000),
    ]
    const answers = []
    for (const value of forged)
      answers.push(await send(host, 'GET', '/page', { Cookie: `${cookieName}=${value}` }))
    expect(answers.map(({ status }) => status)).toEqual(forged.map(() => 401))
    expect(await host.stores.sessions.find(mine.session)).toEqual(before)
    expect((await get(host, '/me', bearer(authToken))).status).toBe(200)
    expect((await send(host, 'GET', '/page', { Cookie: mine.Cookie })).status).toBe(200)
    await afterAttack(host, answers, [mine.value, other.value])
  })

  it('is none where its name comes twice, whoever planted the other', async () => {
    const host = await startPages()
    const { Cookie, value } = await signInByPage(host)
    const eve = `${cookieName}=${'e'.repeat(22)}.${'e'.repeat(43)}`
    for (const cookies of [
      [`${Cookie}; ${eve}`],
      [`${eve}; ${Cookie}`],
      [`${Cookie}; ${Cookie}`],
      [`${Cookie};${Cookie}`],
      [`${Cookie}; \t ${cookieName}=`],
      [`${cookieName}=; ${Cookie}`],
      [Cookie, eve],
      [Cookie, Cookie],
    ])
      expect([
        cookies,
        await rawPage(host, cookies),
        // A stranger, and nobody whose credentials are wrong.
        await rawPage(host, cookies, '/optional'),
      ]).toEqual([cookies, 401, 200])
    const signedOut = await send(host, 'POST', '/sign-out', {
      ...ownPage,
      Cookie: `${Cookie}; ${eve}`,
    })
    expect(signedOut.body).toEqual({ ended: false })
    expect(await rawPage(host, [Cookie])).toBe(200)
    await afterAttack(host, [], [value])
  })

  it('is found by its very name, among any others, and by nothing that looks like it', async () => {
    const host = await startPages()
    const { Cookie, value } = await signInByPage(host)
    for (const good of [
      `a=b; ${Cookie}`,
      `${Cookie}; c=d`,
      `a=b;\t${Cookie};c=d`,
      `x${Cookie}; ${Cookie}`,
      `=${Cookie}; ; ;${Cookie}`,
      `a=${Cookie}; ${Cookie}`,
      `${cookieName}; ${Cookie}`,
      // A browser that knows no prefixes sends what was planted; it is no cookie of ours.
      `\u00a0${cookieName}=e; ${Cookie}`,
      `\u2000${cookieName}=e; ${Cookie}`.replace('\u2000', '\u00e2\u0080\u0080'),
      `${cookieName} =e; ${Cookie}`,
      `${cookieName.toLowerCase()}=e; ${Cookie}`,
    ])
      expect([good, await rawPage(host, [good])]).toEqual([good, 200])
    for (const bad of [
      `\u00a0${Cookie}`,
      `\u00e2\u0080\u0080${Cookie}`,
      `x${Cookie}`,
      `=${Cookie}`,
      Cookie.toLowerCase(),
      Cookie.replace('=', ' ='),
      Cookie.replace('__Host-Http-', '__Host-'),
      Cookie.replace('__Host-Http-', ''),
      Cookie.replace(cookieName, 'mar_session_dev'),
      Cookie.replace('; ', ','),
    ].filter((text) => text !== Cookie))
      expect([bad, await rawPage(host, [bad])]).toEqual([bad, 401])
    await afterAttack(host, [], [value])
  })

  it('is not looked for in more than 16,384 characters', async () => {
    const host = await startPages({ server: { maxHeaderSize: 4_000_000 } })
    const { Cookie } = await signInByPage(host)
    const filler = (length: number) => `${Cookie}; ${'a=b; '.repeat(length)}`.slice(0, length)
    expect(await rawPage(host, [filler(16_384)])).toBe(200)
    expect(await rawPage(host, [filler(16_385)])).toBe(401)
    expect(await rawPage(host, [filler(3_000_000)])).toBe(401)
  })

  it('is not found on a polluted prototype', async () => {
    const host = await startPages()
    const { Cookie, value } = await signInByPage(host)
    const pollution = { cookie: Cookie, 'sec-fetch-site': 'same-origin', origin: pagesOrigin }
    Object.assign(Object.prototype, pollution)
    try {
      expect((await send(host, 'GET', '/page')).status).toBe(401)
      expect((await send(host, 'POST', '/page', { Cookie })).status).toBe(403)
    } finally {
      for (const name of Object.keys(pollution)) delete (Object.prototype as never)[name]
    }
    await afterAttack(host, [], [value])
  })

  it('that a stranger had planted is not taken over by signing in', async () => {
    const host = await startPages()
    const planted = `${'e'.repeat(22)}.${'e'.repeat(43)}`
    const eve = await signInByPage(host)
    for (const Cookie of [`${cookieName}=${planted}`, eve.Cookie]) {
      const { value } = await signInByPage(host, {}, { Cookie })
      expect([planted, eve.value]).not.toContain(value)
      expect((await send(host, 'GET', '/page', { Cookie })).status).toBe(401)
    }
  })
})

describe('50 at once', () => {
  it('of one browser that signs out end its session once', async () => {
    const host = await startPages()
    const { Cookie, session } = await signInByPage(host)
    const out = await Promise.all(
      Array.from({ length: 50 }, () => send(host, 'POST', '/sign-out', { ...ownPage, Cookie })),
    )
    expect(out.map(({ status }) => status)).toEqual(Array(50).fill(200))
    expect(out.filter(({ body }) => body.ended)).toHaveLength(1)
    const ends = host.events.filter(
      (event) => event.type === 'session.ended' && event.sessionId === session,
    )
    expect(ends).toHaveLength(1)
    await afterAttack(host, [], [Cookie])
  })

  it('of one browser that signs in each get a secret of their own, and end what was before', async () => {
    // On a busy machine, too, all of them come in: those that wait for their turn count as tries.
    const often = { points: 1000, duration: 60 }
    const throttle = { account: often, knownNetwork: often, network: often, unknownNetworks: often }
    const host = await startPages({ options: { maxPasswordWait: 30, throttle } })
    const { Cookie } = await signInByPage(host)
    const all = await Promise.all(
      Array.from({ length: 50 }, () => signInByPage(host, {}, { Cookie })),
    )
    expect(new Set(all.map(({ value }) => value)).size).toBe(50)
    expect((await send(host, 'GET', '/page', { Cookie })).status).toBe(401)
  })
})

describe('an outage', () => {
  const down = () => Promise.reject(new Error('down'))

  it('while signing out is 503, and the browser stays signed in, cookie and all', async () => {
    const host = await startPages()
    const { Cookie } = await signInByPage(host)
    const { end, find } = host.stores.sessions
    for (const broken of [{ end: down }, { find: down }]) {
      Object.assign(host.stores.sessions, broken)
      const out = await send(host, 'POST', '/sign-out', { ...ownPage, Cookie })
      expect([out.status, out.body.error, cookieOf(out)]).toEqual([
        503,
        'temporarily-unavailable',
        null,
      ])
      Object.assign(host.stores.sessions, { end, find })
    }
    expect((await send(host, 'GET', '/page', { Cookie })).status).toBe(200)
    expect((await send(host, 'POST', '/sign-out', { ...ownPage, Cookie })).body.ended).toBe(true)
  })

  it('of the store is 503 at a page, never 401, and no cookie is taken away', async () => {
    const host = await startPages()
    const { Cookie } = await signInByPage(host)
    host.clock.advance(6)
    host.stores.sessions.find = down
    for (const path of ['/page', '/either', '/optional', '/lenient']) {
      const answer = await send(host, 'GET', path, { Cookie })
      expect([path, answer.status, cookieOf(answer)]).toEqual([path, 503, null])
    }
  })

  it('while the earlier session is ended leaves the browser as it was, and no session behind', async () => {
    const host = await startPages()
    const { Cookie, session } = await signInByPage(host)
    const { end } = host.stores.sessions
    host.stores.sessions.end = (id, ...rest) => (id === session ? down() : end(id, ...rest))
    const again = { username: 'alice', password }
    const refused = await send(host, 'POST', '/sign-in', { ...ownPage, Cookie }, again)
    expect([refused.status, cookieOf(refused)]).toEqual([503, null])
    const left = await host.stores.sessions.listForUser('u-alice', host.clock())
    expect(left.map(({ id }) => id)).toEqual([session])
    expect((await send(host, 'GET', '/page', { Cookie })).status).toBe(200)
  })

  it('while the session is stored sets no cookie', async () => {
    const host = await startPages()
    host.stores.sessions.create = down
    const refused = await send(host, 'POST', '/sign-in', ownPage, { username: 'alice', password })
    expect([refused.status, cookieOf(refused)]).toEqual([503, null])
  })

  it('of a store that drops the secret opens nobody’s session', async () => {
    const host = await startPages()
    const { create } = host.stores.sessions
    host.stores.sessions.create = ({ secretHash: _dropped, ...session }) => create(session)
    const refused = await send(host, 'POST', '/sign-in', ownPage, { username: 'alice', password })
    expect([refused.status, cookieOf(refused)]).toEqual([500, null])
    expect(host.unforeseen).toEqual([expect.objectContaining({ option: 'sessions' })])
  })
})

describe('the one sign-in decision', () => {
  it('holds for the form of a page: limits, events and refusals are those of POST /login', async () => {
    const byPage = await startPages()
    const byApi = await startPages()
    for (const body of [
      { username: 'alice', password: 'wrong' },
      { username: 'nobody', password: 'wrong' },
      { username: 'alice' },
      { username: 'alice', email: 'alice@example.com', password },
      { username: 'alice', password: 'x'.repeat(9000) },
      ...Array(6).fill({ username: 'alice', password: 'wrong' }),
    ]) {
      const page = await send(byPage, 'POST', '/sign-in', ownPage, body)
      const api = await post(byApi, '/login', body)
      expect([page.status, page.body.error, cookieOf(page)]).toEqual([
        api.status,
        api.body.error,
        null,
      ])
    }
    const told = (host: TestHost) => host.events.map(({ type }) => type)
    expect(told(byPage)).toEqual(told(byApi))
    expect(told(byPage)).toContain('login.throttled')
  })

  it('asks for the second factor, takes it from the form, and says where one must be set up', async () => {
    const host = await startPages({
      options: {
        secondFactor: () => 'required',
      },
    })
    const { response, Cookie } = await signInByPage(host)
    expect(response.body.enrolmentRequired).toBe(true)
    const page = await send(host, 'GET', '/page', { Cookie })
    expect([page.status, page.body.error]).toEqual([403, 'second-factor-enrolment-required'])

    await host.auth.secondFactors.importTotp({ userId: 'u-alice', secret: totpSecret })
    const form = { username: 'alice', password }
    const asked = await send(host, 'POST', '/sign-in', ownPage, form)
    expect([asked.status, asked.body.error, cookieOf(asked)]).toEqual([401, 'totp-required', null])
    const wrong = await send(host, 'POST', '/sign-in', ownPage, { ...form, code: '000000' })
    expect([wrong.status, wrong.body.error, cookieOf(wrong)]).toEqual([401, 'totp-invalid', null])
    const shown = await signInByPage(host, { code: totpCode(totpSecret, host.clock()) })
    expect(shown.response.body).not.toHaveProperty('enrolmentRequired')
    expect((await send(host, 'GET', '/page', { Cookie: shown.Cookie })).status).toBe(200)
  })

  it('refuses whom the host refuses, and lets nobody keep a page who was disabled', async () => {
    const host = await startPages({
      options: { beforeLogin: ({ door }) => (door === 'host' ? 'Not today.' : undefined) },
    })
    const vetoed = await send(host, 'POST', '/open', ownPage, { userId: 'u-alice' })
    expect([vetoed.status, cookieOf(vetoed)]).toEqual([403, null])
    const { Cookie } = await signInByPage(host)
    host.users.add({ ...(await host.users.findById('u-alice')), disabled: true } as never)
    host.clock.advance(6)
    expect((await send(host, 'GET', '/page', { Cookie })).status).toBe(401)
    const again = await send(host, 'POST', '/sign-in', ownPage, { username: 'alice', password })
    expect([again.status, cookieOf(again)]).toEqual([401, null])
  })
})

describe('an answer that has begun', () => {
  it('gets no session whose cookie nobody would have', async () => {
    const host = await startPages({
      after: (app, auth) => {
        app.post('/late', (request, response, next) => {
          response.flushHeaders()
          auth.cookie
            .open(request, response, { userId: 'u-alice' })
            .then(
              () => response.end('signed in'),
              (error) => response.end(error.option),
            )
            .catch(next)
        })
        app.post('/timeout', (request, response) => {
          const opening = auth.cookie.open(request, response, { userId: 'u-alice' })
          response.flushHeaders()
          opening.then(
            () => response.end('signed in'),
            (error) => response.end(error.code),
          )
        })
      },
    })
    expect((await send(host, 'POST', '/late', ownPage)).text).toBe('cookie.open()')
    expect((await send(host, 'POST', '/timeout', ownPage)).text).toBe('ERR_HTTP_HEADERS_SENT')
    expect(await host.stores.sessions.listForUser('u-alice', host.clock())).toEqual([])
  })
})

describe('without pagesOrigin', () => {
  it('no route sets a cookie, whoever asks and how', async () => {
    const host = await startPages({ withoutPages: true })
    const { authToken } = await logIn(host)
    const cookies = { Cookie: `${cookieName}=x; mar_session_dev=x` }
    const token = bearer(authToken)
    const ways = [{}, cookies, token, { ...token, ...cookies }]
    const bodyOf = (method: string) =>
      method === 'GET' ? undefined : { username: 'alice', password }
    for (const { method, path } of endpoints)
      for (const headers of ways) {
        const url = `/api/v1${path.replace(':id', 'none')}`
        const answer = await send(host, method, url, { ...ownPage, ...headers }, bodyOf(method))
        expect([method, path, answer.headers['set-cookie']]).toEqual([method, path, undefined])
      }
    expect((await remove(host, '/auth/sessions')).headers['set-cookie']).toBeUndefined()
  })

  it.each(['/sign-in', '/open', '/sign-out', '/asked'])(
    'what needs it is refused by name, and sets none: %s',
    async (path) => {
      const host = await startPages({
        withoutPages: true,
        after: (app, auth) =>
          app.post('/asked', (request, _response, next) => {
            auth.authenticate(request, { from: 'either' }).catch(next)
          }),
      })
      const body = { username: 'alice', password, userId: 'u-alice' }
      const answer = await send(host, 'POST', path, ownPage, body)
      expect([answer.status, answer.headers['set-cookie']]).toEqual([500, undefined])
      expect(host.unforeseen).toEqual([
        expect.objectContaining({ name: 'AuthConfigError', option: 'pagesOrigin' }),
      ])
    },
  )

  it.each(['cookie', 'either'] as const)('no guard takes %s', async (from) => {
    const host = await startPages({ withoutPages: true })
    expect(() => host.auth.requireAuth({ from })).toThrowError(
      expect.objectContaining({
        option: 'pagesOrigin',
        problem: `is not set, and requireAuth({ from: '${from}' }) needs it.`,
      }),
    )
  })
})
