// Counts what one request costs in this process: bytes allocated, promises and timers made. Nothing
// is sent: requests and answers lie in memory. Prints JSON. cost.test.ts starts it, with a young
// generation so large that nothing is collected while it counts.
import { createHook } from 'node:async_hooks'
import { createHash } from 'node:crypto'
import { IncomingMessage, ServerResponse } from 'node:http'
import { Duplex } from 'node:stream'
import express from 'express'
import { createAuthRouter, generateSigningKey, joseSigner } from 'messaging-auth-router'
import { memoryStores } from 'messaging-auth-router/stores/memory'

const userNamed = (username) => ({
  id: `u-${username}`,
  username,
  email: `${username}@example.com`,
  name: username,
  passwordHash: 'x',
})
// Hashing happens in threads and is none of this.
const passwords = {
  hash: async () => 'x',
  verify: async () => true,
  needsRehash: () => false,
}
const auth = createAuthRouter({
  users: {
    findByIdentifier: async ({ value }) => userNamed(value),
    findById: async (id) => userNamed(id.slice(2)),
  },
  ...memoryStores(),
  signer: joseSigner({
    issuer: 'https://chat.example.com',
    audience: 'chat',
    keys: [await generateSigningKey()],
  }),
  encryptionKeys: [Buffer.from('an encryption key for tests only').toString('base64')],
  passwords,
})
const app = express()
app.disable('x-powered-by')
app.use('/api/v1', auth)
app.get('/messages', auth.requireAuth(), (_request, response) => response.json({ messages: [] }))
// The limit: what Express itself takes for a body and an answer of this size.
app.get('/bare/messages', (_request, response) => response.json({ messages: [] }))
app.post('/bare', express.json(), ({ body }, response) => response.json({ success: true, body }))

class Socket extends Duplex {
  remoteAddress = '192.0.2.7'
  _read() {}
  _write(_chunk, _encoding, done) {
    done()
  }
  setTimeout() {}
}

/** One request, without the network; answers what the client would read. */
function ask(method, path, body, headers = {}) {
  const socket = new Socket()
  const request = new IncomingMessage(socket)
  const text = body === undefined ? undefined : JSON.stringify(body)
  const all = { host: 'chat.example.com', 'user-agent': 'a phone', ...headers }
  if (text !== undefined) {
    all['content-type'] = 'application/json'
    all['content-length'] = String(Buffer.byteLength(text))
  }
  Object.assign(request, { method, url: path, httpVersion: '1.1', httpVersionMajor: 1 })
  request.httpVersionMinor = 1
  request.headers = all
  request.rawHeaders = Object.entries(all).flat()
  if (text !== undefined) request.push(text)
  request.push(null)
  request.complete = true
  const response = new ServerResponse(request)
  response.assignSocket(socket)
  return new Promise((resolve, reject) => {
    const { end } = response
    response.end = (chunk, ...rest) => {
      const answer = end.call(response, chunk, ...rest)
      response.emit('finish')
      response.emit('close')
      if (response.statusCode === 200) resolve(JSON.parse(chunk))
      else reject(new Error(`${method} ${path}: ${response.statusCode} ${chunk}`))
      return answer
    }
    app(request, response)
  })
}

const post = (path, body, headers) => ask('POST', `/api/v1${path}`, body, headers)
const codeVerifier = 'v'.repeat(64)
const codeChallenge = createHash('sha256').update(codeVerifier).digest('base64url')
const password = 'correct horse battery staple'
let users = 0

/** Somebody who has signed in before, as most have; with the header of the session. */
async function somebody() {
  users += 1
  const signIn = { username: `user-${users}`, password }
  const { data } = await post('/login', signIn)
  return { signIn, bearer: { authorization: `Bearer ${data.authToken}` } }
}

async function exchange() {
  const { bearer } = await somebody()
  const asked = { codeChallenge, codeChallengeMethod: 'S256' }
  const { authorizationCode } = (await post('/auth/pkce/authorize', asked, bearer)).data
  return () => post('/auth/pkce/token', { authorizationCode, codeVerifier })
}

const refresh = (refreshToken) => post('/auth/refresh', { refreshToken })
const { bearer } = await somebody()
const kinds = {
  async login() {
    const { signIn } = await somebody()
    return () => post('/login', signIn)
  },
  exchange,
  // Not the first of its session: that one notes that the network is in use, as once a day.
  async refresh() {
    const first = await (await exchange())()
    const { refresh_token: refreshToken } = await refresh(first.refresh_token)
    return () => refresh(refreshToken)
  },
  guard: async () => () => ask('GET', '/messages', undefined, bearer),
  bareGet: async () => () => ask('GET', '/bare/messages', undefined, bearer),
  barePost: async () => () => ask('POST', '/bare', { codeVerifier, code: codeChallenge }),
}

const turn = () => new Promise((resolve) => setImmediate(resolve))
const made = { PROMISE: 0, Timeout: 0 }
const hook = createHook({
  init(_id, type) {
    if (type in made) made[type] += 1
  },
})

async function madeBy(go) {
  await turn()
  Object.assign(made, { PROMISE: 0, Timeout: 0 })
  hook.enable()
  await go()
  await turn()
  hook.disable()
  return { ...made }
}

async function costOf(prepare) {
  for (let i = 0; i < 300; i += 1) await (await prepare())()
  const ready = []
  for (let i = 0; i < 100; i += 1) ready.push(await prepare())
  await turn()
  globalThis.gc()
  const before = process.memoryUsage().heapUsed
  for (const go of ready) {
    await go()
    await turn()
  }
  const bytes = Math.round((process.memoryUsage().heapUsed - before) / ready.length)
  // The least of some: the process's own housekeeping may fall into one of them.
  const some = []
  for (let i = 0; i < 5; i += 1) some.push(await madeBy(await prepare()))
  const least = (what) => Math.min(...some.map((made) => made[what]))
  // What the asking itself makes.
  const asking = await madeBy(() => new Promise((resolve) => resolve()))
  return {
    bytes,
    promises: least('PROMISE') - asking.PROMISE,
    timers: least('Timeout') - asking.Timeout,
  }
}

const costs = {}
for (const [kind, prepare] of Object.entries(kinds)) costs[kind] = await costOf(prepare)
process.stdout.write(JSON.stringify(costs))
process.exit(0)
