import { checkOptions, optionsOf } from '../../lib/check-options.js'
import { withTimeout } from '../../lib/host-call.js'
import { randomId } from '../../lib/secrets.js'
import { messageText, tellListener } from '../bus-message.js'
import type { RevocationBus } from '../revocation-bus.js'
import {
  checkClient,
  type IoredisSubscriber,
  type KnownClient,
  type NodeRedisSubscriber,
  nameOption,
  type RedisClient,
} from './redis-client.js'

/** Options of {@link redisBus}. */
export interface RedisBusOptions {
  /** The channel; the same in all processes. Default `mar:session-ended`. */
  readonly channel?: string
}

const rules = {
  factory: 'redisBus',
  schema: optionsOf({ channel: nameOption().default('mar:session-ended') }),
}

/** How long the first connection may take. */
const connectTimeoutMs = 5000
/** How long a message of a check may take. */
const checkTimeoutMs = 2000

/**
 * Tells other processes over Redis (PUBLISH and SUBSCRIBE) that a session has ended, so that they
 * close its sockets at once, and that a client was changed. Pass it as `bus` to `createAuthRouter`.
 *
 * Listening takes a connection of its own, a `duplicate()` of your client with the same options; it
 * is closed when the router is. Both libraries connect and subscribe again by themselves when Redis
 * was away, unless your reconnect strategy gives up. A message that is lost meanwhile does no harm:
 * the router asks `sessions.liveAmong` about all sessions with open sockets every 4 seconds.
 *
 * `subscribe` rejects when Redis is not reached at once, and leaves nothing behind; the router
 * tries again until it succeeds. `publish` rejects when your client does. `check` sends a message
 * that means nothing, and rejects when a listener of this process has not heard it within 2
 * seconds. Messages that are no `BusMessage` are ignored. A client that may publish on the channel
 * can have sockets closed, not sessions ended: keep strangers off your Redis.
 *
 * @param client - a client of `redis` from 5.9 on (`createClient`, `createCluster`) or of `ioredis`
 * 5 or 6 (`Redis`, `Cluster`)
 * @throws AuthConfigError for another client, an unknown option, or a channel that is not 1 to 64
 * of `A-Z a-z 0-9 _ : . -`
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
  const { channel } = checkOptions(rules, options)
  const checks = pendingChecks()
  return {
    // A PING would not do: a replica answers it, too, and a server where we may not publish answers
    // it. Listeners ignore a text that is no message.
    async publish(message) {
      await client.publish(channel, messageText(message))
    },
    check: () => checks.run((text) => client.publish(channel, text)),
    async subscribe(listener) {
      let left = false
      const checked = checks.listen()
      const hear = (text: unknown) => {
        if (!left && !checked.hears(text)) tellListener(listener, text)
      }
      const { connected, close } =
        known.kind === 'node-redis'
          ? withNodeRedis(known, channel, hear)
          : withIoredis(known, channel, hear)
      const leave = async () => {
        left = true
        checked.leave()
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

/**
 * Which listeners have heard which messages of checks. Other processes hear them, too, and take
 * them for nothing.
 */
function pendingChecks() {
  const listeners = new Set<Map<string, () => void>>()
  return {
    async run(send: (text: string) => Promise<unknown>): Promise<void> {
      if (listeners.size === 0) throw new Error('redisBus: nobody listens')
      const text = `check ${randomId()}`
      const heard = [...listeners].map(
        (waiting) => new Promise<void>((resolve) => waiting.set(text, resolve)),
      )
      try {
        await withTimeout(() => Promise.all([send(text), ...heard]), checkTimeoutMs)
      } finally {
        for (const waiting of listeners) waiting.delete(text)
      }
    },
    listen() {
      const waiting = new Map<string, () => void>()
      listeners.add(waiting)
      return {
        hears(text: unknown): boolean {
          const tell = waiting.get(String(text))
          tell?.()
          return tell !== undefined
        },
        leave: () => void listeners.delete(waiting),
      }
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

function withIoredis(
  { client }: KnownClient & { kind: 'ioredis' },
  channel: string,
  hear: (text: unknown) => void,
): Subscription {
  const subscriber: IoredisSubscriber = client.duplicate()
  subscriber.on('message', (from, text) => {
    if (from === channel) hear(text)
  })
  const connected = soon(subscriber, async () => {
    // A duplicate connects by itself, unless the client was made with `lazyConnect`. Subscribing
    // before it is ready would fail without an offline queue.
    if (subscriber.status === 'wait') await subscriber.connect()
    else await new Promise((resolve) => subscriber.on('ready', resolve))
    await subscriber.subscribe(channel)
  })
  return { connected, close: () => quietly(() => subscriber.disconnect()) }
}

// Both libraries go on trying for ever to reach a Redis that is down, one connection for each
// attempt of the router. So the first error counts, and silence too.
function soon(
  subscriber: Pick<NodeRedisSubscriber, 'on'>,
  work: () => Promise<void>,
): Promise<void> {
  const firstError = new Promise<never>((_resolve, reject) => {
    // Stays for as long as the connection does: an 'error' event that nobody handles would end the
    // process.
    subscriber.on('error', reject)
  })
  return withTimeout(() => Promise.race([work(), firstError]), connectTimeoutMs)
}

function quietly(work: () => void): void {
  try {
    work()
  } catch {
    // It was closed already.
  }
}
