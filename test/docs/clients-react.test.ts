// The React app of docs/clients.md, bundled as a host would, in a real browser.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { fileURLToPath } from 'node:url'
import type { Browser } from 'playwright-core'
import { rolldown } from 'rolldown'
import ts from 'typescript'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { WebSocketServer } from 'ws'
import { chromiumPath, launchChromium } from '../support/chromium.js'
import { password, startHost } from '../support/host.js'

const root = new URL('../../', import.meta.url)
const dist = new URL('dist/', root)
const document = readFileSync(new URL('docs/clients.md', root), 'utf8')

let browser: Browser
beforeAll(async () => {
  if (chromiumPath !== null) browser = await launchChromium()
})
afterAll(() => browser?.close())

/** The block of the page, with what puts it into a document, as one script. */
async function scriptOfApp(): Promise<string> {
  const [, code = ''] = /^```ts\n\/\/ react-app\.ts\n([\s\S]*?)^```$/m.exec(document) ?? []
  const folder = fileURLToPath(new URL('test/rules/.scratch/clients-react/', root))
  mkdirSync(folder, { recursive: true })
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const as = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext }
  writeFileSync(`${folder}app.mjs`, ts.transpile(code, as))
  writeFileSync(
    `${folder}main.mjs`,
    `import { createRoot } from 'react-dom/client'
    import { createAuthClient, localStorageStore } from 'messaging-auth-router/client'
    import { app } from './app.mjs'
    globalThis.client = createAuthClient({ baseUrl: '/api/v1', storage: localStorageStore() })
    createRoot(document.querySelector('main')).render(app)`,
  )
  const bundle = await rolldown({
    input: `${folder}main.mjs`,
    resolve: {
      alias: {
        'messaging-auth-router/client/react': fileURLToPath(new URL('client/react.js', dist)),
        'messaging-auth-router/client': fileURLToPath(new URL('client/index.js', dist)),
      },
    },
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
    logLevel: 'silent',
  })
  const { output } = await bundle.generate({ format: 'esm' })
  await bundle.close()
  return output[0].code
}

/** A host with the app at `/`, messages behind a guard, and sockets that can be spoken to. */
async function startChat() {
  const script = await scriptOfApp()
  const said: string[] = ['Good morning']
  const host = await startHost({
    before: (app) => {
      app.get('/', (_request, response) => {
        response.send('<!doctype html><main></main><script type="module" src="/app.js"></script>')
      })
      app.get('/app.js', (_request, response) => void response.type('js').send(script))
    },
    after: (app, auth) => {
      app.get('/api/v1/rooms/general/messages', auth.requireAuth(), (_request, response) => {
        response.json(said)
      })
    },
  })
  const sockets = new WebSocketServer({ noServer: true })
  const { sockets: guarded } = host.auth
  host.server.on('upgrade', (request: IncomingMessage, connection, head) => {
    guarded
      .authenticate(request)
      .then((principal) =>
        sockets.handleUpgrade(request, connection, head, (socket) => {
          guarded.track(socket, principal)
        }),
      )
      .catch((error: unknown) => guarded.refuse(connection, error))
  })
  const say = (text: string) => {
    said.push(text)
    for (const socket of sockets.clients) socket.send(text)
  }
  return { ...host, origin: new URL(host.url).origin, say, sockets }
}

describe.runIf(chromiumPath !== null)('the React app of docs/clients.md', () => {
  it('shows who signs in elsewhere, what was said, what is said, and that it is over', async () => {
    const { origin, say, sockets, auth } = await startChat()
    const context = await browser.newContext()
    onTestFinished(() => context.close())
    const page = await context.newPage()
    await page.goto(origin)
    const shown = () => page.locator('main').innerText()
    await expect.poll(shown).toBe('Please sign in.')
    const other = await context.newPage()
    await other.goto(origin)
    await other.evaluate(`client.signIn(${JSON.stringify({ user: 'alice', password })})`)
    await expect.poll(shown).toContain('Hello Alice A.')
    await expect.poll(shown).toContain('Good morning')
    await expect.poll(() => sockets.clients.size).toBeGreaterThan(0)
    say('Good evening')
    await expect.poll(shown).toMatch(/Good morning\s+Good evening/)
    await auth.sessions.revokeAllForUser('u-alice')
    await expect.poll(shown).toBe('Please sign in.')
  })
})
