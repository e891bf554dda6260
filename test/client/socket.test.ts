import type { IncomingMessage } from 'node:http'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { type AuthClient, createAuthClient } from '../../src/client/client.js'
import type { AuthSocket, AuthSocketOptions } from '../../src/client/socket.js'
import { type HostSettings, password, startHost, type TestHost } from '../support/host.js'
import { signedIn, tap } from './recorded.js'

interface SocketHost extends TestHost {
  /** The open sockets of the server. */
  readonly open: WebSocket[]
  /** How often one was opened. */
  opened(): number
}

/** A host with sockets at `/ws`, which take a newer token and answer everything else. */
async function startSocketHost(settings: HostSettings = {}): Promise<SocketHost> {
  const host = await startHost(settings)
  const sockets = new WebSocketServer({ noServer: true })
  const open: WebSocket[] = []
  let opened = 0
  host.server.on('upgrade', (request: IncomingMessage, connection, head) => {
    const { sockets: guarded } = host.auth
    guarded
      .authenticate(request)
      .then((principal) =>
        sockets.handleUpgrade(request, connection, head, (socket) => {
          opened += 1
          open.push(socket)
          socket.on('close', () => open.splice(open.indexOf(socket), 1))
          const tracked = guarded.track(socket, principal)
          socket.on('message', (data) => {
            const { renew } = JSON.parse(String(data)) as { renew?: string }
            if (renew === undefined) return socket.send(`heard ${data}`)
            void tracked.renew(renew).then(() => socket.send('renewed'))
          })
        }),
      )
      .catch((error: unknown) => guarded.refuse(connection, error))
  })
  onTestFinished(() => {
    for (const socket of [...open]) socket.terminate()
  })
  return { ...host, open, opened: () => opened }
}

interface Watched extends AuthSocket {
  readonly heard: unknown[]
  readonly told: string[]
}

function openSocket(client: AuthClient, options: AuthSocketOptions = {}): Watched {
  const heard: unknown[] = []
  const told: string[] = []
  const socket = client.socket('/ws', {
    WebSocket,
    onMessage: (data) => void heard.push(data),
    onStatus: (status) => void told.push(status),
    onEnded: () => void told.push('ended'),
    ...options,
  })
  onTestFinished(() => socket.close())
  return {
    heard,
    told,
    send: socket.send,
    reconnect: socket.reconnect,
    close: socket.close,
    get status() {
      return socket.status
    },
  }
}

const statusOf = (socket: AuthSocket) => expect.poll(() => socket.status)

