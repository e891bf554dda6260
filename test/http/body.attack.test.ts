import { connect, type Socket } from 'node:net'
import express5 from 'express'
import express4 from 'express4'
import { describe, expect, it, onTestFinished } from 'vitest'
import { post } from '../support/client.js'
import { password, startHost, type TestHost } from '../support/host.js'

const login = { username: 'alice', password }

describe.each([
  [4, express4],
  [5, express5],
] as const)('a JSON login in an Express %i host', (express, own) => {
  const parsers = {
    'no parser': (_request: unknown, _response: unknown, next: () => void) => next(),
    'urlencoded()': own.urlencoded({ extended: true }),
    'text()': own.text(),
    'raw()': own.raw(),
    'json() for another type': own.json({ type: 'application/other' }),
    'json()': own.json(),
  }

  it.each(Object.entries(parsers))('works behind %s', async (_name, parser) => {
    const host = await startHost({ express, before: (app) => app.use(parser) })
    expect((await post(host, '/login', login)).status).toBe(200)
    expect((await post(host, '/login', { ...login, password: 'wrong' })).status).toBe(401)
  })

  it('works behind all of them together', async () => {
    const host = await startHost({ express, before: (app) => app.use(...Object.values(parsers)) })
    expect((await post(host, '/login', login)).status).toBe(200)
  })
})

describe('a host that has touched the request before', () => {
  const touching = (touch: (request: express5.Request) => void) =>
    startHost({
      before: (app) =>
        app.use((request, _response, next) => {
          touch(request)
          setTimeout(next, 10)
        }),
    })

  it('and has paused it, is answered all the same', async () => {
    const host = await touching((request) => request.pause())
    expect((await post(host, '/login', login)).status).toBe(200)
  })

  it.each<[string, (request: express5.Request) => void]>([
    [
      'decodes what arrives, so that two passwords could become one',
      (request) => request.setEncoding('utf8'),
    ],
    ['decodes it in a way of its own', (request) => request.setEncoding('latin1')],
    ['reads it piece by piece, and has not', (request) => request.on('readable', () => {})],
  ])('and %s, is told so in the log', async (_name, touch) => {
    const host = await touching(touch)
    expect((await post(host, '/login', login)).status).toBe(500)
    expect(host.log.filter(({ level }) => level === 'error')).toEqual([
      {
        level: 'error',
        message: expect.stringMatching(/^app\.use: .* Remedy: /),
        fields: undefined,
      },
    ])
  })
})

/** Begins a request and leaves it open; resolves with what is answered while it is. */
async function answerWhileOpen(
  host: TestHost,
  head: readonly string[],
  body: string,
): Promise<{ text: string; socket: Socket }> {
  const { hostname, port } = new URL(host.url)
  const socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  socket.write(
    [
      'POST /api/v1/login HTTP/1.1',
      'Host: x',
      'Content-Type: application/json',
      ...head,
      '',
      body,
    ].join('\r\n'),
  )
  const text = await new Promise<string>((resolve, reject) => {
    let received = ''
    socket.on('data', (chunk) => {
      received += chunk
      if (received.includes('payload-too-large')) resolve(received)
    })
    socket.on('error', reject).on('close', () => resolve(received))
  })
  return { text, socket }
}

