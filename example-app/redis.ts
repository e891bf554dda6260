import { randomUUID } from 'node:crypto'
import { Redis } from 'ioredis'
import type {
  AuthorizationCodeStore,
  RevocationBus,
  SocketTicketStore,
  ThrottleOptions,
} from 'messaging-auth-router'
import { redisBus, redisStores } from 'messaging-auth-router/stores/redis'
import { RateLimiterRedis } from 'rate-limiter-flexible'
import { log } from './log.js'
import type { Message } from './messages.js'

/**
 * What several processes share in Redis. Sessions are not among it: they stay in the database,
 * which forgets nothing.
 */
export interface SharedInRedis {
  readonly stores: { readonly codes: AuthorizationCodeStore; readonly tickets: SocketTicketStore }
  readonly options: { readonly bus: RevocationBus; readonly throttle: ThrottleOptions }
  /** Tells the other processes of a new message. */
  announce(message: Message): void
  /** `listener` is told of the other processes' messages. */
  onMessage(listener: (message: Message) => void): void
  close(): void
}

/** Connects to Redis. Rejects when it cannot be reached. */
export async function openRedis(url: string): Promise<SharedInRedis> {
  const client = new Redis(url, {
    // While Redis is away, a command fails at once, and the client gets its 503. By default ioredis
    // would keep commands and carry them out once Redis is back, long after their requests were
    // answered.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: 1500,
    commandTimeout: 1500,
    // It goes on trying for as long as it takes.
    retryStrategy: (times) => Math.min(times * 100, 2000),
    lazyConnect: true,
  })
  const subscriber = client.duplicate()
  const close = () => [client, subscriber].forEach((connection) => void connection.disconnect())
  try {
    await Promise.all([connect(client), connect(subscriber)])
  } catch (error) {
    close()
    throw error
  }
  tellOfOutages(client)
  const { codes, tickets } = redisStores(client)
  const throttle: ThrottleOptions = {
    limiter: (settings) => new RateLimiterRedis({ storeClient: client, ...settings }),
  }
  const messages = await shareMessages(client, subscriber)
  return {
    stores: { codes, tickets },
    options: { bus: redisBus(client), throttle },
    ...messages,
    close,
  }
}

// `connect` itself would only say that the connection is closed. The listener stays: an error that
// nobody hears ends the process.
async function connect(connection: Redis): Promise<void> {
  const failed = new Promise<never>((_resolve, reject) => connection.on('error', reject))
  await Promise.race([connection.connect(), failed])
}

// Once for each outage, not with every attempt to end it.
function tellOfOutages(connection: Redis): void {
  let isAway = false
  connection.on('ready', () => {
    if (isAway) log('Redis is back')
    isAway = false
  })
  connection.on('reconnecting', () => {
    if (!isAway) log('Redis is away')
    isAway = true
  })
}

async function shareMessages(
  client: Redis,
  subscriber: Redis,
): Promise<Pick<SharedInRedis, 'announce' | 'onMessage'>> {
  // With the number of the database: channels belong to all of them, and another chat may have the
  // next one.
  const channel = `chat:messages:${client.options.db}`
  const me = randomUUID()
  await subscriber.subscribe(channel)
  return {
    // A message that gets lost here is not lost: it is in the database, where clients find it when
    // they look again.
    announce(message) {
      const failed = (error: unknown) =>
        log('a message was not announced to the other processes', String(error))
      client.publish(channel, JSON.stringify({ by: me, message })).catch(failed)
    },
    onMessage(listener) {
      subscriber.on('message', (_channel, text) => {
        const { by, message } = parse(text)
        if (message !== undefined && by !== me) listener(message)
      })
    },
  }
}

// Whoever reaches Redis can publish, and nothing that is published may end the process.
function parse(text: string): { by?: string; message?: Message } {
  try {
    return JSON.parse(text) ?? {}
  } catch {
    return {}
  }
}
