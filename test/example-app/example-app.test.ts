import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect, createServer as createTcpServer } from 'node:net'
import { sql } from 'kysely'
import { createAuthRouter, generateSigningKey, joseSigner } from 'messaging-auth-router'
import { memoryStores } from 'messaging-auth-router/stores/memory'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { openDatabase } from '../../example-app/database.js'
import { createLive } from '../../example-app/live.js'
import { withServer } from '../../example-app/settings.js'
import { totpCode } from '../../src/testing/testing.js'
import {
  alice,
  bob,
  bobsSecret,
  buildExample,
  type Example,
  environmentIn,
  launchExample,
  startExample,
  temporaryFolder,
} from '../support/example.js'
import type { Credentials } from '../support/example-client.js'
import * as client from '../support/example-client.js'

async function startForThisTest(env: Record<string, string> = {}): Promise<Example> {
  const app = await startExample({ ...environmentIn(temporaryFolder()), ...env })
  onTestFinished(async () => void (await app.stop('SIGKILL')))
  return app
}

let app: Example

const request = (
  method: string,
  path: string,
  body?: unknown,
  headers: Credentials = {},
  on: Example = app,
) => client.request(on.url, method, path, body, headers)
const login = (body: object, on: Example = app) => request('POST', '/api/v1/login', body, {}, on)
const signIn = (body: object = alice, on: Example = app) => client.signIn(on.url, body)
const signInSecondDevice = (first: Credentials) => client.signInSecondDevice(app.url, first)
const refresh = (refreshToken: string) => client.refresh(app.url, refreshToken)
const { bearer, closeCode } = client

interface Knock {
  readonly path?: string
  readonly headers?: Record<string, string>
  readonly protocols?: string[]
  readonly url?: string
}

/** Opens `/ws`, and answers either the open socket or the HTTP answer that came instead. */
function knock({
  path = '/ws',
  headers = {},
  protocols = [],
  url = app.url,
}: Knock): Promise<WebSocket | IncomingMessage> {
  const socket = new WebSocket(url.replace('http', 'ws') + path, protocols, { headers })
  onTestFinished(() => socket.terminate())
  socket.on('error', () => {})
  return new Promise((resolve) => {
    socket.once('open', () => resolve(socket))
    socket.once('unexpected-response', (_request, response) => resolve(response))
  })
}

async function listen(headers: Record<string, string>): Promise<WebSocket> {
  const answer = await knock({ headers })
  if (!(answer instanceof WebSocket)) throw new Error(`refused with ${answer.statusCode}`)
  return answer
}

/** The HTTP answer to a knock that must not open a socket. */
async function refusal(asked: Knock) {
  const answer = await knock(asked)
  if (answer instanceof WebSocket) throw new Error('it opened')
  let text = ''
  for await (const chunk of answer) text += chunk
  return { status: answer.statusCode, headers: answer.headers, json: JSON.parse(text) }
}

beforeAll(async () => {
  buildExample()
  app = await startExample()
})

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
    expect(json.data).toMatchObject({
      userId: 'id-alice',
      me: { _id: 'id-alice', username: 'alice', name: 'Alice' },
    })
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
      expect(await request(method as string, `/api/v1${path}`)).toMatchObject({
        status: 401,
        json: { error: 'Unauthorized' },
      })
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

    const posted = await request(
      'POST',
      '/api/v1/rooms/random/messages',
      { text: 'hello' },
      headers,
    )
    expect(posted.status).toBe(201)
    const { message } = posted.json
    expect(message).toEqual({
      id: expect.any(String),
      room: 'random',
      from: { id: 'id-alice', username: 'alice' },
      text: 'hello',
      at: expect.any(String),
    })
    expect(
      (await request('GET', '/api/v1/rooms/random/messages', undefined, headers)).json.messages,
    ).toContainEqual(message)
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
      expect(await request('GET', path, undefined, headers)).toMatchObject({
        status: 404,
        json: { error: 'not-found' },
      })
      expect(await request('POST', path, { text: 'x' }, headers)).toMatchObject({
        status: 404,
        json: { error: 'not-found' },
      })
    }
  })

  test('a text that is no text, empty or too long is 400, and so is a body that is no JSON', async () => {
    const headers = await signIn()
    const send = (body: unknown) => request('POST', '/api/v1/rooms/general/messages', body, headers)
    for (const text of [undefined, null, 7, ['a'], {}, '', '  \n', 'x'.repeat(2001)]) {
      expect(await send({ text })).toMatchObject({
        status: 400,
        json: { error: 'invalid-request' },
      })
    }
    expect(await send('no object')).toMatchObject({
      status: 400,
      json: { error: 'invalid-request' },
    })
    expect(await send({ text: 'x'.repeat(2000) })).toMatchObject({ status: 201 })
  })

  test('a room keeps its last 200 messages', async () => {
    const headers = await signIn()
    for (let n = 0; n <= 200; n += 1)
      await request('POST', '/api/v1/rooms/random/messages', { text: `number ${n}` }, headers)
    const { messages } = (await request('GET', '/api/v1/rooms/random/messages', undefined, headers))
      .json
    expect(messages).toHaveLength(200)
    expect([messages[0].text, messages[199].text]).toEqual(['number 1', 'number 200'])
  })
})

