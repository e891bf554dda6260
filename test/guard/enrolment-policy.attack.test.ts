import { once } from 'node:events'
import supertest from 'supertest'
import { describe, expect, it } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import type { AuthRouterOptions } from '../../src/index.js'
import { bearer, get, logIn, obtainCode, pkcePair, post } from '../support/client.js'
import {
  type HostSettings,
  password,
  passwordHash,
  startHost,
  type TestHost,
} from '../support/host.js'
import {
  attempt,
  begin,
  change,
  codeOf,
  confirm,
  disabling,
  expectAnswer,
  expectNoSecrets,
  expectUnharmed,
  methodsOf,
  noon,
  regeneration,
  replace,
  totp,
} from '../support/two-factor.js'

const refusal = 'second-factor-enrolment-required'

/**
 * A host that demands a second factor of everybody, as long as `policy.answer` says so, with a
 * route and sockets of its own.
 */
async function demanding(settings: HostSettings = {}, answer: unknown = 'required') {
  const policy = { answer, ask: (): unknown => policy.answer }
  const options: Partial<AuthRouterOptions> = {
    secondFactor: () => policy.ask() as 'required',
    ...settings.options,
  }
  const host = await startHost({
    now: noon,
    ...settings,
    options,
    after: (app, auth) => {
      app.get(
        '/rooms',
        auth.requireAuth(),
        (request, response) => void response.json({ rooms: [], for: request.auth.userId }),
      )
      app.get('/open', auth.requireAuth({ optional: true }), (request, response) => {
        response.json({ known: request.auth !== undefined })
      })
    },
  })
  const sockets = new WebSocketServer({ noServer: true })
  host.server.on('upgrade', (request, connection, head) => {
    host.auth.sockets.authenticate(request).then(
      (principal) =>
        sockets.handleUpgrade(
          request,
          connection,
          head,
          (socket) => void host.auth.sockets.track(socket, principal),
        ),
      (error: unknown) => host.auth.sockets.refuse(connection, error),
    )
  })
  return { host, policy }
}

/** The status that opening a socket is answered with; 101 when it is open. */
async function openSocket(
  host: TestHost,
  headers: Record<string, string>,
  protocols: string[] = [],
) {
  const socket = new WebSocket(host.url.replace('http', 'ws'), protocols, { headers })
  const opened = once(socket, 'open').then(() => 101)
  const refused = new Promise<number>((resolve) =>
    socket.once('unexpected-response', (_request, response) =>
      resolve(response.resume().statusCode ?? 0),
    ),
  )
  opened.catch(() => {})
  const status = await Promise.race([opened, refused])
  return { socket, status }
}

const rooms = (host: TestHost, token: string) =>
  get({ ...host, url: host.url.replace('/api/v1', '') }, '/rooms', bearer(token))
const optional = (host: TestHost, token: string) =>
  get({ ...host, url: host.url.replace('/api/v1', '') }, '/open', bearer(token))

/** Everything a signed-in client can ask for, but what enrolling takes. */
const everythingElse: [
  string,
  (host: TestHost, token: string) => PromiseLike<{ status: number }>,
][] = [
  ['GET /me', (host, token) => get(host, '/me', bearer(token))],
  ['GET /auth/sessions', (host, token) => get(host, '/auth/sessions', bearer(token))],
  [
    'POST /auth/pkce/authorize',
    (host, token) => post(host, '/auth/pkce/authorize', pkcePair(), bearer(token)),
  ],
  [
    'POST /auth/socket-ticket',
    (host, token) => post(host, '/auth/socket-ticket', {}, bearer(token)),
  ],
  ['a route of the host’s', rooms],
  ['a route of the host’s that strangers may use', optional],
  [
    'the same by X-Auth-Token',
    (host, token) => get(host, '/me', { 'X-User-Id': 'u-alice', 'X-Auth-Token': token }),
  ],
]

async function expectRestricted(host: TestHost, token: string): Promise<void> {
  for (const [what, ask] of everythingElse) {
    const response = (await ask(host, token)) as Awaited<ReturnType<typeof get>>
    expect([what, response.status]).toEqual([what, 403])
    expectAnswer(response, 403, refusal)
  }
  for (const path of [disabling, regeneration])
    expectAnswer(await change(host, path, token, '123456'), 403, refusal)
  expect((await openSocket(host, bearer(token))).status).toBe(403)
  const request = { headers: { authorization: `Bearer ${token}` }, socket: {} }
  await expect(host.auth.authenticate(request as never)).rejects.toMatchObject({
    status: 403,
    code: refusal,
  })
}

async function expectFree(host: TestHost, token: string): Promise<void> {
  for (const [what, ask] of everythingElse)
    expect([what, (await ask(host, token)).status]).toEqual([what, 200])
  const { socket, status } = await openSocket(host, bearer(token))
  expect(status).toBe(101)
  socket.terminate()
}

