// The server of docs/examples/production, compiled and run as its README says.
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { io } from 'socket.io-client'
import request from 'supertest'
import ts from 'typescript'
import { describe, expect, it, onTestFinished } from 'vitest'
import { freshPostgres } from '../support/fresh-database.js'
import { postgresUrl } from '../support/services.js'

const example = new URL('../../docs/examples/production/', import.meta.url)
const files = readdirSync(example).filter((name) => name.endsWith('.ts'))
const code = (file: string) => readFileSync(new URL(file, example), 'utf8')

/** The example as JavaScript, inside the project, where the package has its own name. */
function compiled(): string {
  const folder = fileURLToPath(new URL('../rules/.scratch/production/', import.meta.url))
  mkdirSync(folder, { recursive: true })
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const compilerOptions = { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ES2022 }
  for (const file of files) {
    const { outputText } = ts.transpileModule(code(file), { compilerOptions })
    writeFileSync(folder + file.replace('.ts', '.js'), outputText)
  }
  return folder
}

async function listening(onRequest: (request: IncomingMessage) => Promise<void>): Promise<number> {
  const server = createServer((asked, response) => {
    void onRequest(asked).then(() => response.end())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

async function freePort(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return String(port)
}

/** Starts the example over a database of its own, with a mail service that keeps what it gets. */
async function start() {
  const database = await freshPostgres()
  onTestFinished(() => database.drop())
  const mails: { readonly to: string; readonly text: string }[] = []
  const mailPort = await listening(async (sent) => void mails.push(JSON.parse(await text(sent))))
  const [port, metricsPort] = [await freePort(), await freePort()]
  const origin = `http://localhost:${port}`
  const env = {
    ...process.env,
    DATABASE_URL: database.url,
    ORIGIN: origin,
    AUTH_ENCRYPTION_KEYS: randomBytes(32).toString('base64'),
    MAIL_URL: `http://127.0.0.1:${mailPort}/`,
    PORT: port,
    METRICS_PORT: metricsPort,
  }
  const cwd = compiled()
  const run = (...args: string[]) =>
    spawn(process.execPath, ['chat-server.js', ...args], {
      cwd,
      env,
      stdio: ['ignore', 'ignore', 'inherit'],
    })
  expect(await once(run('migrate'), 'close')).toEqual([0, null])
  const server = run()
  const closed = once(server, 'close')
  onTestFinished(async () => {
    if (server.exitCode === null && server.kill('SIGKILL')) await closed
  })
  const base = `http://127.0.0.1:${port}`
  const health = () =>
    fetch(`${base}/health`).then(
      ({ status }) => status,
      () => 0,
    )
  await expect.poll(health).toBe(200)
  const metrics = () => fetch(`http://127.0.0.1:${metricsPort}/`).then((answer) => answer.text())
  const events = async () => {
    const reader = new pg.Client({ connectionString: database.url })
    await reader.connect()
    const { rows } = await reader.query<{ type: string }>('select type from mar_audit order by id')
    await reader.end()
    return rows.map(({ type }) => type)
  }
  return { base, origin, mails, metrics, events, server, closed }
}

async function post(url: string, body: object, headers: Record<string, string> = {}) {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  const said = await answer.text()
  const { data } = (said === '' ? { data: {} } : JSON.parse(said)) as {
    data: Record<string, string>
  }
  return { status: answer.status, headers: answer.headers, data }
}

describe.skipIf(postgresUrl === null)('the server of docs/examples/production', () => {
  it('is less than 150 lines', () => {
    expect(files).toHaveLength(3)
    const lines = files.map(code).join('').split('\n')
    expect(lines.filter((line) => line.trim() !== '').length).toBeLessThan(150)
  })

  it('starts, signs a new user in, ends sockets with their session, and ends itself', async () => {
    const { base, origin, mails, metrics, events, server, closed } = await start()
    const api = `${base}/api/v1`

    // Ada registers, by a mailed code.
    const password = 'correct horse battery staple'
    const ada = { email: 'ada@example.com', username: 'ada', name: 'Ada' }
    const asked = await post(`${api}/auth/register`, ada)
    expect(asked.status).toBe(202)
    await expect.poll(() => mails).toHaveLength(1)
    expect(mails[0]?.to).toBe('ada@example.com')
    const [code] = /\d{4} ?\d{4}/.exec(mails[0]?.text ?? '') ?? []
    const { requestId } = asked.data
    const arrived = await post(`${api}/auth/register/confirm`, { requestId, code, password })
    expect(arrived.status).toBe(200)

    // She signs in on a device, whose socket ends with its session.
    const signedIn = await post(`${api}/login`, { username: 'ada', password })
    expect(signedIn.status).toBe(200)
    const authorization = { Authorization: `Bearer ${signedIn.data['authToken']}` }
    const socket = io(base, { auth: { token: signedIn.data['authToken'] }, reconnection: false })
    onTestFinished(() => void socket.close())
    await new Promise((resolve, reject) => {
      socket.once('connect', () => resolve(null)).once('connect_error', reject)
    })
    const said = new Promise((resolve) => socket.once('said', (...all) => resolve(all)))
    socket.emit('say', 'hello')
    expect(await said).toEqual(['hello', arrived.data['userId']])

    // A page knows her by the cookie of the same session, and sends strangers to sign in.
    const browser = await post(
      `${api}/auth/browser-session`,
      {},
      { ...authorization, Origin: origin },
    )
    const cookie = browser.headers.get('set-cookie')?.split(';')[0] ?? ''
    const page = await fetch(`${base}/`, { headers: { cookie } })
    expect(await page.text()).toContain(`Signed in as ${arrived.data['userId']}`)
    // Not by fetch, which says that it opens no page.
    const stranger = await request(base).get('/').set('Accept', 'text/html').expect(303)
    expect(stranger.headers).not.toHaveProperty('x-powered-by')
    const signIn = await request(base).get(new URL(String(stranger.get('Location')), base).pathname)
    expect(signIn.text).toContain('Chat')

    const ended = new Promise((resolve) => socket.once('auth.ended', resolve))
    const gone = new Promise((resolve) => socket.once('disconnect', resolve))
    expect((await post(`${api}/logout`, {}, authorization)).status).toBe(200)
    expect(await ended).toMatchObject({ code: 4401 })
    await gone
    expect(await metrics()).toContain('mar_events_total{type="login.succeeded"} 2')

    // A socket that is open does not hold up the end.
    const last = io(base, { auth: { token: arrived.data['authToken'] }, reconnection: false })
    onTestFinished(() => void last.close())
    await new Promise((resolve) => last.once('connect', () => resolve(null)))
    server.kill('SIGTERM')
    expect(await closed).toEqual([0, null])
    expect(await events()).toEqual(expect.arrayContaining(['account.registered', 'session.ended']))
  })
})
