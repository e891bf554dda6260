// What takes an app its sign-in takes its open connections as well, in whichever process they are.
import { Server } from 'socket.io'
import { io } from 'socket.io-client'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { memoryOAuthStores, memoryStores } from '../../src/stores/memory-stores.js'
import { bearer, logIn, remove } from '../support/client.js'
import { passwordHash, type TestHost } from '../support/host.js'
import { memoryBus } from '../support/memory-bus.js'
import {
  type AppTokens,
  allow,
  apps,
  authorize,
  authorizeQuery,
  codeFor,
  codeIn,
  oauthOf,
  openBrowser,
  sendAs,
  signInTo,
  tracker,
  wiki,
} from '../support/oauth-apps.js'
import { startPages } from '../support/pages.js'
import { testUsers } from '../support/users.js'

const scope = 'messages:read'

/** How the sockets of a token were told that it is over: nothing yet, or a code and a reason. */
interface OpenSockets {
  readonly raw: () => unknown
  readonly socketIo: () => unknown
}

/** Opens a raw socket and one of Socket.IO. */
async function openSockets(host: TestHost, token: string): Promise<OpenSockets> {
  const origin = host.url.replace('/api/v1', '')
  const raw = new WebSocket(`${origin.replace('http', 'ws')}/ws`, { headers: bearer(token) })
  const client = io(origin, { forceNew: true, reconnection: false, auth: { token } })
  onTestFinished(() => {
    raw.terminate()
    client.disconnect()
  })
  const told: { raw: unknown; socketIo: unknown } = { raw: null, socketIo: null }
  raw.once('close', (code, reason) => {
    told.raw = { code, reason: reason.toString() }
  })
  client.once('auth.ended', (message) => {
    told.socketIo = message
  })
  await Promise.all([
    new Promise((resolve, reject) => void raw.once('open', resolve).once('error', reject)),
    new Promise((resolve, reject) => {
      client.once('connect', () => resolve(null)).once('connect_error', reject)
    }),
  ])
  return { raw: () => told.raw, socketIo: () => told.socketIo }
}

const withWord = /^session ended: [a-z-]+$/

async function expectOver(all: readonly OpenSockets[], words = withWord): Promise<void> {
  const over = { code: 4401, reason: expect.stringMatching(words) }
  await vi.waitFor(() =>
    expect(all.map(({ raw, socketIo }) => [raw(), socketIo()])).toEqual(
      all.map(() => [over, over]),
    ),
  )
}

function expectOpen(all: readonly OpenSockets[]): void {
  expect(all.map(({ raw, socketIo }) => [raw(), socketIo()])).toEqual(all.map(() => [null, null]))
}

function acceptSockets({ server, auth }: TestHost): void {
  const sockets = new WebSocketServer({ noServer: true })
  const ioServer = new Server(server, { destroyUpgrade: false })
  ioServer.use(auth.sockets.socketIo(ioServer, { scope }))
  server.on('upgrade', (request, connection, head) => {
    if (!request.url?.startsWith('/ws')) return
    auth.sockets.authenticate(request, { scope }).then(
      (principal) =>
        sockets.handleUpgrade(request, connection, head, (socket) => {
          auth.sockets.track(socket, principal)
        }),
      (error: unknown) => auth.sockets.refuse(connection, error),
    )
  })
  onTestFinished(() => {
    for (const client of sockets.clients) client.terminate()
    ioServer.disconnectSockets(true)
  })
}

/** Two servers of one host, and a third process, where the host keeps its register of clients. */
async function startTwo(withBus: boolean) {
  const users = testUsers()
  users.add({ id: 'u-alice', username: 'alice', passwordHash })
  const shared = { users, ...memoryStores(), ...(withBus ? { bus: memoryBus() } : {}) }
  const { clients, consents, once } = memoryOAuthStores()
  for (const app of apps) await clients.create(app, new Date())
  const options = { ...shared, oauth: oauthOf({ clients, consents, once }) }
  const [one, other, third] = [
    await startPages({ options }),
    await startPages({ options }),
    await startPages({ options }),
  ]
  for (const host of [one, other]) acceptSockets(host)
  await allow(consents, 'u-alice', tracker)
  return { one, other, third }
}

