import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import type { AuthRouterOptions } from '../../src/index.js'
import { generateSigningKey, joseSigner } from '../../src/index.js'
import { ownerOf, type Principal, type SignedIn } from '../../src/principal/principal.js'
import { rocketChat } from '../../src/rocketchat/rocketchat.js'
import { memoryStores } from '../../src/stores/memory-stores.js'
import { afterAttack } from '../support/after-attack.js'
import { bearer, get, logIn, post } from '../support/client.js'
import { requests } from '../support/described.js'
import { startHost, type TestHost } from '../support/host.js'
import { memoryBus } from '../support/memory-bus.js'
import { acceptanceOptions } from '../support/mounted-acceptance.js'
import { accountsOptions } from '../support/mounted-accounts.js'
import { deviceLinksOptions } from '../support/mounted-device-links.js'
import { issuer, oauthOptions, wiki } from '../support/mounted-oauth.js'
import { passkeyOptions } from '../support/mounted-passkeys.js'
import { providersOptions } from '../support/mounted-providers.js'
import { mountedRoutes } from '../support/mounted-routes.js'
import { ownPage, pagesOrigin, send, startPages } from '../support/pages.js'
import { TestSocket, upgrade } from '../support/pairs.js'
import { sharedKinds } from '../support/shared-stores.js'
import { act, addBob, asked, bobsSession, refusalOf, startDesk } from './desk.js'

const everything: Partial<AuthRouterOptions> = {
  ...oauthOptions({ clients: [{ ...wiki, mayIntrospect: true }], deviceFlow: true }),
  ...passkeyOptions(),
  ...accountsOptions(),
  ...providersOptions(),
  ...deviceLinksOptions(),
  ...acceptanceOptions(),
  namedTokens: true,
  secondFactor: { remember: { days: 30 } },
  pagesOrigin,
  signer: joseSigner({
    issuer: `${issuer}/api/v1`,
    audience: 'chat',
    keys: [await generateSigningKey('ES256')],
  }),
}

/** All rows that a user has, as text. */
const holdings = async (host: TestHost) =>
  JSON.stringify(await host.auth.sessions.list('u-alice'), ['id', 'kind', 'name'])

