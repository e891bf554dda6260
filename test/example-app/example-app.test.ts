import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { AuthError, type AuthRouter } from 'messaging-auth-router'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { createLive } from '../../example-app/live.js'
import { totpCode } from '../../src/testing/totp-code.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const alice = { username: 'alice', password: 'correct horse battery staple' }
const bob = { username: 'bob', password: 'another long passphrase' }
const bobsSecret = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ'

/** Starts the built example with nothing of this process's environment but the path. */
function launch(env: Record<string, string> = {}) {
  const child = spawn(process.execPath, ['example-app/build/server.js'], {
    cwd: root,
    env: { PATH: process.env['PATH'], PORT: '0', ...env },
  })
  const output = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk) => (output.stdout += chunk))
  child.stderr.on('data', (chunk) => (output.stderr += chunk))
  const exited = once(child, 'close').then(([code]) => code as number | null)
  return { child, output, exited }
}

async function start(env: Record<string, string> = {}) {
  const { child, output, exited } = launch(env)
  const line = once(createInterface(child.stdout), 'line').then(([text]) => String(text))
  const early = exited.then((code) => Promise.reject(new Error(`exited with ${code}: ${output.stderr}`)))
  const url = /^listening on (http:\/\/127\.0\.0\.1:\d+)$/.exec(await Promise.race([line, early]))?.[1]
  if (url === undefined) throw new Error(`unexpected output: ${output.stdout}`)
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    early.catch(() => {})
    child.kill(signal)
    return exited
  }
  return { url, output, stop }
}

type App = Awaited<ReturnType<typeof start>>

async function startForThisTest(env?: Record<string, string>): Promise<App> {
  const app = await start(env)
  onTestFinished(async () => void (await app.stop('SIGKILL')))
  return app
}

let app: App

async function request(method: string, path: string, body?: unknown, headers: Record<string, string> = {}, { url }: App = app) {
  const init = body === undefined ? {} : { body: JSON.stringify(body) }
  const response = await fetch(url + path, { method, headers: { 'Content-Type': 'application/json', ...headers }, ...init })
  const text = await response.text()
  const json = response.headers.get('content-type')?.startsWith('application/json') ? JSON.parse(text) : undefined
  return { status: response.status, headers: response.headers, text, json }
}

const login = (body: object, on: App = app) => request('POST', '/api/v1/login', body, {}, on)

async function signIn(body: object = alice, on: App = app): Promise<Record<string, string>> {
  const { status, json, text } = await login(body, on)
  if (status !== 200) throw new Error(`login answered ${status}: ${text}`)
  return { 'X-User-Id': json.data.userId, 'X-Auth-Token': json.data.authToken }
}

/** Opens `/ws`, and answers either the open socket or the HTTP answer that came instead. */
function knock(path: string, headers: Record<string, string> = {}, url = app.url): Promise<WebSocket | IncomingMessage> {
  const socket = new WebSocket(url.replace('http', 'ws') + path, { headers })
  onTestFinished(() => socket.terminate())
  socket.on('error', () => {})
  return new Promise((resolve) => {
    socket.once('open', () => resolve(socket))
    socket.once('unexpected-response', (_request, response) => resolve(response))
  })
}

async function listen(headers: Record<string, string>): Promise<WebSocket> {
  const answer = await knock('/ws', headers)
  if (!(answer instanceof WebSocket)) throw new Error(`refused with ${answer.statusCode}`)
  return answer
}

beforeAll(async () => {
  execFileSync('npx', ['tsc', '-p', 'example-app'], { cwd: root, stdio: 'pipe' })
  app = await start()
}, 60_000)

afterAll(async () => {
  await app.stop('SIGKILL')
})

describe('signing in', () => {
  test.each([
    ['her e-mail address', { email: 'alice@example.com' }],
    ['her user name', { username: 'alice' }],
    ['whichever name she has at hand', { user: 'alice' }],
    ['her address where any name will do', { user: 'Alice@Example.com' }],
    ['her id where any name will do', { user: 'id-alice' }],
  ])('alice gets in by %s', async (_what, identifier) => {
    const { status, json } = await login({ ...identifier, password: alice.password })
    expect(status).toBe(200)
    expect(json.data).toMatchObject({ userId: 'id-alice', me: { _id: 'id-alice', username: 'alice', name: 'Alice' } })
  })

  test('bob is asked for a code, and gets in with it', async () => {
    const asked = await login(bob)
    expect([asked.status, asked.json.error]).toEqual([401, 'totp-required'])
    expect((await login({ ...bob, code: totpCode(bobsSecret, new Date()) })).status).toBe(200)
  })

  test('carol, who is disabled, is refused exactly as for a wrong password', async () => {
    const [disabled, wrong] = [
      await login({ username: 'carol', password: 'carols own passphrase' }),
      await login({ username: 'carol', password: 'not her passphrase' }),
    ]
    expect([disabled.status, disabled.text]).toEqual([wrong.status, wrong.text])
    expect([disabled.status, disabled.json.error]).toEqual([401, 'Unauthorized'])
  })
})

