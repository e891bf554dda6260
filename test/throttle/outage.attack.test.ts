import { describe, expect, it, vi } from 'vitest'
import type { LimiterSettings, ThrottleOptions } from '../../src/index.js'
import { type Count, type Counter, createAsk } from '../../src/throttle/counter.js'
import { createSlots, type Slot, wanted } from '../../src/throttle/slots.js'
import { bearer, get, logIn, post } from '../support/client.js'
import { guess, guessedAt, holdingHasher, right, statusesOf } from '../support/guessing.js'
import { memoryLimiter } from '../support/memory-limiter.js'
import { expectAnswer } from '../support/two-factor.js'

/** A host whose counters fail in one of their methods, once told to. */
async function withFailing(
  method: string,
  failure: () => Promise<unknown>,
  options: { storeTimeout?: number; throttle?: ThrottleOptions } = {},
) {
  const state = { down: false }
  const limiter = (settings: LimiterSettings) =>
    new Proxy(memoryLimiter(settings), {
      get: (target, name, receiver) =>
        state.down && name === method ? failure : Reflect.get(target, name, receiver),
    })
  const host = await guessedAt({ ...options, throttle: { ...options.throttle, limiter } })
  return { host, state }
}

const failures: [string, () => Promise<unknown>][] = [
  [
    'throws',
    () => Promise.reject(new Error('READONLY You can’t write against a read only replica.')),
  ],
  ['hangs', () => new Promise(() => {})],
  ['answers nothing', async () => undefined],
  ['answers text', async () => 'OK'],
  [
    'answers a count that is none',
    async () => ({ consumedPoints: Number.NaN, msBeforeNext: 1000, remainingPoints: 4 }),
  ],
  ['answers no time', async () => ({ consumedPoints: 1, remainingPoints: 4 })],
  ['rejects with nothing', () => Promise.reject(undefined)],
  ['rejects with text', () => Promise.reject('down')],
]

describe.each(failures)('a counter that %s', (_name, failure) => {
  it(
    'is an outage of logins, right or wrong: 503 with Retry-After; signed-in requests notice ' +
      'nothing',
    async () => {
      const { host, state } = await withFailing('consume', failure, { storeTimeout: 400 })
      const { authToken } = await logIn(host)
      state.down = true
      for (const response of [await right(host), await guess(host)])
        expectAnswer(response, 503, 'temporarily-unavailable')
      expect((await get(host, '/me', bearer(authToken))).status).toBe(200)
      expect(host.events.some(({ type }) => type === 'login.throttled')).toBe(false)
      state.down = false
      expect((await right(host)).status).toBe(200)
    },
  )
})

describe('a counter that fails half way', () => {
  it.each(['penalty', 'get', 'set', 'delete', 'reward'])(
    'at %s: never more tries than the limit',
    async (method) => {
      const { host, state } = await withFailing(method, () => Promise.reject(new Error('down')))
      state.down = true
      const whileDown = await statusesOf(3, () => guess(host))
      state.down = false
      expect([...whileDown, ...(await statusesOf(4, () => guess(host)))]).toEqual([
        401, 401, 401, 401, 401, 429, 429,
      ])
    },
  )

  it('at get, where only known networks may go on: 503 for all of them, and for nobody’s name', async () => {
    const { host, state } = await withFailing('get', () => Promise.reject(new Error('down')), {
      throttle: { network: { points: 1, duration: 900 } },
    })
    expect((await right(host)).status).toBe(200)
    expect((await guess(host, undefined, 'nobody')).status).toBe(401)
    state.down = true
    for (const response of [await right(host), await guess(host, undefined, 'nobody')]) {
      expectAnswer(response, 503, 'temporarily-unavailable')
    }
  })

  it('at set or delete: a right password comes in all the same, and its network is not known', async () => {
    for (const method of ['set', 'delete', 'reward']) {
      const { host, state } = await withFailing(method, () => Promise.reject(new Error('down')))
      state.down = true
      expect((await right(host)).status).toBe(200)
      expect(host.events.map(({ type }) => type)).toContain('host.failed')
    }
  })

  it('does not turn a refused token into something else', async () => {
    const { host, state } = await withFailing('consume', () => Promise.reject(new Error('down')))
    state.down = true
    expectAnswer(
      await post(host, '/auth/refresh', { refreshToken: 'made-up' }),
      400,
      'invalid_grant',
    )
  })
})

describe('a limiter that refuses without counting, as with inMemoryBlockOnConsumed', () => {
  it('is given nothing back: refused attempts earn no tries', async () => {
    const rewarded: string[] = []
    const limiter = (settings: LimiterSettings) => {
      const memory = memoryLimiter(settings)
      const { consume, reward } = memory
      return Object.assign(memory, {
        consume: async (key: string, points?: number) => {
          const standing = await memory.get(key)
          if (
            settings.keyPrefix !== 'mar-login' ||
            (standing?.consumedPoints ?? 0) < settings.points
          ) {
            return consume.call(memory, key, points)
          }
          throw Object.assign(Object.create(null), {
            consumedPoints: 0,
            remainingPoints: 0,
            msBeforeNext: 5000,
          })
        },
        reward: (key: string, points?: number) => {
          rewarded.push(settings.keyPrefix)
          return reward.call(memory, key, points)
        },
      })
    }
    const host = await guessedAt({ throttle: { limiter } })
    expect(await statusesOf(9, () => guess(host))).toEqual([
      401, 401, 401, 401, 401, 429, 429, 429, 429,
    ])
    expect(rewarded).not.toContain('mar-login')
  })
})

