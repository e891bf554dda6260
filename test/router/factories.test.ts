import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { Kysely, PostgresDialect } from 'kysely'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import {
  bcryptHasher,
  consoleLogger,
  createAuthRouter,
  generateSigningKey,
  joseSigner,
  type KeyRingOptions,
  keyRing,
  probeStores,
} from '../../src/index.js'
import { memoryStores } from '../../src/stores/memory-stores.js'
import { redisBus, redisStores } from '../../src/stores/redis/redis-stores.js'
import {
  migrateSql,
  migrationSql,
  postgresBus,
  sqlAudit,
  sqlStores,
} from '../../src/stores/sql/sql-stores.js'
import { storeContract } from '../../src/testing/testing.js'
import { encryptionKey } from '../support/host.js'
import { testUsers } from '../support/users.js'

const keys = [await generateSigningKey()]
const signer = joseSigner({ issuer: 'https://chat.example.com', audience: 'chat', keys })
const router = () => ({
  users: testUsers(),
  ...memoryStores(),
  signer,
  encryptionKeys: [encryptionKey],
})
const nothing = async () => undefined
const pool = { options: { max: 2 }, query: nothing, connect: nothing }
const kysely = new Kysely<object>({ dialect: new PostgresDialect({ pool: pool as never }) })
const redis = { evalSha: nothing, eval: nothing, publish: nothing, duplicate: nothing } as never
const runner = { describe: () => {}, it: () => {} }
const contract = { name: 'mine', contracts: ['codes'] as const, stores: memoryStores }
const ring = { files: '/nowhere', encryptionKeys: [encryptionKey] }

/**
 * Every factory that takes options: a call of it, options that it takes, and what its options are
 * called by.
 */
const factories: Readonly<
  Record<string, { make: (options: never) => unknown; good: object; prefix: string }>
> = {
  createAuthRouter: { make: createAuthRouter as never, good: router(), prefix: '' },
  joseSigner: {
    make: joseSigner,
    good: { issuer: 'https://a.example', audience: 'a', keys },
    prefix: 'joseSigner.',
  },
  keyRing: { make: keyRing, good: ring, prefix: 'keyRing.' },
  'keyRing of a list': { make: keyRing, good: { keys }, prefix: 'keyRing.' },
  'rotate of a ring': { make: keyRing(ring as KeyRingOptions).rotate, good: {}, prefix: 'rotate.' },
  bcryptHasher: { make: bcryptHasher, good: {}, prefix: 'bcryptHasher.' },
  consoleLogger: { make: consoleLogger, good: {}, prefix: 'consoleLogger.' },
  memoryStores: { make: memoryStores, good: {}, prefix: 'memoryStores.' },
  sqlStores: { make: (options) => sqlStores(kysely, options), good: {}, prefix: 'sqlStores.' },
  migrateSql: { make: (options) => migrateSql(kysely, options), good: {}, prefix: 'migrateSql.' },
  sqlAudit: { make: (options) => sqlAudit(kysely, options), good: {}, prefix: 'sqlAudit.' },
  migrationSql: {
    make: (options) => migrationSql('postgres', options),
    good: {},
    prefix: 'migrationSql.',
  },
  postgresBus: {
    make: (options) => postgresBus(pool as never, options),
    good: {},
    prefix: 'postgresBus.',
  },
  redisStores: { make: (options) => redisStores(redis, options), good: {}, prefix: 'redisStores.' },
  redisBus: { make: (options) => redisBus(redis, options), good: {}, prefix: 'redisBus.' },
  probeStores: {
    make: (options) => probeStores(memoryStores(), options),
    good: {},
    prefix: 'probeStores.',
  },
  'the stores of probeStores': {
    make: probeStores,
    good: memoryStores(),
    prefix: 'probeStores(stores).',
  },
  storeContract: {
    make: (options) => storeContract(runner, options as never),
    good: contract,
    prefix: 'storeContract.',
  },
}

/** What a call throws or rejects with. */
async function refusalOf(call: () => unknown): Promise<unknown> {
  try {
    await call()
  } catch (error) {
    return error
  }
  return 'was taken'
}

const refusal = (option: unknown) => ({
  name: 'AuthConfigError',
  option,
  problem: expect.stringMatching(/\w/),
  remedy: expect.stringMatching(/\w/),
})

function pollute(members: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(members)) {
    Object.defineProperty(Object.prototype, name, { value, configurable: true, writable: true })
    onTestFinished(() => void delete (Object.prototype as Record<string, unknown>)[name])
  }
}

