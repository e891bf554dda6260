import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { Server as SocketIoServer } from 'socket.io'
import { io } from 'socket.io-client'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import type { Principal, TrackedSocket } from '../../src/index.js'
import { memoryStores } from '../../src/stores/memory-stores.js'
import { bearer, get, logIn, obtainCode, pkcePair, post } from '../support/client.js'
import { type HostSettings, password, startHost, type TestHost } from '../support/host.js'

interface SocketHost extends TestHost {
  readonly tracked: TrackedSocket[]
  readonly wsUrl: string
}

/** A host with a guarded `ws` server on the same port. */
async function startSocketHost(settings: HostSettings = {}): Promise<SocketHost> {
  const host = await startHost(settings)
  const tracked: TrackedSocket[] = []
  const sockets = new WebSocketServer({ noServer: true })
  host.server.on('upgrade', (request, connection, head) => {
    if (!request.url?.startsWith('/ws')) return
    host.auth.sockets.authenticate(request).then(
      (principal) =>
        sockets.handleUpgrade(request, connection, head, (socket) => {
          tracked.push(host.auth.sockets.track(socket, principal))
          socket.send(JSON.stringify(principal))
        }),
      (error: unknown) => host.auth.sockets.refuse(connection, error),
    )
  })
  onTestFinished(() => {
    for (const client of sockets.clients) client.terminate()
  })
  return { ...host, tracked, wsUrl: `${host.url.replace('http', 'ws').replace('/api/v1', '')}/ws` }
}

interface OpenSocket {
  readonly socket: WebSocket
  readonly principal: Principal
  readonly closed: Promise<{ code: number; reason: string }>
}

function open(
  host: SocketHost,
  headers: Record<string, string>,
  protocols: string[] = [],
): Promise<OpenSocket> {
  const socket = new WebSocket(host.wsUrl, protocols, { headers })
  const closed = new Promise<{ code: number; reason: string }>((resolve) => {
    socket.on('close', (code, reason) => resolve({ code, reason: reason.toString() }))
  })
  return new Promise((resolve, reject) => {
    socket.once('message', (data) =>
      resolve({ socket, principal: JSON.parse(data.toString()), closed }),
    )
    socket.once('unexpected-response', (_request, response) => {
      let text = ''
      response.on('data', (chunk) => {
        text += chunk
      })
      response.on('end', () =>
        reject(Object.assign(new Error(`refused with ${response.statusCode}`), { response, text })),
      )
    })
    socket.once('error', reject)
  })
}

const refusal = async (opening: Promise<OpenSocket>) => {
  const error = await opening.then(
    () => new Error('it opened'),
    (reason: unknown) => reason,
  )
  const { response, text } = error as {
    response: { statusCode: number; headers: Record<string, string> }
    text: string
  }
  return { status: response.statusCode, headers: response.headers, body: JSON.parse(text) }
}

