// What every store of consents, names used once and clients promises is in the contract suite; here
// is what only the shipped ones can do.
import { CompiledQuery, Kysely, MysqlDialect, PostgresDialect, SqliteDialect } from 'kysely'
import Database from 'libsql'
import { createPool } from 'mysql2'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { newClient, newConsent, newSecretHash } from '../../src/stores/new-records.js'
import { redisOnceStore } from '../../src/stores/redis/redis-stores.js'
import { migrateSql, sqlOAuthStores } from '../../src/stores/sql/sql-stores.js'
import { databaseKinds, dropTables, openDatabase, type TestDatabase } from '../support/databases.js'
import { at, randomKey, start } from '../support/records.js'
import { libraries, redisCommand, resending } from '../support/redis-clients.js'
import { mysqlUrl, postgresUrl, redisUrl } from '../support/services.js'

const newPrefix = () => `o${Buffer.from(randomKey()).toString('hex').slice(0, 12)}_`
const raw = (kysely: Kysely<object>, sql: string) =>
  kysely.executeQuery<Record<string, unknown>>(CompiledQuery.raw(sql))
const outcomes = async (answers: readonly Promise<{ readonly outcome: string }>[]) =>
  (await Promise.all(answers)).map(({ outcome }) => outcome).sort()

describe.each(databaseKinds)('the stores for OAuth on $name', (kind) => {
  describe.skipIf(kind.open === null)('', () => {
    let database: TestDatabase
    beforeAll(async () => {
      database = await openDatabase(kind)
    })
    afterAll(() => database.close())

    it('work inside a transaction of the host: what they wrote comes and goes with it', async () => {
      const { kysely, prefix, oauthStores } = database
      const [consent, client, key] = [newConsent(at), newClient(), randomKey()]
      const work = (fails: boolean) =>
        kysely.transaction().execute(async (transaction) => {
          const { clients, consents, once } = sqlOAuthStores(transaction, { prefix })
          await consents.grant({ ...consent, scopes: ['openid'] })
          await consents.grant(consent)
          await clients.create(client, start)
          // Not an error of the database, which would end the transaction on PostgreSQL.
          expect(await clients.create(client, start)).toEqual({ outcome: 'exists' })
          expect(await once.claim(key, at(60), start)).toEqual({ outcome: 'claimed' })
          expect(await once.claim(key, at(60), start)).toEqual({ outcome: 'known' })
          expect(await once.claim(key, at(120), at(60))).toEqual({ outcome: 'claimed' })
          if (fails) throw new Error('the host thinks better of it')
        })
      await expect(work(true)).rejects.toThrow('thinks better')
      expect(await oauthStores.consents.listForUser(consent.userId)).toEqual([])
      expect(await oauthStores.clients.find(client.id)).toBeNull()
      await work(false)
      expect(await oauthStores.consents.listForUser(consent.userId)).toHaveLength(1)
      expect(await oauthStores.clients.find(client.id)).toEqual(client)
      expect(await oauthStores.once.claim(key, at(130), at(100))).toEqual({ outcome: 'known' })
    })

    it('let one of 50 callers win, each time, and lose no scope', async () => {
      const { consents, once } = database.oauthStores
      const consent = newConsent(at)
      const key = randomKey()
      const scopes = Array.from({ length: 50 }, (_none, index) => `scope:${index}`)
      await Promise.all(scopes.map((scope) => consents.grant({ ...consent, scopes: [scope] })))
      const [found] = await consents.listForUser(consent.userId)
      expect([...(found?.scopes ?? [])].sort()).toEqual([...scopes].sort())
      for (const [until, now] of [
        [60, 0],
        [120, 60],
      ] as const) {
        const answers = scopes.map(() => once.claim(key, at(until), at(now)))
        expect(await outcomes(answers)).toEqual(['claimed', ...Array(49).fill('known')])
      }
    })

    it('keep no key of what was used once, and no secret', async () => {
      const { kysely, prefix, oauthStores } = database
      const key = `client:${randomKey()}`
      await oauthStores.once.claim(key, at(60), start)
      const { rows } = await raw(kysely, `select * from ${prefix}once`)
      expect(rows.length).toBeGreaterThan(0)
      for (const { key_hash } of rows) expect(String(key_hash)).toMatch(/^[\w-]{43}$/)
      const client = newClient({ secretHashes: [newSecretHash(), newSecretHash()] })
      await oauthStores.clients.create(client, start)
      const stored = await raw(kysely, `select metadata from ${prefix}clients`)
      expect(JSON.stringify(stored.rows)).not.toMatch(/sha256|secret|disabled/)
    })

    it.each(['[]', '"openid"', '7', 'null', '{"openid":'])(
      'answer a row that was damaged with an error, never with half a record: %s',
      async (damaged) => {
        const { kysely, prefix, oauthStores } = database
        const [consent, client] = [newConsent(at), newClient()]
        await oauthStores.consents.grant(consent)
        await oauthStores.clients.create(client, start)
        await raw(kysely, `update ${prefix}consents set scopes = '${damaged}'`)
        await raw(kysely, `update ${prefix}clients set metadata = '${damaged}'`)
        const { userId, clientId } = consent
        await expect(oauthStores.consents.find(userId, clientId)).rejects.toThrow()
        await expect(oauthStores.consents.listForUser(userId)).rejects.toThrow()
        await expect(oauthStores.clients.find(client.id)).rejects.toThrow()
        for (const table of ['consents', 'clients'])
          await raw(kysely, `delete from ${prefix}${table}`)
      },
    )

    it('refuse what no consent, client or key may have, before it reaches the driver', async () => {
      const { clients, consents, once } = database.oauthStores
      const hash = newSecretHash()
      const calls: (() => Promise<unknown>)[] = [
        ...['', 'a b', 'a"b', 'a\\b', 'é', '\n', 7 as unknown as string].map(
          (scope) => () => consents.grant(newConsent(at, { scopes: [scope] })),
        ),
        ...[['secret'], [hash, hash, hash], [`${hash} ${hash}`], [`${hash}=`]].map(
          (secretHashes) => () => clients.create(newClient({ secretHashes }), start),
        ),
        () => clients.replaceSecrets('wiki', [], ['secret'], start),
        () => clients.create(newClient({ name: 'x'.repeat(16_001) }), start),
        () => once.claim('é'.repeat(513), at(60), start),
        () => once.claim('a', new Date(Number.NaN), start),
      ]
      for (const call of calls)
        await expect(Promise.resolve().then(call)).rejects.toBeInstanceOf(TypeError)
    })

    it('purge what was used once in batches, at most as many as asked for', async () => {
      const { once } = database.oauthStores
      await once.purge(at(1_000_000))
      const keys = Array.from({ length: 620 }, () => randomKey())
      for (const key of keys) await once.claim(key, at(5), start)
      await once.claim(randomKey(), at(6), start)
      expect(await once.purge(at(5), 100)).toBe(100)
      expect(await once.purge(at(5), 0)).toBe(0)
      expect(await once.purge(at(5))).toBe(520)
      expect(await once.purge(at(6))).toBe(1)
    })
  })
})

