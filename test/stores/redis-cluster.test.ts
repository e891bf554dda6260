import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { BusMessage, SessionEnded } from '../../src/index.js'
import { newProof, newSession } from '../../src/stores/new-records.js'
import { type RedisClient, redisBus, redisStores } from '../../src/stores/redis/redis-stores.js'
import { canStartRedis } from '../support/own-redis.js'
import { clusterLibraries, type OwnCluster, startCluster } from '../support/own-redis-cluster.js'

const start = new Date('2030-01-01T00:00:00Z')
const at = (seconds: number) => new Date(start.getTime() + seconds * 1000)

const session = (id: string) =>
  newSession(at, {
    id,
    userId: 'u-alice',
    kind: 'pkce',
    refresh: { hash: 'first', familyKey: 'family', spent: [] },
  })

describe.skipIf(!canStartRedis)('a cluster of three Redis servers', () => {
  let cluster: OwnCluster
  beforeAll(async () => {
    cluster = await startCluster()
  })
  afterAll(async () => {
    await cluster.stop()
  })

  describe.each(clusterLibraries)('through %s', (library, connect) => {
    let client: RedisClient
    let close = () => {}
    beforeAll(async () => {
      const made = await connect(cluster.ports)
      client = made.client
      close = made.close
    })
    afterAll(() => close())

    it('keeps sessions, wherever they are', async () => {
      const { sessions } = redisStores(client, { prefix: `${library}:` })
      const ids = Array.from({ length: 60 }, (_, i) => `{${i}}`)
      await Promise.all(ids.map((id) => sessions.create(session(id))))
      const sizes = await Promise.all(
        cluster.masters.map(async ({ url }) => {
          const node = new Redis(url)
          const size = await node.dbsize()
          node.disconnect()
          return size
        }),
      )
      expect(Math.min(...sizes)).toBeGreaterThan(0)
      expect(await sessions.find('{7}')).toEqual(session('{7}'))
      const next = {
        refresh: { hash: 'second', familyKey: 'family', spent: [] },
        lastSeenAt: at(1),
        idleExpiresAt: at(601),
        ip: null,
      }
      const rotations = await Promise.all(
        ids.map((id) => sessions.rotateRefresh(id, 'first', next, at(1))),
      )
      expect(rotations.every(({ outcome }) => outcome === 'rotated')).toBe(true)
      expect(await sessions.listForUser('u-alice', at(2))).toHaveLength(60)
      expect(await sessions.end('{0}', 'logout', at(2))).toBe(true)
      expect(await sessions.liveAmong(ids, at(2))).toEqual(ids.slice(1))
      const ended = await Promise.all(
        [1, 2, 3].map(() => sessions.endAllForUser('u-alice', 'revoked', at(3))),
      )
      expect(ended.flat().sort()).toEqual(ids.slice(1).sort())
      expect(await sessions.liveAmong(ids, at(3))).toEqual([])
    })

    it('consumes codes and tickets once', async () => {
      const { codes, tickets } = redisStores(client, { prefix: `${library}:` })
      const times = { createdAt: start, expiresAt: at(60) }
      for (const hash of ['a', 'b', 'c', 'd', 'e', 'f']) {
        await codes.save({
          ...times,
          codeHash: hash,
          userId: 'u-alice',
          issuedBySessionId: 'by',
          opensSessionId: 'opens',
          codeChallenge: 'challenge',
          scope: '*',
          methods: ['pwd'],
          authenticatedAt: start,
          retainUntil: at(3600),
          consumedAt: null,
        })
        await tickets.save({
          ...times,
          ticketHash: hash,
          sessionId: 'one',
          userId: 'u-alice',
          scope: '*',
          tokenExpiresAt: at(900),
        })
        const consumed = await Promise.all(
          Array.from({ length: 10 }, () => codes.consume(hash, at(1))),
        )
        expect(consumed.filter(({ outcome }) => outcome === 'consumed')).toHaveLength(1)
        const opened = await Promise.all(
          Array.from({ length: 10 }, () => tickets.consume(hash, at(1))),
        )
        expect(opened.filter(({ outcome }) => outcome === 'consumed')).toHaveLength(1)
      }
    })

    it('voids the proofs of a user, wherever they are', async () => {
      const { proofs } = redisStores(client, { prefix: `${library}:` })
      const userId = 'u-alice'
      const rows = Array.from({ length: 60 }, () => newProof(at, { userId, triesLeft: 1 }))
      await Promise.all(rows.map((proof) => proofs.save(proof)))
      const [{ idHash, purpose } = newProof(at)] = rows
      const tries = await Promise.all(
        Array.from({ length: 10 }, () => proofs.takeTry(idHash, purpose, at(1))),
      )
      expect(tries.filter(({ outcome }) => outcome === 'taken')).toHaveLength(1)
      const counts = await Promise.all(
        [1, 2, 3].map(() => proofs.voidForUser(userId, [purpose], at(2))),
      )
      expect(counts.reduce((sum, count) => sum + count)).toBe(60)
      const left = await Promise.all(
        rows.map((proof) => proofs.consume(proof.idHash, purpose, at(3))),
      )
      expect(left.every(({ outcome }) => outcome === 'void')).toBe(true)
    })

    it('carries messages, whichever nodes the processes talk to', async () => {
      const bus = redisBus(client, { channel: `${library}:ended` })
      const heard: BusMessage[] = []
      const leave = await bus.subscribe((event) => heard.push(event))
      const event: SessionEnded = {
        sessionId: 'one',
        userId: 'u-alice',
        reason: 'logout',
        at: at(1),
      }
      await vi.waitFor(async () => {
        await bus.publish(event)
        expect(heard).toContainEqual(event)
      })
      await leave()
    })
  })
})
