import { request as rawRequest } from 'node:http'
import express from 'express'
import supertest from 'supertest'
import { describe, expect, it } from 'vitest'
import { post } from '../support/client.js'
import { password, startHost, type TestHost } from '../support/host.js'

/** Sends exactly these bytes with exactly these headers. */
function send(
  host: TestHost,
  path: string,
  body: string | Buffer,
  headers: Record<string, string | string[]>,
) {
  const { hostname, port, pathname } = new URL(host.url + path)
  return new Promise<{
    status: number
    body: Record<string, unknown>
    headers: NodeJS.Dict<string | string[]>
  }>((resolve, reject) => {
    const request = rawRequest(
      { hostname, port, path: pathname, method: 'POST', headers },
      (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk
        })
        response.on('end', () =>
          resolve({
            status: response.statusCode ?? 0,
            body: JSON.parse(text),
            headers: response.headers,
          }),
        )
      },
    )
    request.on('error', reject).end(body)
  })
}

const json = { 'Content-Type': 'application/json' }
const login = JSON.stringify({ username: 'alice', password })

describe('every answer', () => {
  it.each([
    '/login',
    '/me',
    '/logout',
    '/auth/pkce/authorize',
    '/auth/pkce/token',
    '/auth/jwks.json',
  ])('of %s is JSON with the same headers, errors included', async (path) => {
    const host = await startHost()
    for (const method of ['get', 'post', 'put', 'delete', 'patch', 'options'] as const) {
      const response = await supertest(host.url)[method](path)
      expect(response.headers['content-type']).toBe('application/json')
      expect(response.headers['cache-control']).toBe('no-store')
      expect(response.headers['x-content-type-options']).toBe('nosniff')
      expect(response.headers['set-cookie']).toBeUndefined()
      expect(response.headers['x-powered-by']).toBeUndefined()
      expect(response.text).not.toContain('    at ')
      if (response.status !== 200) {
        expect(response.body).toMatchObject({
          success: false,
          status: 'error',
          error: expect.any(String),
          message: expect.any(String),
        })
      }
    }
  })

  it.each([
    ['get', '/login', 'POST'],
    ['put', '/login', 'POST'],
    ['options', '/login', 'POST'],
    ['post', '/me', 'GET, HEAD'],
    ['delete', '/logout', 'GET, POST'],
    ['head', '/logout', 'GET, POST'],
    ['get', '/auth/pkce/token', 'POST'],
    ['patch', '/auth/jwks.json', 'GET, HEAD'],
  ] as const)('%s %s is 405 and says what is allowed', async (method, path, allow) => {
    const host = await startHost()
    const response = await supertest(host.url)[method](path)
    expect(response.status).toBe(405)
    expect(response.headers['allow']).toBe(allow)
    if (method !== 'head') expect(response.body.error).toBe('method-not-allowed')
  })

  it.each([4, 5] as const)(
    'to a path that cannot be decoded is a 404 like any other, in Express %i',
    async (express) => {
      const host = await startHost({ express })
      for (const method of ['DELETE', 'GET', 'PUT'] as const) {
        const answer = await fetch(`${host.url}/auth/sessions/%E0%A4%A`, { method })
        expect(answer.status).toBe(404)
        expect(answer.headers.get('content-type')).toBe('application/json')
        expect(answer.headers.get('cache-control')).toBe('no-store')
        expect(await answer.json()).toEqual({
          success: false,
          status: 'error',
          error: 'not-found',
          message: 'There is no such session.',
        })
      }
      expect(host.unforeseen).toEqual([])
    },
  )

  it('HEAD is answered as GET is, without a body', async () => {
    const host = await startHost()
    const response = await supertest(host.url).head('/auth/jwks.json')
    expect(response.status).toBe(200)
    expect(response.headers['content-type']).toBe('application/json')
    expect(Number(response.headers['content-length'])).toBeGreaterThan(50)
  })

  it.each(['/nothing', '/LOGIN', '/login/extra', '/auth'])(
    '%s, a path it does not know, is left to the host',
    async (path) => {
      const host = await startHost({
        after: (app) => app.use((_request, response) => void response.status(418).send('the host')),
      })
      const response = await supertest(host.url).get(path)
      expect(response.status).toBe(418)
      expect(response.text).toBe('the host')
    },
  )

  it('leaves the host’s settings, product header and other routes alone', async () => {
    const host = await startHost({
      before: (app) => app.get('/', (_request, response) => void response.send('home')),
    })
    const response = await supertest(host.url.replace('/api/v1', '')).get('/')
    expect(response.headers['x-powered-by']).toBe('Express')
  })
})

