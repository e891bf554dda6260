// A host in TypeScript that keeps its records in Redis and SQL. It is never run: run.mjs compiles
// it with the types of the oldest clients that are allowed, and of those that are tested with.
import Redis from 'ioredis'
import { Kysely, type SqliteDialect } from 'kysely'
import type { AuthRouterOptions } from 'messaging-auth-router'
import { redisBus, redisStores } from 'messaging-auth-router/stores/redis'
import { sqlStores } from 'messaging-auth-router/stores/sql'
import { createClient } from 'redis'

type Stores = Pick<
  AuthRouterOptions,
  'bus' | 'codes' | 'sessions' | 'secondFactors' | 'tickets' | 'proofs'
>

/** Over node-redis. */
export function overNodeRedis(url: string): Stores {
  const client = createClient({ url })
  return { ...redisStores(client), bus: redisBus(client) }
}

/** Over ioredis. */
export function overIoredis(url: string): Stores {
  const client = new Redis(url)
  return { ...redisStores(client), bus: redisBus(client) }
}

/** Over Kysely. */
export function overSql(dialect: SqliteDialect): Stores {
  const { keys: _forKeyRing, ...stores } = sqlStores(new Kysely<object>({ dialect }))
  return stores
}
