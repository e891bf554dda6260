// The client in a real browser: tabs that share one sign-in, while the network and the server come
// and go.
import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { rolldown } from 'rolldown'
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { WebSocketServer } from 'ws'
import { chromiumPath, launchChromium } from '../support/chromium.js'
import { password, startHost, type TestHost } from '../support/host.js'
import { toldOf } from './recorded.js'

const dist = new URL('../../dist/', import.meta.url)
/** What each page has: the client, its states, and a socket where one is opened. */
const script = `
import { createAuthClient, localStorageStore } from '/client/index.js'
window.ahead = 0
window.client = createAuthClient({
  baseUrl: '/api/v1',
  storage: localStorageStore(),
  clock: () => new Date(Date.now() + window.ahead),
})
window.states = []
client.onChange(({ status, reason }) => states.push(reason ?? status))
window.openSocket = () => {
  window.statuses = []
  window.socket = client.socket('/ws', { onStatus: (status) => statuses.push(status) })
}
`
const page = '<!doctype html><title>two tabs</title><script type="module" src="/page.js"></script>'

let browser: Browser
beforeAll(async () => {
  if (chromiumPath !== null) browser = await launchChromium()
})
afterAll(() => browser?.close())

/** A server that can be stopped, and started again as another process over the same stores. */
interface Site {
  readonly origin: string
  /** The one that serves now. */
  host: TestHost
  readonly hosts: TestHost[]
  /** Requests to the router, as `METHOD path`. */
  readonly asked: string[]
  advance(seconds: number): void
  stop(): Promise<void>
  start(): Promise<void>
}

async function startSite(): Promise<Site> {
  const asked: string[] = []
  const first = await startHost()
  const front = createServer((request, response) => {
    const path = request.url ?? ''
    if (path.startsWith('/api/')) {
      asked.push(`${request.method} ${path.slice('/api/v1'.length)}`)
      return void site.host.server.emit('request', request, response)
    }
    void serve(path).then(
      ([type, body]) => response.writeHead(200, { 'Content-Type': type }).end(body),
      () => response.writeHead(404).end(),
    )
  })
  guardSockets(front, () => site.host)
  const listen = (port: number) =>
    new Promise<void>((resolve) => front.listen(port, '127.0.0.1', resolve))
  await listen(0)
  const { port } = front.address() as AddressInfo
  const stop = () => {
    const closed = new Promise<void>((resolve) => front.close(() => resolve()))
    front.closeAllConnections()
    for (const socket of sockets.get(front) ?? []) socket.destroy()
    return closed
  }
  onTestFinished(stop)
  const site: Site = {
    origin: `http://127.0.0.1:${port}`,
    host: first,
    hosts: [first],
    asked,
    advance: (seconds) => {
      for (const { clock } of site.hosts) clock.advance(seconds)
    },
    stop,
    async start() {
      const options = { ...first.stores, users: first.users }
      site.host = await startHost({ options, now: first.clock() })
      site.hosts.push(site.host)
      await listen(port)
    },
  }
  return site
}

/** The connections of sockets, which the server does not count as its own. */
const sockets = new WeakMap<Server, Set<{ destroy(): unknown }>>()

function guardSockets(front: Server, host: () => TestHost): void {
  const upgrades = new WebSocketServer({ noServer: true })
  const open = new Set<{ destroy(): unknown }>()
  sockets.set(front, open)
  front.on('upgrade', (request, connection, head) => {
    const { sockets: guarded } = host().auth
    open.add(connection)
    guarded
      .authenticate(request)
      .then((principal) =>
        upgrades.handleUpgrade(request, connection, head, (socket) => {
          guarded.track(socket, principal)
        }),
      )
      .catch((error: unknown) => guarded.refuse(connection, error))
  })
}

async function serve(path: string): Promise<[string, string]> {
  if (path === '/') return ['text/html', page]
  if (path === '/react')
    return [
      'text/html',
      '<!doctype html><main></main><script type="module" src="/react.js"></script>',
    ]
  if (path === '/react.js') return ['text/javascript', await reactPage()]
  if (path === '/page.js') return ['text/javascript', script]
  return ['text/javascript', await readFile(new URL(`.${path}`, dist), 'utf8')]
}

async function reactPage(): Promise<string> {
  const bundle = await rolldown({
    input: fileURLToPath(new URL('./react-page.mjs', import.meta.url)),
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
    logLevel: 'silent',
  })
  const { output } = await bundle.generate({ format: 'esm' })
  return output[0].code
}

let site: Site
let context: BrowserContext

async function openTab(): Promise<Page> {
  const tab = await context.newPage()
  await tab.goto(site.origin)
  await tab.waitForFunction('window.client !== undefined && client.state.status !== "loading"')
  return tab
}

const signIn = (tab: Page) =>
  tab.evaluate(`client.signIn({ user: 'alice', password: '${password}' })`)
const stateOf = (tab: Page) => tab.evaluate('client.state.reason ?? client.state.status')
/** So many requests at a time; answers their statuses. */
const ask = (tab: Page, count: number) =>
  tab.evaluate(
    `Promise.all(Array.from({ length: ${count} }, () => client.fetch('/me')))
      .then((all) => all.map(({ status }) => status))`,
  )
const refreshes = () => site.asked.filter((one) => one === 'POST /auth/refresh')

function expectNobodySuspected() {
  for (const host of site.hosts)
    expect(toldOf(host, 'refresh.reused', 'refresh.refused', 'session.ended')).toEqual([])
}