type Two = Awaited<ReturnType<typeof startTwo>>

/** What ends the sign-in of the tracker, in the process `one` or in the third. */
const endings: [string, (two: Two, tokens: AppTokens, owner: string) => Promise<unknown>][] = [
  [
    'the app revokes its refresh token',
    ({ one }, { refresh_token: token }) => sendAs(one, tracker, '/oauth/revoke', { token }),
  ],
  [
    'the user ends the session',
    async ({ one }, { access_token }, owner) => {
      const { sid } = JSON.parse(atob(access_token.split('.')[1] as string))
      return remove(one, `/auth/sessions/${sid}`, bearer(owner)).expect(200)
    },
  ],
  [
    'the user takes the consent back',
    ({ one }, _tokens, owner) => remove(one, '/auth/consents/tracker', bearer(owner)).expect(200),
  ],
  ['the host disables the app', ({ third }) => third.auth.clients.disable('tracker')],
]

describe.each(endings)('where %s', (_what, end) => {
  it('its sockets are closed at once, here and in another process, and no others', async () => {
    const two = await startTwo(true)
    const tokens = await signInTo(two.one, tracker)
    const { access_token: others } = await signInTo(two.one, wiki)
    const { authToken } = await logIn(two.one)
    const hosts = [two.one, two.other]
    const theirs = await Promise.all(hosts.map((host) => openSockets(host, tokens.access_token)))
    const kept = await Promise.all(hosts.map((host) => openSockets(host, others)))
    await end(two, tokens, authToken)
    await expectOver(theirs)
    expectOpen(kept)
  })

  it('they are closed within 5 s where no bus tells the other process', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const two = await startTwo(false)
    const tokens = await signInTo(two.one, tracker)
    const { authToken } = await logIn(two.one)
    const theirs = [await openSockets(two.other, tokens.access_token)]
    await end(two, tokens, authToken)
    expectOpen(theirs)
    for (let second = 0; second < 5; second += 1) {
      two.other.clock.advance(1)
      await vi.advanceTimersByTimeAsync(1000)
    }
    // Nobody has told it why.
    await expectOver(theirs, /^session ended$/)
  })
})

describe('an app that the host’s own store of clients disables', () => {
  it('is refused within 30 s at every endpoint, and is back as fast', async () => {
    let disabled = false
    const clients = {
      find: async (id: string) => {
        const app = apps.find((one) => one.id === id)
        return app === undefined ? null : { ...app, disabled }
      },
    }
    const host = await startPages({ options: { oauth: oauthOf({ clients }) } })
    const cookie = await openBrowser(host)
    const { refresh_token, access_token } = await signInTo(host, wiki)
    const refreshing = { grant_type: 'refresh_token', refresh_token }
    const form = await codeFor(host, cookie, wiki)
    disabled = true
    host.clock.advance(30)
    const refused = await authorize(host, cookie, authorizeQuery(wiki).query)
    expect([refused.status, codeIn(refused.headers.get('location'))]).toEqual([400, null])
    for (const asked of [form, refreshing])
      expect((await sendAs(host, wiki, '/oauth/token', asked)).status).toBe(401)
    for (const path of ['/oauth/introspect', '/oauth/revoke'])
      expect((await sendAs(host, wiki, path, { token: refresh_token })).status).toBe(401)
    const userinfo = () => fetch(`${host.url}/oauth/userinfo`, { headers: bearer(access_token) })
    expect((await userinfo()).status).toBe(401)
    disabled = false
    host.clock.advance(30)
    expect((await sendAs(host, wiki, '/oauth/token', refreshing)).status).toBe(200)
    expect((await userinfo()).status).toBe(200)
  })
})
