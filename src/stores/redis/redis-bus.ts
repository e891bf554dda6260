import { withTimeout } from '../../lib/timeouts.js'
import type { RevocationBus } from '../../revocations/contract.js'
import { endedMessage, tellListener } from '../bus-message.js'
import { checkClient, checkName, type KnownClient } from './check-client.js'
import type { IoredisSubscriber, NodeRedisSubscriber, RedisClient } from './redis-client.js'

/** Options of {@link redisBus}. */
export interface RedisBusOptions {
  /** The channel; the same in all processes. Default `mar:session-ended`. */
  readonly channel?: string
}

/** How long the first connection may take, in milliseconds. */
const patience = 5000

/**
 * Tells other processes over Redis (PUBLISH and SUBSCRIBE) that a session has ended, so that they close its sockets at once. Pass it
 * as `bus` to `createAuthRouter`.
 *
 * Listening takes a connection of its own, a `duplicate()` of your client with the same options; it is closed when the router is. Both
 * libraries connect and subscribe again by themselves when Redis was away, unless your reconnect strategy gives up. A message that is
 * lost meanwhile does no harm: the router asks `sessions.liveAmong` about all sessions with open sockets every 4 seconds.
 *
 * `subscribe` rejects when Redis is not reached at once, and leaves nothing behind; the router tries again until it is. `publish`
 * rejects when your client does. Messages that are no `SessionEnded` are ignored. Whoever may publish on the channel can have sockets
 * closed, not sessions ended: keep strangers off your Redis.
 *
 * @param client - a client of `redis` 6 (`createClient`, `createCluster`) or `ioredis` 6 (`Redis`, `Cluster`)
 * @throws AuthConfigError for another client, or a channel that is not 1 to 64 of `A-Z a-z 0-9 _ : . -`
 *
 * @example
 * ```ts
 * import { redisBus } from 'messaging-auth-router/stores/redis'
 * import { createClient } from 'redis'
 *
 * const client = createClient({ url: 'redis://127.0.0.1:6379' })
 * client.on('error', () => {})
 * await client.connect()
 * const bus = redisBus(client)
 * ```
 *
 * @example
 * ```ts
 * import { Redis } from 'ioredis'
 * import { redisBus } from 'messaging-auth-router/stores/redis'
 *
 * const bus = redisBus(new Redis('redis://127.0.0.1:6379'), { channel: 'chat:session-ended' })
 * ```
 */
export function redisBus(client: RedisClient, options: RedisBusOptions = {}): RevocationBus {
  const known = checkClient('redisBus', client)
  const remedy = 'leave it out for "mar:session-ended".'
  const channel = checkName('redisBus.channel', options.channel ?? 'mar:session-ended', remedy)
  return {
    async publish(event) {
      await client.publish(channel, endedMessage(event))
    },
    async subscribe(listener) {
      let left = false
      const hear = (text: unknown) => {
        if (!left) tellListener(listener, text)
      }
      const { connected, close } =
        known.kind === 'node-redis' ? withNodeRedis(known, channel, hear) : withIoredis(known, channel, hear)
      const leave = async () => {
        left = true
        close()
      }
      await connected.catch(async (error) => {
        await leave()
        throw error
      })
      return leave
    },
  }
}

interface Subscription {
  /** Settles soon: rejects at the first error, or when nothing happens. */
  readonly connected: Promise<void>
  /** Ends the connection, whatever its state. Does not wait for Redis, which may be down. */
  close(): void
}

function withNodeRedis(
  { client }: KnownClient & { kind: 'node-redis' },
  channel: string,
  hear: (text: unknown) => void,
): Subscription {
  const subscriber: NodeRedisSubscriber = client.duplicate()
  const connected = soon(subscriber, async () => {
    await subscriber.connect()
    await subscriber.subscribe(channel, hear)
  })
  return { connected, close: () => quietly(() => subscriber.destroy()) }
}

function withIoredis({ client }: KnownClient & { kind: 'ioredis' }, channel: string, hear: (text: unknown) => void): Subscription {
  const subscriber: IoredisSubscriber = client.duplicate()
  subscriber.on('message', (from, text) => {
    if (from === channel) hear(text)
  })
  const connected = soon(subscriber, async () => {
    // A duplicate connects by itself, unless the client was made with `lazyConnect`. Subscribing before it is ready would fail without
    // an offline queue.
    if (subscriber.status === 'wait') await subscriber.connect()
    else await new Promise((resolve) => subscriber.on('ready', resolve))
    await subscriber.subscribe(channel)
  })
  return { connected, close: () => quietly(() => subscriber.disconnect()) }
}

// Both libraries go on trying for ever to reach a Redis that is down, one connection for each attempt of the router. So the first
// error counts, and silence too.
function soon(subscriber: Pick<NodeRedisSubscriber, 'on'>, work: () => Promise<void>): Promise<void> {
  const firstError = new Promise<never>((_resolve, reject) => {
    // Stays for as long as the connection does: an 'error' event that nobody handles would end the process.
    subscriber.on('error', reject)
  })
  return withTimeout(() => Promise.race([work(), firstError]), patience)
}

function quietly(work: () => void): void {
  try {
    work()
  } catch {
    // It was closed already.
  }
}
