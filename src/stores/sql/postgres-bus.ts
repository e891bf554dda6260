import { AuthConfigError } from '../../errors.js'
import { withTimeout } from '../../lib/timeouts.js'
import type { RevocationBus } from '../../revocations/contract.js'
import { endedMessage, tellListener } from '../bus-message.js'

/** What is used of a `pg.Pool`. */
export interface PostgresPool {
  readonly options: { readonly max: number }
  query(text: string, values: string[]): Promise<unknown>
  connect(): Promise<PostgresListener>
}

/** What is used of a connection of the pool that only listens. */
export interface PostgresListener {
  query(text: string): Promise<unknown>
  on(event: 'notification', listener: (message: { channel: string; payload?: string | undefined }) => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'end', listener: () => void): unknown
  release(destroy?: boolean): void
}

/** Options of {@link postgresBus}. */
export interface PostgresBusOptions {
  /** The channel; the same in all processes. A name of letters, digits and `_`, at most 63. Default `mar_session_ended`. */
  readonly channel?: string
}

/** How long a connection may take to listen, and then to say that it is there, in milliseconds. */
const patience = 5000
/** How often it is asked, in milliseconds. */
const checkInterval = 30_000
const [shortestPause, longestPause] = [100, 5000]
/** PostgreSQL refuses payloads of 8000 bytes and more. */
const longestPayload = 7999

/**
 * Tells other processes over PostgreSQL (LISTEN and NOTIFY) that a session has ended, so that they close its sockets at once. Pass it
 * as `bus` to `createAuthRouter`.
 *
 * Listening takes one connection of your pool for itself, until the router is closed: close the router before `pool.end()`, which
 * waits for it. A pool behind PgBouncer must be in session mode. When the connection is lost, or does not answer when it is asked every
 * 30 seconds, it is replaced after 100 ms, then after ever longer pauses of at most 5 seconds. A message that is lost meanwhile does no harm: the router asks `sessions.liveAmong` about
 * all sessions with open sockets every 4 seconds.
 *
 * `subscribe` rejects when no connection is had within 5 seconds, and leaves nothing behind; the router tries again until it is.
 * `publish` rejects when the query fails, or the message is longer than the 7999 bytes that PostgreSQL carries. Messages that are no
 * `SessionEnded` are ignored.
 *
 * @param pool - a `pg.Pool` with a `max` of at least one more than the number of routers that listen on it
 * @throws AuthConfigError for something else, or a channel that is not such a name
 *
 * @example
 * ```ts
 * import { postgresBus } from 'messaging-auth-router/stores/sql'
 * import { Pool } from 'pg'
 *
 * const pool = new Pool({ connectionString: 'postgres://app@127.0.0.1/chat', max: 10 })
 * pool.on('error', () => {}).on('connect', (client) => void client.on('error', () => {}))
 * const bus = postgresBus(pool)
 * ```
 */
export function postgresBus(pool: PostgresPool, options: PostgresBusOptions = {}): RevocationBus {
  const channel = checkChannel(options.channel ?? 'mar_session_ended')
  checkPool(pool)
  return {
    async publish(event) {
      const payload = endedMessage(event)
      if (Buffer.byteLength(payload) > longestPayload)
        throw new Error(`postgresBus: a message has more than ${longestPayload} bytes`)
      await pool.query('select pg_notify($1, $2)', [channel, payload])
    },
    async subscribe(listener) {
      const listening = keepListening(pool, channel, (payload) => tellListener(listener, payload))
      await listening.started.catch((error) => {
        listening.leave()
        throw error
      })
      return async () => listening.leave()
    },
  }
}

interface Listening {
  /** Settles soon: rejects when the first connection fails, or takes too long. */
  readonly started: Promise<void>
  /** Gives the connection back to be destroyed. Does not wait for PostgreSQL, which may be down. */
  leave(): void
}

function keepListening(pool: PostgresPool, channel: string, hear: (payload: unknown) => void): Listening {
  let hasLeft = false
  let attempt = new AbortController()
  let timer: NodeJS.Timeout | undefined

  async function listen(): Promise<void> {
    const mine = new AbortController()
    const { signal } = mine
    attempt = mine
    const connection = { pool, channel, hear, onLost: () => again(shortestPause), left: signal }
    try {
      await withTimeout(() => Promise.race([takeConnection(connection), aborted(signal)]), patience)
    } catch (error) {
      // It may yet get its connection, which nobody waits for any more.
      mine.abort()
      throw error
    }
  }

  function again(pause: number): void {
    if (hasLeft) return
    const retry = () => listen().catch(() => again(Math.min(2 * pause, longestPause)))
    timer = setTimeout(retry, pause).unref()
  }

  return {
    started: listen(),
    leave() {
      hasLeft = true
      attempt.abort()
      clearTimeout(timer)
    },
  }
}

// Whoever leaves does not wait for an answer, so neither does the timer that waits for it.
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('postgresBus: left')))
  })
}

interface Connection {
  readonly pool: PostgresPool
  readonly channel: string
  readonly hear: (payload: unknown) => void
  /** Called once, if the connection is lost after it has listened. */
  readonly onLost: () => void
  readonly left: AbortSignal
}

async function takeConnection({ pool, channel, hear, onLost, left }: Connection): Promise<void> {
  const client = await pool.connect()
  // It may have been left while the pool had no connection to give.
  if (left.aborted) return client.release()
  let state: 'joining' | 'listening' | 'gone' = 'joining'
  let checking: NodeJS.Timeout | undefined
  // Destroyed, not handed back: whoever got it next would be listening.
  const drop = () => {
    left.removeEventListener('abort', drop)
    clearInterval(checking)
    if (state !== 'gone') client.release(true)
    state = 'gone'
  }
  const lose = () => {
    const hasListened = state === 'listening'
    drop()
    if (hasListened) onLost()
  }
  left.addEventListener('abort', drop)
  // The pool handles errors of idle connections only: without this, an error of this one would end the process.
  client.on('error', lose)
  client.on('end', lose)
  client.on('notification', (message) => {
    if (state !== 'gone' && message.channel === channel) hear(message.payload)
  })
  const joined = () => {
    // The loss may be told together with the answer.
    if (state === 'gone') throw new Error('postgresBus: the connection was lost')
    state = 'listening'
    // A connection whose other end is gone without a word would stay silent for ever.
    checking = setInterval(() => withTimeout(() => client.query('select 1'), patience).catch(lose), checkInterval).unref()
  }
  await client
    .query(`listen "${channel}"`)
    .then(joined)
    .finally(() => state === 'joining' && drop())
}

// The name becomes part of a statement.
function checkChannel(channel: unknown): string {
  if (typeof channel === 'string' && /^[A-Za-z_]\w{0,62}$/.test(channel)) return channel
  const problem = 'is not a name of at most 63 letters, digits and _.'
  throw new AuthConfigError('postgresBus.channel', problem, 'leave it out for "mar_session_ended".')
}

function checkPool(pool: Partial<PostgresPool> | null | undefined): void {
  const max: unknown = pool?.options?.max
  if (typeof pool?.connect !== 'function' || typeof pool.query !== 'function' || typeof max !== 'number') {
    throw new AuthConfigError('postgresBus.pool', 'is not a pool of connections.', 'pass a Pool of the package pg.')
  }
  if (max < 2) {
    const problem = 'has one connection only, which would listen and never answer a query.'
    throw new AuthConfigError('postgresBus.pool', problem, 'give the pool a max of at least 2.')
  }
}
