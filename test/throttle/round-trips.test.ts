// Counters in a store cost a round trip each time they are waited for. Commands that are started in
// the same turn of the event loop go out together, and are one.
import { randomBytes } from 'node:crypto'
import { Redis } from 'ioredis'
import { RateLimiterRedis } from 'rate-limiter-flexible'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { LimiterSettings } from '../../src/index.js'
import { totpCode } from '../../src/testing/testing.js'
import { post } from '../support/client.js'
import { from, guess, guessedAt, right } from '../support/guessing.js'
import { cheapHasher, password, totpSecret } from '../support/host.js'
import { memoryLimiter } from '../support/memory-limiter.js'
import { redisUrl } from '../support/services.js'

const methods = ['consume', 'penalty', 'reward', 'get', 'set', 'delete'] as const
type Command = (typeof methods)[number]
type Commands = Record<Command, (...args: unknown[]) => Promise<unknown>>

/** Notes which commands are started in the same turn, before the first hash and after it. */
function recorder() {
  let turn = 0
  let isHashed = false
  let batches = { before: new Map<number, string[]>(), after: new Map<number, string[]>() }
  let isTurnOver = true
  const note = (command: string) => {
    if (isTurnOver) {
      turn += 1
      isTurnOver = false
      setImmediate(() => {
        isTurnOver = true
      })
    }
    const side = isHashed ? batches.after : batches.before
    side.set(turn, [...(side.get(turn) ?? []), command])
  }
  return {
    note,
    hashed: () => {
      isHashed = true
    },
    restart() {
      isHashed = false
      batches = { before: new Map(), after: new Map() }
    },
    roundTrips: () => ({
      before: [...batches.before.values()],
      after: [...batches.after.values()],
    }),
  }
}

/** A limiter in memory whose answers take as long as a network does. */
function distant(settings: LimiterSettings): Commands {
  const memory = memoryLimiter(settings) as unknown as Commands
  const slowly = (command: Command) => {
    const run = memory[command].bind(memory)
    return async (...args: unknown[]) => {
      await new Promise((resolve) => setTimeout(resolve, 3))
      return run(...args)
    }
  }
  return Object.assign(
    memory,
    Object.fromEntries(methods.map((command) => [command, slowly(command)])),
  )
}

function overRedis(): (settings: LimiterSettings) => Commands {
  const storeClient = new Redis(redisUrl ?? '')
  const prefix = `round-trips-${randomBytes(6).toString('hex')}-`
  onTestFinished(async () => {
    for (const key of await storeClient.keys(`${prefix}*`)) await storeClient.del(key)
    storeClient.disconnect()
  })
  return ({ keyPrefix, ...limits }) =>
    new RateLimiterRedis({
      storeClient,
      keyPrefix: prefix + keyPrefix,
      ...limits,
    }) as unknown as Commands
}

async function start(store: 'memory' | 'Redis') {
  const record = recorder()
  const make = store === 'Redis' ? overRedis() : distant
  const limiter = (settings: LimiterSettings) => {
    const made = make(settings)
    for (const command of methods) {
      const run = made[command].bind(made)
      made[command] = (...args) => {
        record.note(`${settings.keyPrefix} ${command}`)
        return run(...args)
      }
    }
    return made as never
  }
  const passwords = {
    ...cheapHasher,
    async verify(plain: string, hash: string) {
      const matches = await cheapHasher.verify(plain, hash)
      record.hashed()
      return matches
    },
  }
  const host = await guessedAt({ passwords, storeTimeout: 10_000, throttle: { limiter } })
  const roundTripsOf = async (ask: () => PromiseLike<{ status: number }>, status: number) => {
    record.restart()
    expect((await ask()).status).toBe(status)
    return record.roundTrips()
  }
  return { host, roundTripsOf }
}

const stores = redisUrl === null ? (['memory'] as const) : (['memory', 'Redis'] as const)
type Trips = Awaited<ReturnType<Awaited<ReturnType<typeof start>>['roundTripsOf']>>

function expectTwoAnd(most: number, { before, after }: Trips) {
  expect(before.length, JSON.stringify(before)).toBe(2)
  expect(after.length, JSON.stringify(after)).toBe(most)
}