describe('a user who must have a second factor and has none', () => {
  it('is told so at the login, and may set it up and log out, and nothing else', async () => {
    const { host } = await demanding()
    const login = await attempt(host)
    expectAnswer(login, 200)
    const { authToken: token, me } = login.body.data
    expect(login.body).toEqual({
      status: 'success',
      data: {
        userId: 'u-alice',
        authToken: token,
        me,
        enrolmentRequired: true,
        required: ['enrol'],
      },
    })
    await expectRestricted(host, token)
    expectAnswer(await get(host, totp, bearer(token)), 200)
    const secret = await begin(host, token)
    await expectRestricted(host, token)
    expectAnswer(await post(host, '/logout', undefined, bearer(token)), 200)
    expectAnswer(await get(host, totp, bearer(token)), 401, 'Unauthorized')
    expectNoSecrets(host, secret)
    expect((await attempt(host)).body.data.enrolmentRequired).toBe(true)
  })

  it('cannot end other sessions either, or one of them', async () => {
    const { host } = await demanding()
    const { authToken } = await logIn(host)
    const [session] = await host.stores.sessions.listForUser('u-alice', host.clock())
    for (const path of ['/auth/sessions', `/auth/sessions/${session?.id}`]) {
      expectAnswer(await supertest(host.url).delete(path).set(bearer(authToken)), 403, refusal)
    }
  })

  it('may do everything at once after the first code, and is asked for one at the next login', async () => {
    const { host } = await demanding()
    const { authToken: token } = await logIn(host)
    await expectRestricted(host, token)
    const secret = await begin(host, token)
    await confirm(host, token, secret)
    await expectFree(host, token)
    host.clock.advance(30)
    const login = await attempt(host, codeOf(host, secret))
    expectAnswer(login, 200)
    expect(login.body.data).not.toHaveProperty('enrolmentRequired')
    await expectFree(host, login.body.data.authToken)
  })

  it('may do so in another process as well, which has just read the session as it was', async () => {
    const { host, policy } = await demanding()
    const other = await demanding({
      options: {
        ...host.stores,
        users: host.users,
        secondFactor: () => policy.ask() as 'required',
      },
    })
    const { authToken: token } = await logIn(host)
    await expectRestricted(other.host, token)
    await confirm(host, token, await begin(host, token))
    await expectFree(other.host, token)
    await expectFree(host, token)
  })

  it('is restricted again after switching it off: at once here, within 5 seconds elsewhere', async () => {
    const { host, policy } = await demanding()
    const other = await demanding({
      options: {
        ...host.stores,
        users: host.users,
        secondFactor: () => policy.ask() as 'required',
      },
    })
    const { authToken: token } = await logIn(host)
    const secret = await begin(host, token)
    await confirm(host, token, secret)
    await expectFree(other.host, token)
    host.clock.advance(30)
    const ticket = (await post(host, '/auth/socket-ticket', {}, bearer(token))).body.data
      .ticket as string
    expectAnswer(await change(host, disabling, token, codeOf(host, secret)), 200)
    await expectRestricted(host, token)
    expect(await methodsOf(host.stores.sessions, host.clock())).toEqual([['pwd']])
    // Not by a ticket either that was bought before.
    expect((await openSocket(host, {}, ['auth.ticket', ticket])).status).toBe(403)
    other.host.clock.advance(5)
    await expectRestricted(other.host, token)
    await confirm(host, token, await begin(host, token))
    await expectFree(host, token)
  })

  it('keeps no socket whose handshake was under way when the host began to demand a factor', async () => {
    const { host } = await demanding({}, 'optional')
    const { authToken: token } = await logIn(host)
    const bound = await demanding({ options: { ...host.stores, users: host.users } })
    const closes: number[] = []
    const principal = await host.auth.authenticate({
      headers: { authorization: `Bearer ${token}` },
      socket: {},
    } as never)
    const socket = {
      close: (code: number) => void closes.push(code),
      terminate() {},
      once() {},
      on() {},
    }
    bound.host.auth.sockets.track(socket, principal)
    await expect.poll(() => closes).toEqual([4401])
  })

  it(
    'stays restricted through an authorization code of the host’s, its exchange and every ' +
      'refresh',
    async () => {
      const { host } = await demanding()
      const { codeVerifier, codeChallenge } = pkcePair()
      const { authorizationCode } = await host.auth.issueAuthorizationCode({
        userId: 'u-alice',
        codeChallenge,
      })
      const exchanged = await post(host, '/auth/pkce/token', { authorizationCode, codeVerifier })
      expectAnswer(exchanged, 200)
      await expectRestricted(host, exchanged.body.access_token)
      let { access_token: token, refresh_token: refreshToken } = exchanged.body
      for (let i = 0; i < 3; i += 1) {
        const refreshed = await post(host, '/auth/refresh', { refreshToken })
        expectAnswer(refreshed, 200)
        ;({ access_token: token, refresh_token: refreshToken } = refreshed.body)
        await expectRestricted(host, token)
      }
      const secret = await begin(host, token)
      await confirm(host, token, secret)
      await expectFree(host, token)
      const refreshed = await post(host, '/auth/refresh', { refreshToken })
      expectAnswer(refreshed, 200)
      await expectFree(host, refreshed.body.access_token)
    },
  )

  it(
    'is restricted in sessions that were there before, within 5 seconds of the demand, and free ' +
      'as soon after it',
    async () => {
      const { host, policy } = await demanding({}, 'optional')
      const { authToken: token } = await logIn(host)
      await expectFree(host, token)
      policy.answer = 'required'
      host.clock.advance(4.9)
      expect((await rooms(host, token)).status).toBe(200)
      host.clock.advance(0.1)
      await expectRestricted(host, token)
      policy.answer = 'optional'
      expect((await rooms(host, token)).status).toBe(200)
      await expectFree(host, token)
    },
  )

  it('is told apart from others: the policy is asked about the very user', async () => {
    const { host } = await demanding({
      options: { secondFactor: ({ id }) => (id === 'u-alice' ? 'required' : 'optional') },
    })
    host.users.add({ id: 'u-bob', username: 'bob', passwordHash })
    const bob = await post(host, '/login', { username: 'bob', password })
    expect(bob.body.data).not.toHaveProperty('enrolmentRequired')
    expect((await get(host, '/me', bearer(bob.body.data.authToken))).status).toBe(200)
    await expectRestricted(host, (await logIn(host)).authToken)
  })

  it('is free with a factor of the host’s', async () => {
    const factor = {
      name: 'email',
      isEnabled: async () => true,
      verify: async () => ({ outcome: 'accepted' as const }),
    }
    const { host } = await demanding({ options: { otherFactors: [factor] } })
    const login = await attempt(host, '123456')
    expect(login.body.data).not.toHaveProperty('enrolmentRequired')
    await expectFree(host, login.body.data.authToken)
  })

  it('has no way in by tokens that were limited, either', async () => {
    const { host } = await demanding()
    const { codeVerifier, codeChallenge } = pkcePair()
    const code = await host.auth.issueAuthorizationCode({
      userId: 'u-alice',
      codeChallenge,
      scope: ['rooms:read'],
    })
    const { body } = await post(host, '/auth/pkce/token', {
      authorizationCode: code.authorizationCode,
      codeVerifier,
    })
    expectAnswer(await rooms(host, body.access_token), 403, refusal)
    expectAnswer(await post(host, totp, { password }, bearer(body.access_token)), 403, 'forbidden')
  })
})