describe('a driver that answers whole numbers as BigInt', () => {
  it('changes nothing of what the stores for OAuth answer', async () => {
    const database = new Database(':memory:').defaultSafeIntegers(true)
    const kysely = new Kysely<object>({ dialect: new SqliteDialect({ database }) })
    onTestFinished(() => kysely.destroy())
    await migrateSql(kysely)
    const { clients, consents, once } = sqlOAuthStores(kysely)
    const [consent, client] = [newConsent(at), newClient()]
    await consents.grant(consent)
    expect(await consents.find(consent.userId, consent.clientId)).toEqual(consent)
    await clients.create(client, start)
    expect(await clients.find(client.id)).toEqual(client)
    await clients.setDisabled(client.id, true, start)
    expect(await clients.find(client.id)).toEqual({ ...client, disabled: true })
    expect(await once.claim('jti', at(60), start)).toEqual({ outcome: 'claimed' })
    expect(await once.claim('jti', at(60), start)).toEqual({ outcome: 'known' })
  })
})

describe.skipIf(postgresUrl === null)('the stores for OAuth on PostgreSQL', () => {
  const open = (options = '') => {
    const pool = new pg.Pool({ connectionString: postgresUrl ?? '', options, max: 10 })
    return new Kysely<object>({ dialect: new PostgresDialect({ pool }) })
  }

  it('work in a schema of their own', async () => {
    const kysely = open()
    const schema = newPrefix()
    onTestFinished(async () => {
      await raw(kysely, `drop schema if exists ${schema} cascade`)
      await kysely.destroy()
    })
    await raw(kysely, `create schema ${schema}`)
    await migrateSql(kysely, { schema })
    const { clients, consents, once } = sqlOAuthStores(kysely, { schema })
    const [consent, client] = [newConsent(at), newClient()]
    for (const scope of consent.scopes) await consents.grant({ ...consent, scopes: [scope] })
    const found = await consents.find(consent.userId, consent.clientId)
    expect([...(found?.scopes ?? [])].sort()).toEqual([...consent.scopes].sort())
    await clients.create(client, start)
    expect(await clients.find(client.id)).toEqual(client)
    for (const [until, now, outcome] of [
      [60, 0, 'claimed'],
      [60, 1, 'known'],
      [120, 60, 'claimed'],
    ] as const)
      expect(await once.claim('jti', at(until), at(now))).toEqual({ outcome })
    expect(await once.purge(at(120))).toBe(1)
  })

  it('let one of 20 callers win where every transaction is serializable', async () => {
    const kysely = open('-c default_transaction_isolation=serializable')
    const prefix = newPrefix()
    onTestFinished(async () => {
      await dropTables(kysely, prefix)
      await kysely.destroy()
    })
    await migrateSql(kysely, { prefix })
    const { consents, once } = sqlOAuthStores(kysely, { prefix })
    const consent = newConsent(at)
    const callers = Array.from({ length: 20 }, (_none, index) => `scope:${index}`)
    const answers = callers.map(() => once.claim('jti', at(60), start))
    expect(await outcomes(answers)).toEqual(['claimed', ...Array(19).fill('known')])
    for (const scope of callers.slice(0, 5)) await consents.grant({ ...consent, scopes: [scope] })
    await Promise.all(
      callers.slice(5, 8).map((scope) => consents.grant({ ...consent, scopes: [scope] })),
    )
    expect((await consents.find(consent.userId, consent.clientId))?.scopes).toHaveLength(8)
  })
})

