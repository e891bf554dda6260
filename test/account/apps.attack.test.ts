// What the token of an app may do at the router's own endpoints, whichever they are: of the account
// nothing is read, nor managed.
import { describe, expect, it } from 'vitest'
import { generateSigningKey, joseSigner, type SessionRecord } from '../../src/index.js'
import { newSession } from '../../src/stores/new-records.js'
import { manualClock } from '../../src/testing/testing.js'
import { type Answered, afterAttack } from '../support/after-attack.js'
import { bearer, get, logIn, post } from '../support/client.js'
import { startHost, type TestHost } from '../support/host.js'
import { askRoute, mountedRoutes, signedOut } from '../support/mounted-routes.js'
import { pagesOrigin } from '../support/pages.js'

const key = await generateSigningKey()
const signingOut = ['GET /logout', 'POST /logout']
/** A ticket is worth what the token is: see the test of it. */
const ticket = 'POST /auth/socket-ticket'

/** A host with all that can be mounted, and a route of its own. */
async function start() {
  const clock = manualClock(new Date('2026-03-01T12:00:00Z'))
  const signer = joseSigner({
    issuer: 'https://chat.example.com',
    audience: 'chat',
    keys: [key],
    clock,
  })
  const host = await startHost({
    options: { namedTokens: true, pagesOrigin, signer, clock },
    after(app, auth) {
      app.get('/rooms', auth.requireAuth(), (_request, response) => void response.json({}))
      const fresh = auth.requireAuth({ maxAge: 60 })
      app.get('/e-mail', fresh, (_request, response) => void response.json({}))
    },
  })
  const at = (seconds: number) => new Date(clock().getTime() + seconds * 1000)

  /** The token of an app that alice has signed in to. */
  async function open(scope: string, change: Partial<SessionRecord> = {}) {
    const given = { userId: 'u-alice', kind: 'oauth', clientId: 'wiki', scope, ...change } as const
    const session = newSession(at, given)
    await host.stores.sessions.create(session)
    const [iat, exp] = [at(0), at(600)].map((moment) => Math.floor(moment.getTime() / 1000)) as [
      number,
      number,
    ]
    const token = await signer.sign({
      sub: 'u-alice',
      sid: session.id,
      iat,
      exp,
      jti: session.id,
      auth_time: iat - 5,
      amr: ['pwd'],
      scope,
      client_id: 'wiki',
    })
    host.issued.add(token)
    return { token, session }
  }
  const isAlive = async ({ id }: SessionRecord) =>
    (await host.stores.sessions.find(id))?.endedAt === null
  return { host, clock, open, isAlive }
}

/** What reads or changes something of the account: every route but these. */
async function routesOfAccount(host: TestHost): Promise<string[]> {
  const others = [...signedOut, ...signingOut, ticket]
  const routes = (await mountedRoutes(host)).filter((route) => !others.includes(route))
  expect(routes.length).toBeGreaterThan(12)
  expect(routes).toContain('GET /me')
  return routes
}

const status = async (host: TestHost, path: string, token: string) =>
  (await fetch(host.url.replace('/api/v1', path), { headers: bearer(token) })).status

describe('the token of an app with less than every scope', () => {
  it.each(['openid', 'messages:read', 'openid profile messages:read', ''])(
    'is 403 at every endpoint that is about the account: “%s”',
    async (scope) => {
      const { host, open, isAlive } = await start()
      const { token, session } = await open(scope)
      const { authToken } = await logIn(host)
      const before = await host.auth.sessions.list('u-alice')
      const answers: Answered[] = []
      for (const route of await routesOfAccount(host)) {
        host.events.length = 0
        const answer = await askRoute(host, route, token, before[0]?.id ?? '')
        expect([route, answer.status, JSON.parse(answer.text).error]).toEqual([
          route,
          403,
          'forbidden',
        ])
        expect(answer.text).not.toMatch(/alice/i)
        expect([route, host.events.map(({ type }) => type)]).toEqual([route, ['request.refused']])
        answers.push(answer)
      }
      expect(await host.auth.sessions.list('u-alice')).toEqual(before)
      expect(await isAlive(session)).toBe(true)
      expect((await get(host, '/me', bearer(authToken))).status).toBe(200)
      await afterAttack(host, answers, [token])
    },
  )

  it('is told at /me which scope is missing', async () => {
    const { host, open } = await start()
    const { token } = await open('openid')
    const { headers } = await get(host, '/me', bearer(token))
    expect(headers['www-authenticate']).toBe('Bearer error="insufficient_scope", scope="*"')
    const head = await fetch(`${host.url}/me`, { method: 'HEAD', headers: bearer(token) })
    expect(head.status).toBe(403)
  })

  it.each(signingOut)('may sign itself out, and nobody else: %s', async (route) => {
    const { host, open, isAlive } = await start()
    const { token, session } = await open('openid')
    const other = await open('openid')
    const { authToken } = await logIn(host)
    expect((await askRoute(host, route, token, '')).status).toBe(200)
    expect([await isAlive(session), await isAlive(other.session)]).toEqual([false, true])
    expect((await get(host, '/me', bearer(authToken))).status).toBe(200)
  })

  it('gets a ticket that is worth what itself is: it opens nothing that names no scope', async () => {
    const { host, open } = await start()
    const { token } = await open('messages:read')
    const upgrade = async (scope?: string) => {
      const { body } = await post(host, '/auth/socket-ticket', undefined, bearer(token))
      const protocols = `auth.ticket, ${body.data.ticket}`
      const headers = {
        host: 'chat',
        origin: 'https://chat',
        'sec-websocket-protocol': protocols,
      }
      const request = { url: '/socket', headers, socket: { remoteAddress: '::1' } } as never
      const options = scope === undefined ? {} : { scope }
      return host.auth.sockets.authenticate(request, options).then(
        (principal) => principal.scope,
        (error) => error.status,
      )
    }
    expect(await upgrade()).toBe(403)
    expect(await upgrade('messages:write')).toBe(403)
    expect(await upgrade('messages:read')).toEqual(['messages:read'])
  })
})

describe('the token of an app of the host’s own, with every scope', () => {
  it('is like that of a login at /me and at guards, a fresh sign-in among them', async () => {
    const { host, clock, open } = await start()
    const { token } = await open('*')
    expect((await get(host, '/me', bearer(token))).body).toMatchObject({ username: 'alice' })
    expect(await status(host, '/rooms', token)).toBe(200)
    expect(await status(host, '/e-mail', token)).toBe(200)
    clock.advance(90)
    expect(await status(host, '/rooms', token)).toBe(200)
    expect(await status(host, '/e-mail', token)).toBe(403)
  })

  it('manages no account: what it made would outlive the app', async () => {
    const { host, open } = await start()
    const { token } = await open('*')
    const answers: Answered[] = []
    for (const route of await routesOfAccount(host)) {
      if (route === 'GET /me') continue
      const answer = await askRoute(host, route, token, 'x')
      expect([route, answer.status]).toEqual([route, 403])
      answers.push(answer)
    }
    await afterAttack(host, answers, [token])
  })
})
