// Whoever has the cookie sent along, by another page or by hand, opens no Socket.IO with it.
import { describe, expect, it } from 'vitest'
import type { SocketIoOptions } from '../../src/index.js'
import { afterAttack } from '../support/after-attack.js'
import { logIn } from '../support/client.js'
import { cookieName, pagesOrigin, signInByPage, startPages } from '../support/pages.js'
import { addSocketIo, connectTo, openRaw, type SocketIoHost } from '../support/socket-io.js'

async function startPageSocketIo(options: SocketIoOptions): Promise<SocketIoHost> {
  // Socket.IO itself lets in whatever asks.
  const host = addSocketIo(await startPages(), { cors: { origin: true, credentials: true } })
  host.io.use(host.auth.sockets.socketIo(host.io, options))
  return host
}

type Transport = 'websocket' | 'polling'

/** 200, or the status of the refusal. */
function statusOf(
  host: SocketIoHost,
  transport: Transport,
  extraHeaders: Record<string, string | string[]>,
  auth: object = {},
): Promise<number> {
  const headers = extraHeaders as Record<string, string>
  const client = connectTo(host, { transports: [transport], extraHeaders: headers, auth })
  return new Promise<number>((resolve) => {
    client.once('connect', () => resolve(200))
    client.once('connect_error', (error: Error & { data?: { status: number } }) =>
      resolve(error.data?.status ?? 0),
    )
  }).finally(() => client.disconnect())
}

const transports: Transport[] = ['websocket', 'polling']

/** What pages that are not ours say of themselves, and what is no page. */
const foreign: Record<string, string>[] = [
  { Origin: 'https://evil.example' },
  { Origin: 'https://files.chat.example.com', 'Sec-Fetch-Site': 'same-site' },
  { Origin: 'https://example.com', 'Sec-Fetch-Site': 'same-site' },
  { Origin: 'http://chat.example.com' },
  { Origin: `${pagesOrigin}:8443`, 'Sec-Fetch-Site': 'same-site' },
  { Origin: `${pagesOrigin}.evil.example` },
  { Origin: 'HTTPS://CHAT.EXAMPLE.COM' },
  { Origin: 'null', 'Sec-Fetch-Site': 'same-origin' },
  { Origin: 'https://evil.example', Referer: `${pagesOrigin}/` },
  { 'Sec-Fetch-Site': 'same-site', Referer: `${pagesOrigin}/` },
  { 'Sec-Fetch-Site': 'cross-site' },
  { 'Sec-Fetch-Site': 'none' },
  { Referer: 'https://evil.example/' },
  { Referer: `${pagesOrigin}.evil.example/` },
  {},
]

describe.each(transports)('over %s, Socket.IO that the cookie opens', (transport) => {
  it('opens for no page of another origin, and for nothing that names none', async () => {
    const host = await startPageSocketIo({ from: 'cookie' })
    const { Cookie, value } = await signInByPage(host)
    const own = { Origin: host.origin }
    for (const says of [own, ...foreign])
      expect([says, await statusOf(host, transport, { ...says, Cookie })]).toEqual([says, 403])
    expect(await statusOf(host, transport, { Origin: pagesOrigin, Cookie })).toBe(200)
    await afterAttack(host, [], [value])
  })

  it('takes no token, and no cookie that comes twice or was made of a token', async () => {
    const host = await startPageSocketIo({ from: 'cookie' })
    const { Cookie, value } = await signInByPage(host)
    const { authToken: token } = await logIn(host)
    const Origin = pagesOrigin
    for (const [headers, auth] of [
      [{}, {}],
      [{}, { token }],
      [{}, { token: value }],
      [{ Authorization: `Bearer ${token}` }, {}],
      [{ Cookie: `${Cookie}; ${Cookie}` }, {}],
      [{ Cookie: `${cookieName}=${token}` }, {}],
      [{ Cookie: `${cookieName}=${value.slice(0, -1)}` }, { token }],
    ] as [Record<string, string>, object][])
      expect([headers, await statusOf(host, transport, { ...headers, Origin }, auth)]).toEqual([
        headers,
        401,
      ])
    await afterAttack(host, [], [value, token])
  })

  it('is whom the cookie names, whatever token is sent beside it', async () => {
    const host = await startPageSocketIo({ from: 'cookie' })
    const { Cookie } = await signInByPage(host)
    const kinds: string[] = []
    host.io.on('connection', (socket) => void kinds.push(socket.data.auth.kind))
    const { authToken: token } = await logIn(host)
    for (const auth of [{ token }, { token: 7 }, { token: 'x'.repeat(20_000) }])
      expect(await statusOf(host, transport, { Origin: pagesOrigin, Cookie }, auth)).toBe(200)
    expect(kinds).toEqual(['browser', 'browser', 'browser'])
  })

  it('opens for no cookie where a token is asked for', async () => {
    for (const options of [{ from: 'headers' }, {}] as const) {
      const host = await startPageSocketIo(options)
      const { Cookie, value } = await signInByPage(host)
      const headers = { Origin: pagesOrigin, 'Sec-Fetch-Site': 'same-origin', Cookie }
      expect(await statusOf(host, transport, headers)).toBe(401)
      expect(await statusOf(host, transport, headers, { token: value })).toBe(401)
      await afterAttack(host, [], [value])
    }
  })

  it('where either is asked for, takes a page of another origin for a stranger', async () => {
    const host = await startPageSocketIo({ from: 'either' })
    const { Cookie, value } = await signInByPage(host)
    for (const says of foreign)
      expect([says, await statusOf(host, transport, { ...says, Cookie })]).toEqual([says, 401])
    await afterAttack(host, [], [value])
  })

  it('where either is asked for, takes no cookie for a token that is none', async () => {
    const host = await startPageSocketIo({ from: 'either' })
    const { Cookie, value } = await signInByPage(host)
    const headers = { Origin: pagesOrigin, Cookie }
    for (const auth of [{ token: '' }, { token: 'x' }, { token: null }, { token: ['x'] }])
      expect([auth, await statusOf(host, transport, headers, auth)]).toEqual([auth, 401])
    const bad = { ...headers, Authorization: 'Bearer x' }
    expect(await statusOf(host, transport, bad)).toBe(401)
    await afterAttack(host, [], [value])
  })
})

describe('an upgrade to Socket.IO that the cookie opens', () => {
  it('must name its origin: a browser always does', async () => {
    const host = await startPageSocketIo({ from: 'cookie' })
    const { Cookie } = await signInByPage(host)
    for (const says of [
      { 'Sec-Fetch-Site': 'same-origin' },
      { Referer: `${pagesOrigin}/` },
    ] as Record<string, string>[]) {
      expect(await statusOf(host, 'websocket', { ...says, Cookie })).toBe(403)
      expect(await statusOf(host, 'polling', { ...says, Cookie })).toBe(200)
    }
  })
})

describe('a Socket.IO connection that begins without the cookie', () => {
  it('opens nothing by a cookie that it sends as data', async () => {
    const host = await startPageSocketIo({ from: 'cookie' })
    const { Cookie, value } = await signInByPage(host)
    const { socket, packets } = await openRaw(host)
    socket.send(`40${JSON.stringify({ Cookie, cookie: value, token: value, headers: { Cookie } })}`)
    await expect.poll(() => packets.find((packet) => packet.startsWith('44'))).toContain('403')
    expect(host.auth.stats().sockets.open).toBe(0)
  })
})
