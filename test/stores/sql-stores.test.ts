import { CamelCasePlugin, CompiledQuery, Kysely, type KyselyPlugin, SqliteDialect } from 'kysely'
import Database from 'libsql'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import type { RefreshState } from '../../src/index.js'
import { migrateSql, sqlStores } from '../../src/stores/sql/sql-stores.js'
import { databaseKinds, openDatabase, type TestDatabase } from '../support/databases.js'
import {
  at,
  codeRecord,
  factorRecord,
  proofRecord,
  randomKey,
  sessionRecord,
  start,
  ticketRecord,
} from '../support/records.js'
import { latest } from '../support/sql-version.js'

// What every store promises is in the contract suite; here is what only these can do.
describe.each(databaseKinds)('SQL stores on $name', (kind) => {
  describe.skipIf(kind.open === null)('', () => {
    let database: TestDatabase
    const open = () => database
    beforeAll(async () => {
      database = await openDatabase(kind)
    })
    afterAll(() => database.close())

    it('store a code and the session it opens together, or neither', async () => {
      const { codes, sessions } = open().stores
      const code = codeRecord()
      const taken = sessionRecord()
      await codes.save(code)
      await sessions.create(taken)
      await expect(codes.redemption?.redeem(code.codeHash, taken, at(1))).rejects.toThrow()
      expect(await codes.find(code.codeHash)).toEqual(code)
      const session = sessionRecord()
      const results = await Promise.all(
        Array.from({ length: 20 }, () => codes.redemption?.redeem(code.codeHash, session, at(2))),
      )
      expect(results.map((result) => result?.outcome).sort()).toEqual([
        'consumed',
        ...Array(19).fill('replayed'),
      ])
      expect(await sessions.find(session.id)).toEqual(session)
      const expired = codeRecord({ expiresAt: start })
      await codes.save(expired)
      const late = sessionRecord()
      expect(await codes.redemption?.redeem(expired.codeHash, late, at(1))).toEqual({
        outcome: 'unknown',
      })
      expect(await sessions.find(late.id)).toBeNull()
    })

    it('name every session that they ended, also when it is purged at the same moment', async () => {
      const { sessions } = open().stores
      for (let round = 0; round < 10; round += 1) {
        const userId = randomKey()
        const mine = [sessionRecord({ userId }), sessionRecord({ userId })]
        for (const session of mine) await sessions.create(session)
        const [ended] = await Promise.all([
          sessions.endAllForUser(userId, 'revoked', at(1)),
          sessions.purge(at(1)),
          sessions.purge(at(1)),
        ])
        expect(ended.sort()).toEqual(mine.map(({ id }) => id).sort())
      }
    })

    it('end the sessions of a client in batches, by several callers, each named once', async () => {
      const { sessions } = open().stores
      const clientId = randomKey()
      const mine = Array.from({ length: 1100 }, () => sessionRecord({ clientId }))
      for (let from = 0; from < mine.length; from += 50)
        await Promise.all(mine.slice(from, from + 50).map((session) => sessions.create(session)))
      const ended = await Promise.all(
        Array.from({ length: 3 }, () =>
          sessions.endAllForClient?.(clientId, {}, 'client-disabled', at(1)),
        ),
      )
      expect(ended.flat().sort()).toEqual(mine.map(({ id }) => id).sort())
    })

    it('end no more of 1200 sessions of a client in a call than it asks for', async () => {
      const { sessions } = open().stores
      const clientId = randomKey()
      const mine = Array.from({ length: 1200 }, () => sessionRecord({ clientId }))
      for (let from = 0; from < mine.length; from += 50)
        await Promise.all(mine.slice(from, from + 50).map((session) => sessions.create(session)))
      const numbers: (number | undefined)[] = []
      for (let call = 0; call < 4; call += 1) {
        const asked = [clientId, { limit: 500 }, 'client-disabled', at(1)] as const
        numbers.push((await sessions.endAllForClient?.(...asked))?.length)
      }
      expect(numbers).toEqual([500, 500, 200, 0])
    })

    it('end the sessions of a client within a transaction of the host, or none of them', async () => {
      const { kysely, prefix, stores } = open()
      const [clientId, parentId] = [randomKey(), randomKey()]
      const session = sessionRecord({ clientId, parentId })
      await stores.sessions.create(session)
      const work = (fails: boolean) =>
        kysely.transaction().execute(async (transaction) => {
          const { sessions } = sqlStores(transaction, { prefix })
          const ended = await sessions.endAllForClient?.(clientId, {}, 'client-disabled', at(1))
          expect(await sessions.endChildren?.(parentId, 'revoked', at(1))).toEqual([])
          if (fails) throw new Error('rolled back')
          return ended
        })
      await expect(work(true)).rejects.toThrow('rolled back')
      expect((await stores.sessions.find(session.id))?.endedAt).toBeNull()
      expect(await work(false)).toEqual([session.id])
    })

    it('name the session store that the transaction is shared with', () => {
      const { codes, sessions } = open().stores
      expect(codes.redemption?.sessions).toBe(sessions)
    })

    it('work inside a transaction of the host: what they wrote comes and goes with it', async () => {
      const { kysely, prefix, stores } = open()
      const code = codeRecord()
      const session = sessionRecord()
      const factor = factorRecord()
      const work = (fails: boolean) =>
        kysely.transaction().execute(async (transaction) => {
          const within = sqlStores(transaction, { prefix })
          await within.codes.save(code)
          await within.codes.redemption?.redeem(code.codeHash, session, at(1))
          await within.secondFactors.activate(factor, ['one'])
          // Not an error of the database, which would end the transaction on PostgreSQL.
          expect(await within.secondFactors.activate(factor, ['two'])).toEqual({
            outcome: 'already-active',
          })
          expect(await within.sessions.find(session.id)).toEqual(session)
          if (fails) throw new Error('the host thinks better of it')
        })
      await expect(work(true)).rejects.toThrow('thinks better')
      expect(await stores.codes.find(code.codeHash)).toBeNull()
      expect(await stores.sessions.find(session.id)).toBeNull()
      expect(await stores.secondFactors.find(factor.userId)).toBeNull()
      await work(false)
      expect(await stores.sessions.find(session.id)).toEqual(session)
      expect(await stores.secondFactors.find(factor.userId)).toEqual(factor)
      expect((await stores.secondFactors.consumeRecoveryCode(factor.userId, 'two')).outcome).toBe(
        'unknown',
      )
    })

    // PGlite and SQLite have one writer at a time.
    it.skipIf(!kind.isServer)(
      'tell a transaction of the host why a write was lost, though it began before',
      async () => {
        const { kysely, prefix, stores } = open()
        const [code, session] = [codeRecord(), sessionRecord()]
        await stores.codes.save(code)
        await stores.sessions.create(session)
        await kysely.transaction().execute(async (transaction) => {
          const within = sqlStores(transaction, { prefix })
          expect(await within.codes.find(code.codeHash)).toEqual(code)
          await stores.codes.consume(code.codeHash, at(1))
          await stores.sessions.end(session.id, 'logout', at(1))
          expect((await within.codes.consume(code.codeHash, at(2))).outcome).toBe('replayed')
          const next = {
            refresh: sessionRecord().refresh as RefreshState,
            lastSeenAt: at(2),
            idleExpiresAt: at(700),
            ip: null,
          }
          const rotated = await within.sessions.rotateRefresh(
            session.id,
            session.refresh?.hash ?? '',
            next,
            at(2),
          )
          expect(rotated).toEqual({ outcome: 'ended' })
        })
      },
    )

    it("do not mind the host's plugins", async () => {
      const { kysely, prefix } = open()
      const refusing: KyselyPlugin = {
        transformQuery: () => {
          throw new Error('a plugin of the host was asked')
        },
        transformResult: async ({ result }) => result,
      }
      for (const plugin of [new CamelCasePlugin(), refusing]) {
        const { sessions } = sqlStores(kysely.withPlugin(plugin), { prefix })
        const session = sessionRecord()
        await sessions.create(session)
        expect(await sessions.find(session.id)).toEqual(session)
      }
    })

    it('purge in batches, at most as many as asked for, and nothing that was used meanwhile', async () => {
      const { sessions, codes, tickets, proofs } = open().stores
      await sessions.purge(at(1_000_000))
      const old = Array.from({ length: 620 }, () => sessionRecord({ idleExpiresAt: at(5) }))
      for (const session of old) await sessions.create(session)
      const living = sessionRecord({ idleExpiresAt: at(5) })
      await sessions.create(living)
      const use = sessions.touch(living.id, { lastSeenAt: at(4), idleExpiresAt: at(700), ip: null })
      await use
      expect(await sessions.purge(at(5), 100)).toBe(100)
      expect(await sessions.purge(at(5), 0)).toBe(0)
      expect(await sessions.purge(at(5))).toBe(520)
      expect(await sessions.find(living.id)).not.toBeNull()
      await codes.purge(at(1_000_000))
      await codes.save(codeRecord())
      expect(await codes.purge(at(59))).toBe(0)
      expect(await codes.purge(at(60))).toBe(1)
      await tickets.purge(at(1_000_000))
      await tickets.save(ticketRecord())
      expect(await tickets.purge(at(30), 10)).toBe(1)
      await proofs.purge(at(1_000_000))
      await proofs.save(proofRecord())
      expect(await proofs.purge(at(1799), 10)).toBe(0)
      expect(await proofs.purge(at(1800), 10)).toBe(1)
    })

    it('never purge a session beyond its absolute end late, however long it is kept from idling', async () => {
      const { sessions } = open().stores
      const session = sessionRecord({ userId: randomKey(), expiresAt: at(100) })
      await sessions.create(session)
      await sessions.touch(session.id, { lastSeenAt: at(50), idleExpiresAt: at(650), ip: null })
      expect(await sessions.liveAmong([session.id], at(99))).toEqual([session.id])
      expect(await sessions.liveAmong([session.id], at(100))).toEqual([])
      expect(await sessions.listForUser(session.userId, at(100))).toEqual([])
    })

    it.each([
      ['not a string', { $gt: '' }],
      ['longer than 1024 bytes', 'é'.repeat(513)],
      ['half a character', 'a\ud800'],
      ['a NUL', 'a\0b'],
    ])(
      'refuse an id that is %s, before it reaches the driver and without repeating it',
      async (_name, id) => {
        const { sessions, codes, secondFactors } = open().stores
        const calls: (() => Promise<unknown>)[] = [
          () => sessions.find(id as string),
          () => sessions.create(sessionRecord({ id: id as string })),
          () => sessions.listForUser(id as string, start),
          () => codes.consume(id as string, start),
          () => secondFactors.advanceStep(id as string, 1),
        ]
        for (const call of calls) {
          const error = await Promise.resolve()
            .then(call)
            .catch((thrown: unknown) => thrown)
          expect(error).toBeInstanceOf(TypeError)
          expect(String(error)).not.toContain(typeof id === 'string' ? id.slice(0, 5) : '$gt')
        }
      },
    )

    it('refuse dates and numbers that are none', async () => {
      const { sessions, secondFactors, keys } = open().stores
      await expect(
        Promise.resolve().then(() => sessions.purge(new Date(Number.NaN))),
      ).rejects.toThrow('not a date')
      await expect(
        Promise.resolve().then(() => secondFactors.advanceStep('u', 1.5)),
      ).rejects.toThrow('whole number')
      await expect(Promise.resolve().then(() => keys.remove(Number.NaN))).rejects.toThrow(
        'whole number',
      )
      await expect(
        Promise.resolve().then(() =>
          sessions.create(sessionRecord({ userAgent: 'x'.repeat(16_001) })),
        ),
      ).rejects.toThrow('too long')
    })

    it('answer a row that was damaged with an error, never with half a record', async () => {
      const { kysely, prefix, stores } = open()
      const session = sessionRecord()
      await stores.sessions.create(session)
      await kysely.executeQuery(
        CompiledQuery.raw(`update ${prefix}sessions set refresh_state = '{"familyKey":'`),
      )
      await expect(stores.sessions.find(session.id)).rejects.toThrow()
    })

    it('keep nothing that could be used: no token, no code, only hashes', async () => {
      const { kysely, prefix, stores } = open()
      await stores.sessions.create(sessionRecord())
      const { rows } = await kysely.executeQuery<Record<string, unknown>>(
        CompiledQuery.raw(`select * from ${prefix}sessions`),
      )
      expect(
        Object.keys(rows[0] ?? {}).filter((column) => /token|secret|password/.test(column)),
      ).toEqual([
        'secret_hash',
        'password_mark',
        'password_mark_next',
        'former_secret_hash',
        'former_secret_until',
      ])
    })
  })
})