describe('rooms', () => {
  test('a stranger sees none', async () => {
    const routes = [
      ['GET', '/rooms'],
      ['GET', '/rooms/general/messages'],
      ['POST', '/rooms/general/messages'],
      ['GET', '/rooms/nowhere/messages'],
    ]
    for (const [method, path] of routes) {
      expect(await request(method as string, `/api/v1${path}`)).toMatchObject({ status: 401, json: { error: 'Unauthorized' } })
    }
  })

  test('whoever is signed in sees them, writes, and reads what was written', async () => {
    const headers = await signIn()
    const { json } = await request('GET', '/api/v1/rooms', undefined, headers)
    expect(json).toEqual({
      rooms: [
        { id: 'general', name: 'General' },
        { id: 'random', name: 'Random' },
      ],
    })

    const posted = await request('POST', '/api/v1/rooms/random/messages', { text: 'hello' }, headers)
    expect(posted.status).toBe(201)
    const { message } = posted.json
    expect(message).toEqual({
      id: expect.any(String),
      room: 'random',
      from: { id: 'id-alice', username: 'alice' },
      text: 'hello',
      at: expect.any(String),
    })
    expect((await request('GET', '/api/v1/rooms/random/messages', undefined, headers)).json.messages).toContainEqual(message)
  })

  test('nobody can write in the name of somebody else', async () => {
    const forged = { text: 'it was bob', from: { id: 'id-bob', username: 'bob' }, userId: 'id-bob' }
    const { json } = await request('POST', '/api/v1/rooms/general/messages', forged, await signIn())
    expect(json.message.from).toEqual({ id: 'id-alice', username: 'alice' })
  })

  test('a room that does not exist is 404', async () => {
    const headers = await signIn()
    for (const room of ['nowhere', '__proto__', 'constructor']) {
      const path = `/api/v1/rooms/${room}/messages`
      expect(await request('GET', path, undefined, headers)).toMatchObject({ status: 404, json: { error: 'not-found' } })
      expect(await request('POST', path, { text: 'x' }, headers)).toMatchObject({ status: 404, json: { error: 'not-found' } })
    }
  })

  test('a text that is no text, empty or too long is 400, and so is a body that is no JSON', async () => {
    const headers = await signIn()
    const send = (body: unknown) => request('POST', '/api/v1/rooms/general/messages', body, headers)
    for (const text of [undefined, null, 7, ['a'], {}, '', '  \n', 'x'.repeat(2001)]) {
      expect(await send({ text })).toMatchObject({ status: 400, json: { error: 'invalid-request' } })
    }
    expect(await send('no object')).toMatchObject({ status: 400, json: { error: 'invalid-request' } })
    expect(await send({ text: 'x'.repeat(2000) })).toMatchObject({ status: 201 })
  })

  test('a room keeps its last 200 messages', async () => {
    const headers = await signIn()
    for (let n = 0; n <= 200; n += 1) await request('POST', '/api/v1/rooms/random/messages', { text: `number ${n}` }, headers)
    const { messages } = (await request('GET', '/api/v1/rooms/random/messages', undefined, headers)).json
    expect(messages).toHaveLength(200)
    expect([messages[0].text, messages[199].text]).toEqual(['number 1', 'number 200'])
  })
})