describe('the live channel', () => {
  test('tells a signed-in client of each new message', async () => {
    const headers = await signIn()
    const socket = await listen(headers)
    const heard = once(socket, 'message').then(([data]) => JSON.parse(String(data)))
    const { json } = await request(
      'POST',
      '/api/v1/rooms/general/messages',
      { text: 'live' },
      headers,
    )
    expect(await heard).toEqual({ type: 'message', message: json.message })
  })

  test('takes a bearer token as well', async () => {
    const { access_token } = await signInSecondDevice(await signIn())
    expect((await listen(bearer(access_token))).readyState).toBe(WebSocket.OPEN)
  })

  test.each([
    ['without credentials', async () => ({})],
    ['with a forged token', async () => ({ 'X-User-Id': 'id-alice', 'X-Auth-Token': 'forged' })],
    ['in the name of another user', async () => ({ ...(await signIn()), 'X-User-Id': 'id-bob' })],
  ])('answers a client %s with 401, before any 101', async (_what, credentials) => {
    const { status, headers, json } = await refusal({ headers: await credentials() })
    expect([status, headers['www-authenticate']]).toEqual([401, 'Bearer'])
    expect(json).toMatchObject({ success: false, status: 'error', error: 'Unauthorized' })
  })

  test('opens one socket for a ticket, once', async () => {
    const { status, json } = await request(
      'POST',
      '/api/v1/auth/socket-ticket',
      undefined,
      await signIn(),
    )
    expect([status, json.data.expiresIn]).toEqual([200, 30])
    const protocols = ['auth.ticket', json.data.ticket]
    const opened = (await knock({ protocols })) as WebSocket
    expect([opened.readyState, opened.protocol]).toEqual([WebSocket.OPEN, 'auth.ticket'])
    expect(await refusal({ protocols })).toMatchObject({
      status: 401,
      json: { error: 'Unauthorized' },
    })
  })

  test('is closed to the pages of other origins', async () => {
    const headers = await signIn()
    expect(
      await refusal({ headers: { ...headers, Origin: 'https://elsewhere.example' } }),
    ).toMatchObject({ status: 403 })
    expect((await listen({ ...headers, Origin: app.url })).readyState).toBe(WebSocket.OPEN)
  })

  test('answers an outage with 503 and when to come back, so that clients keep their tokens', async () => {
    const stores = memoryStores()
    const auth = createAuthRouter({
      users: { findByIdentifier: async () => null, findById: async () => null },
      ...stores,
      tickets: { ...stores.tickets, consume: () => Promise.reject(new Error('down')) },
      signer: joseSigner({
        issuer: 'https://test.example',
        audience: 'chat',
        keys: [await generateSigningKey()],
      }),
      encryptionKeys: [randomBytes(32).toString('base64')],
    })
    const live = createLive(auth)
    const server = createServer().on('upgrade', live.accept)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(async () => {
      live.close()
      server.close()
      await auth.close()
    })
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const { status, headers } = await refusal({
      url,
      protocols: ['auth.ticket', `mar_wt_${'x'.repeat(43)}`],
    })
    expect([status, headers['retry-after'], headers['www-authenticate']]).toEqual([
      503,
      '2',
      undefined,
    ])
  })

  test('is nowhere but at /ws', async () => {
    const answer = await refusal({ path: '/elsewhere', headers: await signIn() })
    expect(answer).toMatchObject({ status: 404, json: { error: 'not-found' } })
  })

  test('hangs up on a session that is logged out, and on no other', async () => {
    const [leaving, staying] = [await signIn(), await signIn()]
    const [left, stayed] = [await listen(leaving), await listen(staying)]
    const closed = closeCode(left)
    await request('POST', '/api/v1/logout', undefined, leaving)
    expect(await closed).toBe(4401)
    expect(stayed.readyState).toBe(WebSocket.OPEN)
  })

  test('stays on with a newer token of the same session, and with no other', async () => {
    const first = await signIn()
    const { access_token, refresh_token } = await signInSecondDevice(first)
    const socket = await listen(bearer(access_token))
    const renew = async (token: unknown) => {
      const heard = once(socket, 'message').then(([data]) => JSON.parse(String(data)))
      socket.send(JSON.stringify({ type: 'renew', token }))
      return heard
    }
    expect(await renew((await refresh(refresh_token)).json.access_token)).toEqual({
      type: 'renewed',
    })
    expect(await renew(first['X-Auth-Token'])).toEqual({ type: 'refused' })
    expect(await renew('forged')).toEqual({ type: 'refused' })
    expect(socket.readyState).toBe(WebSocket.OPEN)
  })

  test('outlives clients that hang up before they have their answer', async () => {
    const lines = [
      'GET /ws HTTP/1.1',
      'Host: x',
      'Connection: Upgrade',
      'Upgrade: websocket',
      `Sec-WebSocket-Key: ${'A'.repeat(22)}==`,
    ]
    const head = [
      ...lines,
      'Sec-WebSocket-Version: 13',
      'Authorization: Bearer forged',
      '',
      '',
    ].join('\r\n')
    const hangUp = async () => {
      const connection = connect(Number(new URL(app.url).port), '127.0.0.1').on('error', () => {})
      await once(connection, 'connect')
      connection.write(head, () => connection.resetAndDestroy())
      await once(connection, 'close')
    }
    for (let n = 0; n < 100; n += 1) await hangUp()
    expect((await request('GET', '/')).status).toBe(200)
  })

  test('answers a ping, and sends pings of its own, for proxies close what is silent', async () => {
    const socket = await listen(await signIn())
    const heard = once(socket, 'message').then(([data]) => JSON.parse(String(data)))
    socket.send('{"type":"ping"}')
    expect(await heard).toEqual({ type: 'pong' })

    const principal = { sessionId: 'a', userId: 'b' }
    const sockets = {
      authenticate: async () => principal,
      track: () => ({ principal }),
      refuse() {},
    }
    const live = createLive({ sockets } as never, 10)
    const server = createServer().on('upgrade', live.accept)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      live.close()
      server.close()
    })
    const opened = (await knock({
      url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    })) as WebSocket
    await once(opened, 'ping')
    await once(opened, 'ping')
  })

  test('ignores whatever else clients send, and hangs up on one that sends too much', async () => {
    const headers = await signIn()
    const socket = await listen(headers)
    const heard: unknown[] = []
    socket.on('message', (data) => heard.push(JSON.parse(String(data))))
    for (const text of [
      '',
      'null',
      '7',
      '{"type":"renew"}',
      '{"type":"message","message":{"text":"smuggled"}}',
    ])
      socket.send(text)
    socket.send(JSON.stringify({ type: 'renew', token: 'forged' }))
    await once(socket, 'message')
    expect(heard).toEqual([{ type: 'refused' }])
    const closed = closeCode(socket)
    socket.send('x'.repeat(8 * 1024 + 1))
    expect(await closed).toBe(1009)
    expect((await request('GET', '/')).status).toBe(200)
  })
})