describe('a counter that counts, and answers too late', () => {
  it(
    'has given everything back once it has woken up: whoever came again and again was not ' +
      'guessing',
    async () => {
      let stalled = false
      let wakeUp = () => {}
      const awake = new Promise<void>((resolve) => {
        wakeUp = resolve
      })
      const limiter = (settings: LimiterSettings) => {
        const memory = memoryLimiter(settings)
        const { consume } = memory
        return Object.assign(memory, {
          consume: async (key: string, points?: number) => {
            if (stalled) await awake
            return consume.call(memory, key, points)
          },
        })
      }
      const throttle = { limiter, network: { points: 6, duration: 900 } }
      const host = await guessedAt({ throttle, storeTimeout: 20 })
      stalled = true
      expect(await statusesOf(8, () => right(host))).toEqual(Array(8).fill(503))
      stalled = false
      wakeUp()
      await vi.waitFor(async () =>
        expect((await guess(host)).headers['ratelimit-remaining']).toBe('4'),
      )
      expect((await right(host)).status).toBe(200)
    },
  )
})

it('an attempt that was woken for a slot and fails leaves it to the next that waits', async () => {
  const count = {
    consumed: 1,
    allowed: true,
    remaining: 0,
    seconds: 900,
    endsAt: Date.now() + 900_000,
  }
  const answers: (() => Promise<Count>)[] = [
    async () => count,
    async () => ({ ...count, allowed: false }),
    async () => ({ ...count, allowed: false }),
    () => Promise.reject(new Error('down')),
    async () => count,
  ]
  const run: Counter['run'] = ({ do: what }) =>
    what === 'take'
      ? (answers.shift()?.() ?? Promise.reject(new Error('asked too often')))
      : Promise.resolve(count)
  const slots = createSlots(
    createAsk(async (_name, work, _accept, asked) => (await work(asked as never)) as never),
  )
  const one = wanted({ keyPrefix: 'test', points: 1, duration: 900, run }, 'key')
  const deadline = Number.POSITIVE_INFINITY
  const take = async () => {
    const held = new Set<Slot>()
    const { first } = await slots.ask([one], held)
    await slots.wait(first, deadline, held)
    return [...held]
  }
  const first = await take()
  const waiting = [take(), take()]
  await slots.refund(first)
  const settled = await Promise.allSettled(waiting)
  expect(settled.map(({ status }) => status)).toEqual(['rejected', 'fulfilled'])
})

describe('where it cannot be found out whether the account knows a network', () => {
  it.each(['mar-known-from', 'mar-known-epoch'])(
    'by %s, a right password is 503 once the account is used up elsewhere, and not a wrong one',
    async (prefix) => {
      let isDown = false
      const limiter = (settings: LimiterSettings) => {
        const memory = memoryLimiter(settings)
        const find = memory.get.bind(memory)
        memory.get = async (...args) => {
          if (isDown && settings.keyPrefix === prefix) throw new Error('down')
          return find(...args)
        }
        return memory
      }
      const throttle = { limiter, accountTotal: { points: 2, duration: 900 } }
      const host = await guessedAt({ throttle })
      expect((await right(host, '10.1.1.1')).status).toBe(200)
      await statusesOf(3, (i) => guess(host, `10.2.${i}.1`))
      isDown = true
      expect((await right(host, '10.1.1.1')).status).toBe(503)
      isDown = false
      expect((await right(host, '10.1.1.1')).status).toBe(200)
    },
  )
})

it('a trial run lets in also where the account’s counter fails when it is asked once more', async () => {
  let asked = 0
  let isAsked: () => void = () => {}
  let answer: () => void = () => {}
  const twice = new Promise<void>((resolve) => {
    isAsked = resolve
  })
  const released = new Promise<void>((resolve) => {
    answer = resolve
  })
  const limiter = (settings: LimiterSettings) => {
    const memory = memoryLimiter(settings)
    if (settings.keyPrefix !== 'mar-account') return memory
    const consume = memory.consume.bind(memory)
    memory.consume = async (...args) => {
      asked += 1
      if (asked === 1) return consume(...args)
      if (asked > 2) throw new Error('down')
      isAsked()
      // Refused while the first is pending, which ends before this is known.
      await released
      throw { consumedPoints: 1, msBeforeNext: 9000, remainingPoints: 0 }
    }
    return memory
  }
  const hasher = holdingHasher()
  const accountTotal = { points: 1, duration: 900 }
  const options = { passwords: hasher.hasher, throttle: { dryRun: true, limiter, accountTotal } }
  const host = await guessedAt(options)
  const first = Promise.resolve(right(host))
  await vi.waitFor(() => expect(hasher.state.judged).toBe(1))
  const second = Promise.resolve(right(host, '10.5.5.5'))
  await twice
  hasher.release()
  expect((await first).status).toBe(200)
  answer()
  expect((await second).status).toBe(200)
  expect(asked).toBe(3)
})
