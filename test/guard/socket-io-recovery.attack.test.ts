// Socket.IO's connectionStateRecovery: a socket whose connection broke comes back with its rooms
// and with what it has missed.
import { Server } from 'socket.io'
import type { Socket } from 'socket.io-client'
import { describe, expect, it, vi } from 'vitest'
import { bearer, get, logIn, obtainCode, post } from '../support/client.js'
import type { TestHost } from '../support/host.js'
import {
  connectTo,
  next,
  openRaw,
  refusalOf,
  type SocketIoHost,
  startSocketIoHost,
  warningsOf,
} from '../support/socket-io.js'

const judged = { connectionStateRecovery: { skipMiddlewares: false } }
const count = async (host: TestHost) => (await host.auth.sessions.list('u-alice'))[0]?.liveSockets

async function startRecovering(options: object = judged): Promise<SocketIoHost> {
  const host = await startSocketIoHost({}, options)
  host.io.use(host.auth.sockets.socketIo())
  host.io.on('connection', (socket) => {
    if (!socket.recovered) socket.join('staff')
  })
  return host
}

/**
 * A socket of the room that has read one message, and lost its connection. Says how to come back.
 */
async function breakOff(host: SocketIoHost, token: string) {
  const { socket, packets } = await openRaw(host)
  socket.send(`40${JSON.stringify({ token })}`)
  await vi.waitFor(() => expect(packets.some((packet) => packet.startsWith('40'))).toBe(true))
  host.io.to('staff').emit('news', 'read')
  await vi.waitFor(() => expect(packets.at(-1)).toMatch(/^42/))
  const { pid } = JSON.parse(String(packets.find((packet) => packet.startsWith('40'))).slice(2))
  const offset = JSON.parse(String(packets.at(-1)).slice(2)).at(-1) as string
  socket.terminate()
  await vi.waitFor(async () => expect((await host.io.fetchSockets()).length).toBe(0))
  return { pid, offset }
}

/** Comes back, and reads all that is written to it. */
async function comeBack(host: SocketIoHost, auth: object) {
  const { socket, packets } = await openRaw(host)
  socket.send(`40${JSON.stringify(auth)}`)
  await vi.waitFor(() => expect(packets.some((packet) => /^4[04]/.test(packet))).toBe(true))
  await new Promise((resolve) => setTimeout(resolve, 50))
  socket.terminate()
  await vi.waitFor(async () => expect((await host.io.fetchSockets()).length).toBe(0))
  const refused = packets.find((packet) => packet.startsWith('44'))
  return {
    read: packets.join(),
    status: refused === undefined ? 200 : JSON.parse(refused.slice(2)).data.status,
  }
}

