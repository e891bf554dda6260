import { describe, expect, it, vi } from 'vitest'
import { AuthError } from '../../src/errors.js'
import { newSession } from '../../src/stores/new-records.js'
import { type Answered, afterAttack } from '../support/after-attack.js'
import { bearer, get, logIn, obtainCode, post } from '../support/client.js'
import { password } from '../support/host.js'
import { makeToken } from '../support/named-tokens.js'
import { cookieName, cookieOf, ownPage, pagesOrigin, signInByPage } from '../support/pages.js'
import { startBrowserSessions } from './browser-session-host.js'

const sameOrigin = { 'Sec-Fetch-Site': 'same-origin' }
const evil = 'https://evil.example'

describe('POST /auth/browser-session', () => {
  it.each<[string, Record<string, string>]>([
    ['of another site', { 'Sec-Fetch-Site': 'cross-site', Origin: evil }],
    [
      'that says it is of ours, by way of another site',
      { 'Sec-Fetch-Site': 'cross-site', Origin: pagesOrigin },
    ],
    ['of a neighbour', { 'Sec-Fetch-Site': 'same-site', Origin: 'https://blog.example.com' }],
    ['of nobody’s page', { 'Sec-Fetch-Site': 'none' }],
    ['of another origin, in an old browser', { Origin: evil }],
    ['of no origin that can be told', { Origin: 'null' }],
    ['of our host in the clear', { Origin: pagesOrigin.replace('https', 'http') }],
    ['that names no origin', {}],
  ])('is 403 to a page %s, with whatever token', async (_what, headers) => {
    const { host, ask, browsers } = await startBrowserSessions()
    const { authToken } = await logIn(host)
    const answer = await ask(authToken, headers)
    expect([answer.status, answer.body.error, cookieOf(answer)]).toEqual([403, 'forbidden', null])
    expect(await browsers()).toEqual([])
    await afterAttack(host, answer, [authToken])
  })

  it('lets no page of another origin even ask, whatever the option cors says', async () => {
    const { host } = await startBrowserSessions({ options: () => ({ cors: { origins: [evil] } }) })
    const headers = { Origin: evil, 'Access-Control-Request-Method': 'POST' }
    const url = `${host.url}/auth/browser-session`
    const answer = await fetch(url, { method: 'OPTIONS', headers })
    expect(answer.status).toBe(405)
    expect([...answer.headers.keys()].filter((name) => name.startsWith('access-'))).toEqual([])
  })

  it('makes no cookie of a cookie, nor of nothing', async () => {
    const { host, ask, browsers, isAlive } = await startBrowserSessions()
    const { Cookie, session, value } = await signInByPage(host)
    const answers = [
      await ask(null, ownPage),
      await ask(null, { ...ownPage, Cookie }),
      await ask(value, { ...ownPage, Cookie }),
    ]
    expect(answers.map((answer) => [answer.status, cookieOf(answer)])).toEqual(
      Array(3).fill([401, null]),
    )
    expect((await browsers()).map(({ id }) => id)).toEqual([session])
    expect(await isAlive(session)).toBe(true)
    await afterAttack(host, answers, [value])
  })

  it('is closed to bots, to apps and to codes of less than every scope', async () => {
    const { host, clock, kit, ask, browsers } = await startBrowserSessions()
    const { authToken } = await logIn(host)
    const tokens = [(await makeToken(host, authToken)).token]
    const at = (seconds: number) => new Date(clock().getTime() + seconds * 1000)
    for (const [kind, scope] of [
      ['oauth', '*'],
      ['oauth', 'openid'],
      ['login', 'messages:read'],
      ['telepathy', '*'],
    ] as const) {
      const session = newSession(at, { userId: 'u-alice', kind: kind as 'oauth', scope })
      await host.stores.sessions.create(session)
      tokens.push((await kit.accessTokens.issue(session, 600, clock())).token)
    }
    const answers: Answered[] = []
    for (const token of tokens) {
      host.issued.add(token)
      answers.push(await ask(token))
    }
    expect(answers.map(({ status }) => status)).toEqual(Array(5).fill(403))
    expect(await browsers()).toEqual([])
    await afterAttack(host, answers, tokens)
  })

  it('is closed to a session that still has to set up a second factor', async () => {
    const { host, ask, browsers } = await startBrowserSessions({
      options: () => ({ secondFactor: { policy: () => 'required' } }),
    })
    const { authToken } = await logIn(host)
    const answer = await ask(authToken)
    expect([answer.status, answer.body.error]).toEqual([403, 'second-factor-enrolment-required'])
    expect(await browsers()).toEqual([])
  })

  it.each([
    ['a form', 'application/x-www-form-urlencoded', 'a=b', 415],
    ['plain text', 'text/plain', '{}', 415],
    ['a list', 'application/json', '[]', 400],
  ])('takes no %s', async (_what, type, body, status) => {
    const { host, ask, browsers } = await startBrowserSessions()
    const { authToken } = await logIn(host)
    expect((await ask(authToken, { ...ownPage, 'Content-Type': type }, body)).status).toBe(status)
    expect(await browsers()).toEqual([])
  })

  it('is never fresher than the session that asks: what wants a fresh sign-in still does', async () => {
    const { host, clock, signInBrowser } = await startBrowserSessions({
      options: () => ({ pkce: { maxAge: false } }),
    })
    const { authToken } = await logIn(host)
    clock.advance(3600)
    const { body } = await post(host, '/auth/pkce/token', await obtainCode(host, authToken))
    const { session } = await signInBrowser(body.access_token)
    expect(clock().getTime() - (session?.authenticatedAt.getTime() ?? 0)).toBe(3_600_000)
  })

  it('wants a sign-in of the last ten minutes, but where the browser is signed in by it already', async () => {
    const { host, clock, ask, signInBrowser, browsers } = await startBrowserSessions()
    const { authToken } = await logIn(host)
    clock.advance(600)
    const { Cookie } = await signInBrowser(authToken)
    clock.advance(1)
    const refused = await ask(authToken)
    expect([refused.status, refused.body.error]).toEqual([403, 'reauthentication-required'])
    expect(refused.body.details).toEqual({ maxAge: 600 })
    expect(refused.headers['set-cookie']).toBeUndefined()
    expect((await ask(authToken, { ...ownPage, Cookie })).status).toBe(204)
    expect(await browsers()).toHaveLength(1)
  })

  it('leaves nobody in whom an attacker has put into the browser', async () => {
    const { host, signInBrowser, page, isAlive } = await startBrowserSessions()
    const { authToken } = await logIn(host)
    // Of the attacker's own account, and one of alice's that the attacker knows.
    for (const username of ['bob', 'alice']) {
      const planted = await signInByPage(host, { username })
      const { id, value, Cookie } = await signInBrowser(authToken, { Cookie: planted.Cookie })
      expect(value).not.toBe(planted.value)
      expect(id).not.toBe(planted.session)
      expect([await isAlive(planted.session), await page(planted.Cookie)]).toEqual([false, 401])
      expect(await page(Cookie)).toBe(200)
    }
  })

  it('ends no session for a cookie whose secret is wrong, and keeps none', async () => {
    const { host, signInBrowser, isAlive, ask } = await startBrowserSessions()
    const { authToken } = await logIn(host)
    const other = await signInByPage(host, { username: 'bob' })
    const mine = await signInBrowser(authToken)
    const forged = (value: string) => `${cookieName}=${value.slice(0, 23)}${'A'.repeat(43)}`
    expect((await signInBrowser(authToken, { Cookie: forged(other.value) })).id).not.toBe(
      other.session,
    )
    expect(await isAlive(other.session)).toBe(true)
    // Nor is the browser told that all is well where what it has is worth nothing.
    const answer = await ask(authToken, { ...sameOrigin, Cookie: forged(mine.value) })
    expect(cookieOf(answer)).not.toBeNull()
    expect(await isAlive(mine.id)).toBe(true)
  })

  it('ignores a cookie that is there twice', async () => {
    const { host, signInBrowser, isAlive } = await startBrowserSessions()
    const { authToken } = await logIn(host)
    const one = await signInByPage(host, { username: 'bob' })
    const two = await signInByPage(host)
    await signInBrowser(authToken, { Cookie: `${one.Cookie}; ${two.Cookie}` })
    expect([await isAlive(one.session), await isAlive(two.session)]).toEqual([true, true])
  })

  it('opens 60 sessions in a minute at most, of 100 that are asked for at once', async () => {
    const { host, clock, ask } = await startBrowserSessions({
      // With room for all of them: the session that asks is the oldest, and would make it.
      options: () => ({ maxSessionsPerUser: 200 }),
    })
    const { authToken } = await logIn(host)
    const asking = Array.from({ length: 100 }, () => ask(authToken))
    const answers = await Promise.all(asking)
    const refused = answers.filter(({ status }) => status === 429)
    expect(answers.filter(({ status }) => status === 204)).toHaveLength(60)
    expect(refused).toHaveLength(40)
    clock.advance(1)
    expect((await get(host, '/me', bearer(authToken))).status).toBe(200)
    await afterAttack(host, refused, [authToken])
  })
})

