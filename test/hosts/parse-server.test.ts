// Parse Server as npm has it, on PostgreSQL, with its LiveQuery on the same port and the example of
// the docs beside it.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { generateSigningKey } from 'messaging-auth-router'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import { type FreshDatabase, freshPostgres } from '../support/fresh-database.js'
import { postgresUrl } from '../support/services.js'
import {
  bearer,
  get,
  issued,
  openSocket,
  refresh,
  send,
  signIn,
  signOut,
} from './support/client.js'
import { exampleOfDocs } from './support/example.js'
import { type Program, startProgram } from './support/program.js'

const password = 'correct horse battery staple'
const asApp = { 'X-Parse-Application-Id': 'chat' }
const folder = mkdtempSync(join(tmpdir(), 'parse-'))
let database: FreshDatabase
let parse: Program
let origin: string
let api: string
let aliceId: string

describe.skipIf(postgresUrl === null)('Parse Server', () => {
  beforeAll(async () => {
    database = await freshPostgres()
    const main = fileURLToPath(new URL('processes/parse-server.mjs', import.meta.url))
    parse = await startProgram([main, exampleOfDocs('parse-server.ts'), database.url], {
      env: {
        AUTH_SIGNING_KEY: JSON.stringify(await generateSigningKey()),
        AUTH_ENCRYPTION_KEYS: randomBytes(32).toString('base64'),
      },
      // It keeps a folder of logs where it is started.
      cwd: folder,
      ready: /listening on (\S+)/,
    })
    origin = parse.ready[1] ?? ''
    api = `${origin}/api/v1`
    const alice = { username: 'Alice', email: 'Alice@Example.com', password }
    const made = await send('POST', `${origin}/parse/users`, alice, asApp)
    expect(made).toMatchObject({ status: 201 })
    aliceId = String(made.json?.['objectId'])
  })

  afterAll(async () => {
    await parse?.stop()
    await database?.drop()
    rmSync(folder, { recursive: true, force: true })
  })

  it.each([
    ['user name', { username: 'Alice' }],
    ['address', { email: 'Alice@Example.com' }],
    ['either', { user: 'Alice' }],
  ])('has its user signed in by %s, as typed, by the hash it wrote', async (_by, named) => {
    const { authToken, userId } = await signIn(api, { ...named, password })
    expect(userId).toBe(aliceId)
    const answer = await get(`${api}/hello`, bearer(authToken))
    expect(answer).toMatchObject({ status: 200, json: { hello: aliceId } })
  })

  it.each([
    ['a wrong password', { username: 'Alice', password: 'wrong' }],
    ['another spelling', { username: 'alice', password }],
  ])('has the router refuse %s', async (_what, credentials) => {
    expect((await send('POST', `${api}/login`, credentials)).status).toBe(401)
    expect((await get(`${api}/hello`)).status).toBe(401)
  })

  it('has LiveQuery and a guarded socket on one port; a logout closes the second alone', async () => {
    const live = await liveQuery()
    const { authToken: first, refreshToken } = await signIn(api, { username: 'Alice', password })
    const { authToken } = await refresh(api, refreshToken)
    const own = await openSocket(`${origin}/ws`, authToken)
    expect(await own.first).toBe(`hello ${aliceId}`)
    await expect(openSocket(`${origin}/ws`)).rejects.toThrow('401')
    expect((await signOut(api, authToken)).status).toBe(200)
    expect(await own.closed).toBe(4401)
    for (const token of [first, authToken])
      expect((await get(`${api}/hello`, bearer(token))).status).toBe(401)
    await send('POST', `${origin}/parse/classes/Message`, { text: 'hello' }, asApp)
    await expect.poll(() => live.heard('create')).toMatchObject({ object: { text: 'hello' } })
  })

  it('keeps its own sign-in and sessions', async () => {
    const query = new URLSearchParams({ username: 'Alice', password })
    const mine = await get(`${origin}/parse/login?${query}`, asApp)
    expect(mine).toMatchObject({ status: 200, json: { objectId: aliceId } })
    const session = { ...asApp, 'X-Parse-Session-Token': String(mine.json?.['sessionToken']) }
    const { authToken } = await signIn(api, { username: 'Alice', password })
    await signOut(api, authToken)
    expect((await get(`${origin}/parse/users/me`, session)).status).toBe(200)
    query.set('password', 'wrong')
    expect((await get(`${origin}/parse/login?${query}`, asApp)).status).toBe(404)
  })

  it('has the new password asked for as soon as it has set one', async () => {
    const dora = { username: 'Dora', password }
    const made = await send('POST', `${origin}/parse/users`, dora, asApp)
    const session = { ...asApp, 'X-Parse-Session-Token': String(made.json?.['sessionToken']) }
    const user = `${origin}/parse/users/${String(made.json?.['objectId'])}`
    expect((await send('PUT', user, { password: 'another long one' }, session)).status).toBe(200)
    expect((await send('POST', `${api}/login`, dora)).status).toBe(401)
    await signIn(api, { username: 'Dora', password: 'another long one' })
  })

  it('survives all that, and has written down no password and no token', () => {
    expect(parse.survives(), parse.output()).toBe(true)
    expect(parse.wrote([password, ...issued])).toEqual([])
  })
})

/** A client of LiveQuery that listens for messages. */
async function liveQuery() {
  const socket = new WebSocket(`${origin.replace('http', 'ws')}/parse`)
  onTestFinished(() => socket.terminate())
  const said: Record<string, unknown>[] = []
  socket.on('message', (data) => void said.push(JSON.parse(String(data))))
  await new Promise((resolve, reject) => socket.once('open', resolve).once('error', reject))
  const heard = (op: string) => said.find((message) => message['op'] === op)
  socket.send(JSON.stringify({ op: 'connect', applicationId: 'chat' }))
  await expect.poll(() => heard('connected')).toBeDefined()
  const query = { className: 'Message', where: {} }
  socket.send(JSON.stringify({ op: 'subscribe', requestId: 1, query }))
  await expect.poll(() => heard('subscribed')).toBeDefined()
  return { heard }
}
