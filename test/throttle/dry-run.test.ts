import type { RateLimiterMemory } from 'rate-limiter-flexible'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { post } from '../support/client.js'
import { from, guess, guessedAt, network, right, statusesOf, tally } from '../support/guessing.js'
import { password, totpSecret } from '../support/host.js'
import { memoryLimiter } from '../support/memory-limiter.js'

const throttled = (host: Awaited<ReturnType<typeof guessedAt>>) =>
  host.events.filter(({ type }) => type === 'login.throttled')

describe('throttle.dryRun', () => {
  it('refuses nobody for wrong passwords, and reports each that would have been refused', async () => {
    const host = await guessedAt({ throttle: { dryRun: true } })
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    expect(tally(await statusesOf(8, () => guess(host)))).toEqual({ 401: 8 })
    expect(throttled(host)).toHaveLength(3)
    expect(throttled(host)[0]).toMatchObject({ scope: 'identifier', dryRun: true, retryAfter: 900 })
    expect((await right(host)).status).toBe(200)
  })

  it('counts as it would without: every limit of passwords is reported', async () => {
    const limits = {
      network: { points: 2, duration: 900 },
      unknownNetworks: { points: 4, duration: 900 },
    }
    const host = await guessedAt({ throttle: { dryRun: true, ...limits } })
    await statusesOf(3, (i) => guess(host, '10.0.0.1', `name${i}`))
    await statusesOf(5, (i) => guess(host, network(i)))
    const scopes = throttled(host).map((event) => (event as { scope?: string }).scope)
    expect(scopes).toEqual(['network', 'unknown-networks'])
  })

  it('holds nobody up: right passwords at once do not wait for each other', async () => {
    const host = await guessedAt({
      throttle: { dryRun: true, account: { points: 1, duration: 900 } },
    })
    const answers = await Promise.all(
      Array.from({ length: 8 }, () => right(host).then(({ status }) => status)),
    )
    expect(tally(answers)).toEqual({ 200: 8 })
  })

  it('leaves the limit of second-factor codes in force', async () => {
    const host = await guessedAt({ throttle: { dryRun: true } })
    await host.auth.secondFactors.importTotp({ userId: 'u-alice', secret: totpSecret })
    const code = () =>
      post(host, '/login', { username: 'alice', password, code: 'wrong' }, from('203.0.113.7'))
    expect(await statusesOf(11, code)).toEqual([...Array<number>(10).fill(401), 429])
    expect(throttled(host).at(-1)).toMatchObject({
      scope: 'second-factor',
      userId: 'u-alice',
      dryRun: false,
    })
  })

  it('refuses no token either', async () => {
    const host = await guessedAt({
      throttle: { dryRun: true, endpoints: { points: 1, duration: 900 } },
    })
    const refresh = () => post(host, '/auth/refresh', { refreshToken: 'made-up' })
    expect(await statusesOf(3, refresh)).toEqual([400, 400, 400])
    expect(throttled(host)).toHaveLength(2)
  })

  it('says so at the start, once', async () => {
    const lines = (host: Awaited<ReturnType<typeof guessedAt>>) =>
      host.log.filter(({ message }) => message.includes('dryRun')).map(({ level }) => level)
    expect(lines(await guessedAt({ throttle: { dryRun: true } }))).toEqual(['warn'])
    expect(lines(await guessedAt({ throttle: { dryRun: false } }))).toEqual([])
  })

  it.each<[string, (name: PropertyKey) => unknown]>([
    ['throw', () => () => Promise.reject(new Error('redis down'))],
    ['hang', () => () => new Promise(() => {})],
    ['answer nonsense', () => async () => 'OK'],
  ])('lets logins pass while the counters %s, and reports the failure', async (_name, failing) => {
    const limiter = (settings: ConstructorParameters<typeof RateLimiterMemory>[0]) =>
      new Proxy(memoryLimiter(settings), {
        get: (target, name) =>
          typeof Reflect.get(target, name) === 'function'
            ? failing(name)
            : Reflect.get(target, name),
      })
    const host = await guessedAt({ storeTimeout: 400, throttle: { dryRun: true, limiter } })
    expect((await right(host)).status).toBe(200)
    expect((await guess(host)).status).toBe(401)
    expect(host.events.map(({ type }) => type)).toContain('host.failed')
  })
})
