// A page's socket: the browser sends the cookie with any upgrade, whichever page asks for it.
import { once } from 'node:events'
import { describe, expect, it, onTestFinished } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import type { SocketOptions, TrackedSocket } from '../../src/index.js'
import { sha256 } from '../../src/lib/secrets.js'
import { newSessionSecret } from '../../src/tokens/session-secret.js'
import { afterAttack } from '../support/after-attack.js'
import { bearer, logIn } from '../support/client.js'
import type { TestHost } from '../support/host.js'
import {
  cookieName,
  ownPage,
  type PageSettings,
  pagesOrigin,
  send,
  signInByPage,
  startPages,
} from '../support/pages.js'

interface SocketHost extends TestHost {
  readonly tracked: TrackedSocket[]
}

type Guard = (host: TestHost, sockets: WebSocketServer, options: SocketOptions) => void

/** Both ways to guard the upgrades of a path. */
const guards: Readonly<Record<'authenticate' | 'attach', Guard>> = {
  authenticate(host, sockets, options) {
    host.server.on('upgrade', (request, connection, head) => {
      host.auth.sockets
        .authenticate(request, options)
        .then((principal) =>
          sockets.handleUpgrade(request, connection, head, (socket) =>
            sockets.emit('connection', socket, request, host.auth.sockets.track(socket, principal)),
          ),
        )
        .catch((error: unknown) => host.auth.sockets.refuse(connection, error))
    })
  },
  attach: ({ auth, server }, sockets, options) =>
    auth.sockets.attach(server, '/ws', sockets, options),
}

/** A host whose sockets take the cookie, or whatever else is said. */
async function startPageSockets(
  options: SocketOptions = { from: 'cookie' },
  settings: PageSettings = {},
  guard: Guard = guards.authenticate,
): Promise<SocketHost> {
  const host = await startPages(settings)
  const sockets = new WebSocketServer({ noServer: true })
  const tracked: TrackedSocket[] = []
  sockets.on('connection', (socket: WebSocket, _request: unknown, one: TrackedSocket) => {
    tracked.push(one)
    socket.send(one.principal.userId)
  })
  guard(host, sockets, options)
  onTestFinished(() => {
    for (const client of sockets.clients) client.terminate()
  })
  return { ...host, tracked }
}

interface Opened {
  readonly status: number
  readonly socket: WebSocket
}

/** Asks for a socket, and answers the status: 101 once it is open and has said who it is. */
function open(host: TestHost, headers: Record<string, string | string[]>): Promise<Opened> {
  const url = host.url.replace('http', 'ws').replace('/api/v1', '/ws')
  const socket = new WebSocket(url, { headers: headers as Record<string, string> })
  return new Promise((resolve, reject) => {
    socket.once('message', (text) => {
      expect(String(text)).toBe('u-alice')
      resolve({ status: 101, socket })
    })
    socket.once('unexpected-response', (_request, response) => {
      response.resume()
      resolve({ status: response.statusCode ?? 0, socket })
    })
    socket.once('error', reject)
  })
}

