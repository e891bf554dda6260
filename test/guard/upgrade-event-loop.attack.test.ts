// Every text that an upgrade or a Socket.IO handshake brings is bounded before anything whose cost
// is more than linear reads it.
import '../support/steps.js'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { Server } from 'socket.io'
import { describe, expect, it, onTestFinished } from 'vitest'
import { WebSocketServer } from 'ws'
import { logIn } from '../support/client.js'
import { startHost } from '../support/host.js'
import { stepsUntil } from '../support/steps.js'

/** Above what is sent here. Node's own is 16 KB for all headers together. */
const maxHeaderSize = 256 * 1024

/**
 * A host that takes headers of any length, with a guarded `ws` server and a guarded Socket.IO
 * server.
 */
async function startOpenEared() {
  const host = await startHost()
  const server = createServer({ maxHeaderSize })
  const io = new Server(server, { destroyUpgrade: false })
  io.use(host.auth.sockets.socketIo(io))
  const sockets = new WebSocketServer({ noServer: true })
  server.on('upgrade', (request, connection, head) => {
    if (request.url !== '/ws') return
    host.auth.sockets
      .authenticate(request)
      .then((principal) =>
        sockets.handleUpgrade(request, connection, head, (socket) =>
          host.auth.sockets.track(socket, principal),
        ),
      )
      .catch((error: unknown) => host.auth.sockets.refuse(connection, error))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    io.disconnectSockets(true)
    server.closeAllConnections()
    server.close()
  })
  const { authToken } = await logIn(host)
  return { host, authToken, port: (server.address() as AddressInfo).port }
}

/** Sends an upgrade as bytes; resolves with its status once that is there. */
function upgrade(port: number, headers: readonly string[], path = '/ws'): Promise<number> {
  const fixed = [
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
  ]
  const hasHost = headers.some((header) => header.startsWith('Host:'))
  const lines = [
    `GET ${path} HTTP/1.1`,
    ...(hasHost ? [] : ['Host: chat.example.com']),
    ...fixed,
    ...headers,
    '',
    '',
  ]
  return new Promise((resolve, reject) => {
    const client: Socket = connect({ port, host: '127.0.0.1' }, () =>
      client.write(Buffer.from(lines.join('\r\n'), 'latin1')),
    )
    client.once('data', (answer) => {
      resolve(Number(answer.toString('latin1', 9, 12)))
      client.destroy()
    })
    client.once('error', reject)
  })
}

/** Steps of an upgrade or a handshake that says little, and those for each byte that it brings. */
const mostSteps = (bytes: number) => 20_000 + 20 * bytes

const sizes = [16_000, 64_000]
const fill = (size: number, unit: string) =>
  unit.repeat(Math.ceil(size / unit.length)).slice(0, size)

