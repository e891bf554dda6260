// The limits over counters that live in a database: one list of promises, for each that the
// documentation names.
import { randomBytes } from 'node:crypto'
import { Redis } from 'ioredis'
import Database from 'libsql'
import { createPool } from 'mysql2'
import pg from 'pg'
import {
  RateLimiterMySQL,
  RateLimiterPostgres,
  RateLimiterRedis,
  RateLimiterSQLite,
} from 'rate-limiter-flexible'
import { createClient } from 'redis'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { LimiterSettings, ThrottleOptions } from '../../src/index.js'
import { bearer, get, logIn, post } from '../support/client.js'
import { freshMysql, freshPostgres } from '../support/fresh-database.js'
import { from, guess, guessedAt, network, right, statusesOf, tally } from '../support/guessing.js'
import { password, type TestHost, totpSecret } from '../support/host.js'
import { canStartRedis, startRedis } from '../support/own-redis.js'
import { mysqlUrl, postgresUrl, redisUrl } from '../support/services.js'

/** A counter store, and all that stands in it as one text. */
interface CounterStore {
  readonly limiter: NonNullable<ThrottleOptions['limiter']>
  content(): Promise<string>
  close(): Promise<unknown>
}

const table = { tableName: 'limits' }
const first = { ...table, keyPrefix: 'first', points: 1, duration: 1 }

// The table is made by the first limiter, which tells when it is there; those of the throttle are
// told that it is.
const made = (make: (done: (error?: Error) => void) => unknown) =>
  new Promise<void>((resolve, reject) => {
    make((error) => (error ? reject(error) : resolve()))
  })

async function overIoredis(): Promise<CounterStore> {
  const client = new Redis(redisUrl ?? '')
  const ask = (command: string, argument: string) =>
    client.call(command, argument) as Promise<string[]>
  return overRedis(ask, client, false, async () => client.disconnect())
}

async function overNodeRedis(): Promise<CounterStore> {
  const client = createClient({ url: redisUrl ?? '' })
  await client.connect()
  const ask = (command: string, argument: string) =>
    client.sendCommand([command, argument]) as unknown as Promise<string[]>
  return overRedis(ask, client, true, async () => client.destroy())
}

function overRedis(
  ask: (command: string, argument: string) => Promise<string[]>,
  storeClient: object,
  useRedisPackage: boolean,
  disconnect: () => Promise<void>,
): CounterStore {
  const prefix = `throttle-${randomBytes(6).toString('hex')}-`
  const limiter = ({ keyPrefix, ...limits }: LimiterSettings) =>
    new RateLimiterRedis({ storeClient, useRedisPackage, keyPrefix: prefix + keyPrefix, ...limits })
  const keys = () => ask('KEYS', `${prefix}*`)
  const close = async () => {
    for (const key of await keys()) await ask('DEL', key)
    await disconnect()
  }
  return { limiter, content: async () => (await keys()).join('\n'), close }
}

async function overPostgres(): Promise<CounterStore> {
  const database = await freshPostgres()
  const storeClient = new pg.Pool({ connectionString: database.url, max: 5 })
  storeClient.on('error', () => {})
  await made((done) => new RateLimiterPostgres({ storeClient, ...first }, done))
  return {
    limiter: (settings) =>
      new RateLimiterPostgres({ storeClient, ...table, tableCreated: true, ...settings }),
    content: async () => JSON.stringify((await storeClient.query('select * from limits')).rows),
    close: () => storeClient.end().then(database.drop),
  }
}

async function overMysql(): Promise<CounterStore> {
  const database = await freshMysql()
  const storeClient = createPool({ uri: database.url, connectionLimit: 5 })
  const own = { storeClient, dbName: new URL(database.url).pathname.slice(1), ...table }
  await made((done) => new RateLimiterMySQL({ ...own, ...first }, done))
  return {
    limiter: (settings) => new RateLimiterMySQL({ ...own, tableCreated: true, ...settings }),
    content: async () =>
      JSON.stringify((await storeClient.promise().query('select * from limits'))[0]),
    close: () => storeClient.promise().end().then(database.drop),
  }
}

async function overSqlite(): Promise<CounterStore> {
  const storeClient = new Database(':memory:')
  const own = { storeClient, storeType: 'better-sqlite3' }
  await made((done) => new RateLimiterSQLite({ ...own, ...first }, done))
  return {
    limiter: (settings) =>
      new RateLimiterSQLite({ ...own, ...table, tableCreated: true, ...settings }),
    content: async () => JSON.stringify(storeClient.prepare('select * from limits').all()),
    close: async () => storeClient.close(),
  }
}

const stores: [string, boolean, () => Promise<CounterStore>][] = [
  ['Redis by ioredis', redisUrl !== null, overIoredis],
  ['Redis by node-redis', redisUrl !== null, overNodeRedis],
  ['PostgreSQL', postgresUrl !== null, overPostgres],
  ['MariaDB', mysqlUrl !== null, overMysql],
  ['SQLite (libsql)', true, overSqlite],
]

const withCode = (host: TestHost, code: string) =>
  post(host, '/login', { username: 'alice', password, code }, from('203.0.113.7'))

