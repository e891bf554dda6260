import type { RateLimiterMemory } from 'rate-limiter-flexible'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { get, post } from '../support/client.js'
import { password, passwordHash, startHost, type TestHost } from '../support/host.js'
import { memoryLimiter } from '../support/memory-limiter.js'

afterEach(() => vi.useRealTimers())

const from = (ip: string) => ({ 'X-Forwarded-For': ip })
const behindProxy = {
  before: (app: { set(name: string, value: unknown): unknown }) => void app.set('trust proxy', 1),
}
const guess = (host: TestHost, username = 'alice', headers = {}) =>
  post(host, '/login', { username, password: 'wrong' }, headers)
const right = (host: TestHost, username = 'alice', headers = {}) =>
  post(host, '/login', { username, password }, headers)
const times = async (count: number, work: () => PromiseLike<{ status: number }>) => {
  const statuses: number[] = []
  for (let i = 0; i < count; i += 1) statuses.push((await work()).status)
  return statuses
}

describe('wrong passwords', () => {
  it('are five per name and network in 15 minutes; then even the right one waits', async () => {
    const host = await startHost()
    vi.useFakeTimers({ toFake: ['Date'] })
    expect(await times(6, () => guess(host))).toEqual([401, 401, 401, 401, 401, 429])
    const waiting = await right(host)
    expect(waiting.status).toBe(429)
    expect(waiting.headers['retry-after']).toBe('900')
    expect(waiting.body).toEqual({
      success: false,
      status: 'error',
      error: 'too-many-requests',
      message: 'Too many attempts. Try again later.',
      details: { retryAfter: 900 },
    })
    expect(host.events.at(-1)).toMatchObject({
      type: 'login.throttled',
      scope: 'identifier',
      retryAfter: 900,
    })
    vi.setSystemTime(Date.now() + 901_000)
    expect((await right(host)).status).toBe(200)
  })

  it('are counted alike for names that belong to nobody', async () => {
    const host = await startHost()
    expect(await times(6, () => guess(host, 'nobody'))).toEqual([401, 401, 401, 401, 401, 429])
  })

  it('are counted together however the name is written, and whichever field it is in', async () => {
    const host = await startHost()
    for (const body of [
      { username: 'alice' },
      { username: 'ALICE' },
      { user: 'Alice' },
      { user: 'alice' },
      { username: 'aLiCe' },
    ]) {
      await post(host, '/login', { ...body, password: 'wrong' })
    }
    expect((await right(host)).status).toBe(429)
  })

  it('do not lock the user out of another network', async () => {
    const host = await startHost(behindProxy)
    await times(6, () => guess(host, 'alice', from('203.0.113.7')))
    expect((await right(host, 'alice', from('203.0.113.7'))).status).toBe(429)
    expect((await right(host, 'alice', from('198.51.100.1'))).status).toBe(200)
  })

  it('are counted by /64 of IPv6, which is what one subscriber has', async () => {
    const host = await startHost(behindProxy)
    for (let i = 0; i < 5; i += 1) await guess(host, 'alice', from(`2001:db8:1:2::${i}`))
    expect((await right(host, 'alice', from('2001:db8:1:2:ffff::1'))).status).toBe(429)
    expect((await right(host, 'alice', from('2001:db8:1:3::1'))).status).toBe(200)
  })

  it('are forgotten after a right one', async () => {
    const host = await startHost()
    await times(4, () => guess(host))
    expect((await right(host)).status).toBe(200)
    expect(await times(5, () => guess(host))).toEqual([401, 401, 401, 401, 401])
  })

  it('say in RateLimit headers how many are left', async () => {
    const host = await startHost()
    await guess(host)
    const { headers } = await guess(host)
    expect(headers).toMatchObject({ 'ratelimit-limit': '5', 'ratelimit-remaining': '3' })
    expect(Number(headers['ratelimit-reset'])).toBeGreaterThan(890)
  })
})

describe('a network', () => {
  it('has a ceiling over all names, and no counter is kept for the names it tries beyond it', async () => {
    const made: RateLimiterMemory[] = []
    const limiter = (settings: { keyPrefix: string; points: number; duration: number }) => {
      const one = memoryLimiter(settings)
      made.push(one)
      return one
    }
    const host = await startHost({
      options: { throttle: { network: { points: 3, duration: 60 }, limiter } },
    })
    host.users.add({ id: 'u-bob', username: 'bob', passwordHash })
    const statuses: number[] = []
    for (let i = 0; i < 5; i += 1) statuses.push((await guess(host, `name${i}`)).status)
    expect(statuses).toEqual([401, 401, 401, 429, 429])
    expect((await right(host, 'bob')).status).toBe(429)
    expect(made.find(({ keyPrefix }) => keyPrefix === 'mar-login')?.dump().storage).toHaveLength(3)
    expect(host.events.at(-1)).toMatchObject({ type: 'login.throttled', scope: 'network' })
  })

  it('is not charged for logins that were right, nor for attempts its account limit refused', async () => {
    const host = await startHost({
      options: { throttle: { network: { points: 8, duration: 60 } } },
    })
    host.users.add({ id: 'u-bob', username: 'bob', passwordHash })
    await times(10, () => right(host))
    await times(20, () => guess(host))
    expect((await right(host, 'bob')).status).toBe(200)
  })
})

describe('the counters', () => {
  it('out of reach are an outage of logins, not a licence to guess; guarded routes go on', async () => {
    const broken = { consume: () => Promise.reject(new Error('redis down')) }
    let down = false
    const host = await startHost({
      options: {
        throttle: {
          limiter: (settings) => {
            const memory = memoryLimiter(settings)
            return new Proxy(memory, {
              get: (target, name, receiver) =>
                down && name === 'consume' ? broken.consume : Reflect.get(target, name, receiver),
            })
          },
        },
      },
    })
    const { body } = await right(host)
    down = true
    const refused = await right(host)
    expect(refused.status).toBe(503)
    expect(refused.body.error).toBe('temporarily-unavailable')
    expect(
      (await get(host, '/me', { Authorization: `Bearer ${body.data.authToken}` })).status,
    ).toBe(200)
  })

  it('that cannot give a slot back cost nothing but the slot', async () => {
    const host = await startHost({
      options: {
        throttle: {
          limiter: (settings) =>
            Object.assign(memoryLimiter(settings), {
              reward: () => Promise.reject(new Error('redis down')),
              delete: () => Promise.reject(new Error('redis down')),
            }),
        },
      },
    })
    expect((await right(host)).status).toBe(200)
  })

  it('hold digests: no names that people typed, and no addresses', async () => {
    const made: RateLimiterMemory[] = []
    const host = await startHost({
      options: {
        throttle: {
          limiter: (settings) => {
            const one = memoryLimiter(settings)
            made.push(one)
            return one
          },
        },
      },
    })
    await guess(host, 'hunter2-my-password')
    await right(host)
    const keys = made.flatMap((one) => one.dump().storage.map(({ key }) => String(key)))
    expect(keys.length).toBeGreaterThan(3)
    // One digest of each of those that are counted together.
    for (const key of keys) expect(key).toMatch(/^[\w-]{43}(\.[\w-]{43})?(\.known)?$/)
  })
})
