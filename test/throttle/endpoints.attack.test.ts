import { afterEach, describe, expect, it, vi } from 'vitest'
import type { LimiterSettings } from '../../src/index.js'
import { logIn, obtainCode, pkcePair, post } from '../support/client.js'
import { from, guessedAt, statusesOf } from '../support/guessing.js'
import type { TestHost } from '../support/host.js'
import { memoryLimiter } from '../support/memory-limiter.js'
import { expectAnswer } from '../support/two-factor.js'

afterEach(() => vi.useRealTimers())

const attacker = from('198.51.100.66')
const refresh = (host: TestHost, refreshToken: string, headers = {}) =>
  post(host, '/auth/refresh', { refreshToken }, headers)
const redeem = (host: TestHost, body: object, headers = {}) =>
  post(host, '/auth/pkce/token', body, headers)
const madeUp = () => ({ authorizationCode: 'made-up', codeVerifier: pkcePair().codeVerifier })

/** A host that allows three failures, and counts the calls of its counters for endpoints. */
async function start() {
  const calls: string[] = []
  const limiter = (settings: LimiterSettings) =>
    new Proxy(memoryLimiter(settings), {
      get(target, name, receiver) {
        const value: unknown = Reflect.get(target, name, receiver)
        if (typeof value !== 'function' || settings.keyPrefix !== 'mar-endpoint') return value
        return (...args: unknown[]) => {
          calls.push(String(name))
          return Reflect.apply(value, target, args)
        }
      },
    })
  const host = await guessedAt({ throttle: { endpoints: { points: 3, duration: 900 }, limiter } })
  return { host, calls }
}

describe('refused codes and refresh tokens', () => {
  it('are 300 in 15 minutes per network where the host says nothing', async () => {
    const host = await guessedAt()
    const { headers } = await refresh(host, 'made-up')
    expect(headers).toMatchObject({
      'ratelimit-limit': '300',
      'ratelimit-remaining': '299',
      'ratelimit-reset': '900',
    })
  })

  it('stop their network at that endpoint, without another call, until the window ends', async () => {
    const { host, calls } = await start()
    vi.useFakeTimers({ toFake: ['Date'] })
    expect(await statusesOf(3, () => refresh(host, 'made-up', attacker))).toEqual([400, 400, 400])
    const before = calls.length
    const limited = await refresh(host, 'made-up', attacker)
    expectAnswer(limited, 429, 'too-many-requests')
    expect(limited.headers).toMatchObject({
      'retry-after': '900',
      'ratelimit-limit': '3',
      'ratelimit-remaining': '0',
    })
    expect(limited.body.details).toEqual({ retryAfter: 900 })
    expect(calls).toHaveLength(before)
    expect(host.events.at(-1)).toMatchObject({ type: 'login.throttled', scope: 'endpoint' })
    expect((await redeem(host, madeUp(), attacker)).status).toBe(400)
    vi.setSystemTime(Date.now() + 901_000)
    expect((await refresh(host, 'made-up', attacker)).status).toBe(400)
  })

  it('of others do not touch right ones, which cost the counters no call', async () => {
    const { host, calls } = await start()
    await statusesOf(4, () => refresh(host, 'made-up', attacker))
    await statusesOf(4, () => redeem(host, madeUp(), attacker))
    const before = calls.length
    const { authToken } = await logIn(host)
    let { body } = await redeem(host, await obtainCode(host, authToken))
    for (let i = 0; i < 5; i += 1) {
      const response = await refresh(host, body.refresh_token)
      expect(response.status).toBe(200)
      body = response.body
    }
    expect(calls).toHaveLength(before)
  })

  it('of neighbours behind the same address do not touch a right one', async () => {
    const { host } = await start()
    const { authToken } = await logIn(host)
    const { body } = await redeem(host, await obtainCode(host, authToken))
    expect(await statusesOf(5, () => refresh(host, 'made-up', attacker))).toEqual([
      400, 400, 400, 429, 429,
    ])
    expect((await refresh(host, body.refresh_token, attacker)).status).toBe(200)
    expect(await statusesOf(5, () => redeem(host, madeUp(), attacker))).toEqual([
      400, 400, 400, 429, 429,
    ])
    expect((await redeem(host, await obtainCode(host, authToken), attacker)).status).toBe(200)
  })

  it('do not count where they are no tokens at all', async () => {
    const { host } = await start()
    expect(await statusesOf(5, () => post(host, '/auth/refresh', {}, attacker))).toEqual([
      400, 400, 400, 400, 400,
    ])
    expect((await refresh(host, 'made-up', attacker)).body.error).toBe('invalid_grant')
  })
})
