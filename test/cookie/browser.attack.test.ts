// The cookie in a real browser: what pages of other origins can do with it, and what the host's own
// can. Ports are no boundary to cookies, so a neighbour on another port has this one sent along.
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type RequestListener,
  type Server,
} from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { WebSocketServer } from 'ws'
import { chromiumPath, launchChromium } from '../support/chromium.js'
import { password, startHost, type TestHost } from '../support/host.js'

const cookieName = 'mar_session_dev'

let browser: Browser
beforeAll(async () => {
  if (chromiumPath !== null) browser = await launchChromium()
})
afterAll(() => browser?.close())

async function listen(listener?: RequestListener): Promise<{ server: Server; port: number }> {
  const server = createServer(listener ?? (() => {}))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { server, port: (server.address() as AddressInfo).port }
}

/** How requests reach the host: by themselves, by a proxy, and without what older browsers lack. */
type Way = 'directly' | 'behind a proxy that rewrites Host' | 'without Sec-Fetch headers'

interface Site {
  readonly host: TestHost
  readonly origin: string
  /** What was saved, and to whom which embedded file was given. */
  readonly saved: string[]
  readonly served: string[]
}

/** A site with pages: a form to sign in by, one that saves, an embedded file, and a way out. */
async function startSite(way: Way): Promise<Site> {
  const { server: front, port } = await listen()
  const origin = `http://localhost:${port}`
  const saved: string[] = []
  const served: string[] = []
  const host = await startHost({
    options: { pagesOrigin: origin },
    after: (app, auth) => {
      const form = express.urlencoded({ extended: false })
      app.get('/sign-in', (_request, response) => void response.send(signInPage('/sign-in')))
      app.post('/sign-in', form, (request, response, next) => {
        auth.cookie
          .signIn(request, response, request.body)
          .then(() => response.redirect(303, '/'), next)
      })
      app.post('/sign-out', (request, response, next) => {
        auth.cookie.signOut(request, response).then(() => response.send('out'), next)
      })
      const guard = auth.requireAuth({ from: 'cookie', optional: 'lenient' })
      app.get('/', guard, (request, response) => {
        if (request.query['quiet'] !== undefined) response.set('Referrer-Policy', 'no-referrer')
        response.send(`<p id=who>${request.auth?.userId ?? 'nobody'}</p>${savePage('/save')}`)
      })
      const strict = auth.requireAuth({ from: 'cookie' })
      app.post('/save', strict, form, (request, response) => {
        saved.push(request.body.text)
        response.send('saved')
      })
      app.get('/file', strict, (request, response) => {
        served.push(String(request.query['as']))
        response.send('/* a file of hers */')
      })
      app.use(((error, _request, response, _next) => {
        response.status(error.status ?? 500).send(`refused: ${error.code}`)
      }) as express.ErrorRequestHandler)
    },
  })
  guardSockets(host, front)
  front.removeAllListeners('request')
  front.on('request', way === 'directly' ? passTo(host.server) : proxyTo(host, way))
  return { host, origin, saved, served }
}

const passTo =
  (server: Server): RequestListener =>
  (request, response) =>
    void server.emit('request', request, response)

function proxyTo(host: TestHost, way: Way): RequestListener {
  const { hostname, port } = new URL(host.url)
  return (request, response) => {
    const names = Object.entries(request.headers).filter(
      ([name]) => way === 'behind a proxy that rewrites Host' || !name.startsWith('sec-fetch-'),
    )
    const headers = { ...Object.fromEntries(names), host: 'inside.example:8080' }
    const { url: path, method } = request
    const asked = httpRequest({ hostname, port, path, method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 0, answer.headers)
      answer.pipe(response)
    })
    request.pipe(asked)
  }
}

function guardSockets({ auth }: TestHost, front: Server): void {
  const sockets = new WebSocketServer({ noServer: true })
  front.on('upgrade', (request: IncomingMessage, connection, head) => {
    auth.sockets
      .authenticate(request, { from: 'cookie' })
      .then((principal) =>
        sockets.handleUpgrade(request, connection, head, (socket) => socket.send(principal.userId)),
      )
      .catch((error: unknown) => auth.sockets.refuse(connection, error))
  })
  onTestFinished(() => {
    for (const client of sockets.clients) client.terminate()
  })
}

const signInPage = (action: string, name = 'alice') =>
  `<form method=post action="${action}"><input name=username value="${name}">` +
  `<input name=password type=password value="${password}"><button>go</button></form>`
const savePage = (action: string) =>
  `<form method=post action="${action}"><input name=text value=hello><button>go</button></form>`

/** A site of somebody else: it answers each path with the page that stands in its query. */
async function startOther(hostname: string): Promise<string> {
  const { port } = await listen((request, response) => {
    const page = new URL(request.url ?? '', 'http://x').searchParams.get('page') ?? ''
    response.setHeader('Content-Type', 'text/html')
    response.end(page)
  })
  return `http://${hostname}:${port}`
}

async function newTab(): Promise<Page> {
  const context = await browser.newContext()
  onTestFinished(() => context.close())
  return context.newPage()
}

/** Presses the button of a page, and answers what comes then. */
async function submit(tab: Page): Promise<string> {
  await Promise.all([tab.waitForNavigation(), tab.click('button')])
  return (await tab.textContent('body')) ?? ''
}

const open = (tab: Page, origin: string, page: string) =>
  tab.goto(`${origin}/?page=${encodeURIComponent(page)}`)

async function signIn(tab: Page, { origin }: Site): Promise<void> {
  await tab.goto(`${origin}/sign-in`)
  await submit(tab)
  expect(await tab.textContent('#who')).toBe('u-alice')
}

