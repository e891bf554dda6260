// The server of docs/examples/moving, before, on its way, and after, over one database.
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { AuthRouter } from 'messaging-auth-router'
import { io, type Socket } from 'socket.io-client'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { postgresUrl } from '../support/services.js'
import { chatAfter } from './.scratch/moving/after.js'
import { chatAuth } from './.scratch/moving/auth.js'
import { chatBefore } from './.scratch/moving/before.js'
import { chatBoth } from './.scratch/moving/both.js'
import { type EmptyDatabase, emptyDatabase } from './empty-database.js'

const tables = readFileSync(new URL('.scratch/moving/tables.sql', import.meta.url), 'utf8')
const cookieSecret = randomBytes(32).toString('base64')
const encryptionKey = randomBytes(32).toString('base64')
const password = 'correct horse battery staple'

interface Running {
  readonly url: string
  stop(): Promise<void>
}

async function listen(server: Server, auth?: AuthRouter): Promise<Running> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await auth?.close()
    },
  }
}

function call(url: string, { body, ...init }: Omit<RequestInit, 'body'> & { body?: object } = {}) {
  return fetch(url, {
    redirect: 'manual',
    ...init,
    ...(body && { method: 'POST', body: JSON.stringify(body) }),
    headers: { ...init.headers, ...(body && { 'Content-Type': 'application/json' }) },
  })
}

/** As the old page does: a form, and a cookie that the browser keeps. */
async function oldSignIn({ url }: Running, username: string, typed = password) {
  const answer = await call(`${url}/login`, { body: { username, password: typed } })
  const cookie = (answer.headers.get('set-cookie') ?? '').split(';')[0] ?? ''
  return { goesTo: answer.headers.get('location'), headers: { Cookie: cookie } }
}

async function signIn({ url }: Running, user: string, typed = password) {
  const answer = await call(`${url}/api/v1/login`, { body: { user, password: typed } })
  const { data } = (await answer.json()) as { data?: { authToken: string } }
  const token = data?.authToken ?? ''
  return { status: answer.status, token, headers: { Authorization: `Bearer ${token}` } }
}

const exchange = ({ url }: Running, headers: Record<string, string>) =>
  call(`${url}/session/token`, { body: {}, headers: { 'X-Requested-With': 'chat', ...headers } })

const statusOf = async ({ url }: Running, headers: Record<string, string>) =>
  (await call(`${url}/messages`, { headers })).status

function connect({ url }: Running, options: object): Socket {
  const socket = io(url, { forceNew: true, reconnection: false, ...options })
  onTestFinished(() => void socket.disconnect())
  return socket
}

/** What a socket hears of what it says itself; or why it may not. */
function sayAndHear(socket: Socket, text: string): Promise<unknown> {
  return new Promise((resolve) => {
    socket.on('connect', () => socket.emit('say', text))
    socket.on('said', resolve)
    socket.on('connect_error', ({ message }) => resolve(message))
  })
}