describe.each(Object.entries(guards))('the socket of a page, by %s,', (_name, guard) => {
  const start = (settings: PageSettings = {}) =>
    startPageSockets({ from: 'cookie' }, settings, guard)

  it('is opened by the cookie, from pagesOrigin exactly, and from nowhere else', async () => {
    const host = await start({ options: { allowedOrigins: ['https://app.example.com'] } })
    const { Cookie } = await signInByPage(host)
    const statusOf = async (headers: Record<string, string | string[]>) =>
      (await open(host, { ...headers, Cookie })).status
    expect(await statusOf({ Origin: pagesOrigin })).toBe(101)
    const own = host.url.replace('/api/v1', '')
    for (const origin of [
      own,
      'https://app.example.com',
      'https://evil.example',
      'http://chat.example.com',
      `${pagesOrigin}:8443`,
      `${pagesOrigin}/`,
      `${pagesOrigin}.evil.example`,
      'HTTPS://CHAT.EXAMPLE.COM',
      'null',
    ])
      expect([origin, await statusOf({ Origin: origin })]).toEqual([origin, 403])
    for (const headers of [{}, ownPage, { Referer: `${pagesOrigin}/` }] as Record<
      string,
      string
    >[]) {
      const { Origin: _origin, ...others } = headers
      expect([others, await statusOf(others)]).toEqual([others, 403])
    }
    await afterAttack(host, [], [Cookie])
  })

  it('takes no token, no ticket and no cookie that comes twice', async () => {
    const host = await start()
    const { Cookie, value } = await signInByPage(host)
    const { authToken } = await logIn(host)
    const Origin = pagesOrigin
    for (const headers of [
      {},
      bearer(authToken),
      bearer(value),
      { Cookie: `${cookieName}=${authToken}` },
      { Cookie: `${Cookie}; ${Cookie}` },
      { 'Sec-WebSocket-Protocol': `auth.ticket, ${value}` },
    ])
      expect([headers, (await open(host, { ...headers, Origin })).status]).toEqual([headers, 401])
    await afterAttack(host, [], [value, authToken])
  })

  it('is closed with 4401 when the browser signs out, and at once', async () => {
    const host = await start()
    const { Cookie, value } = await signInByPage(host)
    const { socket } = await open(host, { Cookie, Origin: pagesOrigin })
    await expect(host.tracked[0]?.renew(value)).rejects.toMatchObject({ status: 401 })
    const closed = once(socket, 'close')
    await send(host, 'POST', '/sign-out', { ...ownPage, Cookie })
    expect((await closed)[0]).toBe(4401)
    expect((await open(host, { Cookie, Origin: pagesOrigin })).status).toBe(401)
    await afterAttack(host, [], [value])
  })

  it('stays open where the cookie gets a new secret, and the former opens none', async () => {
    const host = await startPageSockets()
    const { Cookie, value, session } = await signInByPage(host)
    const { socket } = await open(host, { Cookie, Origin: pagesOrigin })
    const { secret, secretHash: to } = newSessionSecret('browser', session)
    host.issued.add(secret)
    const formerUntil = new Date(host.clock().getTime() + 10_000)
    const replacement = { from: sha256(value), to, formerUntil }
    expect(await host.stores.sessions.replaceSecret?.(session, replacement)).toBe(true)
    const statusOf = async (cookie: string) =>
      (await open(host, { Cookie: `${cookieName}=${cookie}`, Origin: pagesOrigin })).status
    expect(await statusOf(secret)).toBe(101)
    const late = await open(host, { Cookie, Origin: pagesOrigin })
    expect(late.status).toBe(101)
    const lateClosed = once(late.socket, 'close')
    host.clock.advance(10)
    // The one that the former has opened goes with it.
    expect((await lateClosed)[0]).toBe(4408)
    expect([await statusOf(value), await statusOf(secret)]).toEqual([401, 101])
    host.clock.advance(3600)
    expect((await open(host, { Cookie, Origin: pagesOrigin })).status).toBe(401)
    expect(socket.readyState).toBe(WebSocket.OPEN)
    const closed = once(socket, 'close')
    const signOut = { ...ownPage, Cookie: `${cookieName}=${secret}` }
    await send(host, 'POST', '/sign-out', signOut)
    expect((await closed)[0]).toBe(4401)
  })

  it('is closed with 4401 when the same browser signs in anew', async () => {
    const host = await start()
    const { Cookie } = await signInByPage(host)
    const { socket } = await open(host, { Cookie, Origin: pagesOrigin })
    const closed = once(socket, 'close')
    await signInByPage(host, {}, { Cookie })
    expect((await closed)[0]).toBe(4401)
  })

  it('is 503 while the store is down, never 401', async () => {
    const host = await start()
    const { Cookie } = await signInByPage(host)
    host.stores.sessions.find = () => Promise.reject(new Error('down'))
    expect((await open(host, { Cookie, Origin: pagesOrigin })).status).toBe(503)
  })
})

describe('any other socket', () => {
  it('takes no cookie, wherever its page is', async () => {
    const host = await startPageSockets({})
    const { Cookie } = await signInByPage(host)
    const Origin = host.url.replace('/api/v1', '')
    expect((await open(host, { Cookie })).status).toBe(401)
    expect((await open(host, { Cookie, Origin })).status).toBe(401)
    const { authToken } = await logIn(host)
    expect((await open(host, { ...bearer(authToken), Cookie, Origin })).status).toBe(101)
  })
})

describe('a socket of pages that the host has not named', () => {
  it('is refused, and the host is told which option is missing', async () => {
    const host = await startPageSockets({ from: 'cookie' }, { withoutPages: true })
    const { status } = await open(host, { Origin: pagesOrigin, Cookie: `${cookieName}=x` })
    expect(status).toBe(500)
    expect(host.events).toContainEqual(
      expect.objectContaining({
        type: 'host.failed',
        operation: 'upgrade',
        error: expect.stringContaining('pagesOrigin: is not set'),
        requestId: expect.stringMatching(/^.{36}$/),
      }),
    )
  })

  it('is attached nowhere: the host is told at once', async () => {
    const attached = startPageSockets({ from: 'cookie' }, { withoutPages: true }, guards.attach)
    await expect(attached).rejects.toMatchObject({ name: 'AuthConfigError', option: 'pagesOrigin' })
  })

  it.each([{ from: 'either' }, { from: 'url' }, { form: 'cookie' }])(
    'is refused, as is an option that is none: %j',
    async (options) => {
      const host = await startPages()
      await expect(
        host.auth.sockets.authenticate({ headers: {}, socket: {} } as never, options as never),
      ).rejects.toMatchObject({ name: 'AuthConfigError' })
      const sockets = new WebSocketServer({ noServer: true })
      expect(() => guards.attach(host, sockets, options as never)).toThrow('sockets.attach')
    },
  )
})
