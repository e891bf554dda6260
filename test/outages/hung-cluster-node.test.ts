import { Cluster } from 'ioredis'
import { createCluster } from 'redis'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { withTimeout } from '../../src/lib/host-call.js'
import { redisBus, redisStores } from '../../src/stores/redis/redis-stores.js'
import { canStartRedis } from '../support/own-redis.js'
import { type OwnCluster, startCluster } from '../support/own-redis-cluster.js'
import { at, sessionRecord } from '../support/records.js'
import type { TestClient } from '../support/redis-clients.js'

/** What `storeTimeout` is by default: no request waits longer. */
const storeTimeout = 2000

// The settings are those of docs/databases.md.
const libraries: [string, (ports: number[]) => Promise<TestClient>][] = [
  [
    'ioredis',
    async (ports) => {
      const client = new Cluster(
        ports.map((port) => ({ host: '127.0.0.1', port })),
        {
          slotsRefreshInterval: 1000,
          redisOptions: { connectTimeout: 1500, socketTimeout: 1500, maxRetriesPerRequest: 1 },
        },
      )
      client.on('error', () => {})
      return { client, close: () => client.disconnect() }
    },
  ],
  [
    'node-redis',
    async (ports) => {
      const client = createCluster({
        rootNodes: ports.map((port) => ({ url: `redis://127.0.0.1:${port}` })),
        topologyRefreshOnReconnectionAttemptStrategy: 1000,
        defaults: {
          disableOfflineQueue: true,
          pingInterval: 1000,
          socket: { connectTimeout: 1000, socketTimeout: 1500, reconnectStrategy: 200 },
        },
      })
      client.on('error', () => {})
      await client.connect()
      return { client, close: () => client.destroy() }
    },
  ],
]

describe.skipIf(!canStartRedis).each(libraries)(
  'a master of a cluster hangs, its connections open, with %s',
  (library, connect) => {
    let cluster: OwnCluster
    let connected: TestClient
    beforeAll(async () => {
      cluster = await startCluster({ replicas: 1 })
      connected = await connect(cluster.ports)
    }, 60_000)
    afterAll(async () => {
      connected?.close()
      for (const master of cluster?.masters ?? []) master.wake()
      await cluster?.stop()
    })

    it('its replica takes over, and no session is out of reach any more while it still hangs', {
      timeout: 300_000,
    }, async () => {
      const { sessions } = redisStores(connected.client)
      const bus = redisBus(connected.client)
      const leave = await bus.subscribe(() => {})
      // In all slots: a third of them are on the node that hangs.
      const records = Array.from({ length: 60 }, () => sessionRecord({ idleExpiresAt: at(3600) }))
      for (const record of records) await sessions.create(record)
      const [ended] = records
      expect(await sessions.end(ended?.id ?? '', 'logout', at(1))).toBe(true)
      const outOfReach = async () => {
        const asked = records.map(({ id }) => withTimeout(() => sessions.find(id), storeTimeout))
        return (await Promise.allSettled(asked)).filter(({ status }) => status === 'rejected')
          .length
      }
      // So that the replicas have it.
      await expect.poll(outOfReach).toBe(0)
      await new Promise((resolve) => setTimeout(resolve, 500))

      const hung = performance.now()
      cluster.masters[0]?.hang()
      expect(await outOfReach(), 'it did hang').toBeGreaterThan(0)
      await expect.poll(outOfReach, { timeout: 120_000, interval: 100 }).toBe(0)
      process.stdout.write(
        `${library}: all within reach ${Math.round(performance.now() - hung)} ms after the node ` +
          `hung\n`,
      )
      for (let round = 0; round < 5; round += 1) expect(await outOfReach()).toBe(0)
      await expect
        .poll(
          () =>
            bus.check?.().then(
              () => 'arrive',
              () => 'do not',
            ),
          { timeout: 120_000 },
        )
        .toBe('arrive')
      expect((await sessions.find(ended?.id ?? ''))?.endReason).toBe('logout')
      cluster.masters[0]?.wake()
      for (let round = 0; round < 5; round += 1) expect(await outOfReach()).toBe(0)
      await leave()
    })
  },
)
