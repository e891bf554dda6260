import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it, onTestFinished } from 'vitest'
import { sha256 } from '../../src/lib/secrets.js'
import { get, logIn, obtainCode, post } from '../support/client.js'
import { password, startHost, type TestHost } from '../support/host.js'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

const rounds = 1000
const atOnce = 20

/** Sends some of a request's bytes, waits for a moment, and hangs up without reading. */
async function abort(host: TestHost, path: string, body: object): Promise<void> {
  const text = JSON.stringify(body)
  const { port, pathname } = new URL(host.url)
  const head =
    `POST ${pathname}${path} HTTP/1.1\r\nHost: chat\r\nContent-Type: ` +
    `application/json\r\nContent-Length: ${text.length}\r\n\r\n`
  const whole = head + text
  // Half of them are sent whole, and are aborted while they are worked on.
  const sent = Math.random() < 0.5 ? whole.length : Math.floor(Math.random() * whole.length)
  const socket = connect(Number(port), '127.0.0.1')
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write(whole.slice(0, sent))
  await pause(Math.random() * 12)
  socket.destroy()
}

it(
  '1,000 requests that are hung up on: each is done or not begun, no rejection is unhandled, ' +
    'and nothing stays behind',
  async () => {
    const unhandled: unknown[] = []
    const note = (reason: unknown) => void unhandled.push(reason)
    process.on('unhandledRejection', note)
    onTestFinished(() => void process.off('unhandledRejection', note))
    const host = await startHost({
      options: {
        maxSessionsPerUser: 1000,
        throttle: { network: { points: 100_000, duration: 900 } },
      },
    })
    const alice = host.users.rows.get('u-alice') as { id: string }
    const heaps: number[] = []
    const hashes: string[] = []
    for (let round = 0; round < rounds; round += atOnce) {
      // Others each time: one session is issued sixty codes a minute.
      host.users.add({ ...alice, id: `u-asker-${round}`, username: `asker-${round}` })
      const { authToken } = await logIn(host, { username: `asker-${round}`, password })
      const codes = await Promise.all(
        Array.from({ length: atOnce / 2 }, () => obtainCode(host, authToken)),
      )
      hashes.push(...codes.map(({ authorizationCode }) => sha256(authorizationCode)))
      await Promise.all([
        ...codes.map((code) => abort(host, '/auth/pkce/token', code)),
        ...codes.map((_code, i) => {
          const username = `user-${round + i}`
          host.users.add({ ...alice, id: `u-${username}`, username })
          return abort(host, '/login', { username, password })
        }),
      ])
      if (round % 200 !== 0) continue
      collect()
      heaps.push(process.memoryUsage().heapUsed)
    }
    const connections = () =>
      new Promise<number>((resolve) =>
        host.server.getConnections((_error, count) => resolve(count)),
      )
    host.server.closeIdleConnections()
    await expect.poll(connections).toBe(0)
    await pause(100)

    const ended = { consumed: 0, untouched: 0 }
    for (const hash of hashes) {
      const code = await host.stores.codes.find(hash)
      const session = await host.stores.sessions.find(code?.opensSessionId ?? '')
      expect(session !== null, 'a session if and only if its code was used').toBe(
        code?.consumedAt !== null,
      )
      ended[code?.consumedAt === null ? 'untouched' : 'consumed'] += 1
    }
    expect(
      Math.min(ended.consumed, ended.untouched),
      'some were aborted before, some after',
    ).toBeGreaterThan(0)
    expect(unhandled).toEqual([])
    expect(host.unforeseen).toEqual([])
    expect((await post(host, '/login', { username: 'alice', password })).status).toBe(200)
    expect((await get(host, '/auth/jwks.json')).status).toBe(200)
    // What is kept of a session and a code in memory is some 3 kB; a request that stays behind is
    // ten times that.
    const growth = ((heaps.at(-1) ?? 0) - (heaps[1] ?? 0)) / (rounds - 400)
    process.stdout.write(
      `aborted: ${ended.consumed} codes used, ${ended.untouched} not; ` +
        `${Math.round(growth)} bytes ` +
        `of heap a request\n`,
    )
    expect(growth).toBeLessThan(15_000)
  },
)
