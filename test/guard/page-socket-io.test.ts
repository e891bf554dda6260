// A page that is signed in by the cookie, and opens Socket.IO without a token.
import { describe, expect, it, vi } from 'vitest'
import type { SocketIoOptions, TrackedSocket } from '../../src/index.js'
import { logIn } from '../support/client.js'
import { ownPage, pagesOrigin, send, signInByPage, startPages } from '../support/pages.js'
import {
  addSocketIo,
  connectTo,
  next,
  refusalOf,
  type SocketIoHost,
  startSocketIoHost,
} from '../support/socket-io.js'

async function startPageSocketIo(
  from: NonNullable<SocketIoOptions['from']> = 'cookie',
  options: object = {},
): Promise<SocketIoHost> {
  const host = addSocketIo(await startPages(), options)
  host.io.use(host.auth.sockets.socketIo(host.io, { from }))
  host.io.on('connection', (socket) => {
    if (!socket.recovered) socket.join('staff')
    socket.emit('hello', socket.data.auth.userId)
  })
  return host
}
const openSockets = ({ auth }: SocketIoHost) => auth.stats().sockets.open
/** What a browser says of a page of the host's own: with an upgrade, and with a GET. */
const byUpgrade = { Origin: pagesOrigin }
const byPolling = { 'Sec-Fetch-Site': 'same-origin' }

describe('the Socket.IO of a page', () => {
  it('is opened by the cookie over each transport, as browsers send it', async () => {
    const host = await startPageSocketIo()
    const { Cookie } = await signInByPage(host)
    for (const [transport, says] of [
      ['websocket', byUpgrade],
      ['polling', byPolling],
      ['polling', byUpgrade],
      // A browser of before Fetch Metadata.
      ['polling', { Referer: `${pagesOrigin}/chat` }],
    ] as const) {
      const client = connectTo(host, {
        transports: [transport],
        extraHeaders: { ...says, Cookie },
      })
      expect([transport, says, await next(client, 'hello')]).toEqual([transport, says, 'u-alice'])
      client.disconnect()
    }
    await vi.waitFor(() => expect(openSockets(host)).toBe(0))
  })

  it('goes from polling to a WebSocket, and is closed with 4401 there at the sign-out', async () => {
    const host = await startPageSocketIo()
    const { Cookie } = await signInByPage(host)
    const client = connectTo(host, { extraHeaders: { ...byPolling, ...byUpgrade, Cookie } })
    await next(client, 'hello')
    await vi.waitFor(() => expect(client.io.engine.transport.name).toBe('websocket'))
    expect(openSockets(host)).toBe(1)
    const ended = next(client, 'auth.ended')
    await send(host, 'POST', '/sign-out', { ...ownPage, Cookie })
    expect(await ended).toEqual({ code: 4401, reason: 'session ended: logout' })
    await vi.waitFor(() => expect(client.connected).toBe(false))
    const again = connectTo(host, { extraHeaders: { ...byUpgrade, Cookie } })
    expect((await refusalOf(again)).data).toEqual({ code: 'Unauthorized', status: 401 })
  })

  it('is closed over polling alone, too, and when the browser signs in anew', async () => {
    const host = await startPageSocketIo()
    const { Cookie } = await signInByPage(host)
    const extraHeaders = { ...byPolling, Cookie }
    const client = connectTo(host, { transports: ['polling'], extraHeaders })
    await next(client, 'hello')
    const ended = next(client, 'auth.ended')
    await signInByPage(host, {}, { Cookie })
    expect(await ended).toMatchObject({ code: 4401 })
    await vi.waitFor(() => expect(openSockets(host)).toBe(0))
  })

  it('is as good as its session: it is no token’s to renew, and ends with 4408 at its end', async () => {
    const host = await startPageSocketIo()
    const { Cookie, value } = await signInByPage(host)
    const client = connectTo(host, { extraHeaders: { ...byUpgrade, Cookie } })
    await next(client, 'hello')
    const [socket] = [...host.io.of('/').sockets.values()]
    const tracked = socket?.data.authSocket as TrackedSocket
    expect(tracked.principal).toMatchObject({ userId: 'u-alice', kind: 'browser' })
    const { authToken } = await logIn(host)
    for (const token of [value, authToken])
      await expect(tracked.renew(token)).rejects.toMatchObject({ status: 401 })
    const [session] = (await host.auth.sessions.list('u-alice')).filter(
      ({ kind }) => kind === 'browser',
    )
    expect(tracked.principal.expiresAt).toEqual(session?.expiresAt)
    const ended = next<{ code: number }>(client, 'auth.ended')
    host.clock.advance((Number(session?.expiresAt) - host.clock().getTime()) / 1000)
    expect((await ended).code).toBe(4408)
  })

  it('connects anew by itself, and comes back with what it has missed', async () => {
    const host = await startPageSocketIo('cookie', {
      connectionStateRecovery: { skipMiddlewares: false },
    })
    const { Cookie } = await signInByPage(host)
    const client = connectTo(host, {
      extraHeaders: { ...byUpgrade, Cookie },
      reconnection: true,
      reconnectionDelay: 100,
    })
    await next(client, 'connect')
    host.io.emit('news', 1)
    await next(client, 'news')
    // Within the event itself: later, the client may have come back already.
    const openWhenLost = new Promise((resolve) => {
      for (const socket of host.io.sockets.sockets.values())
        socket.once('disconnect', () => {
          resolve(openSockets(host))
          host.io.to('staff').emit('news', 2)
        })
    })
    const missed = next(client, 'news')
    const connected = next(client, 'connect')
    client.io.engine.close()
    expect(await openWhenLost).toBe(0)
    await connected
    expect([client.recovered, await missed]).toEqual([true, 2])
    const ended = next(client, 'auth.ended')
    await send(host, 'POST', '/sign-out', { ...ownPage, Cookie })
    expect(await ended).toMatchObject({ code: 4401 })
  })

  it('shares its namespace with apps that send a token, where either is asked for', async () => {
    const host = await startPageSocketIo('either')
    const { Cookie } = await signInByPage(host)
    const { authToken: token } = await logIn(host)
    for (const options of [
      { extraHeaders: { ...byUpgrade, Cookie } },
      { auth: { token } },
      // A page of another origin may send a token: it is no browser that adds it.
      { auth: { token }, extraHeaders: { Origin: 'https://app.example.com', Cookie } },
    ])
      expect(await next(connectTo(host, options), 'hello')).toBe('u-alice')
  })

  it('is told of an outage as 503, never as 401', async () => {
    const host = await startPageSocketIo()
    const { Cookie } = await signInByPage(host)
    host.stores.sessions.find = () => Promise.reject(new Error('down'))
    const client = connectTo(host, { extraHeaders: { ...byUpgrade, Cookie } })
    expect((await refusalOf(client)).data?.status).toBe(503)
  })
})

describe('the place of credentials of Socket.IO', () => {
  it.each([{ from: 'url' }, { from: null }, { form: 'cookie' }])(
    'is checked at once: %j is none',
    async (options) => {
      const { auth, io } = await startPageSocketIo()
      expect(() => auth.sockets.socketIo(io, options as never)).toThrow(/^sockets\.socketIo/)
    },
  )

  it.each(['cookie', 'either'] as const)('needs pagesOrigin for %s', async (from) => {
    const { auth, io } = await startSocketIoHost()
    expect(() => auth.sockets.socketIo(io, { from })).toThrow(
      `pagesOrigin: is not set, and sockets.socketIo({ from: '${from}' }) needs it`,
    )
  })
})