describe('the live channel', () => {
  test('tells a signed-in client of each new message', async () => {
    const headers = await signIn()
    const socket = await listen(headers)
    const heard = once(socket, 'message').then(([data]) => JSON.parse(String(data)))
    const { json } = await request('POST', '/api/v1/rooms/general/messages', { text: 'live' }, headers)
    expect(await heard).toEqual({ type: 'message', message: json.message })
  })

  test('takes a bearer token as well', async () => {
    const { 'X-Auth-Token': token } = await signIn()
    expect((await listen({ Authorization: `Bearer ${token}` })).readyState).toBe(WebSocket.OPEN)
  })

  test.each([
    ['without credentials', async () => ({})],
    ['with a forged token', async () => ({ 'X-User-Id': 'id-alice', 'X-Auth-Token': 'forged' })],
    ['in the name of another user', async () => ({ ...(await signIn()), 'X-User-Id': 'id-bob' })],
  ])('answers a client %s with 401, before any 101', async (_what, credentials) => {
    const { statusCode, headers } = (await knock('/ws', await credentials())) as IncomingMessage
    expect([statusCode, headers['www-authenticate']]).toEqual([401, 'Bearer'])
  })

  test('answers an outage with 503 and when to come back, so that clients keep their tokens', async () => {
    const outage = new AuthError('temporarily-unavailable', { retryAfter: 7 })
    const live = createLive()
    const server = createServer().on(
      'upgrade',
      live.accept({ authenticate: () => Promise.reject(outage) } as unknown as AuthRouter),
    )
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close(() => live.close()))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const { statusCode, headers } = (await knock('/ws', {}, url)) as IncomingMessage
    expect([statusCode, headers['retry-after'], headers['www-authenticate']]).toEqual([503, '7', undefined])
  })

  test('is nowhere but at /ws', async () => {
    expect(((await knock('/elsewhere', await signIn())) as IncomingMessage).statusCode).toBe(404)
  })

  test('hangs up on a session that is logged out, and on no other', async () => {
    const [leaving, staying] = [await signIn(), await signIn()]
    const [left, stayed] = [await listen(leaving), await listen(staying)]
    const closed = once(left, 'close')
    await request('POST', '/api/v1/logout', undefined, leaving)
    expect((await closed)[0]).toBe(1008)
    expect(stayed.readyState).toBe(WebSocket.OPEN)
  })

  test('ignores what clients send, and hangs up on one that sends too much', async () => {
    const socket = await listen(await signIn())
    socket.send('{"type":"message","message":{"text":"smuggled"}}')
    const closed = once(socket, 'close')
    socket.send('x'.repeat(2000))
    expect((await closed)[0]).toBe(1009)
    expect((await request('GET', '/')).status).toBe(200)
  })
})

describe('the page', () => {
  test('is served under a policy that runs no script but its own', async () => {
    const { status, headers, text } = await request('GET', '/')
    expect(status).toBe(200)
    expect(headers.get('content-type')).toMatch(/^text\/html/)
    expect(headers.get('content-security-policy')).toContain("default-src 'self'")
    expect(headers.get('x-powered-by')).toBeNull()
    expect(text).toContain('<form id="sign-in-form"')
    expect(text).not.toMatch(/<script(?![^>]*\bsrc=)|\son\w+=|\sstyle=|https?:\/\//)
    for (const file of ['chat.js', 'chat.css', 'icon.svg']) expect((await request('GET', `/${file}`)).status).toBe(200)
  })
})

describe('starting and stopping', () => {
  test.concurrent.each([
    ['PORT', 'abc'],
    ['PORT', '70000'],
    ['TRUST_PROXY', 'true'],
    ['TRUST_PROXY', 'everybody'],
    ['SEED_USERS', '-1'],
    ['AUTH_ENCRYPTION_KEY', 'short'],
    ['AUTH_SIGNING_KEY', '{not JSON'],
    ['AUTH_SIGNING_KEY', '{"kty":"oct","k":"d2Vhaw"}'],
  ])('%s=%s is refused in one line that names it', async (name, value) => {
    const { output, exited } = launch({ [name]: value })
    expect(await exited).toBe(1)
    expect(output.stderr).toMatch(new RegExp(`^${name}: [^\\n]+\\n$`))
    expect(output.stdout).toBe('')
  })

  test('a port that is in use is refused in one line', async () => {
    const occupant = createServer()
    await new Promise<void>((resolve) => occupant.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void occupant.close())
    const { output, exited } = launch({ PORT: String((occupant.address() as AddressInfo).port) })
    expect(await exited).toBe(1)
    expect(output.stderr).toMatch(/^PORT: [^\n]+EADDRINUSE[^\n]+\n$/)
  })

  test('SEED_USERS=2 makes user1 and user2, and TRUST_PROXY may count hops', async () => {
    const seeded = await startForThisTest({ SEED_USERS: '2', TRUST_PROXY: '1' })
    expect((await login({ username: 'user2', password: 'passphrase of user 2' }, seeded)).status).toBe(200)
    expect((await login({ username: 'user3', password: 'passphrase of user 3' }, seeded)).status).toBe(401)
  })

  test.each(['SIGTERM', 'SIGINT'] as const)('%s ends it in good order, with a client listening', async (signal) => {
    const stopped = await startForThisTest()
    const socket = new WebSocket(`${stopped.url.replace('http', 'ws')}/ws`, { headers: await signIn(alice, stopped) })
    await once(socket, 'open')
    const closed = once(socket, 'close')
    const began = Date.now()
    expect(await stopped.stop(signal)).toBe(0)
    expect(Date.now() - began).toBeLessThan(5000)
    expect((await closed)[0]).toBe(1001)
    expect(stopped.output).toEqual({ stdout: `listening on ${stopped.url}\n`, stderr: '' })
  })
})
