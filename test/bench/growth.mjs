// Measures what growth costs: a guarded request beside 1,000 and beside 100,000 sessions, bytes per session and per tracked socket, and
// the time it takes to end one session among 10,000 sockets. Run it on an otherwise idle machine: npm run bench:growth
import { createAuthRouter, generateSigningKey, joseSigner } from 'messaging-auth-router'
import { memoryStores } from 'messaging-auth-router/stores/memory'

const alice = { id: 'u-alice', username: 'alice', name: 'Alice', passwordHash: null }
const key = await generateSigningKey()

function start() {
  const stores = memoryStores()
  const auth = createAuthRouter({
    users: { findByIdentifier: async () => alice, findById: async (id) => ({ ...alice, id }) },
    codes: stores.codes,
    sessions: stores.sessions,
    signer: joseSigner({ issuer: 'https://chat.example.com', audience: 'chat', keys: [key] }),
  })
  return { auth, stores }
}

const session = (id, userId) => {
  const now = new Date()
  const end = new Date(now.getTime() + 86_400_000)
  const times = { authenticatedAt: now, createdAt: now, lastSeenAt: now, idleExpiresAt: end, expiresAt: end }
  const fixed = { kind: 'login', scope: '*', methods: ['pwd'], userAgent: null, refresh: null, endedAt: null, endReason: null }
  return { id, userId, ip: '127.0.0.1', ...times, ...fixed }
}

const heap = () => {
  globalThis.gc()
  globalThis.gc()
  return process.memoryUsage().heapUsed
}

async function tokenOf(id, userId) {
  const iat = Math.floor(Date.now() / 1000)
  const claims = { sub: userId, sid: id, iat, exp: iat + 3600, jti: id, auth_time: iat, amr: ['pwd'], scope: '*' }
  return joseSigner({ issuer: 'https://chat.example.com', audience: 'chat', keys: [key] }).sign(claims)
}

const requestWith = (token) => ({
  headersDistinct: { authorization: [`Bearer ${token}`] },
  headers: {},
  socket: { remoteAddress: '127.0.0.1' },
})

/** Microseconds a guarded request takes when its session has to be looked up, median of many. */
async function guardCost(auth, count) {
  const picked = Array.from({ length: 500 }, (_, i) => Math.floor((i * count) / 500))
  const requests = await Promise.all(picked.map(async (i) => requestWith(await tokenOf(`s${i}`, `u${i % 1000}`))))
  for (const request of requests.slice(0, 50)) await auth.authenticate(request)
  const times = []
  for (const request of requests.slice(50)) {
    const from = performance.now()
    await auth.authenticate(request)
    times.push((performance.now() - from) * 1000)
  }
  return times.sort((a, b) => a - b)[Math.floor(times.length / 2)]
}

async function measureSessions(count) {
  const { auth, stores } = start()
  const before = heap()
  for (let i = 0; i < count; i += 1) await stores.sessions.create(session(`s${i}`, `u${i % 1000}`))
  const bytes = (heap() - before) / count
  const micros = await guardCost(auth, count)
  const purged = await stores.sessions.purge(new Date(Date.now() + 2 * 86_400_000))
  await auth.close()
  return { bytes, micros, purged }
}

async function measureSockets(count) {
  const { auth, stores } = start()
  const principals = []
  for (let i = 0; i < count; i += 1) {
    await stores.sessions.create(session(`s${i}`, `u${i}`))
    principals.push(await auth.authenticate(requestWith(await tokenOf(`s${i}`, `u${i}`))))
  }
  let closed = 0
  const sockets = principals.map(() => ({ close: () => (closed += 1), terminate() {}, once() {}, on() {} }))
  const before = heap()
  const tracked = principals.map((principal, i) => auth.sockets.track(sockets[i], principal))
  await new Promise((resolve) => setTimeout(resolve, 50))
  const bytes = (heap() - before) / count
  const times = []
  for (let i = 0; i < 100; i += 1) {
    const from = performance.now()
    await auth.sessions.revoke(`s${i}`)
    times.push((performance.now() - from) * 1000)
  }
  if (closed !== 100 || tracked.length !== count) throw new Error(`${closed} sockets were closed, not 100`)
  await auth.close()
  return { bytes, micros: times.sort((a, b) => a - b)[50] }
}

const say = (line) => process.stdout.write(`${line}\n`)
await measureSessions(1000)
const [few, many] = [await measureSessions(1000), await measureSessions(100_000)]
say(
  `guarded request, session looked up: ${few.micros.toFixed(0)} us beside 1,000 sessions, ${many.micros.toFixed(0)} us beside 100,000`,
)
say(`memory store: ${many.bytes.toFixed(0)} bytes a session; purge deleted ${many.purged} of 100,000`)
await measureSockets(100)
const [small, large] = [await measureSockets(100), await measureSockets(10_000)]
say(`tracked sockets: ${large.bytes.toFixed(0)} bytes each at 10,000`)
say(`ending one session: ${small.micros.toFixed(0)} us beside 100 sockets, ${large.micros.toFixed(0)} us beside 10,000`)
