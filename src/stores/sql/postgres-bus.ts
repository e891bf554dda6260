import { AuthConfigError } from '../../errors.js'
import { checkOptions, fitting, optionsOf, withMethods } from '../../lib/check-options.js'
import { withTimeout } from '../../lib/host-call.js'
import type { Logger } from '../../lib/logger.js'
import { randomId } from '../../lib/secrets.js'
import { messageText, tellListener } from '../bus-message.js'
import type { RevocationBus } from '../revocation-bus.js'

/** The members that are used of a `pg.Pool`. */
export interface PostgresPool {
  readonly options: { readonly max: number }
  query(text: string, values: string[]): Promise<unknown>
  connect(): Promise<PostgresListener>
}

/** The members that are used of a connection of the pool that only listens. */
export interface PostgresListener {
  query(text: string): Promise<unknown>
  on(
    event: 'notification',
    listener: (message: { channel: string; payload?: string | undefined }) => void,
  ): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
  on(event: 'end', listener: () => void): unknown
  release(destroy?: boolean): void
}

/** Options of {@link postgresBus}. */
export interface PostgresBusOptions {
  /**
   * The channel; the same in all processes. A name of letters, digits and `_`, at most 63. Default
   * `mar_session_ended`.
   */
  readonly channel?: string
  /**
   * Is warned when the bus listens and hears nothing, as behind PgBouncer in transaction mode.
   * Default: `process.emitWarning`.
   */
  readonly logger?: Pick<Logger, 'warn'>
}

// The name becomes part of a statement.
const isChannel = (value: unknown) => typeof value === 'string' && /^[A-Za-z_]\w{0,62}$/.test(value)
const rules = {
  factory: 'postgresBus',
  schema: optionsOf({
    channel: fitting<string>(
      isChannel,
      'is not a name of at most 63 letters, digits and _.',
    ).default('mar_session_ended'),
    logger: withMethods<Pick<Logger, 'warn'>>('warn').optional(),
  }),
}

/** How long a connection may take to listen, and then to say that it is there. */
const timeoutMs = 5000
/** How often it is asked. */
const checkIntervalMs = 30_000
const [minPauseMs, maxPauseMs] = [100, 5000]
/** PostgreSQL refuses payloads of 8000 bytes and more. */
const maxPayloadBytes = 7999

/**
 * Tells other processes over PostgreSQL (LISTEN and NOTIFY) that a session has ended, so that they
 * close its sockets at once, and that a client was changed. Pass it as `bus` to `createAuthRouter`.
 *
 * Listening takes one connection of your pool for itself, until the router is closed: close the
 * router before `pool.end()`, which waits for it. When the connection is lost, or does not answer
 * when it is asked every 30 seconds, it is replaced after 100 ms, then after ever longer pauses of
 * at most 5 seconds. A message that is lost meanwhile does no harm: the router asks
 * `sessions.liveAmong` about all sessions with open sockets every 4 seconds.
 *
 * A pool behind PgBouncer must be in session mode: in transaction mode LISTEN succeeds, and nothing
 * is ever heard. So each connection that listens is sent a message over another one; when it does
 * not hear it within 2 seconds, `logger` is warned.
 *
 * `subscribe` rejects when there is no connection within 5 seconds, and leaves nothing behind; the
 * router tries again until it succeeds. `publish` rejects when the query fails, or the message is
 * longer than the 7999 bytes that PostgreSQL carries. Messages that are no `BusMessage` are
 * ignored.
 *
 * @param pool - a `pg.Pool` with a `max` of at least one more than the number of routers that
 * listen on it
 * @throws AuthConfigError for something else, an unknown option, or a channel that is not such a
 * name
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
  const { channel, logger } = checkOptions(rules, options)
  checkPool(pool)
  return {
    check: async () => void (await pool.query('select 1', [])),
    async publish(message) {
      const payload = messageText(message)
      if (Buffer.byteLength(payload) > maxPayloadBytes)
        throw new Error(`postgresBus: a message has more than ${maxPayloadBytes} bytes`)
      await pool.query('select pg_notify($1, $2)', [channel, payload])
    },
    async subscribe(listener) {
      const listening = keepListening(pool, channel, {
        hear: (payload) => tellListener(listener, payload),
        onDeaf: () => warnOfDeafness(logger),
      })
      await listening.started.catch((error) => {
        listening.leave()
        throw error
      })
      return async () => listening.leave()
    },
  }
}

function warnOfDeafness(logger: Pick<Logger, 'warn'> | undefined): void {
  const text =
    'postgresBus listens, but did not hear a message to itself within 2 s. Is the pool behind ' +
    'PgBouncer in transaction mode? Other ' +
    'processes learn of ended sessions within 5 s instead of at once. Give the bus a pool that ' +
    'reaches PostgreSQL itself, or session mode.'
  if (logger === undefined) process.emitWarning(text, { code: 'MAR_POSTGRES_BUS_HEARS_NOTHING' })
  else logger.warn(text)
}

/** The listeners for the messages of a connection. */
interface Ears {
  readonly hear: (payload: unknown) => void
  /** Called when a connection listens, and a message to itself did not arrive. */
  readonly onDeaf: () => void
}

