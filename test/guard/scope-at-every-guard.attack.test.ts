import express from 'express'
import { Passport } from 'passport'
import supertest from 'supertest'
import { describe, expect, it, onTestFinished } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { AuthError, type ScopeOptions, type TrackedSocket } from '../../src/index.js'
import { afterAttack } from '../support/after-attack.js'
import { bearer, get, logIn, pkcePair, post } from '../support/client.js'
import { startHost, type TestHost } from '../support/host.js'
import { TestSocket, upgrade } from '../support/pairs.js'
import { connectTo, next, refusalOf, startSocketIoHost } from '../support/socket-io.js'
import { replace } from '../support/two-factor.js'

/** What a guard says to a token: 200, or the status of its refusal. */
type Ask = (host: TestHost, token: string, options: ScopeOptions | undefined) => Promise<number>

const statusOf = (asked: Promise<unknown>) =>
  asked.then(
    () => 200,
    (error: unknown) => (error instanceof AuthError ? error.status : 500),
  )

/** A route of the host's, behind this guard. */
async function route(token: string, guard: unknown): Promise<number> {
  const app = express()
  app.get('/', guard as never, (_req, res) => void res.json({}))
  return (await supertest(app).get('/').set(bearer(token))).status
}

function byPassport(host: TestHost, options: ScopeOptions | undefined) {
  const passport = new Passport()
  passport.use(host.auth.passportStrategy(options) as never)
  return passport.authenticate('messaging-auth', { session: false })
}

async function ticketOf(host: TestHost, token: string): Promise<string> {
  const { body } = await post(host, '/auth/socket-ticket', undefined, bearer(token))
  return body.data.ticket
}

const closeSockets = (sockets: WebSocketServer) =>
  onTestFinished(() => {
    for (const client of sockets.clients) client.terminate()
  })

