import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { databaseKinds, openDatabase, type TestDatabase } from '../support/databases.js'

const start = new Date()
const at = (s: number) => new Date(start.getTime() + s * 1000)
describe.each(databaseKinds)('$name', (kind) => {
  describe.skipIf(kind.open === null)('smoke', () => {
    let database: TestDatabase
    beforeAll(async () => {
      database = await openDatabase(kind)
    })
    afterAll(() => database.close())
    it('works', async () => {
      const { codes, sessions, secondFactors, tickets, keys } = database.stores
      const code = {
        codeHash: 'h',
        userId: 'u',
        issuedBySessionId: null,
        opensSessionId: 's',
        codeChallenge: 'c',
        scope: '*',
        methods: ['pwd' as const],
        authenticatedAt: start,
        createdAt: start,
        expiresAt: at(60),
        retainUntil: at(3600),
        consumedAt: null,
      }
      await codes.save(code)
      expect(await codes.find('h')).toEqual(code)
      const session = {
        id: 's',
        userId: 'u',
        kind: 'pkce' as const,
        scope: '*',
        methods: ['pwd' as const],
        authenticatedAt: start,
        createdAt: start,
        lastSeenAt: start,
        idleExpiresAt: at(600),
        expiresAt: at(3600),
        ip: null,
        userAgent: null,
        refresh: { hash: 'r1', familyKey: 'f', spent: [] },
        endedAt: null,
        endReason: null,
      }
      const results = await Promise.all(Array.from({ length: 50 }, () => codes.redemption?.redeem('h', session, at(1))))
      expect(results.filter((r) => r?.outcome === 'consumed')).toHaveLength(1)
      expect(results.filter((r) => r?.outcome === 'replayed')).toHaveLength(49)
      expect(await sessions.find('s')).toEqual(session)
      const rotated = await Promise.all(
        Array.from({ length: 50 }, (_, i) =>
          sessions.rotateRefresh(
            's',
            'r1',
            {
              refresh: { hash: `n${i}`, familyKey: 'f', spent: [{ hash: 'r1', salt: 'x', spentAt: at(2) }] },
              lastSeenAt: at(2),
              idleExpiresAt: at(602),
              ip: '::1',
            },
            at(2),
          ),
        ),
      )
      expect(rotated.filter((r) => r.outcome === 'rotated')).toHaveLength(1)
      expect(await sessions.liveAmong(['s', 'x'], at(3))).toEqual(['s'])
      expect(await sessions.listForUser('u', at(3))).toHaveLength(1)
      const ended = await Promise.all(Array.from({ length: 10 }, () => sessions.endAllForUser('u', 'revoked', at(4))))
      expect(ended.flat()).toEqual(['s'])
      expect(await sessions.purge(at(5))).toBe(1)
      const factor = { userId: 'u', sealedSeed: 'x', lastStep: -1, createdAt: start }
      const active = await Promise.all(Array.from({ length: 10 }, () => secondFactors.activate(factor, ['a', 'b'])))
      expect(active.filter((r) => r.outcome === 'activated')).toHaveLength(1)
      const key = { generation: 1, kid: 'k', sealedKey: 's', createdAt: start, activatesAt: start }
      const inserted = await Promise.all(Array.from({ length: 10 }, () => keys.insert(key)))
      expect(inserted.filter((r) => r.outcome === 'inserted')).toHaveLength(1)
      expect(await keys.list()).toEqual([key])
      await tickets.save({
        ticketHash: 't',
        sessionId: 's',
        userId: 'u',
        scope: '*',
        tokenExpiresAt: at(9),
        createdAt: start,
        expiresAt: at(9),
      })
      expect(
        (await Promise.all(Array.from({ length: 10 }, () => tickets.consume('t', at(1))))).filter((r) => r.outcome === 'consumed'),
      ).toHaveLength(1)
    })
  })
})