describe('a body', () => {
  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'json',
    '',
  ])('of type %j is 415', async (type) => {
    const host = await startHost()
    const { status, body } = await send(
      host,
      '/login',
      login,
      type === '' ? {} : { 'Content-Type': type },
    )
    expect(status).toBe(415)
    expect(body['error']).toBe('unsupported-media-type')
  })

  it.each([
    'application/json; charset=utf-16',
    'application/json; charset=utf-7',
    'application/json; charset=iso-8859-1',
  ])('in another charset is 415: %s', async (type) => {
    const host = await startHost()
    expect((await send(host, '/login', login, { 'Content-Type': type })).status).toBe(415)
  })

  it.each([
    'application/json; charset=utf-8',
    'application/json;charset=UTF-8',
    'APPLICATION/JSON',
    'application/json; charset="utf-8"',
  ])('of type %s is read', async (type) => {
    const host = await startHost()
    expect((await send(host, '/login', login, { 'Content-Type': type })).status).toBe(200)
  })

  it('with a content coding is 415', async () => {
    const host = await startHost()
    expect(
      (await send(host, '/login', login, { ...json, 'Content-Encoding': 'gzip' })).status,
    ).toBe(415)
    expect(
      (await send(host, '/login', login, { ...json, 'Content-Encoding': 'identity' })).status,
    ).toBe(200)
  })

  it('above 8 KiB is 413, announced or not', async () => {
    const host = await startHost()
    const large = JSON.stringify({ username: 'alice', password: 'x'.repeat(9000) })
    const announced = await send(host, '/login', large, json)
    expect(announced.status).toBe(413)
    expect(announced.body['error']).toBe('payload-too-large')
    expect(announced.headers['connection']).toBe('close')
    expect(
      (await send(host, '/login', large, { ...json, 'Transfer-Encoding': 'chunked' })).status,
    ).toBe(413)
    const fitting = JSON.stringify({ username: 'alice', password: 'x'.repeat(8000) })
    expect((await send(host, '/login', fitting, json)).status).toBe(401)
  })

  it.each(['{', '', 'null', '[]', '"text"', '42', '{"username":}', '{"a":1}x'])(
    'that is not a JSON object is 400: %j',
    async (body) => {
      const host = await startHost()
      const answer = await send(host, '/login', body, json)
      expect(answer.status).toBe(400)
      expect(answer.body['error']).toBe('invalid-request')
    },
  )

  it('with bytes that are not UTF-8 is 400, not a password with replacement characters', async () => {
    const host = await startHost()
    const body = Buffer.concat([
      Buffer.from('{"username":"alice","password":"'),
      Buffer.from([0xff, 0xfe]),
      Buffer.from('"}'),
    ])
    const answer = await send(host, '/login', body, json)
    expect(answer.status).toBe(400)
    expect(JSON.stringify(answer.body)).toContain('UTF-8')
  })

  it('that the host has parsed is used, but must still have come as JSON', async () => {
    const host = await startHost({
      before: (app) =>
        app.use(
          express.urlencoded({ extended: true }),
          express.json(),
          express.text(),
          express.raw(),
        ),
    })
    expect((await send(host, '/login', login, json)).status).toBe(200)
    const form = 'username=alice&password=correct+horse+battery+staple'
    expect(
      (await send(host, '/login', form, { 'Content-Type': 'application/x-www-form-urlencoded' }))
        .status,
    ).toBe(415)
    expect((await send(host, '/login', login, { 'Content-Type': 'text/plain' })).status).toBe(415)
  })

  it.each([
    ['left as bytes', express.raw({ type: '*/*' })],
    [
      'read and dropped',
      (request: express.Request, _response: unknown, next: () => void) => {
        request.on('end', next).resume()
      },
    ],
  ])(
    'that something before the router has %s is named in the log once, with the remedy',
    async (_how, before) => {
      const said: string[] = []
      const note = (message: string) => void said.push(message)
      const logger = { debug() {}, info() {}, warn: note, error: note }
      const host = await startHost({ before: (app) => app.use(before), options: { logger } })
      for (const _time of [1, 2]) expect((await send(host, '/login', login, json)).status).toBe(500)
      const [line, ...others] = said.filter((one) => one.includes('request.body'))
      expect(others).toEqual([])
      expect(line).toMatch(/has read the body.*put express\.json\(\) in its place/s)
    },
  )

  it('is not needed for a logout, whatever its type claims to be', async () => {
    const host = await startHost()
    const { body } = await post(host, '/login', { username: 'alice', password })
    const authorization = { Authorization: `Bearer ${body.data.authToken}` }
    const answer = await send(host, '/logout', '', {
      ...authorization,
      'Content-Type': 'application/x-www-form-urlencoded',
    })
    expect(answer.status).toBe(200)
  })

  it('that breaks off harms nobody', async () => {
    const host = await startHost()
    const { hostname, port } = new URL(host.url)
    await new Promise<void>((resolve) => {
      const request = rawRequest({
        hostname,
        port,
        path: '/api/v1/login',
        method: 'POST',
        headers: { ...json, 'Content-Length': '100' },
      })
      request.on('error', () => resolve()).on('close', () => resolve())
      request.write('{"username":')
      setTimeout(() => request.destroy(), 50)
    })
    expect((await post(host, '/login', { username: 'alice', password })).status).toBe(200)
  })
})

describe('several routers in one process', () => {
  it('share nothing: each under its own path, with its own sessions', async () => {
    const [one, other] = [await startHost(), await startHost({ prefix: '/chat/auth' })]
    const { body } = await post(one, '/login', { username: 'alice', password })
    const authorization = { Authorization: `Bearer ${body.data.authToken}` }
    expect((await supertest(one.url).get('/me').set(authorization)).status).toBe(200)
    expect((await supertest(other.url).get('/me').set(authorization)).status).toBe(401)
    expect((await post(other, '/login', { username: 'alice', password })).status).toBe(200)
  })
})
