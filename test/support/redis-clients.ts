// Connected clients of both Redis libraries, for tests that must hold with either.
import { Redis } from 'ioredis'
import { createClient } from 'redis'
import type {
  IoredisClient,
  NodeRedisClient,
  RedisClient,
} from '../../src/stores/redis/redis-stores.js'
import { everyEngine } from './engines.js'

/** A client of the host, and how the host closes it. */
export interface TestClient {
  readonly client: RedisClient
  close(): void
}

/**
 * The libraries by name, or the first alone: {@link everyEngine}. Each answers a client, connected
 * to the URL under a name of its own. Nothing is cast: both types must fit.
 */
export const libraries: [string, (url: string, name?: string) => Promise<TestClient>][] = (
  [
    [
      'node-redis',
      async (url, name = 'test') => {
        const client = createClient({ url, name })
        client.on('error', () => {})
        await client.connect()
        const close = () => {
          if (client.isOpen) client.destroy()
        }
        return { client, close }
      },
    ],
    [
      'ioredis',
      async (url, connectionName = 'test') => {
        const client = new Redis(url, { connectionName, lazyConnect: true })
        client.on('error', () => {})
        await client.connect()
        return { client, close: () => client.disconnect() }
      },
    ],
  ] satisfies [string, (url: string, name?: string) => Promise<TestClient>][]
).slice(0, everyEngine ? undefined : 1)

/** Sends one command as it stands and answers what Redis says, over a connection of its own. */
export async function redisCommand(
  url: string,
  ...[command, ...args]: [string, ...(string | number)[]]
): Promise<unknown> {
  const client = new Redis(url)
  try {
    return await client.call(command, ...args)
  } finally {
    client.disconnect()
  }
}

/**
 * The client as it is when its driver sends every script twice, because it lost the connection
 * before the first answer.
 */
export function resending(client: RedisClient): RedisClient {
  return around(client, async (send) => {
    await send()
    return send()
  })
}

/** The client, telling the keys of every script that is sent. */
export function watching(client: RedisClient, tell: (keys: string[]) => void): RedisClient {
  return around(client, (send, keys) => {
    tell(keys)
    return send()
  })
}

function around(
  client: RedisClient,
  how: (send: () => Promise<unknown>, keys: string[]) => Promise<unknown>,
): RedisClient {
  if ('evalSha' in client) {
    const wrapped: NodeRedisClient = {
      evalSha: (sha, options) => how(() => client.evalSha(sha, options), options.keys),
      eval: (text, options) => how(() => client.eval(text, options), options.keys),
      publish: (channel, message) => client.publish(channel, message),
      duplicate: () => client.duplicate(),
    }
    return wrapped
  }
  const wrapped: IoredisClient = {
    evalsha: (sha, count, ...rest) =>
      how(() => client.evalsha(sha, count, ...rest), rest.slice(0, count)),
    eval: (text, count, ...rest) =>
      how(() => client.eval(text, count, ...rest), rest.slice(0, count)),
    publish: (channel, message) => client.publish(channel, message),
    duplicate: () => client.duplicate(),
  }
  return wrapped
}

/**
 * The slot of Redis Cluster that a key belongs to: CRC-16/XMODEM of what is in the first braces,
 * modulo 16384.
 */
export function slotOf(key: string): number {
  const open = key.indexOf('{')
  const close = key.indexOf('}', open + 1)
  const hashed = open >= 0 && close > open + 1 ? key.slice(open + 1, close) : key
  let crc = 0
  for (const byte of Buffer.from(hashed)) {
    crc ^= byte << 8
    for (let bit = 0; bit < 8; bit += 1) crc = (crc & 0x8000) !== 0 ? (crc << 1) ^ 0x1021 : crc << 1
  }
  return (crc & 0xffff) % 16_384
}
