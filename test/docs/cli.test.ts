// docs/examples/cli.ts is run as a process, against a server.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { generateSigningKey, joseSigner, type OAuthClient } from '../../src/index.js'
import { memoryOAuthStores } from '../../src/stores/memory-oauth-stores.js'
import { startPageSite } from '../client/page-site.js'
import { openPageBrowser } from '../oauth/page-browser.js'
import { password, startHost } from '../support/host.js'

const root = new URL('../../', import.meta.url)
const code = readFileSync(new URL('docs/examples/cli.ts', root), 'utf8')
const folder = fileURLToPath(new URL('test/rules/.scratch/cli/', root))
const compilerOptions = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext }

const desktop: OAuthClient = {
  id: 'desktop',
  name: 'Chat tool',
  type: 'native',
  firstParty: true,
  redirectUris: ['http://127.0.0.1/callback'],
  scopes: ['*', 'offline_access'],
}

async function startServer(): Promise<string> {
  const site = await startPageSite('', /^\/(?:api\/|\.well-known\/)/)
  const issuer = site.origin.replace('localhost', '127.0.0.1')
  const keys = [await generateSigningKey('ES256')]
  const signer = joseSigner({ issuer, audience: 'chat', keys })
  const { consents, once: used } = memoryOAuthStores()
  const oauth = { baseUrl: `${issuer}/api/v1`, clients: [desktop], consents, once: used }
  const host = await startHost({
    options: { signer, namedTokens: true, oauth },
    before: (app, auth) => {
      app.use(auth.wellKnown)
      app.get('/api/v1/rooms', auth.requireAuth(), (request, response) => {
        response.json({ rooms: ['general'], for: request.auth?.userId })
      })
    },
  })
  site.serveWith(host)
  return issuer
}

describe('the tool for the command line', () => {
  let issuer: string
  beforeEach(async () => {
    issuer = await startServer()
    mkdirSync(folder, { recursive: true })
    onTestFinished(() => rmSync(folder, { recursive: true }))
    writeFileSync(`${folder}cli.mjs`, ts.transpile(code, compilerOptions))
  })

  /** Runs a command; `onSaid` hears what it says to the user while it runs. */
  async function chat(
    command: string[],
    env: Record<string, string> = {},
    onSaid: (text: string) => void = () => {},
  ) {
    const child = spawn(process.execPath, [`${folder}cli.mjs`, ...command], {
      env: {
        PATH: process.env['PATH'],
        CHAT_URL: `${issuer}/api/v1`,
        CHAT_FILE: `${folder}sign-in.json`,
        ...env,
      },
    })
    const said = { stdout: '', stderr: '' }
    child.stdout.on('data', (chunk) => {
      said.stdout += chunk
    })
    child.stderr.on('data', (chunk) => {
      said.stderr += chunk
      onSaid(said.stderr)
    })
    const [status] = await once(child, 'close')
    return { status, ...said }
  }

  async function signInAt(address: string): Promise<void> {
    const browser = openPageBrowser(issuer, (url) => url)
    const rest = await browser.open(address)
    const { url } = await browser.send(rest, { username: 'alice', password })
    await fetch(url)
  }

  it('signs in by the browser, asks, makes a token for a bot, and signs out', async () => {
    expect(await chat(['rooms'])).toMatchObject({
      status: 1,
      stderr: 'Please sign in first: chat sign-in\n',
    })
    const opened: Promise<void>[] = []
    const signedIn = await chat(['sign-in'], {}, (text) => {
      const [, address] = /^Please open (\S+)\n/.exec(text) ?? []
      if (address !== undefined && opened.length === 0) opened.push(signInAt(address))
    })
    expect(signedIn).toMatchObject({ status: 0, stdout: 'Hello Alice A.\n' })
    expect(statSync(`${folder}sign-in.json`).mode & 0o777).toBe(0o600)
    const rooms = { status: 0, stdout: '{"rooms":["general"],"for":"u-alice"}\n', stderr: '' }
    expect(await chat(['rooms'])).toEqual(rooms)
    const made = await chat(['bot', 'deploys'], { CHAT_PASSWORD: password })
    expect(made).toMatchObject({ status: 0, stdout: expect.stringMatching(/^\S+\n$/) })
    expect(await chat(['sign-out'])).toMatchObject({ status: 0 })
    expect((await chat(['rooms'])).status).toBe(1)
    // The bot goes on.
    expect(await chat(['rooms'], { CHAT_TOKEN: made.stdout.trim() })).toEqual(rooms)
    expect(await chat(['rooms'], { CHAT_TOKEN: 'mar_at_none' })).toMatchObject({ status: 1 })
    expect((await chat(['toString'])).stderr).toContain('chat sign-in | rooms')
  })
})