describe('a policy that is broken', () => {
  const broken: [string, () => unknown][] = [
    ['throws', () => fail()],
    ['answers a promise', async () => 'optional'],
    ['answers nothing', () => undefined],
    ['answers null', () => null],
    ['answers false', () => false],
    ['answers true', () => true],
    ['answers another word', () => 'none'],
    ['answers a list', () => ['optional']],
  ]

  function fail(): never {
    throw new Error('policy: hunter2')
  }

  it.each(broken)(
    'and %s is an outage, with no session and no token; mended, all is as ever',
    async (_what, ask) => {
      const { host, policy } = await demanding({}, 'optional')
      const { authToken: token } = await logIn(host)
      const before = (await host.stores.sessions.listForUser('u-alice', host.clock())).length
      const mend = replace(policy, 'ask', ask as never)
      host.clock.advance(5)
      expectAnswer(await attempt(host), 503, 'temporarily-unavailable')
      expectAnswer(await rooms(host, token), 503, 'temporarily-unavailable')
      expectAnswer(await get(host, totp, bearer(token)), 503, 'temporarily-unavailable')
      expect(await host.stores.sessions.listForUser('u-alice', host.clock())).toHaveLength(before)
      expect(host.events).toContainEqual(
        expect.objectContaining({ type: 'host.failed', operation: 'secondFactor' }),
      )
      mend()
      expect((await rooms(host, token)).status).toBe(200)
      await expectUnharmed(host, undefined, 'hunter2')
    },
  )

  it('is not asked about, nor harms, who has shown the factor at the login', async () => {
    const { host, policy } = await demanding()
    const { authToken: token } = await logIn(host)
    const secret = await begin(host, token)
    await confirm(host, token, secret)
    const pkce = await post(host, '/auth/pkce/token', await obtainCode(host, token))
    host.clock.advance(30)
    replace(policy, 'ask', fail as never)
    expectAnswer(await attempt(host, codeOf(host, secret)), 200)
    expectAnswer(await post(host, '/auth/refresh', { refreshToken: pkce.body.refresh_token }), 200)
  })

  it('without a store to enrol in is refused at start-up', async () => {
    await expect(
      demanding({ options: { secondFactors: undefined as never } }),
    ).rejects.toMatchObject({
      name: 'AuthConfigError',
      option: 'secondFactor',
    })
    await expect(
      demanding({ options: { secondFactor: 'required' as never } }),
    ).rejects.toMatchObject({ option: 'secondFactor' })
  })
})
