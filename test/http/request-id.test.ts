// What a user reports is found in the log: an answer and its events have one id.
import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, it, vi } from 'vitest'
import { WebSocketServer } from 'ws'
import { afterAttack } from '../support/after-attack.js'
import { bearer, get, logIn, post } from '../support/client.js'
import { type HostSettings, password, startHost, type TestHost } from '../support/host.js'

const idOf = (response: { headers: Record<string, unknown> }) => response.headers['x-request-id']
const idsIn = (host: TestHost) => [...new Set(host.events.map(({ requestId }) => requestId))]
const asked = { 'X-Request-Id': 'abc-123.X_y' }
const withRooms: HostSettings = {
  after: (app, auth) => {
    app.get('/rooms', auth.requireAuth(), (_request, response) => void response.json([]))
  },
}
const rooms = (host: TestHost, headers = {}) =>
  get({ ...host, url: host.url.replace('/api/v1', '') }, '/rooms', headers)

describe('the header X-Request-Id of an answer', () => {
  it.each<
    [string, (host: TestHost) => Promise<{ status: number; headers: Record<string, unknown> }>]
  >([
    ['a login', (host) => post(host, '/login', { user: 'alice', password }, asked)],
    ['a wrong login', (host) => post(host, '/login', { user: 'alice', password: 'no' }, asked)],
    ['what is no login', (host) => post(host, '/login', {}, asked)],
    ['a request of nobody', (host) => get(host, '/me', asked)],
    ['a method that there is not', (host) => get(host, '/login', asked)],
    ['a path that cannot be decoded', (host) => get(host, '/auth/sessions/%E0', asked)],
    ['the published keys', (host) => get(host, '/auth/jwks.json', asked)],
    ['a refusal of a guard', (host) => rooms(host, asked)],
  ])('is that of the request: %s', async (_name, ask) => {
    const host = await startHost(withRooms)
    expect(idOf(await ask(host))).toBe('abc-123.X_y')
    expect(idsIn(host).every((id) => id === 'abc-123.X_y')).toBe(true)
  })

  it('is a new one for each request that has none, and stands in its events', async () => {
    const host = await startHost(withRooms)
    const ids = [idOf(await get(host, '/me')), idOf(await rooms(host))]
    for (const id of ids) expect(id).toMatch(/^[\da-f]{8}-[\da-f-]{27}$/)
    expect(idsIn(host)).toEqual(ids)
    expect(new Set(ids).size).toBe(2)
  })

  it('stands in the events of an outage, and in its 503', async () => {
    const failing = async () => {
      throw new Error('down')
    }
    const host = await startHost({
      options: { users: { findByIdentifier: failing, findById: failing } },
    })
    const response = await post(host, '/login', { user: 'alice', password }, asked)
    expect([response.status, idOf(response)]).toEqual([503, 'abc-123.X_y'])
  })

  it('can be read by pages of other origins where any header can', async () => {
    const host = await startHost({ options: { cors: { origins: ['https://a.example'] } } })
    const response = await get(host, '/me', { Origin: 'https://a.example' })
    expect(response.headers['access-control-expose-headers']).toMatch(/\bX-Request-Id\b/)
  })

  it('is that of a refused upgrade, too', async () => {
    const host = await startHost()
    const sockets = new WebSocketServer({ noServer: true })
    host.auth.sockets.attach(host.server, '/ws', sockets)
    const connection = connect(Number(new URL(host.url).port), '127.0.0.1')
    const lines = ['GET /ws HTTP/1.1', 'Host: a', 'Connection: Upgrade', 'Upgrade: websocket']
    const key = ['Sec-WebSocket-Version: 13', `Sec-WebSocket-Key: ${'A'.repeat(22)}==`]
    connection.write([...lines, ...key, 'X-Request-Id: up-1', '', ''].join('\r\n'))
    const [data] = await once(connection, 'data')
    connection.destroy()
    expect(String(data)).toMatch(/^HTTP\/1\.1 401 /)
    expect(String(data)).toContain('\r\nX-Request-Id: up-1\r\n')
    expect(idsIn(host)).toEqual(['up-1'])
  })
})

describe('the option requestId', () => {
  const startWith = (requestId: unknown, logger?: object) =>
    startHost({
      before: (app) =>
        app.use((request, _response, next) => {
          Object.assign(request, { id: 'of-logger' })
          next()
        }),
      options: { requestId, ...(logger === undefined ? {} : { logger }) } as never,
    })

  it('has the first word, is asked once a request, and may answer a number', async () => {
    const requestId = vi.fn(() => 42)
    const host = await startWith(requestId)
    expect(idOf(await get(host, '/me', asked))).toBe('42')
    expect(requestId).toHaveBeenCalledTimes(1)
    expect(idsIn(host)).toEqual(['42'])
  })

  it('leaves it to request.id, which comes before the header, by answering nothing', async () => {
    for (const nothing of [null, undefined])
      expect(idOf(await get(await startWith(() => nothing), '/me', asked))).toBe('of-logger')
  })

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('no trace')
      },
    ],
    ['throws nothing', () => undefinedError()],
    ['answers a promise', async () => 'late'],
    ['answers what could forge a line', () => 'a\nlogin.succeeded'],
    ['answers what is too long', () => 'x'.repeat(129)],
    ['answers an object', () => ({ toString: () => 'x' })],
  ])('that %s fails no request, and is told once', async (_name, requestId) => {
    const warn = vi.fn()
    const host = await startWith(requestId, { debug() {}, info() {}, error() {}, warn })
    for (let times = 0; times < 3; times += 1) {
      const response = await get(host, '/me')
      expect([response.status, idOf(response)]).toEqual([401, 'of-logger'])
    }
    const told = warn.mock.calls.filter(([message]) => /^requestId\(\)/.test(message))
    expect(told).toHaveLength(1)
    expect(told[0]?.[0]).not.toMatch(/login\.succeeded|xxx/)
  })
})

function undefinedError(): never {
  throw undefined
}

describe('a header X-Request-Id of a stranger', () => {
  it.each(['x'.repeat(129), 'a b', 'a;b', '<script>', 'a"b', 'ä', 'a, b'])(
    'that could be anything else is not taken over: %j',
    async (given) => {
      const host = await startHost()
      const sent = { 'X-Request-Id': Buffer.from(given).toString('latin1') }
      const { authToken } = await logIn(host)
      const response = await get(host, '/me', { ...bearer(authToken), ...sent })
      expect(response.status).toBe(200)
      expect(idOf(response)).toMatch(/^[\da-f]{8}-[\da-f-]{27}$/)
      await afterAttack(host, response)
    },
  )

  it('that comes twice is not either', async () => {
    const host = await startHost()
    const connection = connect(Number(new URL(host.url).port), '127.0.0.1')
    const lines = ['GET /api/v1/me HTTP/1.1', 'Host: a', 'X-Request-Id: one', 'X-Request-Id: two']
    connection.write([...lines, 'Connection: close', '', ''].join('\r\n'))
    const [data] = await once(connection, 'data')
    connection.destroy()
    expect(String(data)).toMatch(/\r\nX-Request-Id: [\da-f]{8}-[\da-f-]{27}\r\n/)
  })
})