const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`

describe('a body that does not end', () => {
  it('is answered 413 once it is above 8 KiB, while it is still being sent', async () => {
    const host = await startHost()
    const { text, socket } = await answerWhileOpen(
      host,
      ['Transfer-Encoding: chunked'],
      chunk('{"username":"').concat(chunk('x'.repeat(9000))),
    )
    expect(text).toMatch(/^HTTP\/1\.1 413 /)
    expect(text).toMatch(/\r\nConnection: close\r\n/i)
    expect(socket.bytesWritten).toBeLessThan(10_000)
    expect((await post(host, '/login', login)).status).toBe(200)
  }, 5000)

  it('leaves the request whole for the host’s access log', async () => {
    const logged: (string | undefined)[] = []
    const host = await startHost({
      before: (app) =>
        app.use((request, response, next) => {
          response.on('finish', () => logged.push(request.socket?.remoteAddress))
          next()
        }),
    })
    await answerWhileOpen(host, ['Transfer-Encoding: chunked'], chunk('x'.repeat(9000)))
    expect(logged).toEqual(['127.0.0.1'])
  }, 5000)

  it('is answered 413 at its first byte when it announces more than 8 KiB', async () => {
    const host = await startHost()
    const { text } = await answerWhileOpen(host, ['Content-Length: 1000000000'], '{')
    expect(text).toMatch(/^HTTP\/1\.1 413 /)
    expect(host.unforeseen).toEqual([])
  }, 5000)
})

/**
 * Sends what begins a request, and then a body for as long as it is taken; says what was answered,
 * and how much was taken after.
 */
async function answerWhileSending(
  host: TestHost,
  head: readonly string[],
): Promise<{ answer: string; taken: number; closed: boolean }> {
  const { hostname, port } = new URL(host.url)
  const socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  let closed = false
  socket
    .on('error', () => {})
    .on('close', () => {
      closed = true
    })
  socket.write([...head, 'Host: x', '', ''].join('\r\n'))
  const answer = await new Promise<string>(
    (resolve) => void socket.once('data', (chunk) => resolve(String(chunk))),
  )
  socket.resume()
  const before = socket.bytesWritten
  for (let sent = 0; sent < 200 && !closed; sent += 1) {
    if (!socket.write(Buffer.alloc(1 << 16, ' ')))
      await new Promise((resolve) => setTimeout(resolve, 5))
  }
  return { answer, taken: socket.bytesWritten - socket.writableLength - before, closed }
}

describe('a connection whose body was not read to its end is closed with the answer', () => {
  const endless = 'Content-Length: 1000000000'
  const json = 'Content-Type: application/json'
  it.each<[number, string, string, ...string[]]>([
    [413, 'a length above 8 KiB', 'POST /api/v1/login', json],
    [415, 'another type', 'POST /api/v1/login', 'Content-Type: text/plain'],
    [405, 'another method', 'PUT /api/v1/login', json],
    [401, 'nobody signed in', 'POST /api/v1/auth/totp', json],
    [401, 'nobody signed in, at a route of the host’s', 'POST /api/v1/rooms', json],
    [400, 'two tokens', 'POST /api/v1/logout', json, 'Authorization: Bearer x', 'X-Auth-Token: x'],
    [404, 'a path that cannot be decoded', 'DELETE /api/v1/auth/sessions/%E0', json],
    [200, 'a GET', 'GET /api/v1/auth/jwks.json', json],
  ])('%i for %s', async (status, _name, line, ...headers) => {
    const host = await startHost({
      after: (app, auth) =>
        app.post('/api/v1/rooms', auth.requireAuth(), (_request, response) => void response.end()),
    })
    const { answer, taken, closed } = await answerWhileSending(host, [
      `${line} HTTP/1.1`,
      ...headers,
      endless,
    ])
    expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `))
    expect(answer).toMatch(/\r\nConnection: close\r\n/i)
    expect(closed).toBe(true)
    expect(taken).toBeLessThan(10_000_000)
  })

  it('in chunks, too, of which nobody knows how many will come', async () => {
    const host = await startHost()
    const { answer } = await answerWhileSending(host, [
      'PUT /api/v1/login HTTP/1.1',
      'Transfer-Encoding: chunked',
    ])
    expect(answer).toMatch(/^HTTP\/1.1 405 [\s\S]*\r\nConnection: close\r\n/i)
  })

  it('but not for a short body, whose sender could lose the answer', async () => {
    const host = await startHost()
    const short = await answerWhileSending(host, [
      'PUT /api/v1/login HTTP/1.1',
      json,
      'Content-Length: 8000',
    ])
    expect(short.answer).toMatch(/^HTTP\/1.1 405 /)
    expect(short.answer).not.toMatch(/\r\nConnection: close\r\n/i)
  })
})
