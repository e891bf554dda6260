// The Lounge as npm has it, with the example of the docs before it.
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Socket } from 'socket.io-client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  bearer,
  get,
  issued,
  next,
  openSocketIo,
  refresh,
  send,
  signIn,
  signOut,
} from './support/client.js'
import { exampleOfDocs } from './support/example.js'
import { type Program, packaged, startProgram } from './support/program.js'

interface Helper {
  readonly default: { readonly password: { hash(plain: string): string } }
}

const password = 'correct horse battery staple'
const home = mkdtempSync(join(tmpdir(), 'lounge-'))
const index = packaged('thelounge/index.js')
let lounge: Program
let origin: string
let api: string

beforeAll(async () => {
  mkdirSync(join(home, 'users'))
  const config = { public: false, host: '127.0.0.1', port: 0, prefetch: false, messageStorage: [] }
  writeFileSync(join(home, 'config.js'), `module.exports = ${JSON.stringify(config)}`)
  // Its own code makes the hashes.
  const { hash } = (createRequire(index)('./dist/server/helper.js') as Helper).default.password
  for (const name of ['alice', 'Bob'])
    writeFileSync(join(home, `users/${name}.json`), JSON.stringify({ password: hash(password) }))
  lounge = await startProgram(['--import', exampleOfDocs('the-lounge.ts'), index, 'start'], {
    env: { THELOUNGE_HOME: home, AUTH_ENCRYPTION_KEYS: randomBytes(32).toString('base64') },
    ready: /Available at \D*(http:\/\/[\d.:]+)\//,
  })
  origin = lounge.ready[1] ?? ''
  api = `${origin}/api/v1`
})

afterAll(async () => {
  await lounge?.stop()
  rmSync(home, { recursive: true, force: true })
})

/** The Lounge's own sign-in, over its own socket. */
async function ownSignIn(user: string, plain: string): Promise<{ socket: Socket; answer: string }> {
  const socket = openSocketIo(origin)
  await next(socket, 'auth:start')
  const answer = Promise.race(
    ['init', 'auth:failed'].map((event) => next(socket, event).then(() => event)),
  )
  socket.emit('auth:perform', { user, password: plain, hasConfig: true })
  return { socket, answer: await answer }
}

describe('The Lounge', () => {
  it.each(['alice', 'Bob', 'bob'])(
    'has its user %s signed in by the hash it wrote',
    async (name) => {
      const { authToken, userId } = await signIn(api, { username: name, password })
      expect(userId).toBe(name === 'bob' ? 'Bob' : name)
      const answer = await get(`${api}/hello`, bearer(authToken))
      expect(answer).toMatchObject({ status: 200, json: { hello: userId } })
    },
  )

  it.each([
    ['a wrong password', { username: 'alice', password: 'wrong' }],
    ['nobody', { username: 'carol', password }],
    ['a path', { user: '../users/alice', password }],
  ])('has the router refuse %s', async (_what, credentials) => {
    expect((await send('POST', `${api}/login`, credentials)).status).toBe(401)
    expect((await get(`${api}/hello`)).status).toBe(401)
  })

  it('has a guarded namespace beside its own, closed by a logout, which its own socket survives', async () => {
    const own = await ownSignIn('alice', password)
    expect(own.answer).toBe('init')
    const { authToken: first, refreshToken } = await signIn(api, { username: 'alice', password })
    const { authToken } = await refresh(api, refreshToken)
    // Over the connection that carries The Lounge's own socket, as a page's would.
    const live = own.socket.io.socket('/live', { auth: { token: authToken } })
    expect(await next(live, 'hello')).toBe('alice')
    const ended = next(live, 'auth.ended')
    expect((await signOut(api, authToken)).status).toBe(200)
    expect(await ended).toMatchObject({ code: 4401 })
    for (const token of [first, authToken])
      expect((await get(`${api}/hello`, bearer(token))).status).toBe(401)
    const sessions = next<{ current: boolean }[]>(own.socket, 'sessions:list')
    own.socket.emit('sessions:get')
    expect((await sessions).some(({ current }) => current)).toBe(true)
  })

  it('has a stranger refused in that namespace', async () => {
    const refused = await next<Error & { data: unknown }>(
      openSocketIo(`${origin}/live`),
      'connect_error',
    )
    expect(refused.data).toEqual({ code: 'Unauthorized', status: 401 })
  })

  it('keeps its own sign-in, its page and its headers', async () => {
    expect((await ownSignIn('alice', password)).answer).toBe('init')
    expect((await ownSignIn('alice', 'wrong')).answer).toBe('auth:failed')
    const page = await get(origin)
    expect(page).toMatchObject({ status: 200 })
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect((await get(`${api}/no-such-path`)).status).toBe(404)
  })

  it('has a user signed in who is added while it runs, and shut out when removed', async () => {
    const { hash } = (createRequire(index)('./dist/server/helper.js') as Helper).default.password
    const file = join(home, 'users/dora.json')
    writeFileSync(file, JSON.stringify({ password: hash(password) }))
    const { authToken } = await signIn(api, { username: 'dora', password })
    rmSync(file)
    await expect.poll(async () => (await get(`${api}/hello`, bearer(authToken))).status).toBe(401)
  })

  it('survives all that, and has written down no password and no token', () => {
    expect(lounge.survives(), lounge.output()).toBe(true)
    expect(lounge.wrote([password, ...issued])).toEqual([])
  })
})