const who = async (tab: Page, { origin }: Site) => {
  await tab.goto(`${origin}/`)
  return tab.textContent('#who')
}

const ways: Way[] = ['directly', 'behind a proxy that rewrites Host', 'without Sec-Fetch headers']

describe.skipIf(chromiumPath === null).each(ways)('in Chromium, %s', (way) => {
  it('the forms of the own pages work, whatever they say of their referrer', async () => {
    const site = await startSite(way)
    const tab = await newTab()
    await signIn(tab, site)
    const [cookie] = await tab.context().cookies()
    expect(cookie).toMatchObject({
      name: `${cookieName}_${new URL(site.origin).port}`,
      httpOnly: true,
      sameSite: 'Lax',
      path: '/',
      expires: -1,
    })
    expect(await tab.evaluate('document.cookie')).toBe('')
    expect(await submit(tab)).toBe('saved')
    // Without a referrer Chromium sends `Origin: null` from here as well: an older one is refused.
    await tab.goto(`${site.origin}/?quiet`)
    expect(await submit(tab)).toMatch(way === 'without Sec-Fetch headers' ? /forbidden/ : /^saved$/)
    await tab.goto(`${site.origin}/`)
    await tab.setContent(
      `<form method=post action="${site.origin}/sign-out"><button>go</button></form>`,
    )
    expect(await submit(tab)).toBe('out')
    expect(await tab.context().cookies()).toEqual([])
    expect(await who(tab, site)).toBe('nobody')
  })

  it.each(['localhost', '127.0.0.1'])(
    'a page on another port of %s saves nothing, signs nobody in, and nobody out',
    async (hostname) => {
      const site = await startSite(way)
      const other = await startOther(hostname)
      const tab = await newTab()
      await signIn(tab, site)
      for (const page of [
        savePage(`${site.origin}/save`),
        signInPage(`${site.origin}/sign-in`),
        `<form method=post action="${site.origin}/sign-out"><button>go</button></form>`,
      ]) {
        await open(tab, other, page)
        expect(await submit(tab)).toMatch(/forbidden/)
      }
      expect(site.saved).toEqual([])
      const sessions = await site.host.stores.sessions.listForUser('u-alice', new Date())
      expect(sessions).toHaveLength(1)
      expect(await who(tab, site)).toBe('u-alice')
    },
  )

  it('a link from elsewhere opens a page of who is signed in', async () => {
    const site = await startSite(way)
    const other = await startOther('127.0.0.1')
    const tab = await newTab()
    await signIn(tab, site)
    await open(tab, other, `<a href="${site.origin}/">there</a>`)
    await Promise.all([tab.waitForNavigation(), tab.click('a')])
    expect(await tab.textContent('#who')).toBe('u-alice')
  })
})

describe.skipIf(chromiumPath === null)('in Chromium', () => {
  it.each(['localhost', '127.0.0.1'])(
    'a page on another port of %s embeds and fetches nothing of hers',
    async (hostname) => {
      const site = await startSite('behind a proxy that rewrites Host')
      const other = await startOther(hostname)
      const tab = await newTab()
      await signIn(tab, site)
      const embedding = (origin: string) =>
        ['img src', 'script src', 'iframe src', 'embed src', 'object data', 'video src']
          .map((tag) => `<${tag}="${origin}/file?as=${tag.split(' ')[0]}"></${tag.split(' ')[0]}>`)
          .join('') +
        `<link rel=stylesheet href="${origin}/file?as=link">` +
        `<script>fetch('${origin}/file?as=fetch', { mode: 'no-cors', credentials: 'include' })` +
        `.then(() => fetch('${origin}/file?as=cors', { credentials: 'include' }))` +
        `.catch(() => {}).then(() => { document.title = 'done' })</script>`
      const asked: string[] = []
      tab.on('request', (request) => asked.push(request.url()))
      await open(tab, other, embedding(site.origin))
      await tab.waitForFunction("document.title === 'done'")
      await tab.waitForLoadState('networkidle')
      expect(asked.filter((url) => url.includes('/file?')).length).toBeGreaterThan(6)
      expect(site.served).toEqual([])

      // The same on an own page: all of it is there.
      await tab.goto(`${site.origin}/`)
      await tab.setContent(embedding(site.origin))
      await tab.waitForFunction("document.title === 'done'")
      await tab.waitForLoadState('networkidle')
      expect(site.served).toEqual(expect.arrayContaining(['img', 'script', 'iframe', 'fetch']))
    },
  )

  it('a form in a sandbox of an own page is nobody’s', async () => {
    const site = await startSite('directly')
    const tab = await newTab()
    await signIn(tab, site)
    const form = savePage(`${site.origin}/save`).replaceAll('"', '&quot;')
    await tab.setContent(`<iframe sandbox="allow-forms" srcdoc="${form}"></iframe>`)
    const answered = tab.waitForResponse(`${site.origin}/save`)
    await tab.frames()[1]?.click('button')
    expect((await answered).status()).toBe(403)
    expect(site.saved).toEqual([])
  })

  it('a socket opens for an own page, and for no other that has the cookie sent along', async () => {
    const site = await startSite('directly')
    const other = await startOther('localhost')
    const tab = await newTab()
    await signIn(tab, site)
    const connect = `new Promise((resolve) => {
      const socket = new WebSocket('${site.origin.replace('http', 'ws')}/ws')
      socket.onmessage = ({ data }) => resolve(data)
      socket.onclose = () => resolve('closed')
    })`
    expect(await tab.evaluate(connect)).toBe('u-alice')
    await open(tab, other, 'a neighbour')
    expect(await tab.evaluate(connect)).toBe('closed')
  })
})