describe.skipIf(postgresUrl === null)('a server moved by docs/moving.md', () => {
  const open: { database?: EmptyDatabase } = {}
  const pool = () => (open.database as EmptyDatabase).pool
  beforeAll(async () => {
    open.database = await emptyDatabase()
    await pool().query(tables)
    const before = await chat.before()
    for (const username of ['Anna', 'ben', 'carl', 'dora']) {
      const email = `${username}@example.com`
      expect(
        (await call(`${before.url}/register`, { body: { username, email, password } })).ok,
      ).toBe(true)
    }
    await before.stop()
  })
  afterAll(() => open.database?.drop())

  const chat = {
    before: () => listen(chatBefore(pool(), cookieSecret)),
    async both() {
      const auth = await chatAuth(pool(), encryptionKey)
      return listen(chatBoth(pool(), cookieSecret, auth), auth)
    },
    async after() {
      const auth = await chatAuth(pool(), encryptionKey)
      return listen(chatAfter(pool(), auth), auth)
    },
  }
  async function running(which: keyof typeof chat): Promise<Running> {
    const server = await chat[which]()
    onTestFinished(server.stop)
    return server
  }
  async function sessionOfTheOldServer(username: string) {
    const before = await chat.before()
    const { headers } = await oldSignIn(before, username)
    await before.stop()
    return headers
  }
  const hashOf = async (username: string): Promise<string> => {
    const { rows } = await pool().query('select password from users where username = $1', [
      username,
    ])
    return rows[0].password
  }

  it('works the old way before', async () => {
    const before = await running('before')
    const { goesTo, headers } = await oldSignIn(before, 'Anna')
    expect(goesTo).toBe('/')
    expect((await oldSignIn(before, 'Anna', 'another')).goesTo).toBe('/?failed')
    expect(await statusOf(before, headers)).toBe(200)
    expect(await statusOf(before, {})).toBe(401)
    const socket = connect(before, { extraHeaders: headers })
    expect(await sayAndHear(socket, 'hello')).toEqual({ userId: 1, text: 'hello' })
    expect(await sayAndHear(connect(before, {}), 'hello')).toBe('unauthorized')
  })

  it('keeps old sessions, for requests and sockets, beside tokens', async () => {
    const headers = await sessionOfTheOldServer('Anna')
    const both = await running('both')
    expect(await statusOf(both, headers)).toBe(200)
    expect(await statusOf(both, {})).toBe(401)
    const socket = connect(both, { extraHeaders: headers })
    expect(await sayAndHear(socket, 'hello')).toEqual({ userId: '1', text: 'hello' })
    expect(await sayAndHear(connect(both, {}), 'hello')).toBe('unauthorized')

    const { token, ...bearer } = await signIn(both, 'anna@example.com')
    expect(await statusOf(both, bearer.headers)).toBe(200)
    const withToken = connect(both, { auth: { token } })
    expect(await sayAndHear(withToken, 'hi')).toEqual({ userId: '1', text: 'hi' })
    const refused = connect(both, { auth: { token: 'x' }, extraHeaders: headers })
    expect(await sayAndHear(refused, 'hi')).not.toEqual({ userId: '1', text: 'hi' })
  })

  it('knows users by the password they have, and by names as they were typed', async () => {
    const both = await running('both')
    const stored = await hashOf('dora')
    expect((await signIn(both, 'dora', 'another')).status).toBe(401)
    expect(await hashOf('dora')).toBe(stored)
    expect((await signIn(both, 'dora')).status).toBe(200)
    expect(await hashOf('dora')).not.toBe(stored)
    expect((await signIn(both, 'Anna')).status).toBe(200)
    expect((await signIn(both, 'ANNA@Example.com')).status).toBe(200)
  })

  it('exchanges an old session for a token once, and the cookie is worth nothing then', async () => {
    const headers = await sessionOfTheOldServer('ben')
    const both = await running('both')
    const answers = await Promise.all(Array.from({ length: 50 }, () => exchange(both, headers)))
    const granted = answers.filter(({ status }) => status === 200)
    expect(granted).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 401)).toHaveLength(49)
    const { authToken } = (await (granted[0] as Response).json()) as { authToken: string }
    expect(await statusOf(both, { Authorization: `Bearer ${authToken}` })).toBe(200)
    expect(await statusOf(both, headers)).toBe(401)
  })

  it('exchanges no forged, foreign or expired session', async () => {
    const headers = await sessionOfTheOldServer('ben')
    const both = await running('both')
    const forged = { Cookie: headers.Cookie.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')) }
    expect((await exchange(both, forged)).status).toBe(401)
    expect((await exchange(both, {})).status).toBe(401)
    // Another session: it is written once more when its request has been answered already.
    const elsewhere = { body: {}, headers: await sessionOfTheOldServer('ben') }
    expect((await call(`${both.url}/session/token`, elsewhere)).status).toBe(403)
    await pool().query(`update session set expire = now() - interval '1 second'`)
    expect((await exchange(both, headers)).status).toBe(401)
  })

  it('signs nobody in the old way any more', async () => {
    const both = await running('both')
    const { goesTo, headers } = await oldSignIn(both, 'ben')
    expect(goesTo).toBe('/')
    expect(await statusOf(both, headers)).toBe(401)
  })

  it('ends the other sessions, old ones too, when a password changes', async () => {
    const old = await sessionOfTheOldServer('carl')
    const both = await running('both')
    const [here, there] = [await signIn(both, 'carl'), await signIn(both, 'carl')]
    const socket = connect(both, { auth: { token: there.token } })
    await sayAndHear(socket, 'hello')
    const ended = new Promise((resolve) => socket.on('auth.ended', resolve))
    const body = { password: 'a better password than before' }
    const { status } = await call(`${both.url}/password`, { body, headers: here.headers })
    expect(status).toBe(204)
    expect(await ended).toMatchObject({ code: 4401 })
    expect(await statusOf(both, old)).toBe(401)
    expect(await statusOf(both, there.headers)).toBe(401)
    expect(await statusOf(both, here.headers)).toBe(200)
  })

  it('takes the tokens of the way when it has arrived, and no cookie', async () => {
    const old = await sessionOfTheOldServer('ben')
    const both = await chat.both()
    const { token, headers } = await signIn(both, 'ben')
    await both.stop()
    const after = await running('after')
    expect(await statusOf(after, headers)).toBe(200)
    expect(await statusOf(after, old)).toBe(401)
    const socket = connect(after, { auth: { token } })
    expect(await sayAndHear(socket, 'there')).toEqual({ userId: '2', text: 'there' })
    const refused = await sayAndHear(connect(after, { extraHeaders: old }), 'there')
    expect(typeof refused).toBe('string')
  })

  it('can go back: the old server reads every hash that the router has written', async () => {
    const after = await chat.after()
    const newPassword = 'a password of the new server'
    const { headers } = await signIn(after, 'dora')
    const body = { password: newPassword }
    expect((await call(`${after.url}/password`, { body, headers })).status).toBe(204)
    const email = 'emil@example.com'
    const emil = { username: 'emil', email, password }
    expect((await call(`${after.url}/register`, { body: emil })).status).toBe(201)
    await after.stop()

    const before = await running('before')
    expect((await oldSignIn(before, 'Anna')).goesTo).toBe('/')
    expect((await oldSignIn(before, 'dora', newPassword)).goesTo).toBe('/')
    expect((await oldSignIn(before, 'emil')).goesTo).toBe('/')
  })
})
