import supertest from 'supertest'
import { describe, expect, it } from 'vitest'
import { get, post, remove } from '../support/client.js'
import { type HostSettings, password, startHost } from '../support/host.js'

const origin = 'https://app.example.com'
const cors = { origins: [origin, 'http://localhost:5173'] }

const start = (settings: HostSettings = {}) => startHost({ options: { cors }, ...settings })

const corsHeaders = (headers: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(headers).filter(([name]) => name === 'vary' || name.startsWith('access-')),
  )

const preflight = (url: string, path: string, from: string, method = 'POST') =>
  supertest(url).options(path).set({ Origin: from, 'Access-Control-Request-Method': method })

describe('cors: { origins }', () => {
  it.each([4, 5] as const)('answers preflights of its origins, in Express %i', async (express) => {
    const host = await start({ express })
    for (const [path, methods] of [
      ['/login', 'POST'],
      ['/auth/sessions', 'GET, HEAD, DELETE'],
    ] as const) {
      const response = await preflight(host.url, path, origin)
      expect([response.status, response.text]).toEqual([204, ''])
      expect(response.headers['x-powered-by']).toBeUndefined()
      expect(corsHeaders(response.headers)).toEqual({
        vary: 'Origin',
        'access-control-allow-origin': origin,
        'access-control-allow-methods': methods,
        'access-control-allow-headers': '*, Authorization, Content-Type, X-Auth-Token, X-User-Id',
        'access-control-max-age': '600',
      })
    }
  })

  it('lets its pages read answers and refusals, and when to come back', async () => {
    const host = await start()
    const expected = {
      vary: 'Origin',
      'access-control-allow-origin': origin,
      'access-control-expose-headers':
        'Retry-After, RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset, ' +
        'WWW-Authenticate, X-Request-Id',
    }
    const answers = [
      await post(host, '/login', { username: 'alice', password }, { Origin: origin }),
      await post(host, '/login', { username: 'alice', password: 'wrong' }, { Origin: origin }),
      await get(host, '/login', { Origin: origin }),
      await get(host, '/me', { Origin: origin }),
    ]
    // A path that cannot be decoded reaches no route.
    const undecodable = '/auth/sessions/%E0%A4%A'
    answers.push(await remove(host, undecodable, { Origin: origin }))
    expect(answers.map(({ status }) => status)).toEqual([200, 401, 405, 401, 404])
    for (const { headers } of answers) expect(corsHeaders(headers)).toEqual(expected)
  })

  it.each([4, 5] as const)(
    'answers the preflight of a path that cannot be decoded, in Express %i',
    async (express) => {
      const host = await start({ express })
      const path = '/auth/sessions/%E0%A4%A'
      const { status, headers } = await preflight(host.url, path, origin, 'DELETE')
      expect(status).toBe(204)
      expect(headers['access-control-allow-origin']).toBe(origin)
      expect(headers['access-control-allow-methods']).toContain('DELETE')
      const other = await preflight(host.url, path, 'https://evil.example', 'DELETE')
      expect(other.status).toBe(404)
      expect(corsHeaders(other.headers)).toEqual({ vary: 'Origin' })
    },
  )

  it.each([
    'https://evil.example',
    'https://app.example.com.evil.example',
    'https://APP.example.com',
    'http://app.example.com',
    'https://app.example.com:444',
    'null',
    '*',
    `${origin}, ${origin}`,
  ])('says nothing to %s but that answers vary', async (foreign) => {
    const host = await start()
    const asked = await preflight(host.url, '/login', foreign)
    expect([asked.status, corsHeaders(asked.headers)]).toEqual([405, { vary: 'Origin' }])
    const response = await get(host, '/me', { Origin: foreign })
    expect([response.status, corsHeaders(response.headers)]).toEqual([401, { vary: 'Origin' }])
  })

  it('never allows credentials, and sends no header to the host’s own routes', async () => {
    const host = await start({
      after: (app) => app.get('/api/v1/rooms', (_request, response) => void response.json([])),
    })
    const rooms = await get(host, '/rooms', { Origin: origin })
    expect([rooms.status, corsHeaders(rooms.headers)]).toEqual([200, {}])
    const { headers } = await preflight(host.url, '/login', origin)
    expect(headers['access-control-allow-credentials']).toBeUndefined()
  })

  it('keeps what the host has said of Vary', async () => {
    const host = await start({
      before: (app) =>
        app.use((_request, response, next) => {
          response.setHeader('Vary', 'Accept-Encoding')
          next()
        }),
    })
    expect((await get(host, '/me')).headers['vary']).toBe('Accept-Encoding, Origin')
  })

  it('left out, an OPTIONS is 405 and no header of it is sent', async () => {
    const host = await startHost()
    const response = await preflight(host.url, '/login', origin)
    expect([response.status, corsHeaders(response.headers)]).toEqual([405, {}])
    expect(corsHeaders((await get(host, '/me', { Origin: origin })).headers)).toEqual({})
  })
})
