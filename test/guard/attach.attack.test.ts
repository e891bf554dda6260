import { once } from 'node:events'
import { connect } from 'node:net'
import { Server as SocketIoServer } from 'socket.io'
import { describe, expect, it, onTestFinished } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import type { TrackedSocket } from '../../src/index.js'
import { bearer, get, logIn, post } from '../support/client.js'
import { startHost, type TestHost } from '../support/host.js'

const urlOf = (host: TestHost, path: string) =>
  `${host.url.replace('http', 'ws').replace('/api/v1', '')}${path}`

/** A `ws` server whose sockets are cut when the test ends. */
function webSockets(options: object = { noServer: true }): WebSocketServer {
  const sockets = new WebSocketServer(options)
  onTestFinished(() => {
    for (const client of sockets.clients) client.terminate()
  })
  return sockets
}

/** What became of an upgrade: what the server said first, or its status. */
function opened(host: TestHost, path: string, headers: Record<string, string> = {}) {
  return new Promise<string>((resolve) => {
    const client = new WebSocket(urlOf(host, path), { headers })
    client.on('error', () => resolve('error'))
    client.on('unexpected-response', (_request, response) => {
      response.resume()
      resolve(String(response.statusCode))
    })
    client.on('message', (data) => resolve(String(data)))
    onTestFinished(() => client.terminate())
  })
}

function greeting(sockets: WebSocketServer): WebSocketServer {
  return sockets.on(
    'connection',
    (socket: WebSocket, _request: unknown, tracked: TrackedSocket) => {
      socket.send(tracked.principal.userId)
    },
  )
}

describe('sockets.attach(server, path, wsServer)', () => {
  it('lets in who is signed in, with a query too, and answers others before any 101', async () => {
    const host = await startHost()
    host.auth.sockets.attach(host.server, '/ws', greeting(webSockets()))
    const { authToken } = await logIn(host)
    expect(await opened(host, '/ws', bearer(authToken))).toBe('u-alice')
    expect(await opened(host, '/ws?room=1', bearer(authToken))).toBe('u-alice')
    expect(await opened(host, '/ws', bearer('wrong'))).toBe('401')
    expect(await opened(host, '/ws')).toBe('401')
    const foreign = { ...bearer(authToken), Origin: 'https://evil.example' }
    expect(await opened(host, '/ws', foreign)).toBe('403')
  })

  it('closes the socket when its session ends', async () => {
    const host = await startHost()
    host.auth.sockets.attach(host.server, '/ws', greeting(webSockets()))
    const { authToken } = await logIn(host)
    const client = new WebSocket(urlOf(host, '/ws'), { headers: bearer(authToken) })
    await once(client, 'open')
    const closed = once(client, 'close')
    await post(host, '/logout', undefined, bearer(authToken))
    expect((await closed)[0]).toBe(4401)
  })

  it.each(['before', 'after'])(
    'keeps its path from a server that takes every upgrade and came %s, and the rest is that one’s',
    async (when) => {
      const host = await startHost()
      const attach = () => host.auth.sockets.attach(host.server, '/ws', greeting(webSockets()))
      if (when === 'after') attach()
      webSockets({ server: host.server }).on('connection', (socket) => socket.send('the other'))
      if (when === 'before') attach()
      const { authToken } = await logIn(host)
      for (let time = 0; time < 5; time += 1) {
        expect(await opened(host, '/ws', bearer(authToken))).toBe('u-alice')
        expect(await opened(host, '/ws', bearer('wrong'))).toBe('401')
        for (const path of ['/live', '/ws/', '/wsx', '/WS', '/'])
          expect(await opened(host, path)).toBe('the other')
      }
      expect(host.events.filter(({ type }) => type === 'host.failed')).toEqual([])
      expect((await get(host, '/me', bearer(authToken))).status).toBe(200)
    },
  )

  it('lives beside Socket.IO, which ends upgrades that are not its own', async () => {
    const host = await startHost()
    const io = new SocketIoServer(host.server, { destroyUpgradeTimeout: 50 })
    onTestFinished(() => void io.close())
    host.auth.sockets.attach(host.server, '/ws', greeting(webSockets()))
    const { authToken } = await logIn(host)
    const client = new WebSocket(urlOf(host, '/ws'), { headers: bearer(authToken) })
    await once(client, 'open')
    const socketIo = new WebSocket(urlOf(host, '/socket.io/?EIO=4&transport=websocket'))
    const [first] = await once(socketIo, 'message')
    expect(String(first)).toMatch(/^0\{"sid"/)
    // Longer than Socket.IO leaves an upgrade that nobody has taken.
    await new Promise((resolve) => setTimeout(resolve, 120))
    expect(client.readyState).toBe(WebSocket.OPEN)
    socketIo.terminate()
    client.terminate()
  })

  it('attaches two paths, of two routers as well, and a path that nobody has is 404', async () => {
    const [host, other] = [await startHost(), await startHost()]
    host.auth.sockets.attach(host.server, '/ws', greeting(webSockets()))
    other.auth.sockets.attach(host.server, '/admin', greeting(webSockets()))
    const mine = bearer((await logIn(host)).authToken)
    const theirs = bearer((await logIn(other)).authToken)
    expect(await opened(host, '/ws', mine)).toBe('u-alice')
    expect(await opened(host, '/admin', theirs)).toBe('u-alice')
    expect(await opened(host, '/admin', mine)).toBe('401')
    expect(await opened(host, '/nowhere', mine)).toBe('404')
  })

  it('costs the client its connection, and nobody else anything, where the host’s listener throws', async () => {
    const host = await startHost()
    const sockets = webSockets().on('connection', () => {
      throw new Error('broken')
    })
    host.auth.sockets.attach(host.server, '/ws', sockets)
    const { authToken } = await logIn(host)
    expect(await opened(host, '/ws', bearer(authToken))).toBe('error')
    expect(host.events).toContainEqual(
      expect.objectContaining({ type: 'host.failed', operation: 'upgrade' }),
    )
    expect((await get(host, '/me', bearer(authToken))).status).toBe(200)
  })

  it('survives clients that hang up in the middle', async () => {
    const host = await startHost()
    host.auth.sockets.attach(host.server, '/ws', greeting(webSockets()))
    const { authToken } = await logIn(host)
    const { port } = host.server.address() as { port: number }
    for (let time = 0; time < 50; time += 1) {
      const connection = connect(port, '127.0.0.1')
      await once(connection, 'connect')
      connection.write(
        'GET /ws HTTP/1.1\r\nHost: a\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
          'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n' +
          `Authorization: Bearer ${authToken}\r\n\r\n`,
      )
      connection.resetAndDestroy()
    }
    expect(await opened(host, '/ws', bearer(authToken))).toBe('u-alice')
  })

  it('refuses, by name, a server that takes upgrades itself, a path that is none or is taken', async () => {
    const host = await startHost()
    const { sockets } = host.auth
    const own = webSockets({ server: host.server })
    expect(() => sockets.attach(host.server, '/ws', own)).toThrow(/noServer: true/)
    expect(() => sockets.attach(host.server, '/ws', {} as never)).toThrow(/noServer: true/)
    for (const path of ['ws', '', '/ws?x', '/w s', '/ws#a', undefined as never])
      expect(() => sockets.attach(host.server, path, webSockets())).toThrow(/no path/)
    sockets.attach(host.server, '/ws', webSockets())
    expect(() => sockets.attach(host.server, '/ws', webSockets())).toThrow(/is attached/)
  })
})
