import type { z } from 'zod'
import { AuthConfigError } from '../../errors.js'
import { fitting } from '../../lib/check-options.js'
import type { IoredisClient, NodeRedisClient, RedisClient } from './redis-client.js'

/** The client, by the library it comes from. */
export type KnownClient =
  | { readonly kind: 'node-redis'; readonly client: NodeRedisClient }
  | { readonly kind: 'ioredis'; readonly client: IoredisClient }

/**
 * Tells the libraries apart by how they spell EVALSHA. Throws AuthConfigError for anything else.
 */
export function checkClient(factory: string, client: RedisClient): KnownClient {
  if (has(client, 'evalSha', 'eval', 'publish', 'duplicate'))
    return { kind: 'node-redis', client: client as NodeRedisClient }
  if (has(client, 'evalsha', 'eval', 'publish', 'duplicate'))
    return { kind: 'ioredis', client: client as IoredisClient }
  throw new AuthConfigError(
    `${factory}.client`,
    'is neither a client of redis (node-redis) nor one of ioredis.',
    'pass what createClient() or createCluster() of redis 5.9 or later, or new Redis() or new ' +
      'Cluster() of ioredis 5 or 6 returned.',
  )
}

/**
 * A prefix or channel. Braces would change which part of a key Redis Cluster hashes, and the rest
 * is what tools can show.
 */
export function nameOption(): z.ZodType<string> {
  const isName = (value: unknown) => typeof value === 'string' && /^[\w:.-]{1,64}$/.test(value)
  return fitting(isName, 'is not 1 to 64 of the characters A-Z, a-z, 0-9 and _ : . -')
}

function has(client: unknown, ...methods: string[]): boolean {
  if (client === null || (typeof client !== 'object' && typeof client !== 'function')) return false
  return methods.every(
    (method) => typeof (client as Record<string, unknown>)[method] === 'function',
  )
}