describe('a socket that comes back', () => {
  it(
    'while it is signed in is counted again, has what it missed, and is told when its session ' +
      'ends',
    async () => {
      const host = await startRecovering()
      const { authToken: token } = await logIn(host)
      const client: Socket = connectTo(host, {
        auth: { token },
        transports: ['websocket'],
      })
      await next(client, 'connect')
      host.io.emit('news', 1)
      await next(client, 'news')
      client.io.engine.close()
      await vi.waitFor(async () => expect(await count(host)).toBe(0))
      const missed = next(client, 'news')
      host.io.to('staff').emit('news', 2)
      // By hand: a reconnection of its own may come before anybody has seen that it was gone.
      client.connect()
      await next(client, 'connect')
      expect(client.recovered).toBe(true)
      expect(await missed).toBe(2)
      expect(await count(host)).toBe(1)
      const ended = next(client, 'auth.ended')
      await post(host, '/logout', undefined, bearer(token))
      expect(await ended).toEqual({ code: 4401, reason: 'session ended: logout' })
      expect(host.auth.stats().sockets.open).toBe(0)
    },
  )

  it(
    'after its session has ended is refused, and reads nothing of what it has missed, however ' +
      'often it tries',
    async () => {
      const host = await startRecovering()
      const { authToken: token } = await logIn(host)
      const back = await breakOff(host, token)
      await post(host, '/logout', undefined, bearer(token))
      host.io.to('staff').emit('news', 'a secret of after the logout')
      for (let round = 0; round < 3; round += 1) {
        const { read, status } = await comeBack(host, { token, ...back })
        expect([status, read]).toEqual([401, expect.not.stringContaining('a secret')])
      }
      expect(host.auth.stats().sockets.open).toBe(0)
      expect(host.io.of('/').adapter.rooms.get('staff')).toBeUndefined()
    },
  )

  it('after its user was disabled, or its token has ended, reads nothing either', async () => {
    const host = await startRecovering()
    const session = (
      await post(host, '/auth/pkce/token', await obtainCode(host, (await logIn(host)).authToken))
    ).body
    const back = await breakOff(host, session.access_token)
    host.io.to('staff').emit('news', 'a secret')
    host.clock.advance(601)
    const newer = (await post(host, '/auth/refresh', { refreshToken: session.refresh_token })).body
      .access_token
    // The token is good again, and what the old one was shown for is not.
    expect(await comeBack(host, { token: newer, ...back })).toEqual({
      status: 200,
      read: expect.not.stringContaining('a secret'),
    })

    const later = await breakOff(host, newer)
    host.io.to('staff').emit('news', 'a secret')
    host.users.change('u-alice', { disabled: true })
    host.clock.advance(6)
    expect(await comeBack(host, { token: newer, ...later })).toEqual({
      status: 401,
      read: expect.not.stringContaining('a secret'),
    })
  })

  it(
    'with the token of another session is refused, once: it then begins anew, without the rooms ' +
      'of the other',
    async () => {
      const host = await startRecovering()
      host.users.add({
        ...(await host.users.findById('u-alice')),
        id: 'u-bob',
        username: 'bob',
        email: 'bob@example.com',
      } as never)
      const [alice, bob] = [
        await logIn(host),
        await logIn(host, { username: 'bob', password: 'correct horse battery staple' }),
      ]
      const back = await breakOff(host, alice.authToken)
      expect((await comeBack(host, { token: bob.authToken, ...back })).status).toBe(401)
      host.io.to('staff').emit('news', 'for whom it concerns')
      expect(await comeBack(host, { token: bob.authToken, ...back })).toEqual({
        status: 200,
        read: expect.not.stringContaining('for whom it concerns'),
      })
    },
  )

  it('during an outage is told of it, and reads nothing', async () => {
    const host = await startRecovering()
    const { authToken: token } = await logIn(host)
    const back = await breakOff(host, token)
    host.io.to('staff').emit('news', 'a secret')
    host.clock.advance(6)
    host.stores.sessions.find = () => Promise.reject(new Error('down'))
    expect(await comeBack(host, { token, ...back })).toEqual({
      status: 503,
      read: expect.not.stringContaining('a secret'),
    })
  })
})

describe('a server that lets sockets come back past every middleware', () => {
  const sentence =
    /connectionStateRecovery.*Remedy: set connectionStateRecovery: \{ skipMiddlewares: false \}/

  it('is refused at the start, where the guard is shown it', async () => {
    const host = await startSocketIoHost({}, { connectionStateRecovery: {} })
    expect(() => host.auth.sockets.socketIo(host.io)).toThrow(sentence)
    const safe = await startSocketIoHost({}, judged)
    expect(() => safe.auth.sockets.socketIo(safe.io)).not.toThrow()
  })

  it(
    'is refused with its first connection, so that nobody is there to come back, and the host ' +
      'is told why',
    async () => {
      const warnings = await warningsOf(async () => {
        const host = await startRecovering({ connectionStateRecovery: {} })
        const { authToken: token } = await logIn(host)
        for (let round = 0; round < 2; round += 1) {
          const error = await refusalOf(connectTo(host, { auth: { token } }))
          expect(error.data).toEqual({ code: 'configuration', status: 500 })
        }
        await vi.waitFor(() =>
          expect(host.events.at(-1)).toMatchObject({
            type: 'host.failed',
            error: expect.stringMatching(sentence),
          }),
        )
        expect((await get(host, '/me', bearer(token))).status).toBe(200)
      })
      expect(warnings).toEqual([expect.stringMatching(sentence)])
    },
  )

  it(
    'or that keeps their states in an adapter of its own, is refused as well: another process ' +
      'could give them out',
    async () => {
      const host = await startRecovering({ ...judged, adapter: new Server().adapter() })
      const { authToken: token } = await logIn(host)
      await warningsOf(async () => {
        expect((await refusalOf(connectTo(host, { auth: { token } }))).data).toEqual({
          code: 'configuration',
          status: 500,
        })
      })
      await vi.waitFor(() =>
        expect(host.events.at(-1)).toMatchObject({
          type: 'host.failed',
          error: expect.stringContaining('adapter of its own'),
        }),
      )
    },
  )
})
