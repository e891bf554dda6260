// A Redis Cluster that belongs to one test, and connected clients of it.
import { Cluster, Redis } from 'ioredis'
import { createCluster } from 'redis'
import { expect, vi } from 'vitest'
import { type OwnRedis, startRedis } from './own-redis.js'
import type { TestClient } from './redis-clients.js'

const slots = [
  [0, 5460],
  [5461, 10_922],
  [10_923, 16_383],
] as const

/** Three masters, and as many replicas each as were asked for. */
export interface OwnCluster {
  readonly masters: readonly OwnRedis[]
  /** Of all nodes. */
  readonly ports: number[]
  stop(): Promise<void>
}

/** Starts a cluster whose nodes take one another for dead after two seconds. */
export async function startCluster({ replicas = 0 } = {}): Promise<OwnCluster> {
  const settings = ['--cluster-enabled', 'yes', '--cluster-node-timeout', '2000']
  const nodes = await Promise.all(
    Array.from({ length: 3 * (1 + replicas) }, () => startRedis(...settings)),
  )
  await join(nodes)
  const stop = async () => void (await Promise.all(nodes.map((node) => node.stop())))
  return { masters: nodes.slice(0, 3), ports: nodes.map(({ port }) => port), stop }
}

async function join(nodes: readonly OwnRedis[]): Promise<void> {
  const clients = nodes.map(({ port }) => new Redis(port, '127.0.0.1'))
  const masters = clients.slice(0, 3)
  const whole = new RegExp(
    'cluster_state:ok[\\s\\S]*cluster_slots_assigned:16384[\\s\\S]*' +
      `cluster_known_nodes:${nodes.length}`,
  )
  const patience = { timeout: 120_000, interval: 100 }
  const settled = (check: (client: Redis) => Promise<void>) =>
    vi.waitFor(() => Promise.all(clients.map(check)), patience)
  try {
    await Promise.all(
      masters.map((client, index) =>
        client.call('CLUSTER', 'ADDSLOTSRANGE', ...(slots[index] ?? [])),
      ),
    )
    await Promise.all(
      clients.map((client) => client.call('CLUSTER', 'MEET', '127.0.0.1', nodes[0]?.port ?? 0)),
    )
    await settled(async (client) => expect(await client.cluster('INFO')).toMatch(whole))
    const ids = await Promise.all(
      masters.map(async (client) => String(await client.call('CLUSTER', 'MYID'))),
    )
    await Promise.all(
      clients
        .slice(3)
        .map((client, index) => client.call('CLUSTER', 'REPLICATE', ids[index % 3] ?? '')),
    )
    for (const client of clients.slice(3)) {
      await vi.waitFor(
        async () => expect(await client.info('replication')).toContain('master_link_status:up'),
        patience,
      )
    }
  } finally {
    for (const client of clients) client.disconnect()
  }
}

/** The libraries by name; each answers a connected client of the cluster. */
export const clusterLibraries: [string, (ports: number[]) => Promise<TestClient>][] = [
  [
    'node-redis',
    async (ports) => {
      const client = createCluster({
        rootNodes: ports.map((port) => ({ url: `redis://127.0.0.1:${port}` })),
      })
      client.on('error', () => {})
      await client.connect()
      return { client, close: () => client.destroy() }
    },
  ],
  [
    'ioredis',
    async (ports) => {
      const client = new Cluster(ports.map((port) => ({ host: '127.0.0.1', port })))
      client.on('error', () => {})
      return { client, close: () => client.disconnect() }
    },
  ],
]
