import { afterEach, describe, expect, it, vi } from 'vitest'
import type { LimiterSettings } from '../../src/index.js'
import { totpCode } from '../../src/testing/testing.js'
import { post } from '../support/client.js'
import { gate } from '../support/gate.js'
import {
  from,
  guess,
  guessedAt,
  holdingHasher,
  right,
  statusesOf,
  tally,
} from '../support/guessing.js'
import { password, totpSecret } from '../support/host.js'
import { memoryLimiter } from '../support/memory-limiter.js'

afterEach(() => vi.useRealTimers())

const atOnce = async (count: number, ask: (i: number) => PromiseLike<{ status: number }>) =>
  tally(
    (await Promise.all(Array.from({ length: count }, async (_none, i) => ask(i)))).map(
      ({ status }) => status,
    ),
  )

describe('50 wrong passwords at once', () => {
  it('are five judged ones', async () => {
    const { hasher, state } = holdingHasher()
    state.holding = false
    const host = await guessedAt({ passwords: hasher })
    await guess(host, '198.51.100.1', 'nobody')
    state.judged = 0
    expect(await atOnce(50, () => guess(host))).toEqual({ 401: 5, 429: 45 })
    expect(state.judged).toBe(5)
    expect(Number((await right(host)).headers['retry-after'])).toBeGreaterThan(890)
  })

  it('are refused also where right ones without their second factor come and go among them', async () => {
    const host = await guessedAt()
    await host.auth.secondFactors.importTotp({ userId: 'u-alice', secret: totpSecret })
    const counts = await atOnce(40, (i) => (i % 2 === 0 ? guess(host) : right(host)))
    expect(counts[429]).toBeGreaterThan(0)
    await statusesOf(5, () => guess(host))
    expect(Number((await right(host)).headers['retry-after'])).toBeGreaterThan(890)
  })
})

describe('a used up limit', () => {
  it('is not opened by right passwords of the window before, which end after it', async () => {
    const { hasher, held, release, state } = holdingHasher()
    const host = await guessedAt({
      passwords: hasher,
      throttle: { account: { points: 3, duration: 60 } },
    })
    await host.auth.secondFactors.importTotp({ userId: 'u-alice', secret: totpSecret })
    vi.useFakeTimers({ toFake: ['Date'] })
    const pending = [right(host).then((r) => r.status), right(host).then((r) => r.status)]
    await vi.waitFor(() => expect(held).toHaveLength(2))
    vi.setSystemTime(Date.now() + 61_000)
    state.holding = false
    expect(await statusesOf(3, () => guess(host))).toEqual([401, 401, 401])
    release()
    expect(await Promise.all(pending)).toEqual([401, 401])
    expect(await statusesOf(5, () => guess(host))).toEqual([429, 429, 429, 429, 429])
    expect(Number((await right(host)).headers['retry-after'])).toBe(60)
  })

  it('is not made by right passwords that are still under judgement', async () => {
    const { hasher, held, release, state } = holdingHasher()
    const host = await guessedAt({ passwords: hasher })
    await host.auth.secondFactors.importTotp({ userId: 'u-alice', secret: totpSecret })
    const pending = Array.from({ length: 4 }, async () => (await right(host)).status)
    await vi.waitFor(() => expect(held).toHaveLength(4))
    state.holding = false
    // The last slot, and wrong; but the four others are not.
    expect((await guess(host)).status).toBe(401)
    release()
    expect(await Promise.all(pending)).toEqual([401, 401, 401, 401])
    const code = totpCode(totpSecret, host.clock())
    expect(
      (await post(host, '/login', { username: 'alice', password, code }, from('203.0.113.7')))
        .status,
    ).toBe(200)
  })
})

describe('right passwords at once', () => {
  it('all come in, also more than the limit: they wait for each other', async () => {
    const host = await guessedAt()
    expect(await atOnce(20, () => right(host))).toEqual({ 200: 20 })
  })

  it('come in also where the ceiling of their network is what they wait for', async () => {
    const host = await guessedAt({ throttle: { network: { points: 3, duration: 900 } } })
    for (let burst = 0; burst < 2; burst += 1)
      expect(await atOnce(15, () => right(host))).toEqual({ 200: 15 })
  })

  it('wait, 20 of them; the others are told to come back in a second, and are not counted', async () => {
    const { hasher, held, release } = holdingHasher()
    const host = await guessedAt({ passwords: hasher })
    let refused = 0
    const answers = Array.from({ length: 30 }, async () => {
      const response = await right(host)
      if (response.status === 429) {
        expect(response.headers['retry-after']).toBe('1')
        refused += 1
      }
      return response.status
    })
    await vi.waitFor(() => expect([held.length, refused]).toEqual([5, 5]))
    release()
    expect(tally(await Promise.all(answers))).toEqual({ 200: 25, 429: 5 })
    expect(await statusesOf(6, () => guess(host))).toEqual([401, 401, 401, 401, 401, 429])
  })

  it(
    'come in also where the slot came free while the counter was still saying that there is ' +
      'none',
    async () => {
      const { hasher, held, release } = holdingHasher()
      const slow = gate()
      const limiter = (settings: LimiterSettings) => {
        const memory = memoryLimiter(settings)
        const consume = memory.consume.bind(memory)
        const slowly = async (refusal: unknown) => {
          await slow.pass()
          throw refusal
        }
        return Object.assign(memory, {
          consume: (key: string, points?: number) => consume(key, points).catch(slowly),
        })
      }
      const host = await guessedAt({
        passwords: hasher,
        throttle: { limiter, account: { points: 1, duration: 900 } },
      })
      const first = right(host).then(({ status }) => status)
      await vi.waitFor(() => expect(held).toHaveLength(1))
      const refusedSlowly = slow.shut()
      const second = right(host).then(({ status }) => status)
      await refusedSlowly
      release()
      expect(await first).toBe(200)
      slow.open()
      expect(await second).toBe(200)
    },
  )

  it('come in as soon as there are slots: a sign-in that frees several lets several in', async () => {
    const { hasher, held, release } = holdingHasher()
    const host = await guessedAt({
      passwords: hasher,
      throttle: { account: { points: 3, duration: 900 } },
    })
    const guesses = Array.from({ length: 2 }, async () => (await guess(host)).status)
    await vi.waitFor(() => expect(held).toHaveLength(2))
    for (const judge of held.splice(0)) judge()
    expect(await Promise.all(guesses)).toEqual([401, 401])
    const answers = Array.from({ length: 3 }, async () => (await right(host)).status)
    await vi.waitFor(() => expect(held).toHaveLength(1))
    await new Promise((resolve) => setTimeout(resolve, 50))
    held[0]?.()
    // Its own slot, and the two that the wrong ones had.
    await vi.waitFor(() => expect(held).toHaveLength(3))
    release()
    expect(await Promise.all(answers)).toEqual([200, 200, 200])
  })

  it('that wait behind wrong ones are refused with the whole pause once those are judged', async () => {
    const { hasher, held, release } = holdingHasher()
    const host = await guessedAt({ passwords: hasher })
    const guesses = Array.from({ length: 5 }, async () => (await guess(host)).status)
    await vi.waitFor(() => expect(held).toHaveLength(5))
    const waiting = Array.from({ length: 10 }, () => right(host).then((response) => response))
    await new Promise((resolve) => setTimeout(resolve, 50))
    release()
    expect(await Promise.all(guesses)).toEqual([401, 401, 401, 401, 401])
    for (const { status, headers } of await Promise.all(waiting)) {
      expect(status).toBe(429)
      expect(Number(headers['retry-after'])).toBeGreaterThan(890)
    }
  })
})