let paths = 0
async function byAttach(host: TestHost, token: string, options: ScopeOptions | undefined) {
  const sockets = new WebSocketServer({ noServer: true })
  closeSockets(sockets)
  paths += 1
  host.auth.sockets.attach(host.server, `/ws-${paths}`, sockets, options)
  const url = host.url.replace('http', 'ws').replace('/api/v1', `/ws-${paths}`)
  const client = new WebSocket(url, { headers: bearer(token) })
  onTestFinished(() => client.terminate())
  return new Promise<number>((resolve) => {
    client.on('error', () => resolve(500))
    client.on('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0))
    client.on('open', () => resolve(200))
  })
}

/** A socket that is open, and is renewed by the same token. */
async function byRenewal(host: TestHost, token: string, options: ScopeOptions | undefined) {
  const principal = await host.auth.authenticateToken(token, { scope: [] })
  const entry = { ...principal, expiresAt: new Date(0) }
  const tracked: TrackedSocket = host.auth.sockets.track(new TestSocket(), entry, options)
  return statusOf(tracked.renew(token))
}

/** Every way of the router to ask who somebody is, on behalf of the host. */
const guards: Readonly<Record<string, Ask>> = {
  'requireAuth()': (host, token, options) => route(token, host.auth.requireAuth(options)),
  'requireAuth({ optional: true })': (host, token, options) =>
    route(token, host.auth.requireAuth({ optional: true, ...options })),
  "requireAuth({ optional: 'lenient' })": (host, token, options) =>
    route(token, host.auth.requireAuth({ optional: 'lenient', ...options })),
  'requireAuth({ tokenFrom })': (host, token, options) =>
    route('', host.auth.requireAuth({ tokenFrom: () => token, ...options })),
  'passportStrategy()': (host, token, options) => route(token, byPassport(host, options)),
  'authenticate()': (host, token, options) =>
    statusOf(host.auth.authenticate(upgrade(bearer(token)), options)),
  'authenticateToken()': (host, token, options) =>
    statusOf(host.auth.authenticateToken(token, options)),
  'sockets.authenticate()': (host, token, options) =>
    statusOf(host.auth.sockets.authenticate(upgrade(bearer(token)), options)),
  'sockets.authenticate() with a ticket': async (host, token, options) => {
    const protocols = `auth.ticket, ${await ticketOf(host, token)}`
    const request = upgrade({ 'Sec-WebSocket-Protocol': protocols })
    return statusOf(host.auth.sockets.authenticate(request, options))
  },
  'sockets.attach()': byAttach,
  'renew()': byRenewal,
}
const ways = Object.entries(guards)

async function tokensOf(host: TestHost) {
  const make = async (scope: string) => {
    const { token } = await host.auth.namedTokens.create({ userId: 'u-alice', name: 'bot', scope })
    host.issued.add(token)
    return token
  }
  return { all: await make('*'), read: await make('rooms:read'), none: await make('none') }
}

describe('a guard', () => {
  it.each(ways)(
    'that names no scope lets in a bot with all of it alone: %s',
    async (_name, ask) => {
      const host = await startHost()
      const { all, read } = await tokensOf(host)
      // Cold and warm: the second time it is remembered.
      for (const _time of [1, 2]) {
        expect(await ask(host, all, undefined)).toBe(200)
        expect(await ask(host, read, undefined)).toBe(403)
      }
      expect(await ask(host, (await logIn(host)).authToken, undefined)).toBe(200)
      await afterAttack(host, [])
    },
  )

  it.each(ways)('asks for the scope that it names, and for none by []: %s', async (_name, ask) => {
    const host = await startHost()
    const { all, read, none } = await tokensOf(host)
    for (const scope of ['rooms:read', ['rooms:read']]) {
      expect(await ask(host, all, { scope })).toBe(200)
      expect(await ask(host, read, { scope })).toBe(200)
      expect(await ask(host, none, { scope })).toBe(403)
    }
    expect(await ask(host, read, { scope: ['rooms:read', 'rooms:write'] })).toBe(403)
    expect(await ask(host, none, { scope: [] })).toBe(200)
    expect(await ask(host, read, { scope: '*' })).toBe(403)
  })

  it.each(ways)('takes kinds that only a newer release knows for bots: %s', async (_name, ask) => {
    const host = await startHost()
    const { authToken: all } = await logIn(host)
    const { codeChallenge, codeVerifier } = pkcePair()
    const { authorizationCode } = await host.auth.issueAuthorizationCode({
      userId: 'u-alice',
      codeChallenge,
      scope: ['rooms:read'],
    })
    const exchange = await post(host, '/auth/pkce/token', { authorizationCode, codeVerifier })
    const read = exchange.body.access_token
    // Of a kind that is known, whoever has signed in: as it was before there were bots.
    expect(await ask(host, read, undefined)).toBe(200)
    const { find } = host.stores.sessions
    for (const kind of ['oauth', 'service', 'telepathy', 'hasOwnProperty']) {
      replace(host.stores.sessions, 'find', async (id: never) => {
        const session = await find(id)
        return session && { ...session, kind }
      })
      host.clock.advance(6)
      expect(await ask(host, all, undefined)).toBe(200)
      expect(await ask(host, read, undefined)).toBe(403)
      expect(await ask(host, read, { scope: 'rooms:read' })).toBe(200)
      expect(await ask(host, read, { scope: [] })).toBe(200)
    }
  })

  it('of Socket.IO asks for the scope as well', async () => {
    const host = await startSocketIoHost()
    const { all, read } = await tokensOf(host)
    host.io.use(host.auth.sockets.socketIo(host.io))
    host.io.of('/rooms').use(host.auth.sockets.socketIo(host.io, { scope: 'rooms:read' }))
    host.io.of('/any').use(host.auth.sockets.socketIo(undefined, { scope: [] }))
    const connected = (token: string, namespace: string) => {
      const client = connectTo(host, { auth: { token } }, namespace)
      return Promise.race([
        next(client, 'connect').then(() => 200),
        refusalOf(client).then(({ data }) => data?.status),
      ])
    }
    expect(await connected(read, '/')).toBe(403)
    expect(await connected(all, '/')).toBe(200)
    expect(await connected(read, '/rooms')).toBe(200)
    expect(await connected(read, '/any')).toBe(200)
  })

  it('says which scope was missing, by HTTP and by passport', async () => {
    const host = await startHost({
      after: (app, auth) => {
        app.get('/plain', auth.requireAuth(), (_req, res) => void res.json({}))
        app.get('/write', auth.requireAuth({ scope: ['a', 'b'] }), (_req, res) => void res.json({}))
        const passport = new Passport()
        passport.use(auth.passportStrategy() as never)
        // Passport itself sends a challenge with a 401 alone.
        app.get('/passport', (req, res, next) => {
          const answer = (_error: unknown, _user: unknown, challenge: string, status: number) =>
            void res.status(status).set('WWW-Authenticate', challenge).json({})
          passport.authenticate('messaging-auth', { session: false }, answer as never)(
            req,
            res,
            next,
          )
        })
      },
    })
    const { read } = await tokensOf(host)
    const bare = { ...host, url: host.url.replace('/api/v1', '') }
    const challenge = (scope: string) => `Bearer error="insufficient_scope", scope="${scope}"`
    const answers = await Promise.all(
      ['/plain', '/write', '/passport'].map((path) => get(bare, path, bearer(read))),
    )
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403])
    expect(answers.map(({ headers }) => headers['www-authenticate'])).toEqual([
      challenge('*'),
      challenge('a b'),
      challenge('*'),
    ])
    expect(answers[0]?.body).toMatchObject({ error: 'forbidden' })
  })

  it('does not start with a scope that is none', async () => {
    const { auth, server } = await startHost()
    const wrong = { scope: ['two words'] }
    const misspelt = { scopes: 'x' } as ScopeOptions
    for (const options of [wrong, misspelt]) {
      const error = { name: 'AuthConfigError' }
      expect(() => auth.requireAuth(options)).toThrow(expect.objectContaining(error))
      expect(() => auth.passportStrategy(options)).toThrow(expect.objectContaining(error))
      expect(() => auth.sockets.socketIo(undefined, options)).toThrow(
        expect.objectContaining(error),
      )
      const sockets = new WebSocketServer({ noServer: true })
      expect(() => auth.sockets.attach(server, '/ws', sockets, options)).toThrow(
        expect.objectContaining(error),
      )
      await expect(auth.authenticate(upgrade({}), options)).rejects.toMatchObject(error)
      await expect(auth.authenticateToken('x', options)).rejects.toMatchObject(error)
      await expect(auth.sockets.authenticate(upgrade({}), options)).rejects.toMatchObject(error)
    }
  })
})

describe('a guard that asks for a fresh sign-in', () => {
  it('takes no named token for one, however young it is', async () => {
    const host = await startHost({ options: { namedTokens: true } })
    const { authToken } = await logIn(host)
    const answered = await post(host, '/auth/access-tokens', { name: 'bot' }, bearer(authToken))
    const { token } = answered.body.data as { token: string }
    host.issued.add(token)
    const guard = host.auth.requireAuth({ maxAge: 600 })
    // Twice: the second time from memory.
    for (const _time of [1, 2]) {
      expect(await route(authToken, guard)).toBe(200)
      expect(await route(token, guard)).toBe(403)
    }
    expect(await route(token, host.auth.requireAuth())).toBe(200)
    await afterAttack(host, [])
  })
})