describe.each(stores.filter(([, isThere]) => isThere))(
  'counters in %s',
  (_name, _isThere, open) => {
    let store: CounterStore
    beforeAll(async () => {
      store = await open()
    })
    afterAll(() => store?.close())

    // A key of its own keeps the counters of each host apart from the others' in the same store.
    const start = (
      limits: Omit<ThrottleOptions, 'limiter'> = {},
      encryptionKeys = [randomBytes(32).toString('base64')],
    ) =>
      guessedAt({
        storeTimeout: 10_000,
        encryptionKeys,
        throttle: { ...limits, limiter: store.limiter },
      })

    it('judge five of 30 wrong passwords at once, begin one pause, and end it by unlocking', async () => {
      const host = await start()
      const answers = await Promise.all(
        Array.from({ length: 30 }, () => guess(host).then(({ status }) => status)),
      )
      expect(tally(answers)).toEqual({ 401: 5, 429: 25 })
      const paused = Number((await right(host)).headers['retry-after'])
      expect(paused).toBeGreaterThan(880)
      expect(paused).toBeLessThanOrEqual(900)
      await host.auth.unlockLogin({ kind: 'username', value: 'alice' }, { ip: '203.0.113.7' })
      expect((await right(host)).status).toBe(200)
    })

    it('stop at the same number again after the window, and no longer than before', async () => {
      const host = await start({ account: { points: 2, duration: 1 } })
      for (let round = 0; round < 2; round += 1) {
        await expect.poll(async () => (await guess(host)).status, { interval: 200 }).toBe(401)
        expect((await guess(host)).status).toBe(401)
        expect(Number((await right(host)).headers['retry-after'])).toBeLessThanOrEqual(1)
      }
    })

    it('stop strangers and not the known network, until the host makes it unknown', async () => {
      const host = await start({ unknownNetworks: { points: 4, duration: 86_400 } })
      expect((await right(host)).status).toBe(200)
      expect(await statusesOf(5, (i) => guess(host, network(i)))).toEqual([401, 401, 401, 401, 429])
      expect((await right(host)).status).toBe(200)
      expect((await right(host, network(9))).status).toBe(429)
      await host.auth.sessions.revokeAllForUser('u-alice')
      expect((await right(host)).status).toBe(429)
    })

    it(
      'judge 20 of 60 guesses at one account by many names and networks at once, whoever is ' +
        'right',
      async () => {
        const host = await start({ accountTotal: { points: 20, duration: 86_400 } })
        const names = [{ username: 'alice' }, { email: 'alice@example.com' }, { user: 'u-alice' }]
        const guesses = Array.from({ length: 60 }, (_none, i) =>
          post(host, '/login', { ...names[i % 3], password: 'wrong' }, from(network(i))).then(
            ({ status }) => status,
          ),
        )
        expect(tally(await Promise.all(guesses))).toEqual({ 401: 60 })
        expect((await right(host, network(99))).status).toBe(401)
        const limited = host.events.filter(
          (event) => event.type === 'login.throttled' && event.scope === 'account',
        )
        expect(limited).toHaveLength(41)
      },
    )

    it('let right passwords at once all come in', async () => {
      const host = await start()
      const answers = await Promise.all(
        Array.from({ length: 12 }, () => right(host).then(({ status }) => status)),
      )
      expect(tally(answers)).toEqual({ 200: 12 })
    })

    it('are shared by two routers, and hold no name, address or id in clear', async () => {
      const keys = [randomBytes(32).toString('base64')]
      const [one, two] = [await start({}, keys), await start({}, keys)] as const
      await one.auth.secondFactors.importTotp({ userId: 'u-alice', secret: totpSecret })
      expect((await withCode(one, 'wrong')).body.error).toBe('totp-invalid')
      await post(one, '/auth/refresh', { refreshToken: 'made-up' }, from('203.0.113.7'))
      expect(await statusesOf(6, (i) => guess(i % 2 === 0 ? one : two))).toEqual([
        401, 401, 401, 401, 401, 429,
      ])
      expect((await right(two)).status).toBe(429)
      const content = await store.content()
      expect(content).toContain('mar-login')
      expect(content).toContain('mar-2fa')
      expect(content).not.toMatch(/alice|203\.0\.113|127\.0\.0\.1/i)
    })
  },
)

describe.skipIf(!canStartRedis)('a Redis that cannot be written', () => {
  it.each([
    [
      'has no memory left',
      ['CONFIG', 'SET', 'maxmemory', '1'],
      ['CONFIG', 'SET', 'maxmemory', '0'],
    ],
    ['is a read-only replica', ['REPLICAOF', '127.0.0.1', '1'], ['REPLICAOF', 'NO', 'ONE']],
  ])(
    'because it %s is an outage of logins, and never a licence to guess',
    async (_name, breaking, mending) => {
      const server = await startRedis()
      const client = new Redis(server.url, { maxRetriesPerRequest: 1 })
      client.on('error', () => {})
      onTestFinished(async () => {
        client.disconnect()
        await server.stop()
      })
      const run = ([command = '', ...args]: string[]) => client.call(command, ...args)
      const limiter = (settings: LimiterSettings) =>
        new RateLimiterRedis({ storeClient: client, ...settings })
      const host = await guessedAt({ throttle: { limiter } })
      const { authToken } = await logIn(host)
      await statusesOf(4, () => guess(host))
      await run(breaking)
      expect(tally(await statusesOf(6, () => guess(host)))).toEqual({ 503: 6 })
      expect((await right(host)).headers['retry-after']).toBe('2')
      expect((await get(host, '/me', bearer(authToken))).status).toBe(200)
      await run(mending)
      expect(await statusesOf(2, () => guess(host))).toEqual([401, 429])
    },
  )
})
