import type { Socket } from 'socket.io-client'
import { describe, expect, it, vi } from 'vitest'
import type { TrackedSocket } from '../../src/index.js'
import { bearer, logIn, post } from '../support/client.js'
import { password, type TestHost } from '../support/host.js'
import {
  connectTo,
  next,
  refusalOf,
  type SocketIoHost,
  startSocketIoHost,
  warningsOf,
} from '../support/socket-io.js'

/** A host that greets whoever comes to `/`. */
async function startGreeter(): Promise<SocketIoHost> {
  const host = await startSocketIoHost()
  host.io.use(host.auth.sockets.socketIo(host.io))
  host.io.on('connection', (socket) => socket.emit('hello', socket.data.auth.userId))
  return host
}
const count = async (host: TestHost) => (await host.auth.sessions.list('u-alice'))[0]?.liveSockets
const works = (client: Socket) => client.timeout(2000).emitWithAck('ping')

describe('a Socket.IO socket', () => {
  it('that leaves is not counted, although its connection goes on for others', async () => {
    const host = await startSocketIoHost()
    host.io.of('/live').use(host.auth.sockets.socketIo())
    host.io.on('connection', (socket) => socket.on('ping', (answer) => answer('pong')))
    const { authToken: token } = await logIn(host)
    const own = connectTo(host)
    const live = own.io.socket('/live', { auth: { token } })
    await Promise.all([next(own, 'connect'), next(live, 'connect')])
    expect(await count(host)).toBe(1)
    live.disconnect()
    await vi.waitFor(async () => expect(await count(host)).toBe(0))
    expect(await works(own)).toBe('pong')
  })

  it.each([[7], [['u-alice']], [null]])('with %j for a user id is a stranger', async (userId) => {
    const host = await startGreeter()
    const { authToken: token } = await logIn(host)
    expect((await refusalOf(connectTo(host, { auth: { token, userId } }))).data).toEqual({
      code: 'Unauthorized',
      status: 401,
    })
    expect(await count(host)).toBe(0)
    await vi.waitFor(() =>
      expect(host.events.at(-1)).toMatchObject({
        type: 'request.refused',
        reason: 'no credentials',
      }),
    )
  })

  it(
    'with a token in its options and another in its headers is refused: two parts of a system ' +
      'could pick different ones',
    async () => {
      const host = await startGreeter()
      const { authToken: token } = await logIn(host)
      const withHeader = (authorization: string) =>
        connectTo(host, { auth: { token }, extraHeaders: { authorization } })
      expect((await refusalOf(withHeader('Bearer another'))).data).toEqual({
        code: 'invalid-request',
        status: 400,
      })
      expect(await next(withHeader('Basic YTpi'), 'hello')).toBe('u-alice')
    },
  )

  it(
    'does not bring news of an address: what is beneath it knows nothing of the proxies in ' +
      'front',
    async () => {
      const host = await startSocketIoHost({ before: (app) => void app.set('trust proxy', 1) })
      host.io.use(host.auth.sockets.socketIo())
      const from = { 'X-Forwarded-For': '203.0.113.7' }
      const { authToken: token } = (
        await post(host, '/login', { username: 'alice', password }, from)
      ).body.data
      host.clock.advance(61)
      await next(connectTo(host, { auth: { token } }), 'connect')
      const [session] = await host.auth.sessions.list('u-alice')
      expect(session).toMatchObject({ lastSeenAt: host.clock(), ip: '203.0.113.7' })
    },
  )

  it('has its principal and what renews it in the middleware that comes after the guard', async () => {
    const host = await startGreeter()
    const seen: unknown[] = []
    host.io.use((socket, goOn) => {
      seen.push(socket.data.auth.userId, typeof socket.data.authSocket.renew)
      goOn()
    })
    const { authToken: token } = await logIn(host)
    await next(connectTo(host, { auth: { token } }), 'hello')
    expect(seen).toEqual(['u-alice', 'function'])
  })

  it('stays for a newer token that it presents, and is told with 4408 when its token ends', async () => {
    const host = await startGreeter()
    const { authToken: token } = await logIn(host)
    const client = connectTo(host, { auth: { token } })
    await next(client, 'hello')
    const [authSocket] = [...host.io.of('/').sockets.values()].map(
      ({ data }) => data.authSocket as TrackedSocket,
    )
    expect(await authSocket?.renew(token)).toMatchObject({ userId: 'u-alice' })
    await expect(authSocket?.renew(7 as never)).rejects.toMatchObject({ status: 401 })
    const ended = next(client, 'auth.ended')
    host.clock.advance((Number(authSocket?.principal.expiresAt) - host.clock().getTime()) / 1000)
    expect(await ended).toMatchObject({ code: 4408 })
  })
})

