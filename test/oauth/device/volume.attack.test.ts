// However many devices and links strangers begin, what is kept of it is bounded, in rows and in
// counters.
import { Agent, createServer, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { expect, it, onTestFinished } from 'vitest'
import {
  createAuthRouter,
  generateSigningKey,
  joseSigner,
  type ThrottleOptions,
} from '../../../src/index.js'
import { memoryOAuthStores, memoryStores } from '../../../src/stores/memory-stores.js'
import { manualClock } from '../../../src/testing/testing.js'
import { pkcePair } from '../../support/client.js'
import { tally } from '../../support/guessing.js'
import { cheapHasher, encryptionKey } from '../../support/host.js'
import { memoryLimiter } from '../../support/memory-limiter.js'
import { deviceLinksOptions } from '../../support/mounted-device-links.js'
import { testUsers } from '../../support/users.js'
import { issuer, ownResource } from '../relying-party.js'
import { cli, other } from './device-host.js'

const networks = 2
/** What a network may begin of each of three kinds: devices of two clients, and links. */
const perNetwork = 20
const rows = networks * perNetwork * 3

/** A server that keeps nothing of what it says. */
async function start() {
  const clock = manualClock(new Date())
  const stores = memoryStores()
  const counters = new Set<string>()
  /** Counts what each process would keep for somebody. */
  const limiter: ThrottleOptions['limiter'] = (settings) => {
    const made = memoryLimiter(settings)
    const consume = made.consume.bind(made)
    made.consume = (key, ...given) => {
      counters.add(`${settings.keyPrefix} ${key}`)
      return consume(key, ...given)
    }
    return made
  }
  const { consents, once } = memoryOAuthStores()
  const auth = createAuthRouter({
    users: testUsers(),
    ...stores,
    clock,
    signer: joseSigner({
      issuer,
      audience: ownResource,
      keys: [await generateSigningKey()],
      clock,
    }),
    encryptionKeys: [encryptionKey],
    passwords: cheapHasher,
    throttle: { limiter },
    logger: { debug() {}, info() {}, warn() {}, error() {} },
    oauth: {
      baseUrl: `${issuer}/api/v1`,
      clients: [cli, other],
      consents,
      once,
      deviceFlow: true,
      scopes: { 'messages:read': 'Read your messages' },
    },
    ...deviceLinksOptions(),
  })
  const app = express().set('trust proxy', 'loopback').use('/api/v1', auth)
  const server = createServer(app)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const agent = new Agent({ keepAlive: true, maxSockets: 40 })
  onTestFinished(async () => {
    agent.destroy()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    await auth.close()
  })
  const { port } = server.address() as AddressInfo
  const post = (path: string, body: object, ip: string) =>
    new Promise<number>((resolve, reject) => {
      const headers = { 'Content-Type': 'application/json', 'X-Forwarded-For': ip }
      send({ port, path: `/api/v1${path}`, method: 'POST', agent, headers })
        .once('response', (answer) => {
          answer.resume().once('end', () => resolve(answer.statusCode ?? 0))
        })
        .once('error', reject)
        .end(JSON.stringify(body))
    })
  return { stores, clock, post, counters }
}

it('of very many devices and links, twenty of each kind and network are kept', async () => {
  const { stores, clock, post, counters } = await start()
  const { codeChallenge } = pkcePair()
  const one = (i: number) => {
    const ip = `10.3.0.${1 + (Math.floor(i / 3) % networks)}`
    if (i % 3 === 0) return post('/auth/device-links', { codeChallenge, name: 'TV' }, ip)
    const client = i % 3 === 1 ? cli : other
    const asked = { client_id: client.id, scope: 'messages:read' }
    return post('/oauth/device_authorization', asked, ip)
  }
  const flood = async (from: number) =>
    tally(await Promise.all(Array.from({ length: rows * 2 }, (_none, i) => one(from + i))))
  expect(await flood(0)).toEqual({ 200: rows, 429: rows })
  // All that may be kept is there by now.
  const counted = counters.size
  expect(counted).toBeGreaterThan(0)
  expect(await flood(rows * 2)).toEqual({ 429: rows * 2 })
  expect(counters.size).toBe(counted)
  expect(await stores.deviceCodes.purge(clock())).toBe(0)
  clock.advance(180)
  // And a row by which the router asks whether the store keeps all of one.
  expect(await stores.deviceCodes.purge(clock())).toBe(rows / 3 + 1)
  clock.advance(420)
  expect(await stores.deviceCodes.purge(clock())).toBe((rows * 2) / 3)
  expect(await stores.deviceCodes.purge(new Date(8.64e15))).toBe(0)
})