describe('sessions', () => {
  test('two refreshes at once with one token both get the same successor', async () => {
    const { refresh_token } = await signInSecondDevice(await signIn())
    const answers = await Promise.all([refresh(refresh_token), refresh(refresh_token)])
    expect(answers.map(({ status }) => status)).toEqual([200, 200])
    const [one, other] = answers.map(({ json }) => json.refresh_token)
    expect(one).toBe(other)
    expect(one).not.toBe(refresh_token)
    expect((await refresh(one)).status).toBe(200)
  })

  test('are listed for their owner, each with its live sockets', async () => {
    const headers = await signIn()
    await listen(headers)
    const { json } = await request('GET', '/api/v1/auth/sessions', undefined, headers)
    const mine = json.data.sessions.filter(({ current }: { current: boolean }) => current)
    expect(mine).toEqual([
      expect.objectContaining({ kind: 'login', ip: '127.0.0.1', name: 'node', liveSockets: 1 }),
    ])
  })

  test('ending the others closes their sockets, and leaves the caller’s open', async () => {
    const [here, there] = [await signIn(), await signIn()]
    const [mine, lost] = [await listen(here), await listen(there)]
    const closed = closeCode(lost)
    const { status, json } = await request('DELETE', '/api/v1/auth/sessions', undefined, here)
    expect(status).toBe(200)
    expect(json.data.revoked).toBeGreaterThan(0)
    expect(await closed).toBe(4401)
    expect(mine.readyState).toBe(WebSocket.OPEN)
    expect((await request('GET', '/api/v1/me', undefined, there)).status).toBe(401)
    expect((await request('GET', '/api/v1/me', undefined, here)).status).toBe(200)
  })

  test('one of them can be ended from another', async () => {
    const [here, there] = [await signIn(), await signIn()]
    const lost = await listen(there)
    const closed = closeCode(lost)
    const { sessions } = (await request('GET', '/api/v1/auth/sessions', undefined, there)).json.data
    const { id } = sessions.find(({ current }: { current: boolean }) => current)
    expect(
      (await request('DELETE', `/api/v1/auth/sessions/${id}`, undefined, here)).json.data,
    ).toEqual({ revoked: 1 })
    expect(await closed).toBe(4401)
  })
})