describe.skipIf(chromiumPath === null)('two tabs', () => {
  let one: Page
  let other: Page

  beforeEach(async () => {
    site = await startSite()
    context = await browser.newContext()
    onTestFinished(() => context.close())
    one = await openTab()
    other = await openTab()
    await signIn(one)
    await expect.poll(() => stateOf(other)).toBe('signed-in')
    site.asked.length = 0
  })

  it('with a token that is over ask 20 times together, and refresh once', async () => {
    for (const knows of [true, false, true]) {
      const before = refreshes().length
      site.advance(700)
      // Whether the tabs can tell by their clocks.
      if (knows) for (const tab of [one, other]) await tab.evaluate('window.ahead += 700_000')
      const answers = await Promise.all([ask(one, 10), ask(other, 10)])
      expect(answers.flat()).toEqual(Array(20).fill(200))
      expect(refreshes().length - before).toBe(1)
    }
    expectNobodySuspected()
  })

  it('with a request that hangs under the lock: the other goes on after its time', async () => {
    await one.route('**/auth/refresh', () => {})
    site.advance(700)
    const hanging = one.evaluate('client.me().catch(({ code }) => code)')
    await expect
      .poll(() => one.evaluate('navigator.locks.query().then((l) => l.held.length)'))
      .toBe(1)
    expect(await ask(other, 1)).toEqual([200])
    // It finds what the other has stored, or says that there was no answer.
    expect(['unreachable', 'alice']).toContain(
      await hanging.then((said) => (typeof said === 'string' ? said : 'alice')),
    )
    await one.unroute('**/auth/refresh')
    expect(await ask(one, 1)).toEqual([200])
    expectNobodySuspected()
  })

  it('that lose the network are offline, and signed in when it is back', async () => {
    await context.setOffline(true)
    site.advance(700)
    expect(await one.evaluate('client.me().catch(({ code }) => code)')).toBe('unreachable')
    expect(await stateOf(one)).toBe('offline')
    await context.setOffline(false)
    expect((await Promise.all([ask(one, 3), ask(other, 3)])).flat()).toEqual(Array(6).fill(200))
    expect(await stateOf(one)).toBe('signed-in')
    expectNobodySuspected()
  })

  it('with sockets come back when the server is started anew, and so does one that is closed', async () => {
    for (const tab of [one, other]) await tab.evaluate('openSocket()')
    for (const tab of [one, other])
      await expect.poll(() => tab.evaluate('socket.status')).toBe('open')
    for (let round = 0; round < 3; round += 1) {
      // In the middle of requests, and of a refresh.
      site.advance(700)
      const asking = [one, other].map((tab) =>
        tab.evaluate('Promise.allSettled([client.me(), client.me(), client.sessions.list()])'),
      )
      if (round > 0) await expect.poll(() => refreshes().length).toBeGreaterThan(0)
      await site.stop()
      await Promise.all(asking)
      expect(await stateOf(one)).not.toBe('session-ended')
      await site.start()
      site.asked.length = 0
      for (const tab of [one, other])
        await expect.poll(() => tab.evaluate('socket.status')).toBe('open')
      expect(await ask(one, 1)).toEqual([200])
      expect(await ask(other, 1)).toEqual([200])
    }
    expect(await one.evaluate('states')).not.toContain('session-ended')
    expectNobodySuspected()
  })

  it('all show it when the session is ended elsewhere', async () => {
    await one.evaluate('openSocket()')
    await expect.poll(() => one.evaluate('socket.status')).toBe('open')
    await site.host.auth.sessions.revokeAllForUser('u-alice')
    for (const tab of [one, other]) await expect.poll(() => stateOf(tab)).toBe('session-ended')
    const later = await openTab()
    expect(await stateOf(later)).toBe('session-ended')
    expect(await one.evaluate('Object.values(localStorage).join()')).not.toMatch(/ey[\w-]+\./)
  })

  it('all show it when the user signs out in one of them', async () => {
    await one.evaluate('client.signOut()')
    for (const tab of [one, other]) await expect.poll(() => stateOf(tab)).toBe('signed-out')
    expect(await one.evaluate('localStorage.length')).toBe(0)
    expect(await other.evaluate('client.me().catch(({ code }) => code)')).toBe('Unauthorized')
  })

  it('and a page with React show who is signed in, as that changes elsewhere', async () => {
    const react = await context.newPage()
    await react.goto(`${site.origin}/react`)
    const who = () => react.locator('#who').innerText()
    await expect.poll(who).toBe('Alice A.')
    await one.evaluate('client.signOut()')
    await expect.poll(who).toBe('signed-out')
    await signIn(other)
    await expect.poll(who).toBe('Alice A.')
    await react.evaluate('client.signOut()')
    await expect.poll(() => stateOf(one)).toBe('signed-out')
  })

  it('and a third without Web Locks refresh, and nobody is taken for a thief', async () => {
    const third = await context.newPage()
    await third.addInitScript("Object.defineProperty(navigator, 'locks', { value: undefined })")
    await third.goto(site.origin)
    await third.waitForFunction('window.client?.state.status === "signed-in"')
    for (let round = 0; round < 5; round += 1) {
      site.advance(700)
      const answers = await Promise.all([ask(one, 3), ask(other, 3), ask(third, 3)])
      expect(answers.flat()).toEqual(Array(9).fill(200))
    }
    expectNobodySuspected()
  })
})