describe('a pool of one connection', () => {
  it.each(databaseKinds.filter(({ open }) => open !== null))(
    'is enough on $name: nothing waits for a second one',
    async (kind) => {
      const database = await openDatabase(kind, { connections: 1 })
      onTestFinished(() => database.close())
      const { codes, sessions, secondFactors } = database.stores
      const code = codeRecord()
      const factor = factorRecord()
      await codes.save(code)
      const session = sessionRecord()
      const outcomes = await Promise.all(
        Array.from({ length: 30 }, async () => {
          await sessions.listForUser(session.userId, start)
          await secondFactors.activate(factor, [randomKey()])
          return (await codes.redemption?.redeem(code.codeHash, session, at(1)))?.outcome
        }),
      )
      expect(outcomes.filter((outcome) => outcome === 'consumed')).toHaveLength(1)
    },
  )
})

describe('a driver that answers whole numbers as BigInt', () => {
  it('changes nothing of what the stores answer', async () => {
    const database = new Database(':memory:').defaultSafeIntegers(true)
    const kysely = new Kysely<object>({ dialect: new SqliteDialect({ database }) })
    onTestFinished(() => kysely.destroy())
    expect(await migrateSql(kysely)).toEqual({ from: 0, to: latest })
    expect(await migrateSql(kysely)).toEqual({ from: latest, to: latest })
    const { keys, sessions, codes, secondFactors, tickets, proofs } = sqlStores(kysely)
    const key = {
      generation: 7,
      kid: 'kid',
      sealedKey: 'sealed',
      createdAt: start,
      activatesAt: at(1),
    }
    expect(await keys.insert(key)).toEqual({ outcome: 'inserted' })
    expect(await keys.list()).toEqual([key])
    const [session, code, factor, ticket] = [
      sessionRecord(),
      codeRecord(),
      factorRecord(),
      ticketRecord(),
    ]
    await sessions.create(session)
    expect(await sessions.find(session.id)).toEqual(session)
    await codes.save(code)
    expect(await codes.consume(code.codeHash, at(1))).toEqual({
      outcome: 'consumed',
      code: { ...code, consumedAt: at(1) },
    })
    expect(await secondFactors.activate(factor, ['one', 'two'])).toEqual({ outcome: 'activated' })
    expect(await secondFactors.find(factor.userId)).toEqual(factor)
    expect(await secondFactors.countRecoveryCodes(factor.userId)).toBe(2)
    await tickets.save(ticket)
    expect(await tickets.consume(ticket.ticketHash, at(1))).toEqual({ outcome: 'consumed', ticket })
    const proof = proofRecord()
    await proofs.save(proof)
    expect(await proofs.takeTry(proof.idHash, proof.purpose, at(1))).toEqual({
      outcome: 'taken',
      proof: { ...proof, triesLeft: 4 },
    })
    expect(await proofs.voidForUser('u-alice', [proof.purpose], at(1))).toBe(1)
    expect(await sessions.purge(at(10_000))).toBe(1)
  })
})

describe('a database that is not known', () => {
  it.each([
    ['no Kysely at all', {}],
    ['nothing', undefined],
    [
      'SQL Server',
      {
        getExecutor: () => ({
          adapter: {
            supportsTransactionalDdl: true,
            supportsOutput: true,
            supportsReturning: false,
          },
        }),
      },
    ],
  ])('is refused: %s', (_name, kysely) => {
    expect(() => sqlStores(kysely as unknown as Kysely<object>)).toThrow(
      expect.objectContaining({ name: 'AuthConfigError', option: 'kysely' }),
    )
  })
})