describe('somebody who acts for a user', () => {
  it('is 403 at every request of a signed-in user but the open ones, with a clear message', async () => {
    const host = await startHost({ options: everything })
    addBob(host)
    const { headers } = await act(host)
    const before = await holdings(host)
    const ofUsers = requests.filter(
      ({ request }) =>
        request['x-who'].startsWith('signed in') && !request['x-who'].includes('while acting'),
    )
    expect(ofUsers.length).toBeGreaterThan(30)
    for (const { route } of ofUsers) {
      const [method = '', path = ''] = route.split(' ')
      const answer = await fetch(`${host.url}${path.replace(/:\w+/, 'x')}`, {
        method,
        headers: { ...ownPage, ...headers },
      })
      expect([route, answer.status, await answer.json()]).toMatchObject([
        route,
        403,
        {
          error: 'forbidden',
          message: 'Only the user can do this, and nobody who acts for the user.',
        },
      ])
    }
    expect(await holdings(host)).toBe(before)
    await afterAttack(host, [])
  })

  it('changes nothing at any other route that is mounted, with a token or as a cookie', async () => {
    const host = await startHost({ options: everything })
    addBob(host)
    const { token } = await act(host)
    const before = await holdings(host)
    for (const route of await mountedRoutes(host)) {
      if (route.endsWith(' /logout')) continue
      const [method = '', path = ''] = route.split(' ')
      for (const shown of [bearer(token), { Cookie: `__Host-mar_session=${token}` }]) {
        const headers = { ...ownPage, ...shown }
        const url = `${host.url}${path.replace(/:\w+/, 'x')}`
        const answer = await fetch(url, { method, headers, redirect: 'manual' })
        expect([route, answer.headers.get('set-cookie') ?? '']).toEqual([
          route,
          expect.not.stringContaining(token),
        ])
      }
    }
    expect(await holdings(host)).toBe(before)
  })

  it('is closed out of an endpoint that says nothing of it, so also of a new one', async () => {
    const principal = { actor: { id: 'u-bob', sessionId: null }, kind: 'acting', scope: ['*'] }
    const asks: unknown[] = []
    const signedIn: SignedIn = async (_request, _context, _admitted, kinds) => {
      asks.push(kinds)
      return { principal: principal as unknown as Principal } as never
    }
    await ownerOf(signedIn, { incoming: {}, context: {} } as never)
    expect(asks).toEqual([undefined])
    // What is open says so, in a call that can be looked for.
    const root = new URL('../../src/', import.meta.url)
    const files = (await readdir(root, { recursive: true })).filter((name) => name.endsWith('.ts'))
    const opening = await Promise.all(
      files.map(async (file) => {
        const calls = (await readFile(new URL(file, root), 'utf8')).match(/, 'acting'\)/g) ?? []
        return calls.map(() => file)
      }),
    )
    expect(opening.flat()).toEqual(['account/own-sessions.ts'])
  })

  it('passes no guard that asks for a proof, however fresh the session is', async () => {
    const host = await startDesk({
      after(app, auth) {
        for (const [path, options] of Object.entries({
          '/api/v1/fresh': { maxAge: 3600 },
          '/api/v1/one': { acr: 'urn:mar:1fa' },
          '/api/v1/two': { acr: 'urn:mar:2fa' },
        } as const))
          app.get(path, auth.requireAuth(options), (_req, res) => void res.json({}))
      },
    })
    const { headers } = await act(host)
    const answers = []
    for (const path of ['/fresh', '/one', '/two']) answers.push(await get(host, path, headers))
    expect(answers.map(({ status, body }) => [status, body.error])).toEqual(
      Array(3).fill([403, 'reauthentication-required']),
    )
    await afterAttack(host, answers)
  })

  it('passes no guard and no socket that the host has closed, cold or warm', async () => {
    const host = await startDesk()
    const { token, headers } = await act(host)
    const alice = bearer((await logIn(host)).authToken)
    const answers = []
    for (const _time of [1, 2]) {
      await get(host, '/rooms', headers).expect(200)
      answers.push(await get(host, '/private', headers).expect(403))
      await get(host, '/private', alice).expect(200)
    }
    const closed = { actor: false } as const
    const ticket = async () => {
      const { body } = await post(host, '/auth/socket-ticket', undefined, headers).expect(200)
      return upgrade({ 'Sec-WebSocket-Protocol': `auth.ticket, ${body.data.ticket}` })
    }
    const { auth } = host
    const asking = [
      () => auth.authenticate(upgrade(headers), closed),
      () => auth.authenticateToken(token, closed),
      () => auth.sockets.authenticate(upgrade(headers), closed),
      async () => auth.sockets.authenticate(await ticket(), closed),
    ]
    for (const ask of asking) await expect(ask()).rejects.toMatchObject({ code: 'forbidden' })
    const byPassport = await new Promise((resolve) => {
      const strategy = Object.assign(auth.passportStrategy(closed), {
        success: () => resolve('success'),
        fail: (_challenge: string, status: number) => resolve(status),
        error: resolve,
      })
      strategy.authenticate(upgrade(headers))
    })
    expect(byPassport).toBe(403)
    const open = await auth.sockets.authenticate(await ticket())
    expect(open.actor).toEqual({ id: 'u-bob', sessionId: null })
    const tracked = auth.sockets.track(new TestSocket(), open, closed)
    await expect(tracked.renew(token)).rejects.toMatchObject({ code: 'forbidden' })
    await afterAttack(host, answers)
  })

  it('changes nothing by the endpoints of Rocket.Chat’s clients', async () => {
    const host = await startDesk({
      before: (app, auth) =>
        void app.use('/rocket', rocketChat(auth, { personalAccessTokens: true })),
    })
    const { token } = await act(host)
    const before = await holdings(host)
    const paths = [
      'logout',
      'logoutOtherClients',
      'removeOtherTokens',
      'generatePersonalAccessToken',
      'regeneratePersonalAccessToken',
      'removePersonalAccessToken',
    ]
    for (const path of paths) {
      const answer = await fetch(`${new URL(host.url).origin}/rocket/users.${path}`, {
        method: 'POST',
        headers: { ...bearer(token), 'Content-Type': 'application/json' },
        body: '{"tokenName":"x"}',
      })
      expect([path, answer.status]).toEqual([path, 403])
    }
    expect(await holdings(host)).toBe(before)
  })

  it('makes no named token by the host’s own call either', async () => {
    const host = await startDesk()
    const { session } = await act(host)
    const made = host.auth.namedTokens.create({
      userId: 'u-alice',
      name: 'bot',
      sessionId: session.id,
    })
    await expect(made).rejects.toMatchObject({ code: 'forbidden' })
    await afterAttack(host, [])
  })

  it('takes no room of the user’s devices, and none of them takes its room', async () => {
    const host = await startDesk({ options: { maxSessionsPerUser: 1 } })
    const { authToken } = await logIn(host)
    const { headers } = await act(host)
    await act(host)
    await get(host, '/me', bearer(authToken)).expect(200)
    host.clock.advance(1)
    const { authToken: next } = await logIn(host)
    await get(host, '/me', headers).expect(200)
    await get(host, '/me', bearer(next)).expect(200)
    await get(host, '/me', bearer(authToken)).expect(401)
  })
})