/** The worst spellings of each header that is read, by its length. */
const texts: readonly (readonly [
  name: string,
  write: (size: number, token: string) => string[],
])[] = [
  ['a long host in Origin', (size) => [`Origin: https://${fill(size, 'a')}`]],
  ['labels in Origin', (size) => [`Origin: https://${fill(size, 'xn--a.')}`]],
  ['bytes above ASCII in Origin', (size) => [`Origin: https://${fill(size, 'ü')}`]],
  ['colons in Origin', (size) => [`Origin: https://${fill(size, ':@')}`]],
  ['percent signs in Origin', (size) => [`Origin: https://${fill(size, '%61')}`]],
  [
    'labels in Host and Origin',
    (size) => [`Host: ${fill(size / 2, 'xn--a.')}`, `Origin: https://${fill(size / 2, 'xn--a.')}`],
  ],
  ['a long Host', (size) => ['Origin: https://chat.example.com', `Host: ${fill(size, 'a.')}`]],
  ['commas in Sec-WebSocket-Protocol', (size) => [`Sec-WebSocket-Protocol: ${fill(size, ',')}`]],
  [
    'tickets in Sec-WebSocket-Protocol',
    (size) => [`Sec-WebSocket-Protocol: ${fill(size, 'auth.ticket, ')}x`],
  ],
  [
    'blanks in Sec-WebSocket-Protocol',
    (size) => [`Sec-WebSocket-Protocol: a${fill(size, ' \t')}b`],
  ],
  ['blanks in Authorization', (size) => [`Authorization: Bearer${fill(size, ' ')}\t`]],
  ['blanks after the token', (size) => [`Authorization: Bearer a${fill(size, ' ')}x`]],
  ['equal signs in Authorization', (size) => [`Authorization: Bearer a${fill(size, '=')} x`]],
  ['a long token', (size) => [`Authorization: Bearer ${fill(size, 'aA.')}`]],
  ['dots in X-Auth-Token', (size) => ['X-User-Id: u-alice', `X-Auth-Token: ${fill(size, '.')}`]],
  [
    'a long X-User-Id',
    (size, token) => [`X-User-Id: ${fill(size, 'u')}`, `X-Auth-Token: ${token}`],
  ],
  ['a long User-Agent', (size) => [`User-Agent: ${fill(size, 'Mozilla/5.0 (')}`]],
  [
    'words in X-Forwarded-Proto',
    (size) => ['Origin: http://chat.example.com', `X-Forwarded-Proto: ${fill(size, 'http,')}`],
  ],
  [
    'a long Cookie',
    (size, token) => [`Cookie: ${fill(size, 'a=b; ')}`, `Authorization: Bearer ${token}`],
  ],
]

describe('an upgrade takes no more than 20 steps a byte', () => {
  it.each(texts.flatMap(([name, write]) => sizes.map((size) => [name, size, write] as const)))(
    'with %s of %d bytes',
    async (_name, size, write) => {
      const { authToken, port } = await startOpenEared()
      const headers = write(size, authToken)
      // Whatever is done once only is no part of a text.
      await upgrade(port, write(10, authToken))
      expect(await stepsUntil(() => upgrade(port, headers))).toBeLessThan(mostSteps(size))
    },
  )
})

describe('a Socket.IO handshake takes no more than 20 steps a byte', () => {
  async function join(port: number, auth: string): Promise<unknown> {
    const url = `http://127.0.0.1:${port}/socket.io/?EIO=4&transport=polling`
    const { sid } = JSON.parse((await (await fetch(url)).text()).slice(1))
    await fetch(`${url}&sid=${sid}`, { method: 'POST', body: `40${auth}` })
    return (await fetch(`${url}&sid=${sid}`)).text()
  }

  const payloads = [
    ['a long token', (size: number) => ({ token: fill(size, 'aA.') })],
    ['a token of dots', (size: number) => ({ token: fill(size, '.') })],
    ['a long user', (size: number, token: string) => ({ token, userId: fill(size, 'u') })],
    [
      'many fields',
      (size: number, token: string) => ({
        token,
        ...Object.fromEntries([...Array(size >> 3).keys()].entries()),
      }),
    ],
  ] as const

  it.each(payloads.flatMap(([name, write]) => sizes.map((size) => [name, size, write] as const)))(
    'with %s of %d bytes',
    async (_name, size, write) => {
      const { authToken, port } = await startOpenEared()
      // Written before: what it costs the sender is not the server's work.
      const [little, sent] = [10, size].map((of) => JSON.stringify(write(of, authToken)))
      await join(port, little as string)
      expect(await stepsUntil(() => join(port, sent as string))).toBeLessThan(mostSteps(size))
    },
  )

  it('with a token of the largest packet that Socket.IO takes, which is looked at no further', async () => {
    const { host, port } = await startOpenEared()
    const sent = JSON.stringify({ token: fill(900_000, 'aA.') })
    expect(await join(port, sent)).toContain('"status":401')
    expect(host.events.at(-1)).toMatchObject({ type: 'request.refused', reason: 'no credentials' })
  })
})