describe.each(Object.entries(factories))('%s', (_name, { make, good, prefix }) => {
  it('refuses an option that is misspelt, by its name, and lists those that there are', async () => {
    const error = await refusalOf(() => make({ ...good, mispselt: 1 } as never))
    expect(error).toMatchObject(refusal(`${prefix}mispselt`))
    expect(error).toMatchObject({
      problem: 'is not an option.',
      remedy: expect.stringMatching(/known: \w+/),
    })
  })

  it.each([null, 'text', 7, [], false])(
    'refuses %j in the place of its options',
    async (options) => {
      expect(await refusalOf(() => make(options as never))).toMatchObject(
        refusal(expect.stringMatching(/\w/)),
      )
    },
  )
})

describe('what is called without its options', () => {
  it.each([
    ['createAuthRouter', 'users'],
    ['joseSigner', 'joseSigner.issuer'],
    ['keyRing', 'keyRing'],
    ['the stores of probeStores', 'probeStores(stores).codes'],
    ['storeContract', 'storeContract.name'],
  ])('says what is missing: %s', async (name, option) => {
    expect(await refusalOf(() => factories[name]?.make(undefined as never))).toMatchObject(
      refusal(option),
    )
  })

  it.each([
    'bcryptHasher',
    'memoryStores',
    'sqlStores',
    'migrationSql',
    'postgresBus',
    'redisStores',
    'redisBus',
  ])('or needs none: %s', async (name) => {
    expect(await refusalOf(() => factories[name]?.make(undefined as never))).toBe('was taken')
  })
})

describe('a mistake that is often made is answered with what to do', () => {
  it.each<[string, () => unknown, string, RegExp]>([
    [
      'all of sqlStores',
      () => createAuthRouter({ ...router(), ...sqlStores(kysely) } as never),
      'keys',
      /keyRing\({ store: keys }\)/,
    ],
    [
      'no stores',
      () => createAuthRouter({ ...router(), sessions: undefined as never }),
      'sessions',
      /sqlStores.+redisStores.+memoryStores/,
    ],
    [
      'a ring in a list',
      () =>
        joseSigner({ issuer: 'https://a.example', audience: 'a', keys: [keyRing(ring)] as never }),
      'joseSigner.keys[0]',
      /pass the ring itself, not in a list/,
    ],
    [
      'a store of another kind',
      () => createAuthRouter({ ...router(), sessions: memoryStores() as never }),
      'sessions',
      /spread a shipped set of stores/,
    ],
    [
      'an entry of a list',
      () => createAuthRouter({ ...router(), allowedOrigins: ['chat.example.com'] }),
      'allowedOrigins[0]',
      /leave it out/,
    ],
  ])('%s', async (_name, call, option, remedy) => {
    expect(await refusalOf(call)).toMatchObject({
      ...refusal(option),
      remedy: expect.stringMatching(remedy),
    })
  })

  it.each([[undefined], ['{}'], [{}], ['']])(
    'a signing key of a variable that is not set: %j',
    async (key) => {
      const call = () =>
        joseSigner({ issuer: 'https://a.example', audience: 'a', keys: [key] as never })
      expect(await refusalOf(call)).toMatchObject({
        option: 'joseSigner.keys[0]',
        problem: expect.stringContaining('environment variable'),
      })
    },
  )

  it(
    'a signing key as the text it was stored as is taken, and one that is no JSON is not ' +
      'repeated',
    async () => {
      const stored = joseSigner({
        issuer: 'https://chat.example.com',
        audience: 'chat',
        keys: [JSON.stringify(keys[0])],
      })
      expect((await stored.publicKeys?.())?.keys[0]).toMatchObject({ kid: keys[0]?.kid })
      const secret = 'correct horse battery staple'
      const error = await refusalOf(() =>
        joseSigner({ issuer: 'https://a.example', audience: 'a', keys: [secret] }),
      )
      expect(error).toMatchObject(refusal('joseSigner.keys[0]'))
      expect(String(error)).not.toContain(secret)
    },
  )
})

