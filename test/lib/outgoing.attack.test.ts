import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:net'
import { gzipSync } from 'node:zlib'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { outgoing } from '../../src/lib/outgoing.js'
import { serve } from '../providers/loopback.js'

afterEach(() => void vi.useRealTimers())

const get = { method: 'GET', headers: {} }
const bound = 256 * 1024
const closed = (response: ServerResponse) =>
  new Promise<void>((resolve) => response.on('close', resolve))

/** A server, and how many requests it got. */
async function counted(answer: (request: IncomingMessage, response: ServerResponse) => unknown) {
  const requests: IncomingMessage[] = []
  const origin = await serve((request, response) => {
    requests.push(request)
    answer(request, response)
  })
  return { origin, requests }
}

describe('a request to another server', () => {
  it('returns status, type and body', async () => {
    const { origin, requests } = await counted((_request, response) =>
      response
        .writeHead(400, { 'Content-Type': 'application/json', 'Set-Cookie': 'a=b' })
        .end('{}'),
    )
    const body = new URLSearchParams({ code: 'x y' })
    const answer = await outgoing(`${origin}/token?a=b`, {
      method: 'POST',
      headers: { 'X-Own': 'own', 'Accept-Encoding': 'gzip' },
      body,
    })
    expect([answer.status, [...answer.headers], await answer.json()]).toEqual([
      400,
      [['content-type', 'application/json']],
      {},
    ])
    const [{ method, url, headers } = {}] = requests
    expect([
      method,
      url,
      headers?.['x-own'],
      headers?.['accept-encoding'],
      headers?.cookie,
    ]).toEqual(['POST', '/token?a=b', 'own', 'identity', undefined])
  })

  it('is made over https, and over http only to this machine', async () => {
    for (const address of [
      'http://example.com/',
      'http://127.0.0.1.example.com/',
      'http://localhost.example.com/',
      'http://[::ffff:127.0.0.1]/',
      'http://0.0.0.0/',
      'http://169.254.169.254/latest/meta-data/',
      'http://128.0.0.1/',
      'ftp://127.0.0.1/',
      'file:///etc/passwd',
      'data:application/json,{}',
      'javascript:alert(1)',
    ])
      await expect(outgoing(address, get), address).rejects.toThrow('is not asked without https')
    for (const address of ['', '//127.0.0.1/', 'nonsense'])
      await expect(outgoing(address, get), address).rejects.toThrow()
  })

  it.each([301, 302, 303, 307, 308, 304, 399])(
    'fails for a redirect, status %i',
    async (status) => {
      const { origin: inner, requests } = await counted((_request, response) => response.end('{}'))
      for (const target of ['http://169.254.169.254/latest/meta-data/', inner, '/elsewhere']) {
        const { origin, requests: asked } = await counted((_request, response) =>
          response.writeHead(status, { Location: target }).end(),
        )
        await expect(outgoing(origin, get)).rejects.toThrow('redirects')
        expect([asked.length, requests.length]).toEqual([1, 0])
      }
    },
  )

  it('fails for an answer of 10 MB, long before its end', async () => {
    let sent = 0
    const { origin } = await counted(async (_request, response) => {
      const part = Buffer.alloc(64 * 1024, 'a')
      const gone = closed(response)
      while (sent < 10 * 1024 * 1024 && !response.destroyed) {
        sent += part.length
        if (response.write(part)) await new Promise((resolve) => setImmediate(resolve))
        else await Promise.race([gone, new Promise((resolve) => response.once('drain', resolve))])
      }
      response.end()
    })
    await expect(outgoing(origin, get)).rejects.toThrow('more than 262144 bytes')
    expect(sent).toBeLessThan(9 * 1024 * 1024)
  })

  it('counts the bytes that come, whatever Content-Length says', async () => {
    for (const [bytes, isTaken] of [
      [bound, true],
      [bound + 1, false],
    ] as const) {
      const { origin } = await counted((_request, response) => response.end(Buffer.alloc(bytes)))
      const answer = outgoing(origin, get).then(async (given) => (await given.text()).length)
      if (isTaken) expect(await answer).toBe(bytes)
      else await expect(answer).rejects.toThrow('more than')
    }
  })

  it('does not decompress', async () => {
    const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024))
    const { origin } = await counted((_request, response) =>
      response.writeHead(200, { 'Content-Encoding': 'gzip' }).end(bomb),
    )
    const answer = await outgoing(origin, get)
    expect((await answer.arrayBuffer()).byteLength).toBe(bomb.length)
  })

  const slow: [string, (response: ServerResponse) => void][] = [
    ['says nothing', () => {}],
    ['sends a status and no body', (response) => void response.writeHead(200).flushHeaders()],
    ['drips', (response) => void response.write('{')],
  ]
  it.each(slow)('fails after five seconds if the other side %s', async (_what, answer) => {
    let gone: Promise<void> | undefined
    const { origin, requests } = await counted((_request, response) => {
      gone = closed(response)
      answer(response)
    })
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const asking = expect(outgoing(origin, get)).rejects.toThrow('no answer within 5000 ms')
    while (requests.length === 0) await new Promise((resolve) => setImmediate(resolve))
    vi.advanceTimersByTime(4999)
    vi.advanceTimersByTime(1)
    await asking
    // The connection is given up with it.
    await gone
  })

  it('a body that drips for ever does not live by its bytes', async () => {
    let dripping: NodeJS.Timeout | undefined
    const { origin } = await counted((_request, response) => {
      dripping = setInterval(() => response.write(' '), 1)
    })
    onTestFinished(() => clearInterval(dripping))
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const asking = expect(outgoing(origin, get)).rejects.toThrow('no answer within 5000 ms')
    while (dripping === undefined) await new Promise((resolve) => setImmediate(resolve))
    vi.advanceTimersByTime(5000)
    await asking
  })

  it('fails for what is no HTTP, and for a connection that is cut', async () => {
    for (const bytes of [
      'nonsense\r\n\r\n',
      'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab',
      '',
    ]) {
      const server = createServer((socket) => {
        socket.on('error', () => {})
        socket.once('data', () => socket.end(bytes))
      })
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
      const { port } = server.address() as { port: number }
      await expect(outgoing(`http://127.0.0.1:${port}/`, get)).rejects.toThrow()
      server.close()
      await expect(outgoing(`http://127.0.0.1:${port}/`, get)).rejects.toThrow()
    }
  })

  it('is not changed by a polluted Object.prototype', async () => {
    const polluted = Object.prototype as unknown as Record<string, unknown>
    const { origin, requests } = await counted((_request, response) => response.end('{}'))
    for (const name of ['agent', 'body', 'lookup', 'method']) polluted[name] = '/polluted'
    try {
      const answer = await outgoing(`${origin}/own`, get)
      expect(answer.status).toBe(200)
    } finally {
      for (const name of ['agent', 'body', 'lookup', 'method']) delete polluted[name]
    }
    expect(
      requests.map(({ url, method, headers }) => [url, method, headers.authorization]),
    ).toEqual([['/own', 'GET', undefined]])
  })
})
