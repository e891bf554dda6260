// What docs/cookies.md shows is started as it stands there: a server with the router, and another
// one in front of it, which draws the pages and asks in its visitor's name.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  request,
  type Server,
} from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Browser } from 'playwright-core'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { generateSigningKey, joseSigner } from '../../src/index.js'
import { memoryStores } from '../../src/stores/memory-stores.js'
import { chromiumPath, launchChromium } from '../support/chromium.js'
import { encryptionKey, password, passwordHash } from '../support/host.js'
import { testUsers } from '../support/users.js'

const page = readFileSync(new URL('../../docs/cookies.md', import.meta.url), 'utf8')
// Below the project, so that its packages are found.
const folder = mkdtempSync(fileURLToPath(new URL('.cookies-', import.meta.url)))
afterAll(() => rmSync(folder, { recursive: true }))

let browser: Browser
beforeAll(async () => {
  if (chromiumPath !== null) browser = await launchChromium()
})
afterAll(() => browser?.close())

/** The example of a function, with the one thing changed that differs: where the pages are. */
async function example(name: string, origin: string) {
  const blocks = [...page.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map(([, code = '']) => code)
  const code = blocks.find((block) => block.includes(`export function ${name}(`)) ?? ''
  const file = join(folder, `${name}-${new URL(origin).port}.mjs`)
  const compilerOptions = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ES2022,
    verbatimModuleSyntax: true,
  }
  const moved = code.replaceAll('https://chat.example.com', origin)
  writeFileSync(file, ts.transpileModule(moved, { compilerOptions }).outputText)
  const { [name]: made } = await import(/* @vite-ignore */ pathToFileURL(file).href)
  return made as (given: unknown) => RequestListener
}

async function listen(): Promise<{ server: Server; port: number }> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { server, port: (server.address() as AddressInfo).port }
}

/** Both servers. `origin`: of the pages. `api`: of the router's, which no browser knows. */
async function startBoth() {
  const [front, back] = [await listen(), await listen()]
  const origin = `http://localhost:${front.port}`
  const api = `http://127.0.0.1:${back.port}`
  const users = testUsers()
  users.add({ id: 'u-alice', username: 'alice', name: 'Alice', passwordHash })
  const signer = joseSigner({
    issuer: 'https://chat.example.com',
    audience: 'chat',
    keys: [await generateSigningKey('ES256')],
  })
  const options = { users, ...memoryStores(), signer, encryptionKeys: [encryptionKey] }
  back.server.on('request', (await example('pages', origin))(options))
  front.server.on('request', (await example('drawnPages', origin))(api))
  return { origin, api }
}

type Servers = Awaited<ReturnType<typeof startBoth>>

/** The cookie of alice, who has signed in by the form of the drawn page. */
async function cookieOfAlice({ origin }: Servers): Promise<string> {
  const body = new URLSearchParams({ username: 'alice', password })
  const headers = { 'Sec-Fetch-Site': 'same-origin', Origin: origin }
  const asked = { method: 'POST', body, headers, redirect: 'manual' } as const
  const answer = await fetch(`${origin.replace('localhost', '127.0.0.1')}/sign-in`, asked)
  expect(answer.status).toBe(303)
  return (answer.headers.getSetCookie()[0] ?? '').split(';')[0] as string
}

type Said = Readonly<Record<string, string>>

/** How servers send a request with headers; answers status and text. */
const ways: Readonly<Record<string, (url: string, said: Said) => Promise<[number, string]>>> = {
  async 'fetch of Node'(url, headers) {
    const answer = await fetch(url, { headers, redirect: 'manual' })
    return [answer.status, await answer.text()]
  },
  'http.request of Node': (url, headers) =>
    new Promise((resolve, reject) => {
      const taken = (answer: IncomingMessage) =>
        text(answer).then((body) => resolve([answer.statusCode ?? 0, body]), reject)
      request(url, { headers }, taken).on('error', reject).end()
    }),
  async 'a bare connection'(url, headers) {
    const { hostname, port, pathname } = new URL(url)
    const socket = connect(Number(port), hostname)
    const lines = Object.entries({ Host: `${hostname}:${port}`, Connection: 'close', ...headers })
    const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')
    socket.write(`GET ${pathname} HTTP/1.1\r\n${head}\r\n`)
    const answer = await text(socket)
    return [Number(answer.split(' ')[1]), answer.slice(answer.indexOf('\r\n\r\n') + 4)]
  },
}

describe('a server that draws the pages', () => {
  it.each(Object.entries(ways))('reads in the name of its visitor by %s', async (_way, ask) => {
    const servers = await startBoth()
    const Cookie = await cookieOfAlice(servers)
    const read = (said: Said) => ask(`${servers.api}/`, said)
    // As frameworks pass it on: the cookie, beside what they say of themselves.
    for (const said of [
      { Cookie },
      { Cookie, 'User-Agent': 'node', Accept: '*/*', 'X-Forwarded-For': '203.0.113.7' },
      { Cookie, Origin: servers.origin },
      { Cookie, 'Accept-Language': 'de', Referer: `${servers.origin}/rooms` },
    ]) {
      const [status, body] = await read(said)
      expect([said, status, body]).toEqual([said, 200, 'u-alice'])
    }
    for (const said of [{}, { Cookie: Cookie.replace(/.$/, '_') }, { Cookie, Origin: 'null' }])
      expect([said, (await read(said))[0]]).toEqual([said, 303])
  })

  it.each<[string, Said, number]>([
    ['its own page', { 'Sec-Fetch-Site': 'same-origin' }, 303],
    ['an older browser', {}, 303],
    ['another site', { 'Sec-Fetch-Site': 'cross-site', Origin: 'https://evil.example' }, 403],
    ['a neighbour', { 'Sec-Fetch-Site': 'same-site', Origin: 'http://localhost:1' }, 403],
    ['an older browser, of another site', { Origin: 'https://evil.example' }, 403],
    ['a page without an origin', { Origin: 'null' }, 403],
  ])('passes on a form of %s with what the browser says of it', async (_from, said, expected) => {
    const servers = await startBoth()
    const cookie = await cookieOfAlice(servers)
    const answer = await fetch(`${servers.origin.replace('localhost', '127.0.0.1')}/sign-out`, {
      method: 'POST',
      headers: { cookie, origin: servers.origin, ...said },
      redirect: 'manual',
    })
    expect(answer.status).toBe(expected)
    const after = await fetch(`${servers.api}/`, { headers: { cookie }, redirect: 'manual' })
    expect(after.status).toBe(expected === 403 ? 200 : 303)
  })

  it.skipIf(chromiumPath === null)('signs in, draws and signs out in Chromium', async () => {
    const { origin } = await startBoth()
    const context = await browser.newContext()
    onTestFinished(() => context.close())
    const tab = await context.newPage()
    await tab.goto(`${origin}/`)
    await tab.getByLabel('Name').fill('alice')
    await tab.getByLabel('Password').fill(password)
    await tab.getByRole('button', { name: 'Sign in' }).click()
    await tab.getByText('u-alice').waitFor()
    await tab.reload()
    expect(await tab.innerText('p')).toBe('u-alice')
    await tab.getByRole('button', { name: 'Sign out' }).click()
    await tab.getByLabel('Password').waitFor()
    expect(await context.cookies()).toEqual([])
  })
})