describe('a namespace of Socket.IO', () => {
  it('is guarded by the middleware of its own: the one of `/` is not asked there', async () => {
    const host = await startGreeter()
    host.io.of('/open')
    host.io.of('/admin').use(host.auth.sockets.socketIo(host.io))
    const { authToken: token } = await logIn(host)
    await next(connectTo(host, {}, '/open'), 'connect')
    expect((await refusalOf(connectTo(host, {}, '/admin'))).data).toEqual({
      code: 'Unauthorized',
      status: 401,
    })
    await next(connectTo(host, { auth: { token } }, '/admin'), 'connect')
    expect(await count(host)).toBe(1)
    await host.auth.sessions.revokeAllForUser('u-alice')
    await vi.waitFor(() => expect(host.io.of('/admin').sockets.size).toBe(0))
  })

  it('that is made for whoever asks for it is guarded as well', async () => {
    const host = await startSocketIoHost()
    host.io.of(/^\/room-\d+$/).use(host.auth.sockets.socketIo(host.io))
    const { authToken: token } = await logIn(host)
    const [one, other] = [1, 2].map((room) =>
      connectTo(host, { auth: { token } }, `/room-${room}`),
    ) as [Socket, Socket]
    await Promise.all([next(one, 'connect'), next(other, 'connect')])
    expect(await count(host)).toBe(2)
    const ended = Promise.all([next(one, 'auth.ended'), next(other, 'auth.ended')])
    await post(host, '/logout', undefined, bearer(token))
    expect(await ended).toEqual([1, 2].map(() => ({ code: 4401, reason: 'session ended: logout' })))
    expect((await refusalOf(connectTo(host, { auth: { token } }, '/room-3'))).data?.status).toBe(
      401,
    )
  })
})

describe('the end of a session', () => {
  /** The host's own namespace and a guarded one over one connection, as pages do by default. */
  async function startShared() {
    const host = await startSocketIoHost()
    const live = host.io.of('/live')
    live.use(host.auth.sockets.socketIo(host.io))
    live.on('connection', (socket) => socket.emit('hello', socket.data.auth.userId))
    host.io.on('connection', (socket) => socket.on('ping', (answer) => answer('pong')))
    const { authToken } = await logIn(host)
    const own = connectTo(host, { reconnection: true })
    const losses: string[] = []
    own.on('disconnect', (reason) => losses.push(reason))
    await next(own, 'connect')
    const join = () => own.io.socket('/live', { auth: { token: authToken } })
    const packets: string[] = []
    own.io.engine.on('message', (text: string) => void packets.push(text))
    return { host, live, own, join, losses, packets, authToken }
  }

  it('takes the guarded namespace and not the connection, on which the host’s own goes on', async () => {
    const { host, own, join, losses, authToken } = await startShared()
    const guarded = join()
    expect(await next(guarded, 'hello')).toBe('u-alice')
    const told = Promise.all([next(guarded, 'auth.ended'), next(guarded, 'disconnect')])
    await post(host, '/logout', undefined, bearer(authToken))
    expect(await told).toEqual([
      { code: 4401, reason: 'session ended: logout' },
      'io server disconnect',
    ])
    // Longer than a client that does not answer its close is given.
    await new Promise((resolve) => setTimeout(resolve, 1300))
    expect(await works(own)).toBe('pong')
    expect(losses).toEqual([])
    expect(host.auth.stats().sockets).toEqual({ open: 0, sessions: 0 })
  })

  it('is written to no more, although the host still holds it and the connection goes on', async () => {
    const { host, live, own, join, packets, authToken } = await startShared()
    let held: { emit(event: string, text: string): unknown } | undefined
    live.on('connection', (socket) => {
      held = socket
    })
    const guarded = join()
    await next(guarded, 'hello')
    held?.emit('news', 'before')
    await next(guarded, 'news')
    await post(host, '/logout', undefined, bearer(authToken))
    held?.emit('news', 'a message after the logout')
    expect(await works(own)).toBe('pong')
    expect(packets.join()).toContain('before')
    expect(packets.join()).not.toContain('a message after the logout')
  })

  async function joinBeyondLogout(seconds: number, reason = 'session ended: logout') {
    const { host, live, own, join, losses, packets, authToken } = await startShared()
    let goOn: (() => void) | undefined
    live.use((_socket, proceed) => {
      goOn = proceed
    })
    const guarded = join()
    await vi.waitFor(() => expect(goOn).toBeDefined())
    expect(await count(host)).toBe(0)
    await post(host, '/logout', undefined, bearer(authToken))
    host.clock.advance(seconds)
    const told = next(guarded, 'auth.ended')
    goOn?.()
    expect(await told).toEqual({ code: 4401, reason })
    await vi.waitFor(() => expect(guarded.connected).toBe(false))
    expect(await works(own)).toBe('pong')
    expect(losses).toEqual([])
    return packets.join()
  }

  it(
    'that comes while a namespace is being joined hangs up on it before the host’s handlers can ' +
      'speak',
    async () => {
      expect(await joinBeyondLogout(0)).not.toContain('hello')
    },
  )

  it(
    'hangs up on a namespace whose join took longer than ends are remembered, as soon as the ' +
      'store has answered',
    async () => {
      // The word of an end is forgotten with it.
      await joinBeyondLogout(61, 'session ended')
    },
  )
})