describe('the call that opens such a session', () => {
  it.each([
    [{ userId: 7 }, 'userId'],
    [{ userId: '' }, 'userId'],
    [{ actor: undefined }, 'actor'],
    [{ actor: null }, 'actor'],
    [{ actor: 'u-bob' }, 'actor'],
    [{ actor: { reason: 'x' } }, 'actor.id'],
    [{ actor: { id: 'u-bob' } }, 'actor.reason'],
    [{ actor: { id: 'u-bob', reason: '' } }, 'actor.reason'],
    [{ actor: { id: 'u-bob', reason: ' \n' } }, 'actor.reason'],
    [{ actor: { id: 'u-bob', reason: '...' } }, 'actor.reason'],
    [{ actor: { id: 'u-bob', reason: 'a\nb' } }, 'actor.reason'],
    [{ actor: { id: 'u-bob', reason: 'a\u202eb' } }, 'actor.reason'],
    [{ actor: { id: 'u-bob', reason: 'a'.repeat(121) } }, 'actor.reason'],
    [{ actor: { id: 'u-bob\0', reason: 'x' } }, 'actor.id'],
    [{ actor: { id: 'u-alice', reason: 'x' } }, 'actor.id'],
    [{ actor: { id: 'u-bob', reason: 'x', sessionId: 'none' } }, 'actor.sessionId'],
    [{ actor: { id: 'u-bob', reason: 'x', role: 'admin' } }, 'actor'],
    [{ lifetime: 59 }, 'lifetime'],
    [{ lifetime: 3601 }, 'lifetime'],
    [{ lifetime: 90.5 }, 'lifetime'],
    [{ lifetime: { absolute: 900 } }, 'lifetime'],
    [{ lifetime: undefined }, 'lifetime'],
    [{ notify: 'no' }, 'notify'],
    [{ request: {} }, 'request'],
    [{ tokens: 'refreshable' }, ''],
    [{ methods: ['pwd'] }, ''],
  ])('refuses %j, and names the member', async (change, path) => {
    const host = await startDesk()
    expect(await refusalOf(host.auth, change)).toBe(`invalid-request ${path}`)
    expect(await host.auth.sessions.list('u-alice')).toEqual([])
    await afterAttack(host, [])
  })

  it('takes no session of another’s, of a program, of an actor, or one that has ended', async () => {
    const host = await startDesk()
    const bob = await bobsSession(host)
    const { authToken } = await logIn(host)
    const alices = await host.auth.authenticateToken(authToken)
    host.users.add({ id: 'u-carol', username: 'carol' })
    const acting = await host.auth.sessions.open({
      userId: 'u-bob',
      actor: { id: 'u-carol', reason: 'x' },
      lifetime: 900,
    })
    const token = await host.auth.namedTokens.create({ userId: 'u-bob', name: 'bot' })
    for (const held of [acting.token, token.token]) host.issued.add(held)
    const actor = { id: 'u-bob', reason: 'x' }
    for (const sessionId of [alices.sessionId, acting.session.id, token.id])
      expect(await refusalOf(host.auth, { actor: { ...actor, sessionId } })).toBe(
        'invalid-request actor.sessionId',
      )
    await post(host, '/logout', undefined, bob.headers).expect(200)
    expect(await refusalOf(host.auth, { actor: { ...actor, sessionId: bob.sessionId } })).toBe(
      'invalid-request actor.sessionId',
    )
    await afterAttack(host, [])
  })

  it('opens none for a user or an actor who is disabled, and says so in the events', async () => {
    const host = await startDesk()
    host.users.change('u-bob', { disabled: true })
    expect(await refusalOf(host.auth, {})).toBe('forbidden')
    host.users.change('u-bob', { disabled: false })
    host.users.change('u-alice', { disabled: true })
    expect(await refusalOf(host.auth, {})).toBe('Unauthorized')
    expect(await refusalOf(host.auth, { userId: 'u-nobody' })).toBe('Unauthorized')
    expect(await host.auth.sessions.list('u-alice')).toEqual([])
    const refused = host.events.filter(({ type }) => type === 'session.refused')
    expect(refused).toMatchObject([
      { reason: 'actor', userId: 'u-alice', actor: 'u-bob' },
      { reason: 'disabled', actor: 'u-bob' },
      { reason: 'unknown-user', actor: 'u-bob' },
    ])
    expect(host.events.some(({ type }) => type === 'session.acted-for')).toBe(false)
    await afterAttack(host, [])
  })

  it('sets no cookie for an actor', async () => {
    const host = await startPages()
    addBob(host)
    const answer = await send(host, 'POST', '/open', ownPage, asked)
    expect([answer.status, answer.body.error]).toEqual([400, 'invalid-request'])
    expect(answer.headers['set-cookie']).toBeUndefined()
    expect(await host.auth.sessions.list('u-alice')).toEqual([])
  })
})

