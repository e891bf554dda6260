// Ten thousand logout tokens in a minute, forged or right: each costs the same, and none stays.
import '../support/steps.js'
import { Agent, request as send } from 'node:http'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { JWTPayload } from 'jose'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { clientId, foreign, providerAt, sign, startIssuer } from '../providers/evil-issuer.js'
import { bearer, get } from '../support/client.js'
import type { TestHost } from '../support/host.js'
import { stepsUntil } from '../support/steps.js'
import { ada, connected, fakeProvider, signIn, startProviders } from './provider-host.js'

const many = 10_000
const events = { 'http://schemas.openid.net/event/backchannel-logout': {} }
const attacker = '203.0.113.7'

/** A provider that reads real logout tokens, and where alice has signed in by ada. */
async function start() {
  // A busy machine may take longer than tokens and limits live.
  vi.useFakeTimers({ toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const issuer = await startIssuer()
  const { readLogoutToken = async () => null } = providerAt(issuer)
  const provider = fakeProvider({ readLogoutToken })
  const identity = { ...ada, issuer: issuer.issuer, sid: 'session 1' }
  provider.answer = { outcome: 'identified', identity }
  const host = await startProviders({
    provider,
    // On a busy machine a connection waits for longer than a server keeps it.
    server: { keepAliveTimeout: 0 },
    before: (app) => void app.set('trust proxy', 'loopback'),
  })
  await connected(host, 'u-alice', identity)
  const session = bearer((await signIn(host)).body.data.authToken)
  const claims = (jti: string, about: JWTPayload = { sub: 'nobody' }) => {
    const iat = Math.floor(Date.now() / 1000)
    return { iss: issuer.issuer, aud: clientId, iat, exp: iat + 120, jti, events, ...about }
  }
  const isLive = async () => (await get(host, '/me', session)).status === 200
  return { issuer, claims, isLive, post: poster(host) }
}

/** Sends tokens, forty at a time; counts the answers by their status. */
function poster({ url }: TestHost) {
  const agent = new Agent({ keepAlive: true, maxSockets: 40 })
  onTestFinished(() => agent.destroy())
  const post = (token: string, from: string) =>
    new Promise<number>((resolve, reject) => {
      const headers = {
        'Content-Type': 'application/x-www-form-urlencoded',
        'X-Forwarded-For': from,
      }
      send(`${url}/auth/providers/fake/backchannel-logout`, { method: 'POST', agent, headers })
        .once('response', (answer) => {
          answer.resume().once('end', () => resolve(answer.statusCode ?? 0))
        })
        .once('error', reject)
        .end(`logout_token=${token}`)
    })
  return async (tokens: readonly string[], from = '198.51.100.1') => {
    const counts: Record<number, number> = {}
    for (const status of await Promise.all(tokens.map((token) => post(token, from))))
      counts[status] = (counts[status] ?? 0) + 1
    return counts
  }
}

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

/** Steps, and the bytes that stay. */
async function costOf(work: () => Promise<unknown>) {
  collect()
  const heap = process.memoryUsage().heapUsed
  const steps = await stepsUntil(work)
  collect()
  return { steps, bytes: process.memoryUsage().heapUsed - heap }
}

/** Posts a third of them, and then the rest: twice as many take twice as many steps. */
async function expectLinear(tokens: readonly string[], post: (some: string[]) => Promise<unknown>) {
  const third = Math.floor(tokens.length / 3)
  const once = await costOf(() => post(tokens.slice(0, third)))
  const twice = await costOf(() => post(tokens.slice(third)))
  expect(twice.steps / once.steps).toBeLessThan(2.1)
  // With the events that the test keeps of each.
  expect((once.bytes + twice.bytes) / tokens.length).toBeLessThan(6000)
}

describe('Ten thousand logout tokens', () => {
  it('that are forged end nothing, and make few requests to the provider', async () => {
    const { issuer, claims, isLive, post } = await start()
    const about = { sub: ada.subject }
    const forged = [
      await sign(claims('a', about), {}, foreign.privateKey),
      await sign(claims('b', about), { kid: 'unknown' }, foreign.privateKey),
      `${'e'.repeat(4000)}.${'e'.repeat(4000)}.e`,
    ]
    const tokens = Array.from({ length: many }, (_, index) => forged[index % 3] as string)
    const statuses = await post(tokens.slice(0, 400), attacker)
    expect(Object.keys(statuses)).toEqual(['400', '429'])
    await expectLinear(tokens.slice(400), (some) => post(some, attacker))
    expect(await isLive()).toBe(true)
    // Discovery and keys, and once more for the unknown key.
    expect(issuer.asked.requests.length).toBeLessThanOrEqual(4)
    // What the provider itself sends, from its own network, is still heard.
    const own = await sign(claims('own', { ...about, sid: 'session 1' }))
    expect(await post([own])).toEqual({ 200: 1 })
    expect(await isLive()).toBe(false)
  })

  it('that are right cost as much each as the first ones', async () => {
    const { claims, isLive, post } = await start()
    const tokens = await Promise.all(
      Array.from({ length: many }, (_, index) => sign(claims(`jti ${index}`))),
    )
    expect(await post(tokens.slice(0, 400))).toEqual({ 200: 400 })
    await expectLinear(tokens.slice(400), post)
    expect(await post(tokens.slice(-200))).toEqual({ 400: 200 })
    expect(await isLive()).toBe(true)
  })
})
