import { Redis } from 'ioredis'
import { createClient } from 'redis'
import { afterAll, describe, it } from 'vitest'
import { redisOnceStore, redisStores } from '../../src/stores/redis/redis-stores.js'
import { storeContract } from '../../src/testing/testing.js'
import { everyEngine } from '../support/engines.js'
import { randomKey } from '../support/records.js'
import { redisUrl } from '../support/services.js'

const contracts = ['codes', 'sessions', 'tickets', 'proofs', 'deviceCodes', 'once'] as const
const workerUrl = new URL('../../dist/process-worker.js', import.meta.url)
const url = redisUrl ?? ''

const open = {
  ioredis: async (onClose: (close: () => void) => void) => {
    const client = new Redis(url)
    onClose(() => client.disconnect())
    return client
  },
  'node-redis': async (onClose: (close: () => void) => void) => {
    const client = createClient({ url })
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
  afterAll(() => closers.forEach((close) => void close()))
  const query = new URLSearchParams({ library, url, prefix })
  storeContract(
    { describe, it },
    {
      name: 'redisStores',
      contracts,
      expires: 'database',
      stores: async () => {
        const client = await open[library]((close) => void closers.push(close))
        return { ...redisStores(client, { prefix }), once: redisOnceStore(client, { prefix }) }
      },
      processes: new URL(`redis-process-stores.mjs?${query}`, import.meta.url),
      workerUrl,
    },
  )
})
