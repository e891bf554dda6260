import type { IncomingMessage } from 'node:http'
import { describe, expect, it, vi } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { bearer, get, logIn, post } from '../support/client.js'
import { type HostSettings, password, startHost, type TestHost } from '../support/host.js'

const clientAddress = ({ headers }: IncomingMessage) => headers['x-real-ip'] as string | undefined
const start = (settings: HostSettings = {}) =>
  startHost({ options: { clientAddress }, ...settings })
const from = (ip: string) => ({ 'X-Real-IP': ip })
const fail = (host: TestHost, ip: string) =>
  post(host, '/login', { username: 'alice', password: 'wrong' }, from(ip))

describe('clientAddress(request)', () => {
  it('says by whose address limits are counted and events are told', async () => {
    const host = await start()
    for (let time = 0; time < 5; time += 1) await fail(host, '203.0.113.7')
    expect((await fail(host, '203.0.113.7')).status).toBe(429)
    const body = { username: 'alice', password }
    expect((await post(host, '/login', body, from('[2001:DB8::8]:443'))).status).toBe(200)
    expect(host.events.find(({ type }) => type === 'login.succeeded')?.ip).toBe('2001:db8::8')
    const sessions = await host.stores.sessions.listForUser('u-alice', host.clock())
    expect(sessions.map(({ ip }) => ip)).toEqual(['2001:db8::8'])
  })

  it('stands where the host’s trust proxy would be refused, and no header of Express is believed', async () => {
    const host = await start({ before: (app) => app.set('trust proxy', true) })
    await post(
      host,
      '/login',
      { username: 'alice', password },
      { ...from('203.0.113.7'), 'X-Forwarded-For': '198.51.100.9' },
    )
    expect(host.events.find(({ type }) => type === 'login.succeeded')?.ip).toBe('203.0.113.7')
    expect(host.log.filter(({ level }) => level === 'error')).toEqual([])
  })

  it.each<[string, () => unknown]>([
    ['nothing', () => undefined],
    ['null', () => null],
    ['no address', () => 'unknown'],
    ['a header with several', () => '203.0.113.7, 198.51.100.1'],
    ['an endless text', () => '1'.repeat(100_000)],
    ['a list', () => ['203.0.113.7']],
    ['a promise', () => Promise.resolve('203.0.113.7')],
  ])(
    'that answers %s: the connection’s is used, and the log says so once',
    async (_name, broken) => {
      const host = await startHost({ options: { clientAddress: broken as () => string } })
      for (let time = 0; time < 2; time += 1)
        await post(host, '/login', { username: 'alice', password })
      expect(host.events.find(({ type }) => type === 'login.succeeded')?.ip).toBe('127.0.0.1')
      const said = host.log.filter(({ message }) => message.includes('clientAddress()'))
      expect(said).toEqual([expect.objectContaining({ level: 'warn' })])
    },
  )

  it('that throws is an outage, at the router and at a guard: 503, told without its text', async () => {
    const host = await startHost({
      options: {
        clientAddress: () => {
          throw new Error('secret text')
        },
      },
      after: (app, auth) =>
        app.get('/api/v1/rooms', auth.requireAuth(), (_request, response) => void response.end()),
    })
    expect((await post(host, '/login', { username: 'alice', password })).status).toBe(503)
    expect((await get(host, '/rooms', bearer('x'))).status).toBe(503)
    const request = { headers: {}, rawHeaders: [], socket: {} } as never
    await expect(host.auth.authenticate(request)).rejects.toMatchObject({ status: 503 })
    await expect(host.auth.sockets.authenticate(request)).rejects.toMatchObject({ status: 503 })
    expect(host.events).toContainEqual(
      expect.objectContaining({ type: 'host.failed', operation: 'clientAddress', error: 'Error' }),
    )
    expect(JSON.stringify([host.log, host.events])).not.toContain('secret text')
  })

  it('is not asked with an endless X-Forwarded-For: 400', async () => {
    const asked = vi.fn(() => '203.0.113.7')
    const host = await startHost({ options: { clientAddress: asked } })
    const headers = { 'X-Forwarded-For': '::1,'.repeat(300) }
    expect((await get(host, '/me', headers)).status).toBe(400)
    expect(asked).not.toHaveBeenCalled()
  })

  it('is asked about upgrades as well, of which Express knows nothing', async () => {
    const host = await start()
    const sockets = new WebSocketServer({ noServer: true })
    host.auth.sockets.attach(host.server, '/ws', sockets)
    const { authToken } = await logIn(host)
    host.clock.advance(61)
    const url = `${host.url.replace('http', 'ws').replace('/api/v1', '')}/ws`
    const headers = { ...bearer(authToken), ...from('203.0.113.9') }
    const client = new WebSocket(url, { headers })
    await new Promise((resolve) => client.once('open', resolve))
    client.terminate()
    const [session] = await host.stores.sessions.listForUser('u-alice', host.clock())
    await vi.waitFor(async () =>
      expect((await host.stores.sessions.find(session?.id as string))?.ip).toBe('203.0.113.9'),
    )
  })
})