/** Two processes over the same stores, without a bus or with one. */
async function twoDesks(
  stores: Partial<AuthRouterOptions>,
  others: Partial<AuthRouterOptions> = stores,
): Promise<readonly [TestHost, TestHost]> {
  const one = await startDesk({ options: stores })
  const { users, clock } = one
  return [one, await startDesk({ options: { ...others, users, clock } })]
}

/** A socket of a token, and the code that it is closed with. */
async function socketOf(host: TestHost, token: string) {
  const sockets = new WebSocketServer({ noServer: true })
  host.auth.sockets.attach(host.server, '/ws', sockets)
  const url = host.url.replace('http', 'ws').replace('/api/v1', '/ws')
  const socket = new WebSocket(url, { headers: bearer(token) })
  onTestFinished(() => {
    socket.terminate()
    for (const client of sockets.clients) client.terminate()
  })
  const closed = once(socket, 'close').then(([code]) => code as number)
  await once(socket, 'open')
  return { closed }
}

describe('the session of an actor ends', () => {
  const ends: readonly (readonly [
    string,
    (host: TestHost, bob: { headers: { Authorization: string } }) => Promise<unknown>,
  ])[] = [
    ['at the logout', (host, bob) => post(host, '/logout', undefined, bob.headers).expect(200)],
    ['at a sign-out everywhere', (host) => host.auth.sessions.revokeAllForUser('u-bob')],
    ['at a new password', (host) => host.auth.passwordChanged('u-bob')],
    ['with the account', async (host) => host.users.change('u-bob', { disabled: true })],
    ['with the user’s sessions', (host) => host.auth.sessions.revokeAllForUser('u-alice')],
    ['with the user', async (host) => host.users.change('u-alice', { disabled: true })],
  ]

  it.each(ends)(
    '%s of the actor, at the next request and in no list any more',
    async (_how, end) => {
      const host = await startDesk()
      const bob = await bobsSession(host)
      const actor = { ...asked.actor, sessionId: bob.sessionId }
      const { headers } = await act(host, { actor })
      await get(host, '/rooms', headers).expect(200)
      await end(host, bob)
      // A user who is disabled is noticed within five seconds, as everywhere.
      host.clock.advance(5)
      await get(host, '/rooms', headers).expect(401)
      await get(host, '/me', headers).expect(401)
    },
  )

  it('with the logout of the actor at once, without five seconds of memory', async () => {
    const host = await startDesk()
    const bob = await bobsSession(host)
    const { headers, session } = await act(host, {
      actor: { ...asked.actor, sessionId: bob.sessionId },
    })
    for (const _time of [1, 2, 3]) await get(host, '/rooms', headers).expect(200)
    const listed = await host.auth.sessions.list('u-alice')
    expect(listed.map(({ id }) => id)).toEqual([session.id])
    await post(host, '/logout', undefined, bob.headers).expect(200)
    await get(host, '/rooms', headers).expect(401)
    expect(await host.auth.sessions.list('u-alice')).toEqual([])
  })

  it('of fifty requests under way none is let in after the logout was answered', async () => {
    const host = await startDesk()
    const bob = await bobsSession(host)
    const { headers } = await act(host, { actor: { ...asked.actor, sessionId: bob.sessionId } })
    const early = Promise.all(Array.from({ length: 50 }, () => get(host, '/rooms', headers)))
    await post(host, '/logout', undefined, bob.headers).expect(200)
    const late = await Promise.all(Array.from({ length: 50 }, () => get(host, '/rooms', headers)))
    expect(new Set(late.map(({ status }) => status))).toEqual(new Set([401]))
    await early
  })

  it('after its lifetime, and never later than the session of the actor', async () => {
    const host = await startDesk()
    const { headers, expiresAt } = await act(host, { lifetime: 60 })
    expect(expiresAt.getTime() - host.clock().getTime()).toBeLessThanOrEqual(60_000)
    host.clock.advance(59)
    await get(host, '/rooms', headers).expect(200)
    host.clock.advance(2)
    await get(host, '/rooms', headers).expect(401)

    const short = await host.auth.sessions.open({
      userId: 'u-bob',
      request: upgrade({}),
      lifetime: { absolute: 120 },
    })
    host.issued.add(short.token)
    const acted = await act(host, { actor: { ...asked.actor, sessionId: short.session.id } })
    expect(acted.session.expiresAt).toEqual(short.session.expiresAt)
  })

  it('is not put off by its use', async () => {
    const host = await startDesk()
    const { headers } = await act(host, { lifetime: 300 })
    for (let minute = 0; minute < 4; minute += 1) {
      host.clock.advance(70)
      await get(host, '/rooms', headers).expect(200)
    }
    host.clock.advance(30)
    await get(host, '/rooms', headers).expect(401)
  })

  it.each(sharedKinds.map((kind) => [kind.name, kind] as const))(
    'in another process, whose store is %s, at the next request',
    async (_name, kind) => {
      if (!kind.isThere) return
      const open = await kind.open()
      const [one, two] = await twoDesks(open(), open())
      const bob = await bobsSession(one)
      const { headers } = await act(one, { actor: { ...asked.actor, sessionId: bob.sessionId } })
      await get(two, '/rooms', headers).expect(200)
      await post(one, '/logout', undefined, bob.headers).expect(200)
      await get(two, '/rooms', headers).expect(401)
    },
  )

  it('with its sockets, at once where a bus is and within five seconds elsewhere', async () => {
    for (const how of [{ bus: memoryBus() }, {}]) {
      const [one, two] = await twoDesks({ ...memoryStores(), ...how })
      const bob = await bobsSession(one)
      const { token } = await act(one, { actor: { ...asked.actor, sessionId: bob.sessionId } })
      const { closed } = await socketOf(two, token)
      expect(two.auth.stats().sockets.open).toBe(1)
      await post(one, '/logout', undefined, bob.headers).expect(200)
      expect(await closed).toBe(4401)
    }
  })

  it('with its sockets when the actor is disabled, of which nobody hears', async () => {
    const host = await startDesk()
    const { token } = await act(host)
    const { closed } = await socketOf(host, token)
    host.users.change('u-bob', { disabled: true })
    expect(await closed).toBe(4401)
  })

  it('and rows that name each other let nobody in and end no process', async () => {
    const host = await startDesk()
    const { headers, session } = await act(host)
    const { find } = host.stores.sessions
    host.stores.sessions.find = async (id) => {
      const row = await find(id)
      return row && { ...row, actorSessionId: session.id }
    }
    await get(host, '/rooms', headers).expect(401)
    await afterAttack(host, [])
  })
})