describe('a socket', () => {
  it('buys a ticket, speaks, and is closed', async () => {
    const host = await startSocketHost()
    const wire = tap(host)
    const client = await signedIn(host, { fetch: wire.fetch })
    const socket = openSocket(client)
    expect(socket.status).toBe('connecting')
    expect(socket.send('{}')).toBe(false)
    await statusOf(socket).toBe('open')
    expect(socket.send('{"a":1}')).toBe(true)
    await expect.poll(() => socket.heard).toEqual(['heard {"a":1}'])
    socket.close()
    expect(socket.send('{}')).toBe(false)
    await expect.poll(() => host.open).toEqual([])
    expect(socket.told).toEqual(['open', 'closed'])
    expect(wire.to('/auth/socket-ticket')).toHaveLength(1)
    expect(client.state.status).toBe('signed-in')
  })

  it('comes back when its connection is lost, as often as that is', async () => {
    const host = await startSocketHost()
    const client = await signedIn(host)
    const opens: number[] = []
    const socket = openSocket(client, { onOpen: () => void opens.push(opens.length) })
    for (const round of [1, 2]) {
      await expect.poll(() => opens.length).toBe(round)
      for (const one of [...host.open]) one.terminate()
    }
    await expect.poll(() => opens.length).toBe(3)
    expect(socket.told).toEqual([
      'open',
      ...['waiting', 'connecting', 'open'],
      ...['waiting', 'connecting', 'open'],
    ])
  })

  it('is opened anew where what was missed could not be fetched, until it can be', async () => {
    const host = await startSocketHost()
    const client = await signedIn(host)
    let failures = 2
    const socket = openSocket(client, {
      onOpen: async () => {
        failures -= 1
        if (failures >= 0) throw new Error('the room could not be read')
      },
    })
    await expect.poll(() => host.opened()).toBe(3)
    await statusOf(socket).toBe('open')
    const again = ['open', 'waiting', 'connecting']
    expect(socket.told).toEqual([...again, ...again, 'open'])
    await expect.poll(() => host.open.length).toBe(1)
  })

  it('is opened anew where its owner asks for it, and not while it is being opened', async () => {
    const host = await startSocketHost()
    const socket = openSocket(await signedIn(host))
    socket.reconnect()
    await statusOf(socket).toBe('open')
    expect(socket.told).toEqual(['open'])
    socket.reconnect()
    expect(socket.status).toBe('waiting')
    await statusOf(socket).toBe('open')
    expect(socket.told).toEqual(['open', 'waiting', 'connecting', 'open'])
    socket.close()
    socket.reconnect()
    expect(socket.status).toBe('closed')
  })

  it('comes back after an outage, and nobody is signed out by that', async () => {
    const host = await startSocketHost()
    const wire = tap(host)
    const client = await signedIn(host, { fetch: wire.fetch, maxWaitMs: 1 })
    const away = { status: 503, headers: { 'Retry-After': '0' } }
    wire.next('/auth/socket-ticket', async () => new Response('{}', away))
    wire.next('/auth/socket-ticket', () => Promise.reject(new TypeError('fetch failed')))
    const socket = openSocket(client)
    await statusOf(socket).toBe('open')
    expect(client.state.status).toBe('signed-in')
    expect(wire.to('/auth/socket-ticket')).toHaveLength(3)
  })

  it('ends with the session, and the client is signed out', async () => {
    const host = await startSocketHost()
    const client = await signedIn(host)
    const socket = openSocket(client)
    await statusOf(socket).toBe('open')
    await host.auth.sessions.revokeAllForUser('u-alice')
    await statusOf(socket).toBe('closed')
    expect(socket.told).toEqual(['open', 'closed', 'ended'])
    await expect.poll(() => client.state).toEqual({ status: 'signed-out', reason: 'session-ended' })
    expect(host.opened()).toBe(1)
  })

  it('of nobody ends at once', async () => {
    const host = await startSocketHost()
    const client = await signedIn(host)
    await client.signOut()
    const socket = openSocket(client)
    await expect.poll(() => socket.told).toEqual(['closed', 'ended'])
  })

  it('outlives its token by a newer one, without a new connection', async () => {
    const host = await startSocketHost()
    const client = await signedIn(host)
    const socket = openSocket(client, { renewal: (renew) => JSON.stringify({ renew }) })
    await statusOf(socket).toBe('open')
    for (let round = 1; round <= 3; round += 1) {
      host.clock.advance(500)
      // As the timer of the socket does every 30 seconds.
      await client.accessToken()
      await expect.poll(() => socket.heard.length).toBe(round)
    }
    host.clock.advance(90)
    await new Promise((resolve) => setTimeout(resolve, 1500))
    expect([host.opened(), socket.status]).toEqual([1, 'open'])
  })

  it('that cannot renew connects anew when its token ends', async () => {
    const host = await startSocketHost()
    const client = await signedIn(host)
    const socket = openSocket(client)
    await statusOf(socket).toBe('open')
    host.clock.advance(700)
    await expect.poll(() => host.opened()).toBe(2)
    await statusOf(socket).toBe('open')
    expect(socket.told).toEqual(['open', 'connecting', 'open'])
  })

  it('hands no token of somebody else over', async () => {
    const host = await startSocketHost()
    const { passwordHash = null } = host.users.rows.get('u-alice') ?? {}
    host.users.add({ id: 'u-bob', username: 'bob', passwordHash })
    const client = await signedIn(host)
    const sent: string[] = []
    const renewal = (token: string) => {
      sent.push(token)
      return JSON.stringify({ renew: token })
    }
    const socket = openSocket(client, { renewal })
    await statusOf(socket).toBe('open')
    await client.signIn({ user: 'bob', password: 'correct horse battery staple' })
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(sent).toEqual([])
  })

  it('without a WebSocket anywhere is an error that says so', async () => {
    const host = await startSocketHost()
    const client = await signedIn(host)
    if ('WebSocket' in globalThis) return
    expect(() => client.socket('/ws')).toThrow(/hand one over/)
    expect(() => client.socket('ws')).toThrow(TypeError)
  })
})

describe('a socket whose server accepts and closes at once', () => {
  it.each([1013, 4408])('comes back by pauses that grow, after %i as well', async (code) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
    onTestFinished(() => void vi.useRealTimers())
    class Closing {
      readonly readyState = 1
      onopen = () => {}
      onclose = (_event: { code: number }) => {}
      constructor() {
        queueMicrotask(() => {
          this.onopen()
          queueMicrotask(() => this.onclose({ code }))
        })
      }
      send() {}
      close() {}
    }
    let tickets = 0
    const client = createAuthClient({
      baseUrl: 'https://chat.example.com/api/v1',
      fetch: async (address) => {
        if (address.endsWith('/login')) {
          const data = { userId: 'u', authToken: 'token', me: { _id: 'u' } }
          return Response.json({ status: 'success', data })
        }
        tickets += 1
        return Response.json({ status: 'success', data: { ticket: 'ticket' } })
      },
    })
    await client.signIn({ user: 'alice', password })
    const socket = client.socket('/ws', { WebSocket: Closing as never })
    onTestFinished(() => socket.close())
    // At least half of 1 + 2 + 4 + 8 + 16 seconds.
    await vi.advanceTimersByTimeAsync(15_000)
    expect(tickets).toBeLessThanOrEqual(5)
    expect(tickets).toBeGreaterThanOrEqual(3)
  })
})