describe.skipIf(mysqlUrl === null)('the stores for OAuth on MariaDB', () => {
  it.each(['NO_BACKSLASH_ESCAPES', 'ANSI_QUOTES', ''])(
    "keep every text, and run none of it, with sql_mode '%s'",
    async (mode) => {
      const pool = createPool({ uri: mysqlUrl ?? '', connectionLimit: 4 })
      pool.on('connection', (connection) => void connection.query(`set sql_mode = '${mode}'`))
      const kysely = new Kysely<object>({ dialect: new MysqlDialect({ pool }) })
      const prefix = newPrefix()
      onTestFinished(async () => {
        await dropTables(kysely, prefix)
        await kysely.destroy()
      })
      await migrateSql(kysely, { prefix })
      const { clients, consents } = sqlOAuthStores(kysely, { prefix })
      const payload = "x\\', 1, 1, 1, 1) #"
      const client = newClient({ name: `${payload}'"\\"`, redirectUris: [payload] })
      await clients.create(client, start)
      await clients.update(client, at(1))
      expect(await clients.find(client.id)).toEqual(client)
      const scopes = ["x',1,1)#", "'';--", '`', '$.a', '{}']
      const consent = newConsent(at, { userId: payload, clientId: payload, scopes })
      for (let time = 0; time < 2; time += 1) await consents.grant(consent)
      const [found] = await consents.listForUser(payload)
      expect([...(found?.scopes ?? [])].sort()).toEqual([...scopes].sort())
    },
  )
})

describe.skipIf(redisUrl === null).each(libraries)('redisOnceStore with %s', (_name, connect) => {
  const url = redisUrl ?? ''
  const open = async () => {
    const host = await connect(url)
    onTestFinished(() => host.close())
    return { client: host.client, prefix: `once-${randomKey()}:` }
  }

  it('keeps a digest of the key, until an hour after it is over', async () => {
    const { client, prefix } = await open()
    const once = redisOnceStore(client, { prefix })
    await once.claim('jti', at(60), start)
    await once.claim('jti', at(120), at(60))
    const [key] = (await redisCommand(url, 'KEYS', `${prefix}*`)) as string[]
    expect(key?.slice(prefix.length)).toMatch(/^\{o:[\w-]{43}\}$/)
    const left = Number(await redisCommand(url, 'PTTL', key ?? ''))
    expect(left).toBeGreaterThan(3_600_000)
    expect(left).toBeLessThanOrEqual(3_660_000)
  })

  it('answers a script that the driver sent twice like the first time', async () => {
    const { client, prefix } = await open()
    const twice = redisOnceStore(resending(client), { prefix })
    expect(await twice.claim('jti', at(60), start)).toEqual({ outcome: 'claimed' })
    expect(await twice.claim('jti', at(60), start)).toEqual({ outcome: 'known' })
    expect(await twice.claim('jti', at(120), at(60))).toEqual({ outcome: 'claimed' })
  })

  it('rejects what is there that it has not put there', async () => {
    const { client, prefix } = await open()
    const once = redisOnceStore(client, { prefix })
    await once.claim('jti', at(60), start)
    const [key = ''] = (await redisCommand(url, 'KEYS', `${prefix}*`)) as string[]
    await redisCommand(url, 'HSET', key, 'expires', 'soon')
    await expect(once.claim('jti', at(60), start)).rejects.toThrow()
    await redisCommand(url, 'SET', key, 'text', 'PX', 60_000)
    await expect(once.claim('jti', at(60), start)).rejects.toThrow('WRONGTYPE')
  })
})

describe('redisOnceStore', () => {
  it.each([undefined, '0 ', 'yes', 1, []])('takes %j for no answer of Redis', async (reply) => {
    const client = {
      evalSha: async () => reply,
      eval: async () => reply,
      publish: async () => 0,
      duplicate: () => undefined,
    }
    await expect(redisOnceStore(client as never).claim('jti', at(60), start)).rejects.toThrow(
      'not in the form',
    )
  })

  it('refuses another client, and an unknown option', () => {
    expect(() => redisOnceStore({} as never)).toThrow(
      expect.objectContaining({ name: 'AuthConfigError', option: 'redisOnceStore.client' }),
    )
    expect(() => redisOnceStore({} as never, { prefiks: 'a' } as never)).toThrow(
      expect.objectContaining({ option: 'redisOnceStore.prefiks' }),
    )
  })
})
