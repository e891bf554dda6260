import { Redis } from 'ioredis'
import { createClient } from 'redis'
import { afterAll, describe, it } from 'vitest'
import { redisOnceStore, redisStores } from '../../src/stores/redis/redis-stores.js'
import { storeContract } from '../../src/testing/testing.js'
import { everyEngine } from '../support/engines.js'
import { type DatabaseProxy, startProxy } from '../support/proxy.js'
import { randomKey } from '../support/records.js'
import { redisUrl } from '../support/services.js'

const contracts = ['codes', 'sessions', 'tickets', 'proofs', 'deviceCodes', 'once'] as const
const workerUrl = new URL('../../dist/process-worker.js', import.meta.url)
const url = redisUrl ?? ''

const open = {
  ioredis: async (url: string, onClose: (close: () => void) => void) => {
    const client = new Redis(url, { maxRetriesPerRequest: 1 })
    client.on('error', () => {})
    onClose(() => client.disconnect())
    return client
  },
  'node-redis': async (url: string, onClose: (close: () => void) => void) => {
    const client = createClient({ url })
    client.on('error', () => {})
    await client.connect()
    onClose(() => client.destroy())
    return client
  },
}

const names = ['node-redis', 'ioredis'] as const
const used = everyEngine ? names : names.slice(0, 1)

describe.skipIf(redisUrl === null).each(used)('%s', (library) => {
  const prefix = `contract-${randomKey()}:`
  const closers: (() => void)[] = []
  let proxy: DatabaseProxy | undefined
  afterAll(async () => {
    for (const close of closers) close()
    await proxy?.stop()
  })
  const query = new URLSearchParams({ library, url, prefix })
  storeContract(
    { describe, it },
    {
      name: 'redisStores',
      contracts,
      expires: 'database',
      stores: async () => {
        proxy = await startProxy(url)
        const client = await open[library](proxy.url, (close) => void closers.push(close))
        return { ...redisStores(client, { prefix }), once: redisOnceStore(client, { prefix }) }
      },
      processes: new URL(`redis-process-stores.mjs?${query}`, import.meta.url),
      workerUrl,
      outage: { begin: () => proxy?.cut(), end: () => proxy?.mend() },
    },
  )
})