describe.each(stores)(
  'over counters in %s, two round trips before the hash and one or two after it',
  (store) => {
    it.each(['203.0.113.7', '2001:db8:1:1::1'])('a right password, from %s', async (ip) => {
      const { host, roundTripsOf } = await start(store)
      // From a network that the account does not know, and then from one that it knows.
      expectTwoAnd(1, await roundTripsOf(() => right(host, ip), 200))
      expectTwoAnd(1, await roundTripsOf(() => right(host, ip), 200))
    })

    it('a right password after wrong ones', async () => {
      const { host, roundTripsOf } = await start(store)
      for (let i = 0; i < 3; i += 1) await guess(host)
      expectTwoAnd(2, await roundTripsOf(() => right(host), 200))
      await guess(host)
      expectTwoAnd(2, await roundTripsOf(() => right(host), 200))
    })

    it('a wrong password, where the network is known and where it is not', async () => {
      const { host, roundTripsOf } = await start(store)
      expectTwoAnd(1, await roundTripsOf(() => guess(host), 401))
      await right(host)
      expectTwoAnd(2, await roundTripsOf(() => guess(host), 401))
    })

    it('a user that is not there', async () => {
      const { host, roundTripsOf } = await start(store)
      for (let i = 0; i < 2; i += 1)
        expectTwoAnd(1, await roundTripsOf(() => guess(host, '203.0.113.7', 'nobody'), 401))
    })

    it('a sign-in with a second factor, without it, and with a wrong one', async () => {
      const { host, roundTripsOf } = await start(store)
      await host.auth.secondFactors.importTotp({ userId: 'u-alice', secret: totpSecret })
      const withCode = (code: string) => () =>
        post(host, '/login', { username: 'alice', password, code }, from('203.0.113.7'))
      expectTwoAnd(1, await roundTripsOf(() => right(host), 401))
      expectTwoAnd(2, await roundTripsOf(withCode('000000'), 401))
      expectTwoAnd(2, await roundTripsOf(withCode(totpCode(totpSecret, host.clock())), 200))
    })

    it('a second factor after wrong passwords costs one more, whoever mistyped', async () => {
      const { host, roundTripsOf } = await start(store)
      await host.auth.secondFactors.importTotp({ userId: 'u-alice', secret: totpSecret })
      // From a network that the account does not know, and then from one that it knows.
      for (let turn = 0; turn < 2; turn += 1) {
        for (let i = 0; i < 3; i += 1) await guess(host)
        const code = totpCode(totpSecret, host.clock())
        const trips = await roundTripsOf(
          () => post(host, '/login', { username: 'alice', password, code }, from('203.0.113.7')),
          200,
        )
        expectTwoAnd(3, trips)
        host.clock.advance(30)
      }
    })

    it('a name that waits for its window costs one, and its counters get back what they gave', async () => {
      const { host, roundTripsOf } = await start(store)
      for (let i = 0; i < 5; i += 1) await guess(host)
      const { before, after } = await roundTripsOf(() => right(host), 429)
      expect([before.length, after]).toEqual([3, []])
      const commands = before.flat()
      for (const prefix of ['mar-login', 'mar-network', 'mar-unknown'])
        expect(commands.filter((command) => command.startsWith(`${prefix} `))).toEqual([
          `${prefix} consume`,
          `${prefix} reward`,
        ])
    })
  },
)

it('a used-up network makes no counter for the names it tries', async () => {
  const keys = new Map<string, Set<unknown>>()
  const limiter = (settings: LimiterSettings) => {
    const memory = memoryLimiter(settings) as unknown as Commands
    const used = new Set<unknown>()
    keys.set(settings.keyPrefix, used)
    const consume = memory.consume.bind(memory)
    memory.consume = (key, ...rest) => consume(used.add(key) && key, ...rest)
    return memory as never
  }
  const host = await guessedAt({ throttle: { limiter, network: { points: 2, duration: 900 } } })
  for (const name of ['one', 'two', 'three']) await guess(host, '203.0.113.7', name)
  const known = keys.get('mar-login')?.size
  for (let i = 0; i < 10; i += 1)
    expect((await guess(host, '203.0.113.7', `name${i}`)).status).toBe(429)
  expect(keys.get('mar-login')?.size).toBe(known)
})