describe('what Socket.IO does to the guard', () => {
  const failures = (host: TestHost) => host.events.filter(({ type }) => type === 'host.failed')

  it(
    'is told to the host where it was no refusal, and answered as the host’s failure: never a ' +
      'silent 503',
    async () => {
      const host = await startGreeter()
      const { authToken: token } = await logIn(host)
      const guard = host.auth.sockets.socketIo(host.io)
      host.io.of('/broken').use((socket, goOn) => {
        Object.defineProperty(socket, 'data', { value: Object.freeze({}) })
        guard(socket, goOn)
      })
      const error = await refusalOf(connectTo(host, { auth: { token } }, '/broken'))
      expect(error.message).toBe('Internal server error')
      expect(error.data).toEqual({ code: 'configuration', status: 500 })
      await vi.waitFor(() =>
        expect(failures(host)).toEqual([
          expect.objectContaining({
            operation: 'sockets.socketIo',
            error: 'TypeError',
            frame: expect.any(String),
            requestId: expect.any(String),
          }),
        ]),
      )
      expect(host.log).toContainEqual(
        expect.objectContaining({ level: 'error', message: 'host.failed' }),
      )
    },
  )

  it.each([
    ['handshake.auth', { handshake: { headers: {} }, data: {} }],
    ['data', { handshake: { auth: {} } }],
  ])(
    'without %s, as in Socket.IO 2 and 3, is refused in words that name the reason',
    async (_what, parts) => {
      const host = await startGreeter()
      const warnings = await warningsOf(async () => {
        const request = { headers: {}, socket: {} }
        const refuse = (guard = host.auth.sockets.socketIo()) =>
          new Promise<unknown>(
            (resolve) => void guard({ request, nsp: host.io.of('/'), ...parts } as never, resolve),
          )
        expect(await refuse()).toMatchObject({ data: { code: 'configuration', status: 500 } })
        await refuse()
      })
      await vi.waitFor(() => expect(failures(host)).toHaveLength(2))
      const sentence = expect.stringContaining(
        'as those of Socket.IO 2 and 3 are. Remedy: use it with Socket.IO 4',
      )
      expect(failures(host)[0]).toMatchObject({ operation: 'sockets.socketIo', error: sentence })
      expect(warnings).toEqual([sentence])
    },
  )

  it('is refused at once where it was given something else than a server', async () => {
    const host = await startGreeter()
    expect(() => host.auth.sockets.socketIo(host.io.of('/live'))).toThrow(
      'sockets.socketIo(server): is no Socket.IO server',
    )
  })
})