describe('a polluted Object.prototype', () => {
  it('does not make bcryptHasher cheap', () => {
    pollute({ cost: 4, maxStoredCost: 15, dangerouslyAllowLowCost: true, threads: 0, prehash: {} })
    const hasher = bcryptHasher()
    onTestFinished(() => hasher.close())
    const hashOf = (cost: string) => `$2b$${cost}$${'a'.repeat(53)}`
    expect(hasher.needsRehash(hashOf('11'))).toBe(true)
    expect(hasher.needsRehash(hashOf('12'))).toBe(false)
    expect(hasher.canRead(hashOf('13'))).toBe(false)
    expect(() => bcryptHasher({ cost: 4 })).toThrow(
      expect.objectContaining({ option: 'bcryptHasher.cost' }),
    )
  })

  it('names no table, key or channel', async () => {
    pollute({ prefix: 'evil_', schema: 'evil', channel: 'evil' })
    expect(migrationSql('postgres')).not.toContain('evil')
    expect(migrationSql('postgres', {})).not.toContain('evil')
    const sent: unknown[] = []
    const record = async (...given: unknown[]) => void sent.push(given)
    const sessions = redisStores({
      evalSha: record,
      eval: record,
      publish: record,
      duplicate: record,
    } as never).sessions
    await sessions.end('s', 'logout', new Date()).catch(() => {})
    const event = { sessionId: 's', userId: 'u', reason: 'logout', at: new Date() } as never
    await redisBus({
      evalSha: record,
      eval: record,
      publish: record,
      duplicate: record,
    } as never).publish(event)
    await postgresBus({ ...pool, query: record } as never).publish(event)
    expect(sqlStores(kysely).sessions).toBeDefined()
    // The end, the look at the eviction policy that follows the first script, and a message of each
    // bus.
    expect(sent).toHaveLength(4)
    expect(JSON.stringify(sent)).not.toContain('evil')
  })

  it('bounds no store in memory, and supplies no store to the probe', async () => {
    pollute({ maxSessions: 0, maxCodes: 0, callers: 'many', keys: 'none' })
    await expect(probeStores(memoryStores())).resolves.toBeUndefined()
  })

  it('changes no key and no tolerance of joseSigner', async () => {
    const { kid: _kid, alg: _alg, ...nameless } = keys[0] as (typeof keys)[number]
    const usual = joseSigner({
      issuer: 'https://chat.example.com',
      audience: 'chat',
      keys: [nameless],
    })
    const before = await usual.publicKeys?.()
    pollute({ clockTolerance: 60, issuer: 'evil', kid: 'evil' })
    expect(() => joseSigner({ audience: 'chat', keys } as never)).toThrow(
      expect.objectContaining({ option: 'joseSigner.issuer' }),
    )
    const signer = joseSigner({
      issuer: 'https://chat.example.com',
      audience: 'chat',
      keys: [nameless],
    })
    expect(JSON.stringify(await signer.publicKeys?.())).toBe(JSON.stringify(before))
    const now = Math.floor(Date.now() / 1000)
    const claims = {
      sub: 'u',
      sid: 's',
      iat: now - 60,
      exp: now - 30,
      jti: 'j',
      auth_time: now,
      amr: ['pwd'],
      scope: '*',
    }
    await expect(signer.verify(await signer.sign(claims))).rejects.toMatchObject({
      code: 'Unauthorized',
    })
  })

  it('keeps the keys of a ring as long as ever, in the place that was named', async () => {
    pollute({ longestToken: 60, keys, algorithm: 'HS256', publishAhead: 120, create: 'no' })
    expect(keyRing(ring).longestToken).toBe(90 * 24 * 3600)
  })

  it('gives the router no logger, and nothing else to close', async () => {
    const called: unknown[] = []
    const record = (...given: unknown[]) => void called.push(given)
    const warn = vi.spyOn(process, 'emitWarning').mockImplementation(() => {})
    onTestFinished(() => warn.mockRestore())
    pollute({ logger: { debug: record, info: record, warn: record, error: record } })
    pollute({ close: record })
    const auth = createAuthRouter(router())
    const app = express().set('trust proxy', true).use(auth)
    const server = app.listen(0, '127.0.0.1')
    onTestFinished(() => void server.close())
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    await fetch(`http://127.0.0.1:${port}/auth/jwks.json`)
    await auth.close()
    expect(warn).toHaveBeenCalledOnce()
    expect(called).toEqual([])
  })

  it('switches off no limit of the router, at no depth', () => {
    pollute({
      dryRun: 'yes',
      account: 'none',
      limiter: 'none',
      accessToken: 1,
      points: 0,
      beforeLogin: 'none',
    })
    expect(() => createAuthRouter({ ...router(), throttle: {}, lifetimes: {} })).not.toThrow()
    const half = { ...router(), throttle: { account: { duration: 60 } as never } }
    expect(() => createAuthRouter(half)).toThrow(
      expect.objectContaining({ option: 'throttle.account.points' }),
    )
  })
})
