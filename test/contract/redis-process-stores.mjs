// What the child processes of the two-process mode import: the Redis stores, by the query of this
// module's address.
import { Redis } from 'ioredis'
import { redisOnceStore, redisStores } from 'messaging-auth-router/stores/redis'
import { createClient } from 'redis'

const { library, url, prefix } = Object.fromEntries(new URL(import.meta.url).searchParams)

async function connect() {
  if (library === 'ioredis') return new Redis(url)
  return createClient({ url }).connect()
}

// biome-ignore lint/style/noDefaultExport: it is what the contract suite asks for
export default async () => {
  const client = await connect()
  return { ...redisStores(client, { prefix }), once: redisOnceStore(client, { prefix }) }
}