interface Listening {
  /** Settles soon: rejects when the first connection fails, or takes too long. */
  readonly started: Promise<void>
  /** Gives the connection back to be destroyed. Does not wait for PostgreSQL, which may be down. */
  leave(): void
}

function keepListening(pool: PostgresPool, channel: string, ears: Ears): Listening {
  let hasLeft = false
  let attempt = new AbortController()
  let timer: NodeJS.Timeout | undefined

  async function listen(): Promise<void> {
    const mine = new AbortController()
    const { signal } = mine
    attempt = mine
    const connection = { ...ears, pool, channel, onLost: () => again(minPauseMs), left: signal }
    try {
      await withTimeout(
        () => Promise.race([takeConnection(connection), aborted(signal)]),
        timeoutMs,
      )
    } catch (error) {
      // It may yet get its connection, which nobody waits for any more.
      mine.abort()
      throw error
    }
  }

  function again(pause: number): void {
    if (hasLeft) return
    const retry = () => listen().catch(() => again(Math.min(2 * pause, maxPauseMs)))
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

// A caller that leaves does not wait for an answer, and its timer does not either.
function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('postgresBus: left')))
  })
}

interface Connection extends Ears {
  readonly pool: PostgresPool
  readonly channel: string
  /** Called once, if the connection is lost after it has listened. */
  readonly onLost: () => void
  readonly left: AbortSignal
}

async function takeConnection({
  pool,
  channel,
  hear,
  onDeaf,
  onLost,
  left,
}: Connection): Promise<void> {
  const client = await pool.connect()
  // It may have been left while the pool had no connection to give.
  if (left.aborted) return client.release()
  let state: 'joining' | 'listening' | 'gone' = 'joining'
  let checking: NodeJS.Timeout | undefined
  const echo = awaitEcho({
    send: (message) => pool.query('select pg_notify($1, $2)', [channel, message]),
    ask: () => client.query('select 1'),
    onDeaf,
  })
  // Destroyed, not handed back: the next user of this connection would be listening.
  const drop = () => {
    left.removeEventListener('abort', drop)
    clearInterval(checking)
    echo.forget()
    if (state !== 'gone') client.release(true)
    state = 'gone'
  }
  const lose = () => {
    const hasListened = state === 'listening'
    drop()
    if (hasListened) onLost()
  }
  left.addEventListener('abort', drop)
  // The pool handles errors of idle connections only: without this, an error of this one would end
  // the process.
  client.on('error', lose)
  client.on('end', lose)
  client.on('notification', (message) => {
    if (state === 'gone' || message.channel !== channel || echo.isIn(message.payload)) return
    hear(message.payload)
  })
  const joined = () => {
    // The loss may be told together with the answer.
    if (state === 'gone') throw new Error('postgresBus: the connection was lost')
    state = 'listening'
    // A connection whose other end is gone without a word would stay silent for ever.
    checking = setInterval(
      () => withTimeout(() => client.query('select 1'), timeoutMs).catch(lose),
      checkIntervalMs,
    ).unref()
    void echo.send()
  }
  await client
    .query(`listen "${channel}"`)
    .then(joined)
    .finally(() => state === 'joining' && drop())
}

function checkPool(pool: Partial<PostgresPool> | null | undefined): void {
  const max: unknown = pool?.options?.max
  if (
    typeof pool?.connect !== 'function' ||
    typeof pool.query !== 'function' ||
    typeof max !== 'number'
  ) {
    throw new AuthConfigError(
      'postgresBus.pool',
      'is not a pool of connections.',
      'pass a Pool of the package pg.',
    )
  }
  if (max < 2) {
    const problem = 'has one connection only, which would listen and never answer a query.'
    throw new AuthConfigError('postgresBus.pool', problem, 'give the pool a max of at least 2.')
  }
}

/** How long a message to oneself may take. */
const echoTimeoutMs = 2000

/** The parts that the wait for an echo needs. */
interface EchoLine {
  /**
   * Sends a message over another connection: over the one that listens, a pooler would hand back
   * what the same transaction has said.
   */
  readonly send: (message: string) => Promise<unknown>
  /** Asks the connection that listens anything at all. */
  readonly ask: () => Promise<unknown>
  /** Called once, when the message was sent, and did not arrive in time. */
  readonly onDeaf: () => void
}

/** A message to oneself. */
interface Echo {
  send(): Promise<void>
  /** Whether this is the message. */
  isIn(payload: unknown): boolean
  forget(): void
}

/**
 * Finds out whether a connection that listens also hears. That it cannot send, or is lost, says
 * nothing about that.
 */
function awaitEcho({ send, ask, onDeaf }: EchoLine): Echo {
  // Other listeners ignore it, since it is no event.
  const message = `echo ${randomId()}`
  let isOver = false
  let timer: NodeJS.Timeout | undefined

  async function judge(): Promise<void> {
    // Messages that have arrived and were not read yet come before the answer to this, however busy
    // the process is.
    await ask()
    if (!isOver) onDeaf()
    isOver = true
  }

  function forget(): void {
    isOver = true
    clearTimeout(timer)
  }

  return {
    forget,
    isIn(payload) {
      if (payload !== message) return false
      forget()
      return true
    },
    async send() {
      try {
        await send(message)
      } catch {
        return
      }
      if (!isOver) timer = setTimeout(() => void judge().catch(() => {}), echoTimeoutMs).unref()
    },
  }
}
