// Counts the calls of functions of this package that one request makes, by the count of V8. A
// callback without a name counts as part of the function that it stands in. Prints JSON.
import { Session } from 'node:inspector/promises'
import express from 'express'
import {
  bcryptHasher,
  createAuthRouter,
  generateSigningKey,
  joseSigner,
} from 'messaging-auth-router'
import { memoryStores } from 'messaging-auth-router/stores/memory'

const password = 'correct horse battery staple'
const passwords = bcryptHasher({ cost: 4, threads: 1, dangerouslyAllowLowCost: true })
const user = {
  id: 'u-alice',
  username: 'alice',
  email: 'alice@example.com',
  name: 'Alice',
  passwordHash: await passwords.hash(password),
}
const signer = joseSigner({
  issuer: 'https://chat.example.com',
  audience: 'chat',
  keys: [await generateSigningKey()],
})
const auth = createAuthRouter({
  users: { findByIdentifier: async () => user, findById: async () => user },
  ...memoryStores(),
  signer,
  encryptionKeys: [Buffer.from('an encryption key for tests only').toString('base64')],
  passwords,
  onEvent() {},
})
const server = express().use('/api/v1', auth).listen(0, '127.0.0.1')
await new Promise((resolve) => server.once('listening', resolve))
const base = `http://127.0.0.1:${server.address().port}/api/v1`
const ownFiles = new URL('../../dist/', import.meta.url).href
// What is held of zod is not this package's own.
const isOwn = ({ url }) => url.startsWith(ownFiles) && !url.endsWith('/zod.js')

const session = new Session()
session.connect()
await session.post('Profiler.enable')

const rest = () => new Promise((resolve) => setTimeout(resolve, 100))

// Timers and the threads that hash call functions of their own meanwhile: the least of five is what
// the request itself calls.
async function callsOf(ask) {
  // Warm: caches are filled, threads have started, code is loaded.
  for (let i = 0; i < 5; i += 1) await ask()
  const counts = []
  for (let i = 0; i < 5; i += 1) counts.push(await callsOfOne(ask))
  return Math.min(...counts)
}

async function callsOfOne(ask) {
  await rest()
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  await session.post('Profiler.takePreciseCoverage')
  await ask()
  await rest()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  await session.post('Profiler.stopPreciseCoverage')
  const named = result
    .filter(isOwn)
    .flatMap(({ functions }) => functions.filter(({ functionName }) => functionName !== ''))
  return named.reduce((sum, { ranges }) => sum + ranges[0].count, 0)
}

async function asked(path, init) {
  const response = await fetch(base + path, init)
  if (response.status !== 200) throw new Error(`${path}: ${response.status}`)
  return response.json()
}
const logIn = () =>
  asked('/login', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'alice', password }),
  })
const login = await callsOf(logIn)
const { data } = await logIn()
const headers = { authorization: `Bearer ${data.authToken}` }
const me = await callsOf(() => asked('/me', { headers }))
process.stdout.write(JSON.stringify({ login, me }))
process.exit(0)