describe('the page', () => {
  test('is served under a policy that runs no script but its own', async () => {
    const { status, headers, text } = await request('GET', '/')
    expect(status).toBe(200)
    expect(headers.get('content-type')).toMatch(/^text\/html/)
    expect(headers.get('content-security-policy')).toContain("default-src 'self'")
    expect(headers.get('x-powered-by')).toBeNull()
    expect(text).toContain('<button id="set-out"')
    expect(text).not.toMatch(/<script(?![^>]*\bsrc=)|\son\w+=|\sstyle=|https?:\/\//)
    for (const file of ['start.js', 'chat.js', 'chat.css', 'icon.svg'])
      expect((await request('GET', `/${file}`)).status).toBe(200)
  })

  test('asks for all its modules at once, and not one after the other', async () => {
    const { text } = await request('GET', '/')
    const preloaded = [...text.matchAll(/rel="modulepreload" href="([^"]+)"/g)].map(
      ([, file]) => file,
    )
    const found = new Set(['chat.js'])
    for (const file of found) {
      const module = await request('GET', `/${file}`)
      expect(module.status).toBe(200)
      for (const [, imported] of module.text.matchAll(
        /^(?:(?:im|ex)port .*|\}) from ["']([^"']+)["'];?$/gm,
      ))
        found.add(new URL(imported as string, `http://page/${file}`).pathname.slice(1))
    }
    expect(found).toContain('client/oauth.js')
    expect(preloaded.sort()).toEqual([...found].sort())
  })

  test('can tell who may try it: those whom the server has made, but nobody who is disabled', async () => {
    const { json } = await request('GET', '/demo-users.json')
    expect(json).toMatchObject([alice, { ...bob, totpSecret: bobsSecret }])
    for (const user of json)
      expect(app.output.stdout).toContain(`${user.username} signs in with: ${user.password}`)
  })
})

test('GET /health says how the parts are, and nothing of what they are', async () => {
  const { status, headers, json } = await request('GET', '/health')
  const part = { ok: true, ms: expect.any(Number) }
  expect([status, headers.get('cache-control')]).toEqual([200, 'no-store'])
  expect(json).toEqual({
    ok: true,
    stores: { sessions: part, codes: part },
    bus: null,
    keys: part,
    hashing: part,
  })
})

test(
  'while MySQL says nothing, only so many calls wait for a connection, and the next is refused ' +
    'at once',
  async () => {
    const silent = createTcpServer()
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
    const { kysely } = await openDatabase(
      `mysql://root@127.0.0.1:${(silent.address() as AddressInfo).port}/chat`,
    )
    onTestFinished(async () => {
      // Rejects: the connections to say goodbye to were never made.
      await kysely.destroy().catch(() => {})
      silent.close()
    })
    // More than the connections and the queue hold. The first to settle is one that was refused,
    // not one that ran out of time.
    const calls = Array.from({ length: 220 }, () => sql`select 1`.execute(kysely))
    await expect(Promise.race(calls)).rejects.toThrow('Queue limit reached')
  },
)

