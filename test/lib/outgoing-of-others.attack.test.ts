// Requests to addresses that somebody else has chosen, such as the maker of an app.
import { promises as dns } from 'node:dns'
import { createServer, type Socket } from 'node:net'
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest'
import { outgoing } from '../../src/lib/outgoing.js'
import { serve } from '../providers/loopback.js'

afterEach(() => void vi.useRealTimers())

const get = { method: 'GET', headers: {} }
const strict = { allowsLoopback: false }
const experiment = { allowsLoopback: true }

/** Answers for any name what it is given, one answer for each look-up, and counts them. */
function resolverOf(...answers: readonly (readonly string[])[]) {
  const asked: string[] = []
  const resolve = async (hostname: string) => {
    const addresses = answers[Math.min(asked.length, answers.length - 1)] ?? []
    asked.push(hostname)
    return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
  }
  return { resolve, asked }
}

/** A server of which only its connections matter, and what came over them. */
async function startListener() {
  const received: string[] = []
  const server = createServer((socket: Socket) => {
    socket.on('error', () => {})
    socket.once('data', (bytes) => {
      received.push(bytes.toString('latin1'))
      socket.destroy()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as { port: number }
  return { port, received }
}

const notPublic = 'has an address that is not of the public internet'

describe('a request to an address that somebody else has chosen', () => {
  it.each([
    'https://127.0.0.1/',
    'https://10.1.2.3/',
    'https://169.254.169.254/latest/meta-data/',
    'https://[::1]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[64:ff9b::a00:1]/',
    'https://2130706433/',
    'http://127.0.0.1/',
  ])('does not go to %s', async (address) => {
    const { resolve, asked } = resolverOf(['8.8.8.8'])
    await expect(outgoing(address, get, strict, resolve)).rejects.toThrow(notPublic)
    // A literal is no name.
    expect(asked).toEqual([])
  })

  it('does not go to http, but for this machine during experiments', async () => {
    const origin = await serve((_request, response) => response.end('{}'))
    await expect(outgoing(origin, get, strict)).rejects.toThrow(notPublic)
    const named = origin.replace('127.0.0.1', 'localhost')
    await expect(outgoing(named, get, strict)).rejects.toThrow(notPublic)
    for (const address of [origin, named])
      expect((await outgoing(address, get, experiment)).status).toBe(200)
    const { resolve } = resolverOf(['127.0.0.1'])
    const foreign = outgoing('http://wiki.example.com/', get, experiment, resolve)
    await expect(foreign).rejects.toThrow('is not asked without https')
  })

  it.each([
    [['127.0.0.1']],
    [['10.0.0.8']],
    [['::1']],
    [['::ffff:127.0.0.1']],
    [['64:ff9b::7f00:1']],
    // One of several is enough.
    [['8.8.8.8', '10.0.0.8']],
    [['2a00:1450:4001::1', 'fd00::1']],
    [[]],
  ])('does not go to a name that stands for %j', async (addresses) => {
    const { resolve, asked } = resolverOf(addresses)
    const answer = outgoing('https://wiki.example.com/', get, strict, resolve)
    await expect(answer).rejects.toThrow(notPublic)
    expect(asked).toEqual(['wiki.example.com'])
  })

  it('goes to the address that was checked: a name is looked up once', async () => {
    const { port, received } = await startListener()
    const { resolve, asked } = resolverOf(['127.0.0.1'], ['10.0.0.8'])
    const answer = outgoing(`https://rebind.example.com:${port}/`, get, experiment, resolve)
    await expect(answer).rejects.toThrow()
    expect(asked).toEqual(['rebind.example.com'])
    // It is TLS with the name, whatever the address.
    expect(received).toEqual([expect.stringContaining('rebind.example.com')])
  })

  it('goes to a private address only by a name that the operator has listed', async () => {
    const { port, received } = await startListener()
    vi.spyOn(dns, 'lookup').mockImplementation((async () => [
      { address: '127.0.0.1', family: 4 },
    ]) as unknown as typeof dns.lookup)
    const listed = { allowsLoopback: false, privateHosts: new Set(['wiki.internal']) }
    const { resolve, asked } = resolverOf(['127.0.0.1'])
    const go = (host: string) => outgoing(`https://${host}:${port}/`, get, listed, resolve)
    for (const host of ['other.internal', 'sub.wiki.internal', 'wiki.internal.'])
      await expect(go(host)).rejects.toThrow(notPublic)
    expect(asked).toHaveLength(3)
    expect(received).toEqual([])
    await expect(go('wiki.internal')).rejects.not.toThrow(notPublic)
    // Still TLS, and no http.
    expect(received).toEqual([expect.stringContaining('wiki.internal')])
    const plain = outgoing(`http://wiki.internal:${port}/`, get, listed, resolve)
    await expect(plain).rejects.toThrow('is not asked without https')
    vi.restoreAllMocks()
  })

  it('uses no connection that is kept open by others', async () => {
    const ports: (number | undefined)[] = []
    const origin = await serve((request, response) => {
      ports.push(request.socket.remotePort)
      response.end('{}')
    })
    await outgoing(origin, get)
    await outgoing(origin, get, experiment)
    await outgoing(origin, get, experiment)
    expect(new Set(ports).size).toBe(3)
  })

  it.each([302, 307])('follows no redirect, status %i', async (status) => {
    const asked: unknown[] = []
    const inner = await serve((request, response) => {
      asked.push(request.url)
      response.end('{}')
    })
    const origin = await serve((_request, response) =>
      response.writeHead(status, { Location: inner }).end(),
    )
    await expect(outgoing(origin, get, experiment)).rejects.toThrow('redirects')
    expect(asked).toEqual([])
  })

  it('is given up after five seconds, of which the look-up is a part', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    let found: (addresses: { address: string; family: number }[]) => void = () => {}
    const resolve = () =>
      new Promise<{ address: string; family: number }[]>((done) => {
        found = done
      })
    const { port, received } = await startListener()
    const asking = outgoing(`https://slow.example.com:${port}/`, get, experiment, resolve)
    const refused = expect(asking).rejects.toThrow('no answer within 5000 ms')
    await vi.advanceTimersByTimeAsync(5000)
    await refused
    // What comes too late is asked for nothing.
    found([{ address: '127.0.0.1', family: 4 }])
    await new Promise((resolve) => setImmediate(resolve))
    expect(received).toEqual([])
  })

  it('is not changed by a polluted Object.prototype', async () => {
    const polluted = Object.prototype as unknown as Record<string, unknown>
    const members = { agent: '/', lookup: () => {}, resolve: () => ['8.8.8.8'] }
    for (const [name, value] of Object.entries(members)) polluted[name] = value
    try {
      await expect(outgoing('https://127.0.0.1/', get, strict)).rejects.toThrow(notPublic)
    } finally {
      for (const name of Object.keys(members)) delete polluted[name]
    }
  })
})
