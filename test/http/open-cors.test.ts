import supertest from 'supertest'
import { describe, expect, it } from 'vitest'
import { AuthError } from '../../src/errors.js'
import { ok } from '../../src/http/answer.js'
import type { Routes } from '../../src/http/endpoint.js'
import { type BareAppSettings, startBareApp } from '../support/bare-app.js'

const answer = async () => ok({})
const routes: Routes = [
  ['/open', { POST: answer }, 'oauth-endpoint', 'every-origin'],
  ['/both', { GET: answer, POST: answer }, 'oauth-endpoint', 'every-origin'],
  ['/own', { GET: answer, POST: answer }, 'oauth-endpoint', 'own-origin'],
  ['/closed', { POST: answer }],
]
const origin = 'https://app.example.com'

const start = (settings: BareAppSettings = {}) => startBareApp({ routes, ...settings })
const corsHeaders = (headers: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(headers).filter(([name]) => name === 'vary' || name.startsWith('access-')),
  )
const preflight = (url: string, path: string) =>
  supertest(url)
    .options(path)
    .set({ Origin: 'https://any.example', 'Access-Control-Request-Method': 'POST' })

describe('a route that is open to every origin', () => {
  it.each<[string, string[] | undefined]>([
    ['no option cors', undefined],
    ['the option cors', [origin]],
  ])('says the same to all of them, with %s', async (_name, origins) => {
    const { url } = await start({ ...(origins !== undefined && { origins }) })
    for (const from of [origin, 'https://any.example', 'null', undefined]) {
      const asked = supertest(url).post('/open')
      const { status, headers } = await (from === undefined ? asked : asked.set('Origin', from))
      expect([status, corsHeaders(headers)]).toEqual([
        200,
        {
          'access-control-allow-origin': '*',
          'access-control-expose-headers': 'Retry-After, WWW-Authenticate, X-Request-Id',
        },
      ])
    }
  })

  it.each([4, 5] as const)('answers preflights for a day, in Express %i', async (express) => {
    const { url } = await start({ express, origins: [origin] })
    for (const [path, methods] of [
      ['/open', 'POST'],
      ['/both', 'GET, POST'],
    ] as const) {
      const { status, text, headers } = await preflight(url, path)
      expect([status, text, headers['x-powered-by']]).toEqual([204, '', undefined])
      expect(corsHeaders(headers)).toEqual({
        'access-control-allow-origin': '*',
        'access-control-allow-methods': methods,
        'access-control-allow-headers': 'Content-Type, Authorization, DPoP, *',
        'access-control-max-age': '86400',
      })
    }
  })

  it('lets refusals be read as well', async () => {
    const { url } = await start()
    const { status, headers } = await supertest(url).delete('/open')
    expect([status, headers['allow'], headers['access-control-allow-origin']]).toEqual([
      405,
      'POST',
      '*',
    ])
    // No preflight, which names a method.
    expect((await supertest(url).options('/open')).status).toBe(405)
  })

  it.each([
    ['a refusal with a challenge', new AuthError('Unauthorized'), 401, 'www-authenticate'],
    ['a limit', new AuthError('too-many-requests', { retryAfter: 7 }), 429, 'retry-after'],
    ['an outage', new AuthError('temporarily-unavailable', { retryAfter: 5 }), 503, 'retry-after'],
  ])('lets scripts read the headers of %s', async (_what, error, status, name) => {
    const refuse = async () => Promise.reject(error)
    const { url } = await startBareApp({
      routes: [['/open', { POST: refuse }, 'oauth-endpoint', 'every-origin']],
    })
    const response = await supertest(url).post('/open').set('Origin', 'https://any.example')
    expect([response.status, response.headers[name]]).toEqual([status, expect.any(String)])
    const exposed = String(response.headers['access-control-expose-headers']).toLowerCase()
    expect(exposed.split(', ')).toContain(name)
    expect(response.headers['access-control-allow-origin']).toBe('*')
  })

  it('never allows credentials, whatever a middleware of the host’s has said', async () => {
    const { url } = await start({
      before: (app) =>
        app.use((request, response, next) => {
          response.setHeader('Access-Control-Allow-Origin', String(request.headers.origin))
          response.setHeader('Access-Control-Allow-Credentials', 'true')
          next()
        }),
    })
    const { headers } = await supertest(url).post('/open').set('Origin', 'https://evil.example')
    expect(corsHeaders(headers)).toEqual({
      'access-control-allow-origin': '*',
      'access-control-expose-headers': 'Retry-After, WWW-Authenticate, X-Request-Id',
    })
  })

  it('opens no other', async () => {
    const { url } = await start({ origins: [origin] })
    expect((await preflight(url, '/closed')).status).toBe(405)
    const { headers } = await supertest(url).post('/closed').set('Origin', 'https://any.example')
    expect(corsHeaders(headers)).toEqual({ vary: 'Origin' })
    const own = await supertest(url).post('/closed').set('Origin', origin)
    expect(own.headers['access-control-allow-origin']).toBe(origin)
  })
})

describe('a route that is for pages of its own origin', () => {
  it('lets in no other, whatever the option cors says', async () => {
    const { url } = await start({ origins: [origin] })
    const asked = await supertest(url)
      .options('/own')
      .set({ Origin: origin, 'Access-Control-Request-Method': 'POST' })
    expect([asked.status, corsHeaders(asked.headers)]).toEqual([405, {}])
    const { status, headers } = await supertest(url).get('/own').set('Origin', origin)
    expect([status, corsHeaders(headers)]).toEqual([200, {}])
  })
})