describe('starting and stopping', () => {
  test.concurrent.each([
    ['PORT', 'abc'],
    ['PORT', '70000'],
    ['DATABASE_URL', 'mongodb://127.0.0.1/chat'],
    ['DATABASE_URL', 'sqlite:'],
    ['DATABASE_URL', 'sqlite://chat.db'],
    ['DATABASE_URL', 'postgres://chat:pass#word@127.0.0.1:1/chat'],
    ['DATABASE_URL', 'postgres://chat:open%20sesame@127.0.0.1:1/chat'],
    ['DATABASE_URL', 'postgres://chat:open%20sesame@localhost:1/chat'],
    ['DATABASE_URL', 'mysql://chat:open%20sesame@127.0.0.1:1/chat'],
    ['DATABASE_URL', 'postgres://chat:100%sesame@127.0.0.1:1/chat'],
    ['DATABASE_URL', 'mysql://chat:100%sesame@127.0.0.1:1/chat'],
    ['DATABASE_URL', 'sqlite:/dev/null/chat.db'],
    ['REDIS_URL', 'http://127.0.0.1'],
    ['REDIS_URL', 'redis://:open%20sesame@127.0.0.1:1'],
    ['REDIS_URL', 'redis://:100%sesame@127.0.0.1:1'],
    ['TRUST_PROXY', 'true'],
    ['TRUST_PROXY', 'everybody'],
    ['SEED_USERS', '-1'],
    ['MAIL', 'smtp://127.0.0.1'],
    ['REGISTRATION', 'everybody'],
    ['PUBLIC_URL', 'https://chat.example.com/'],
    ['PUBLIC_URL', 'http://chat.example.com'],
    ['OAUTH_CLIENTS', '[{"id":"wiki"'],
    ['OAUTH_CLIENTS', '{"id":"wiki"}'],
    ['OAUTH_CLIENTS', '[{"id":"wiki"}]'],
    ['ASSISTANT_HOSTS', 'https://claude.ai'],
    ['ASSISTANT_HOSTS', 'claude.ai,*.example.com'],
    ['PROVIDERS', '[{"clientSecret":"sesame"'],
    ['PROVIDERS', '{"id":"work"}'],
    ['PROVIDERS', '[null]'],
    ['PROVIDERS', '[{"id":"work","clientSecret":"sesame"}]'],
    ['AUTH_ENCRYPTION_KEYS', 'short'],
    ['AUTH_SIGNING_KEY', '{not JSON'],
    ['AUTH_SIGNING_KEY', '{"kty":"oct","k":"d2Vhaw"}'],
  ])('%s=%s is refused in one line that names it', async (name, value) => {
    const { output, exited } = launchExample({ ...environmentIn(temporaryFolder()), [name]: value })
    expect(await exited).toBe(1)
    expect(output.stderr).toMatch(new RegExp(`^${name}: [^\\n]+\\n$`))
    expect(output.stderr).not.toMatch(/sesame|pass#/)
    expect(output.stdout).toBe('')
  })

  test('what goes wrong between two servers is told without the password of either', async () => {
    const urls = [
      'postgres://chat:open%20sesame@127.0.0.1/chat',
      'redis://:open%20sesame%20and%20100%@127.0.0.1',
    ]
    const failing = () =>
      Promise.reject(new Error('no entry with open sesame, open%20sesame, open sesame and 100%'))
    const told = 'DATABASE_URL or REDIS_URL: cannot be used (no entry with ***, ***, ***).'
    await expect(withServer('DATABASE_URL or REDIS_URL', urls, failing)).rejects.toThrow(told)
  })

  test('a port that is in use is refused in one line', async () => {
    const occupant = createServer()
    await new Promise<void>((resolve) => occupant.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void occupant.close())
    const { output, exited } = launchExample({
      ...environmentIn(temporaryFolder()),
      PORT: String((occupant.address() as AddressInfo).port),
    })
    expect(await exited).toBe(1)
    expect(output.stderr).toMatch(/^PORT: [^\n]+EADDRINUSE[^\n]+\n$/)
  })

  test('SEED_USERS=2 makes user1 and user2, and TRUST_PROXY may count hops', async () => {
    const seeded = await startForThisTest({ SEED_USERS: '2', TRUST_PROXY: '1' })
    expect(
      (await login({ username: 'user2', password: 'passphrase of user 2' }, seeded)).status,
    ).toBe(200)
    expect(
      (await login({ username: 'user3', password: 'passphrase of user 3' }, seeded)).status,
    ).toBe(401)
  })

  test.each(['SIGTERM', 'SIGINT'] as const)(
    '%s ends it in good order, with a client listening',
    async (signal) => {
      const stopped = await startForThisTest()
      const socket = new WebSocket(`${stopped.url.replace('http', 'ws')}/ws`, {
        headers: await signIn(alice, stopped),
      })
      await once(socket, 'open')
      const closed = once(socket, 'close')
      expect(await stopped.stop(signal)).toBe(0)
      expect((await closed)[0]).toBe(1001)
      expect(stopped.output.stdout).toMatch(
        new RegExp(`^listening on ${stopped.url}\n  alice signs in with: `),
      )
      expect(stopped.output.stderr).toBe('')
    },
  )
})
