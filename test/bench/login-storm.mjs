// Measures how long the main thread stands still while 20 logins are in flight at bcrypt cost 12, over real HTTP.
// Run it on an otherwise idle machine: npm run bench:storm
import { createServer } from 'node:http'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import bcrypt from 'bcryptjs'
import express from 'express'
import { bcryptHasher, createAuthRouter, generateSigningKey, joseSigner } from 'messaging-auth-router'
import { memoryStores } from 'messaging-auth-router/stores/memory'
import passport from 'passport'
import { Strategy as LocalStrategy } from 'passport-local'

const cost = 12
const inFlight = 20
const rounds = 5
const bound = 20
const password = 'correct horse battery staple'

const passwordHash = bcrypt.hashSync(password, cost)
const users = new Map(
  Array.from({ length: inFlight }, (_, i) => [`user${i}`, { id: `u${i}`, username: `user${i}`, name: 'User', passwordHash }]),
)
const find = (username) => users.get(username) ?? null

async function ours() {
  const hasher = bcryptHasher({ cost })
  const { codes, sessions } = memoryStores()
  const auth = createAuthRouter({
    users: {
      findByIdentifier: async ({ value }) => find(value),
      findById: async (id) => find(id.replace('u', 'user')),
    },
    codes,
    sessions,
    passwords: hasher,
    throttle: { network: { points: 1_000_000, duration: 60 } },
    signer: joseSigner({ issuer: 'https://chat.example.com', audience: 'chat', keys: [await generateSigningKey()] }),
  })
  return { app: express().use(auth), close: () => hasher.close() }
}

// What most servers do today: passport-local, and bcryptjs with its promise on the main thread.
async function passportLocal() {
  const own = new passport.Authenticator()
  own.use(
    new LocalStrategy((username, given, done) => {
      const user = find(username)
      bcrypt.compare(given, user.passwordHash).then((right) => done(null, right && user), done)
    }),
  )
  const app = express().use(express.json())
  app.post('/login', own.authenticate('local', { session: false }), (request, response) => response.json({ id: request.user.id }))
  return { app, close: async () => {} }
}

async function storm(make) {
  const { app, close } = await make()
  const server = createServer(app)
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${server.address().port}/login`
  const logIn = async (username) => {
    const body = JSON.stringify({ username, password })
    const response = await fetch(url, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body })
    if (response.status !== 200) throw new Error(`a login was answered ${response.status}`)
    await response.arrayBuffer()
  }
  await logIn('user0')
  const results = []
  for (let round = 0; round < rounds; round += 1) results.push(await measure(() => Promise.all([...users.keys()].map(logIn))))
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
  await close()
  return median(results)
}

async function measure(work) {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  // The first interval after enabling is not counted; without a tick before the load, the stall would be lost.
  await new Promise((resolve) => setTimeout(resolve, 20))
  delay.reset()
  await new Promise((resolve) => setTimeout(resolve, 20))
  const from = performance.now()
  await work()
  const seconds = (performance.now() - from) / 1000
  delay.disable()
  return { p99: delay.percentile(99) / 1e6, max: delay.max / 1e6, perSecond: inFlight / seconds }
}

function median(results) {
  const middle = (name) => results.map((result) => result[name]).sort((a, b) => a - b)[Math.floor(results.length / 2)]
  return { p99: middle('p99'), max: middle('max'), perSecond: middle('perSecond') }
}

const table = [
  ['messaging-auth-router', await storm(ours)],
  ['passport-local + bcryptjs', await storm(passportLocal)],
]
for (const [name, { p99, max, perSecond }] of table) {
  const figures = `loop delay p99 ${p99.toFixed(1)} ms, max ${max.toFixed(1)} ms, ${perSecond.toFixed(1)} logins/s`
  process.stdout.write(`${name.padEnd(26)} ${figures}\n`)
}
const { p99 } = table[0][1]
process.stdout.write(`${inFlight} logins in flight at cost ${cost}, median of ${rounds} rounds; bound: p99 < ${bound} ms\n`)
process.exitCode = p99 < bound ? 0 : 1