describe('a browser that is signed in while something ends', () => {
  const endings: [
    string,
    (context: Awaited<ReturnType<typeof startBrowserSessions>>) => unknown,
  ][] = [
    [
      'its web app',
      async ({ host }) => {
        const live = await host.stores.sessions.listForUser('u-alice', host.clock())
        for (const { id, kind } of live) if (kind === 'login') await host.auth.sessions.revoke(id)
      },
    ],
    ['every session of its user', ({ host }) => host.auth.sessions.revokeAllForUser('u-alice')],
    [
      'the account of its user',
      ({ users }) =>
        users.add({ id: 'u-alice', username: 'alice', passwordHash: 'x', disabled: true }),
    ],
  ]

  it.each(endings)('does not outlive it: %s', async (_what, end) => {
    let midway: () => unknown = () => {}
    const context = await startBrowserSessions({
      options: ({ sessions }) => ({
        sessions: {
          ...sessions,
          async create(session) {
            // Before the row is there: whatever ends sessions does not see it.
            if (session.kind === 'browser') await midway()
            await sessions.create(session)
          },
        },
      }),
    })
    const { host, ask, browsers } = context
    const { authToken } = await logIn(host)
    midway = () => end(context)
    const answer = await ask(authToken)
    expect([answer.status, cookieOf(answer)]).toEqual([401, null])
    expect(await browsers()).toEqual([])
  })

  it('is not signed in where its web app has been signed out in another process', async () => {
    const { host, ask, browsers } = await startBrowserSessions()
    const { authToken } = await logIn(host)
    expect((await ask(authToken)).status).toBe(204)
    await host.auth.sessions.revokeAllForUser('u-alice')
    // The endpoint's process goes by what it has read a moment ago.
    expect((await ask(authToken)).status).toBe(401)
    expect(await browsers()).toEqual([])
  })

  it('leaves no session behind where a look at it fails: 503', async () => {
    const { host, ask, browsers } = await startBrowserSessions({
      change: () => ({
        factorStands: () => Promise.reject(new AuthError('temporarily-unavailable')),
      }),
    })
    const { authToken } = await logIn(host)
    const answer = await ask(authToken)
    expect([answer.status, cookieOf(answer)]).toEqual([503, null])
    expect(await browsers()).toEqual([])
  })

  it('gets no session where the factor was changed meanwhile, or the host objects', async () => {
    const changed = await startBrowserSessions({
      change: () => ({ factorStands: async () => false }),
    })
    const { authToken } = await logIn(changed.host)
    const refused = await changed.ask(authToken)
    expect([refused.status, refused.body.error]).toEqual([401, 'totp-required'])
    expect(await changed.browsers()).toEqual([])

    const beforeLogin = vi.fn(({ door }) => (door === 'login' ? undefined : 'Not from here.'))
    const vetoed = await startBrowserSessions({ options: () => ({ beforeLogin }) })
    const answer = await vetoed.ask((await logIn(vetoed.host)).authToken)
    expect([answer.status, answer.body.message]).toEqual([403, 'Not from here.'])
    expect(await vetoed.browsers()).toEqual([])
    expect(vetoed.events).toContainEqual(expect.objectContaining({ type: 'request.refused' }))
    await afterAttack(changed.host, refused, [password])
  })
})