describe('a ws upgrade', () => {
  it('is admitted by the headers of any other request, and says who is there', async () => {
    const host = await startSocketHost()
    const { authToken, userId } = await logIn(host)
    for (const headers of [bearer(authToken), { 'X-User-Id': userId, 'X-Auth-Token': authToken }]) {
      expect((await open(host, headers)).principal).toMatchObject({
        userId: 'u-alice',
        kind: 'login',
      })
    }
  })

  it('is refused as plain HTTP before any 101, with the error body of every other answer', async () => {
    const host = await startSocketHost()
    const { status, headers, body } = await refusal(open(host, bearer('wrong')))
    expect(status).toBe(401)
    expect(headers).toMatchObject({
      'www-authenticate': 'Bearer',
      'content-type': 'application/json',
      'cache-control': 'no-store',
    })
    expect(body).toEqual({
      success: false,
      status: 'error',
      error: 'Unauthorized',
      message: 'You must be logged in to do this.',
    })
    expect((await refusal(open(host, {}))).status).toBe(401)
  })

  it('is a 503 with Retry-After while the store is down, never a 401', async () => {
    const host = await startSocketHost()
    const { authToken } = await logIn(host)
    host.stores.sessions.find = () => Promise.reject(new Error('down'))
    const { status, headers } = await refusal(open(host, bearer(authToken)))
    expect(status).toBe(503)
    expect(headers['retry-after']).toBe('2')
  })

  it('from a page of another origin is 403; from the host’s own or an allowed one it is not', async () => {
    const strict = await startSocketHost()
    const { authToken } = await logIn(strict)
    const own = strict.wsUrl.replace('ws:', 'http:').replace('/ws', '')
    expect(
      (await refusal(open(strict, { ...bearer(authToken), Origin: 'https://evil.example.com' })))
        .status,
    ).toBe(403)
    expect((await refusal(open(strict, { ...bearer(authToken), Origin: 'null' }))).status).toBe(403)
    expect((await open(strict, { ...bearer(authToken), Origin: own })).principal.userId).toBe(
      'u-alice',
    )
    for (const [host, origin, status] of [
      ['chat.example.com:443', 'https://chat.example.com', 101],
      ['Chat.Example.com', 'https://chat.example.com', 101],
      ['[2001:DB8:0::1]:8080', 'http://[2001:db8::1]:8080', 101],
      ['chat.example.com:8443', 'https://chat.example.com', 403],
      ['', 'file://', 403],
      ['chat.example.com:port', 'https://chat.example.com', 403],
    ] as const) {
      const request = {
        headersDistinct: { ...{ authorization: [`Bearer ${authToken}`] }, origin: [origin] },
        headers: { host },
        socket: {},
      }
      const admitted = strict.auth.sockets.authenticate(request as never).then(
        () => 101,
        (error: { status: number }) => error.status,
      )
      expect([origin, await admitted]).toEqual([origin, status])
    }

    const listed = await startSocketHost({
      options: { allowedOrigins: ['https://chat.example.com'] },
    })
    const token = (await logIn(listed)).authToken
    expect(
      (await open(listed, { ...bearer(token), Origin: 'https://chat.example.com' })).principal
        .userId,
    ).toBe('u-alice')
    expect(
      (
        await refusal(
          open(listed, { ...bearer(token), Origin: 'https://chat.example.com.evil.com' }),
        )
      ).status,
    ).toBe(403)
  })
})

describe('the address of a ws upgrade', () => {
  it('is no news of its session: a bare upgrade knows nothing of the proxies in front', async () => {
    const host = await startSocketHost({ before: (app) => void app.set('trust proxy', 1) })
    const from = { 'X-Forwarded-For': '203.0.113.7' }
    const { body } = await post(host, '/login', { username: 'alice', password }, from)
    host.clock.advance(61)
    await open(host, { ...bearer(body.data.authToken), ...from })
    await vi.waitFor(async () => {
      const [session] = await host.auth.sessions.list('u-alice')
      expect(session).toMatchObject({ lastSeenAt: host.clock(), ip: '203.0.113.7' })
    })
  })
})

