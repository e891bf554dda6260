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
    ['decodes what arrives, so that two passwords could become one', (request) => request.setEncoding('utf8')],
    ['decodes it in a way of its own', (request) => request.setEncoding('latin1')],
    ['reads it piece by piece, and has not', (request) => request.on('readable', () => {})],
  ])('and %s, is told so by an error of its own', async (_name, touch) => {
    const host = await touching(touch)
    expect((await post(host, '/login', login)).status).toBe(500)
    expect(host.unforeseen).toEqual([expect.objectContaining({ name: 'AuthConfigError', option: 'app.use' })])
  })
})

/** Begins a request and leaves it open; resolves with what is answered while it is. */
async function answerWhileOpen(host: TestHost, head: readonly string[], body: string): Promise<{ text: string; socket: Socket }> {
  const { hostname, port } = new URL(host.url)
  const socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  socket.write(['POST /api/v1/login HTTP/1.1', 'Host: x', 'Content-Type: application/json', ...head, '', body].join('\r\n'))
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
