import { once } from 'node:events'
import { Agent, get as httpGet, type IncomingMessage, type RequestListener } from 'node:http'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { bearer, get, logIn, post } from '../support/client.js'
import { startHost, type TestHost } from '../support/host.js'

/** As docs/beside-a-server.md guards a WebSocket. */
function guardUpgrades(host: TestHost): WebSocketServer {
  const sockets = new WebSocketServer({ noServer: true })
  host.server.on('upgrade', (request, connection, head) => {
    if (request.url !== '/ws') return
    host.auth.sockets
      .authenticate(request)
      .then((principal) =>
        sockets.handleUpgrade(request, connection, head, (socket) =>
          host.auth.sockets.track(socket, principal),
        ),
      )
      .catch((error: unknown) => host.auth.sockets.refuse(connection, error))
  })
  return sockets
}

describe('a second WebSocket server on the port, which takes every upgrade', () => {
  it.each(['the right token', 'a wrong one'])(
    'costs the client with %s its connection, and not the host its process',
    async (which) => {
      const host = await startHost()
      const sockets = guardUpgrades(host)
      const other = new WebSocketServer({ server: host.server })
      onTestFinished(() => {
        for (const client of [...sockets.clients, ...other.clients]) client.terminate()
      })
      const { authToken } = await logIn(host)
      const url = `${host.url.replace('http', 'ws').replace('/api/v1', '')}/ws`
      const token = which === 'a wrong one' ? 'wrong' : authToken
      const client = new WebSocket(url, { headers: bearer(token) })
      client.on('error', () => {})
      await new Promise((resolve) => client.once('close', resolve))
      expect(sockets.clients.size).toBe(0)
      expect(host.auth.stats().sockets.open).toBe(0)
      expect((await get(host, '/me', bearer(authToken))).status).toBe(200)
      const told =
        which === 'a wrong one'
          ? { type: 'request.refused' }
          : { type: 'host.failed', operation: 'upgrade', error: 'Error' }
      expect(host.events).toContainEqual(expect.objectContaining(told))
    },
  )
})

describe('a kept-alive connection that asks again and again who is there', () => {
  it('is listened to once', async () => {
    const counts: number[] = []
    const host = await startHost({
      after: (app, auth) => {
        const stream: RequestListener = (request, response) => {
          auth.sockets.authenticate(request).then(
            () => response.end(String(counts.push(request.socket.listenerCount('error')))),
            () => response.end(),
          )
        }
        app.get('/stream', stream as never)
      },
    })
    const { authToken } = await logIn(host)
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    onTestFinished(() => agent.destroy())
    for (let round = 0; round < 40; round += 1) {
      const url = host.url.replace('/api/v1', '/stream')
      const answer = await new Promise<IncomingMessage>((resolve) =>
        httpGet(url, { agent, headers: bearer(authToken) }, resolve),
      )
      answer.resume()
      await once(answer, 'end')
    }
    expect(counts).toHaveLength(40)
    expect(new Set(counts).size).toBe(1)
  })
})

describe('a socket that is to be tracked when the router was closed', () => {
  it(
    'is cut, since nobody would close it when its time has come; no timer runs again, and ' +
      'nothing is kept',
    async () => {
      vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
      onTestFinished(() => void vi.useRealTimers())
      const host = await startHost()
      const { authToken } = await logIn(host)
      const request = {
        headersDistinct: { authorization: [`Bearer ${authToken}`] },
        headers: {},
        socket: {},
      }
      const principal = await host.auth.authenticate(request as never)
      const [close, terminate] = [vi.fn(), vi.fn()]
      host.auth.sockets.track({ close, terminate: vi.fn(), once() {}, on() {} }, principal)
      await host.auth.close()
      const late = host.auth.sockets.track(
        { close: vi.fn(), terminate, once() {}, on() {} },
        principal,
      )
      expect(terminate).toHaveBeenCalledOnce()
      expect(vi.getTimerCount()).toBe(0)
      expect(host.auth.stats().sockets.open).toBe(1)
      await expect(late.renew(authToken)).rejects.toMatchObject({ status: 401 })
      // One that was there before is still closed with its session.
      await post(host, '/logout', undefined, bearer(authToken))
      expect(close).toHaveBeenCalledExactlyOnceWith(4401, 'session ended: logout')
    },
  )
})