describe('a socket ticket', () => {
  const buy = async (host: SocketHost, token: string) => {
    const { status, body } = await post(host, '/auth/socket-ticket', undefined, bearer(token))
    expect(status).toBe(200)
    expect(body).toEqual({
      status: 'success',
      data: { ticket: expect.stringMatching(/^mar_wt_[\w-]{43}\.[\w-]{43}$/), expiresIn: 30 },
    })
    return body.data.ticket as string
  }

  it(
    'opens one socket for a browser, which cannot send headers; the server names only the ' +
      'protocol',
    async () => {
      const host = await startSocketHost()
      const { authToken } = await logIn(host)
      const ticket = await buy(host, authToken)
      const { socket, principal } = await open(host, {}, ['auth.ticket', ticket])
      expect(principal).toMatchObject({ userId: 'u-alice', scope: ['*'] })
      expect(socket.protocol).toBe('auth.ticket')
      expect((await refusal(open(host, {}, ['auth.ticket', ticket]))).status).toBe(401)
    },
  )

  it('opens one socket even when 50 try at once', async () => {
    const host = await startSocketHost()
    const ticket = await buy(host, (await logIn(host)).authToken)
    const tries = await Promise.allSettled(
      Array.from({ length: 50 }, () => open(host, {}, ['auth.ticket', ticket])),
    )
    expect(tries.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
  })

  it('is void when the token it was bought with has ended', async () => {
    const host = await startSocketHost({ now: new Date('2030-01-01T00:00:00Z') })
    const opened = (
      await post(host, '/auth/pkce/token', await obtainCode(host, (await logIn(host)).authToken))
    ).body
    host.clock.advance(590)
    const [inTime, late] = [
      await buy(host, opened.access_token),
      await buy(host, opened.access_token),
    ]
    host.clock.advance(9)
    expect((await open(host, {}, ['auth.ticket', inTime])).principal.userId).toBe('u-alice')
    host.clock.advance(1)
    expect((await refusal(open(host, {}, ['auth.ticket', late]))).status).toBe(401)
  })

  it(
    'opens a socket that may do what its token may, however the client writes the list of ' +
      'protocols',
    async () => {
      const host = await startSocketHost()
      const { codeChallenge, codeVerifier } = pkcePair()
      const scope = ['rooms:read', 'me']
      const { authorizationCode } = await host.auth.issueAuthorizationCode({
        userId: 'u-alice',
        codeChallenge,
        scope,
      })
      const { body } = await post(host, '/auth/pkce/token', { authorizationCode, codeVerifier })
      for (const separator of [',', ', ', ' ,\t']) {
        const protocols = ['chat', 'auth.ticket', await buy(host, body.access_token)].join(
          separator,
        )
        const request = {
          headersDistinct: { 'sec-websocket-protocol': [protocols] },
          headers: {},
          socket: {},
        }
        expect(await host.auth.sockets.authenticate(request as never)).toMatchObject({
          userId: 'u-alice',
          scope,
          kind: 'pkce',
        })
      }
    },
  )

  it('is void after 30 seconds, after its session, and together with a token', async () => {
    const host = await startSocketHost()
    const { authToken } = await logIn(host)
    const [late, orphan, both] = [
      await buy(host, authToken),
      await buy(host, authToken),
      await buy(host, authToken),
    ]
    expect((await refusal(open(host, bearer(authToken), ['auth.ticket', both]))).status).toBe(400)
    await post(host, '/logout', undefined, bearer(authToken))
    expect((await refusal(open(host, {}, ['auth.ticket', orphan]))).status).toBe(401)
    const second = await logIn(host)
    const fresh = await buy(host, second.authToken)
    host.clock.advance(30)
    expect((await refusal(open(host, {}, ['auth.ticket', late]))).status).toBe(401)
    expect((await refusal(open(host, {}, ['auth.ticket', fresh]))).status).toBe(401)
    expect((await refusal(open(host, {}, ['auth.ticket']))).status).toBe(401)
  })

  it('does not exist where the host keeps none', async () => {
    const host = await startSocketHost({ options: { tickets: undefined as never } })
    const { authToken } = await logIn(host)
    expect((await post(host, '/auth/socket-ticket', undefined, bearer(authToken))).status).toBe(404)
    expect(
      (await refusal(open(host, {}, ['auth.ticket', `mar_wt_${'A'.repeat(43)}`]))).status,
    ).toBe(401)
  })
})

describe('a live socket', () => {
  it('is closed with 4401 when its session ends, and only then', async () => {
    const host = await startSocketHost()
    const [one, other] = [await logIn(host), await logIn(host)]
    const sockets = [
      await open(host, bearer(one.authToken)),
      await open(host, bearer(one.authToken)),
    ]
    const bystander = await open(host, bearer(other.authToken))
    await post(host, '/logout', undefined, bearer(one.authToken))
    for (const { closed } of sockets)
      expect(await closed).toEqual({ code: 4401, reason: 'session ended: logout' })
    expect(bystander.socket.readyState).toBe(WebSocket.OPEN)
  })

  it('and everything else of the session is dead before a logout is answered', async () => {
    const host = await startSocketHost()
    const opened = (
      await post(host, '/auth/pkce/token', await obtainCode(host, (await logIn(host)).authToken))
    ).body
    const ticket = (await post(host, '/auth/socket-ticket', undefined, bearer(opened.access_token)))
      .body.data.ticket
    const code = await obtainCode(host, opened.access_token)
    const order: string[] = []
    const { principal } = await open(host, bearer(opened.access_token))
    host.auth.sockets.track(
      {
        close: (number) => void order.push(`closed ${number}`),
        terminate() {},
        once() {},
        on() {},
      },
      principal,
    )
    await post(host, '/logout', undefined, bearer(opened.access_token)).then(() =>
      order.push('answered'),
    )
    expect(order).toEqual(['closed 4401', 'answered'])
    const answers = await Promise.all([
      post(host, '/auth/refresh', { refreshToken: opened.refresh_token }),
      post(host, '/auth/pkce/token', code),
      post(host, '/auth/socket-ticket', undefined, bearer(opened.access_token)),
    ])
    expect(answers.map(({ status }) => status)).toEqual([400, 400, 401])
    expect((await refusal(open(host, {}, ['auth.ticket', ticket]))).status).toBe(401)
  })

  it('is closed when the host revokes the user, or a stolen refresh token is found out', async () => {
    const host = await startSocketHost()
    const { authToken } = await logIn(host)
    const first = (await post(host, '/auth/pkce/token', await obtainCode(host, authToken))).body
    const { closed } = await open(host, bearer(first.access_token))
    const second = (await post(host, '/auth/refresh', { refreshToken: first.refresh_token })).body
    await post(host, '/auth/refresh', { refreshToken: second.refresh_token })
    host.clock.advance(31)
    await post(host, '/auth/refresh', { refreshToken: first.refresh_token })
    expect((await closed).code).toBe(4401)

    const login = await open(host, bearer(authToken))
    expect(await host.auth.sessions.revokeAllForUser('u-alice')).toBe(1)
    expect((await login.closed).code).toBe(4401)
  })

  it(
    'is closed with 4408 when its token ends, unless a newer one of the same session was ' +
      'presented',
    async () => {
      const host = await startSocketHost()
      const { authToken } = await logIn(host)
      const session = (await post(host, '/auth/pkce/token', await obtainCode(host, authToken))).body
      const lapsed = await open(host, bearer(session.access_token))
      const renewed = await open(host, bearer(session.access_token))
      host.clock.advance(500)
      const newer = (await post(host, '/auth/refresh', { refreshToken: session.refresh_token }))
        .body
      const principal = await host.tracked[1]?.renew(newer.access_token)
      expect(principal?.expiresAt.getTime()).toBe(
        Math.floor(host.clock().getTime() / 1000) * 1000 + 600_000,
      )
      await expect(host.tracked[1]?.renew(session.access_token)).resolves.toEqual(principal)
      await expect(host.tracked[1]?.renew(authToken)).rejects.toMatchObject({ status: 401 })
      for (const wrong of ['wrong', '', 7, null, undefined, {}, ['a']] as string[]) {
        await expect(host.tracked[1]?.renew(wrong)).rejects.toMatchObject({
          name: 'AuthError',
          status: 401,
        })
      }
      host.clock.advance(101)
      expect(await lapsed.closed).toEqual({ code: 4408, reason: 'token expired' })
      expect(renewed.socket.readyState).toBe(WebSocket.OPEN)
    },
  )

  it(
    'is asked for again within a minute, whoever else comes and goes, in case nobody told of ' +
      'the end',
    async () => {
      vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
      onTestFinished(() => void vi.useRealTimers())
      const host = await startSocketHost()
      const { authToken } = await logIn(host)
      const request = {
        headersDistinct: { authorization: [`Bearer ${authToken}`] },
        headers: {},
        socket: {},
      }
      const principal = await host.auth.authenticate(request as never)
      const close = vi.fn()
      host.auth.sockets.track({ close, terminate() {}, once() {}, on() {} }, principal)
      host.users.change('u-alice', { disabled: true })
      host.clock.advance(6)
      for (let second = 0; second < 61; second += 1) await vi.advanceTimersByTimeAsync(1000)
      expect(close).toHaveBeenCalledExactlyOnceWith(4401, 'session ended')
    },
  )

  it(
    'is asked for with its user once a minute and no more, is closed in the second its token ' +
      'ends, and leaves no timer',
    async () => {
      vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
      onTestFinished(() => void vi.useRealTimers())
      const host = await startSocketHost({ now: new Date('2030-01-01T00:00:00Z') })
      const { access_token } = (
        await post(host, '/auth/pkce/token', await obtainCode(host, (await logIn(host)).authToken))
      ).body
      const request = {
        headersDistinct: { authorization: [`Bearer ${access_token}`] },
        headers: {},
        socket: {},
      }
      const principal = await host.auth.authenticate(request as never)
      const findById = vi.spyOn(host.users, 'findById')
      const close = vi.fn()
      host.auth.sockets.track({ close, terminate() {}, once() {}, on() {} }, principal)
      for (let second = 1; second <= 599; second += 1) {
        host.clock.advance(1)
        await vi.advanceTimersByTimeAsync(1000)
      }
      expect(findById.mock.calls.length).toBeGreaterThanOrEqual(9)
      expect(findById.mock.calls.length).toBeLessThanOrEqual(11)
      expect(close).not.toHaveBeenCalled()
      host.clock.advance(1)
      await vi.advanceTimersByTimeAsync(1000)
      expect(close).toHaveBeenCalledExactlyOnceWith(4408, 'token expired')
      await host.auth.close()
      expect(vi.getTimerCount()).toBe(0)
    },
  )

  it(
    'is closed within 5 seconds of an end that nobody told of, and stays open while the store ' +
      'is down',
    async () => {
      vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
      onTestFinished(() => void vi.useRealTimers())
      let isDown = false
      const stores = memoryStores()
      const liveAmong = vi.fn((ids: readonly string[], now: Date) =>
        isDown ? Promise.reject(new Error('down')) : stores.sessions.liveAmong(ids, now),
      )
      const host = await startSocketHost({
        options: { ...stores, sessions: { ...stores.sessions, liveAmong } },
      })
      const closes: string[] = []
      const track = async (name: string) => {
        const { authToken } = await logIn(host)
        const request = {
          headersDistinct: { authorization: [`Bearer ${authToken}`] },
          headers: {},
          socket: {},
        }
        const principal = await host.auth.authenticate(request as never)
        host.auth.sockets.track(
          { close: (code) => closes.push(`${name} ${code}`), terminate() {}, once() {}, on() {} },
          principal,
        )
        return { principal, authToken }
      }
      const seconds = async (count: number) => {
        for (let second = 0; second < count; second += 1) await vi.advanceTimersByTimeAsync(1000)
      }
      const ended = await track('ended')
      const { sessionId } = ended.principal
      await track('other')
      // As another process would: in the store, and no word of it.
      await stores.sessions.end(sessionId, 'revoked', host.clock())
      isDown = true
      await seconds(8)
      expect(closes).toEqual([])
      isDown = false
      await seconds(4)
      expect(closes).toEqual(['ended 4401'])
      expect((await get(host, '/me', bearer(ended.authToken))).status).toBe(401)
      liveAmong.mockClear()
      await seconds(8)
      expect(liveAmong).toHaveBeenCalledTimes(2)
      expect(closes).toEqual(['ended 4401'])
    },
  )

  it('is closed although its session ended during the handshake', async () => {
    const host = await startSocketHost()
    const { authToken } = await logIn(host)
    const principal = await host.auth.authenticate({
      headersDistinct: { authorization: [`Bearer ${authToken}`] },
      headers: {},
      socket: {},
    } as never)
    await post(host, '/logout', undefined, bearer(authToken))
    const code = await new Promise<number>((resolve) => {
      host.auth.sockets.track({ close: resolve, terminate() {}, once() {}, on() {} }, principal)
    })
    expect(code).toBe(4401)
  })

  it('that throws when it is closed keeps no other open, and fails no logout', async () => {
    const host = await startSocketHost()
    const { authToken } = await logIn(host)
    const { principal, closed } = await open(host, bearer(authToken))
    const broken = () => {
      throw new Error('not open yet')
    }
    host.auth.sockets.track({ close: broken, terminate: broken, once() {}, on() {} }, principal)
    const other = await open(host, bearer(authToken))
    expect((await post(host, '/logout', undefined, bearer(authToken))).status).toBe(200)
    expect([(await closed).code, (await other.closed).code]).toEqual([4401, 4401])
  })

  it('is cut when the client does not answer the close', async () => {
    const host = await startSocketHost()
    const { authToken } = await logIn(host)
    const principal = await host.auth.authenticate({
      headersDistinct: { authorization: [`Bearer ${authToken}`] },
      headers: {},
      socket: {},
    } as never)
    const terminate = vi.fn()
    host.auth.sockets.track({ close() {}, terminate, once() {}, on() {} }, principal)
    await post(host, '/logout', undefined, bearer(authToken))
    await vi.waitFor(() => expect(terminate).toHaveBeenCalled())
  })

  it('stays open while the store is down: an outage is no verdict', async () => {
    const host = await startSocketHost()
    const { authToken } = await logIn(host)
    const request = {
      headersDistinct: { authorization: [`Bearer ${authToken}`] },
      headers: {},
      socket: {},
    }
    const principal = await host.auth.authenticate(request as never)
    host.stores.sessions.find = () => Promise.reject(new Error('down'))
    host.clock.advance(6)
    const close = vi.fn()
    host.auth.sockets.track({ close, terminate() {}, once() {}, on() {} }, principal)
    await vi.waitFor(() =>
      expect(host.events).toContainEqual(expect.objectContaining({ type: 'host.failed' })),
    )
    expect(close).not.toHaveBeenCalled()
  })

  it('keeps its session in use, and does not make its address unknown', async () => {
    const host = await startSocketHost()
    const { authToken } = await logIn(host)
    const { principal } = await open(host, bearer(authToken))
    host.clock.advance(61)
    host.auth.sockets.track({ close() {}, terminate() {}, once() {}, on() {} }, principal)
    await vi.waitFor(async () => {
      const [session] = await host.auth.sessions.list('u-alice')
      expect(session).toMatchObject({ lastSeenAt: host.clock(), ip: '127.0.0.1' })
    })
  })

  it('is counted in the list of sessions', async () => {
    const host = await startSocketHost()
    const { authToken } = await logIn(host)
    const { socket, closed } = await open(host, bearer(authToken))
    await open(host, bearer(authToken))
    const count = async () => (await host.auth.sessions.list('u-alice'))[0]?.liveSockets
    expect(await count()).toBe(2)
    socket.close()
    await closed
    await vi.waitFor(async () => expect(await count()).toBe(1))
  })
})

describe('a client that breaks off or breaks the rules', () => {
  const upgradeRequest = (host: SocketHost, token: string) =>
    [
      'GET /ws HTTP/1.1',
      `Host: ${new URL(host.url).host}`,
      'Connection: Upgrade',
      'Upgrade: websocket',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      `Authorization: Bearer ${token}`,
      '\r\n',
    ].join('\r\n')

  it('during the upgrade harms nobody, although the host listens to no error', async () => {
    const host = await startSocketHost()
    const { authToken } = await logIn(host)
    const { findById } = host.users
    let release = () => {}
    host.users.findById = async (id) => {
      await new Promise<void>((resolve) => {
        release = resolve
      })
      return findById(id)
    }
    for (const token of [authToken, 'wrong']) {
      const client = connect({ port: Number(new URL(host.url).port), host: '127.0.0.1' })
      await once(client, 'connect')
      client.write(upgradeRequest(host, token))
      await new Promise((resolve) => setTimeout(resolve, 50))
      client.resetAndDestroy()
      release()
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
    host.users.findById = findById
    expect((await open(host, bearer(authToken))).principal.userId).toBe('u-alice')
  })

  it('on a live socket is hung up on, and nobody else is', async () => {
    const host = await startSocketHost()
    const { authToken } = await logIn(host)
    const [rude, polite] = [
      await open(host, bearer(authToken)),
      await open(host, bearer(authToken)),
    ]
    const { _socket: raw } = rude.socket as unknown as { _socket: Socket }
    raw.write(Buffer.from([0xff, 0xff, 0xff, 0xff]))
    await rude.closed
    expect(polite.socket.readyState).toBe(WebSocket.OPEN)
    await vi.waitFor(async () =>
      expect((await host.auth.sessions.list('u-alice'))[0]?.liveSockets).toBe(1),
    )
  })

  it(
    'cannot renew a socket that was closed, and one that closed during the handshake is not ' +
      'counted',
    async () => {
      const host = await startSocketHost()
      const { authToken } = await logIn(host)
      const { principal, socket, closed } = await open(host, bearer(authToken))
      socket.close()
      await closed
      await vi.waitFor(() =>
        expect(host.tracked[0]?.renew(authToken)).rejects.toMatchObject({ status: 401 }),
      )
      for (const readyState of [2, 3])
        host.auth.sockets.track(
          { close() {}, terminate() {}, once() {}, on() {}, readyState },
          principal,
        )
      expect((await host.auth.sessions.list('u-alice'))[0]?.liveSockets).toBe(0)
    },
  )

  it('is answered 500 when the host’s own part failed, and the host is told', async () => {
    const host = await startSocketHost()
    const written: string[] = []
    const connection = { on() {}, destroy() {}, end: (text: string) => void written.push(text) }
    host.auth.sockets.refuse(connection as never, new TypeError('a secret'))
    expect(written[0]).toMatch(/^HTTP\/1\.1 500 /)
    expect(written[0]).not.toContain('a secret')
    await vi.waitFor(() =>
      expect(host.events.at(-1)).toMatchObject({
        type: 'host.failed',
        operation: 'upgrade',
        error: 'TypeError',
      }),
    )
    host.auth.sockets.refuse(connection as never, 'a text')
    await vi.waitFor(() => expect(host.events.at(-1)).toMatchObject({ error: 'a thrown string' }))
  })
})

describe('Socket.IO on the same port', () => {
  const startIo = async () => {
    const host = await startSocketHost()
    const ioServer = new SocketIoServer(host.server, { destroyUpgrade: false })
    ioServer.use(host.auth.sockets.socketIo())
    ioServer.on('connection', (socket) => socket.emit('hello', socket.data.auth.userId))
    onTestFinished(() => void ioServer.disconnectSockets(true))
    const connectIo = (options: object) => {
      const client = io(host.url.replace('/api/v1', ''), {
        forceNew: true,
        reconnection: false,
        ...options,
      })
      onTestFinished(() => void client.disconnect())
      return client
    }
    return { host, connectIo, ioServer }
  }

  it('admits a token in auth or in the headers, and tells a stranger why not', async () => {
    const { host, connectIo } = await startIo()
    const { authToken, userId } = await logIn(host)
    for (const options of [
      { auth: { token: authToken, userId } },
      { auth: { token: authToken } },
      { extraHeaders: bearer(authToken) },
    ]) {
      const client = connectIo(options)
      expect(await new Promise((resolve) => client.once('hello', resolve))).toBe('u-alice')
    }
    for (const options of [
      {},
      { auth: { token: 'wrong' } },
      { auth: { token: authToken, userId: 'u-bob' } },
      { auth: { token: 7 } },
    ]) {
      const client = connectIo(options)
      const error = await new Promise<Error & { data?: unknown }>((resolve) =>
        client.once('connect_error', resolve),
      )
      expect(error.message).toBe('You must be logged in to do this.')
      expect(error.data).toEqual({ code: 'Unauthorized', status: 401 })
    }
  })

  it('hangs up with auth.ended when the session ends, so that the client does not try again', async () => {
    const { host, connectIo } = await startIo()
    const { authToken } = await logIn(host)
    const client = connectIo({ auth: { token: authToken } })
    await new Promise((resolve) => client.once('hello', resolve))
    const ended = new Promise((resolve) => client.once('auth.ended', resolve))
    const disconnected = new Promise((resolve) => client.once('disconnect', resolve))
    await post(host, '/logout', undefined, bearer(authToken))
    expect(await ended).toEqual({ code: 4401, reason: 'session ended: logout' })
    expect(await disconnected).toBe('io server disconnect')
  })

  it('leaves ws sockets on that port alone, over polling and over WebSocket', async () => {
    const { host, connectIo } = await startIo()
    const { authToken } = await logIn(host)
    for (const transport of ['polling', 'websocket']) {
      const client = connectIo({ auth: { token: authToken }, transports: [transport] })
      expect(await new Promise((resolve) => client.once('hello', resolve))).toBe('u-alice')
      expect((await open(host, bearer(authToken))).principal.userId).toBe('u-alice')
    }
    await post(host, '/logout', undefined, bearer(authToken))
    await vi.waitFor(async () => expect(await host.auth.sessions.list('u-alice')).toHaveLength(0))
  })

  it(
    'does not outlive a logout that came while another middleware was thinking, nor count when ' +
      'it never connected',
    async () => {
      const { host, connectIo, ioServer } = await startIo()
      const { authToken } = await logIn(host)
      let goOn: (() => void) | undefined
      ioServer.use((_socket, next) => {
        goOn = () => next()
      })
      const client = connectIo({ auth: { token: authToken } })
      const gone = new Promise((resolve) => {
        client.once('disconnect', resolve)
        client.once('connect_error', resolve)
      })
      const isThinking = () => vi.waitFor(() => expect(goOn).toBeDefined())
      await isThinking()
      await host.auth.sessions.revokeAllForUser('u-alice')
      await new Promise((resolve) => setTimeout(resolve, 1100))
      goOn?.()
      await gone
      expect(client.connected).toBe(false)
      expect(ioServer.of('/').sockets.size).toBe(0)

      const again = await logIn(host)
      goOn = undefined
      const left = connectIo({ auth: { token: again.authToken } })
      await isThinking()
      const count = async () => (await host.auth.sessions.list('u-alice'))[0]?.liveSockets
      expect(await count()).toBe(0)
      left.disconnect()
      await vi.waitFor(() => expect(ioServer.engine.clientsCount).toBe(0))
      expect(await count()).toBe(0)
    },
  )

  it('is told of an outage as one', async () => {
    const { host, connectIo } = await startIo()
    const { authToken } = await logIn(host)
    host.stores.sessions.find = () => Promise.reject(new Error('down'))
    const client = connectIo({ auth: { token: authToken } })
    const error = await new Promise<Error & { data?: unknown }>((resolve) =>
      client.once('connect_error', resolve),
    )
    expect(error.data).toEqual({ code: 'temporarily-unavailable', status: 503 })
  })
})
