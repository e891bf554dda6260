import type { SessionStore } from '../contract.js'
import type {
  AuthorizationCodeStore,
  DeviceCodeStore,
  ProofStore,
  SocketTicketStore,
} from '../one-time-contract.js'
import type { RedisClient } from './redis-client.js'
import { redisDeviceCodes } from './redis-device-codes.js'
import { redisCodes, redisProofs, redisTickets } from './redis-one-time.js'
import { redisSessions } from './redis-sessions.js'
import { openScripts, type RedisStoresOptions } from './scripts.js'

export { type RedisBusOptions, redisBus } from './redis-bus.js'
export type {
  IoredisClient,
  IoredisSubscriber,
  NodeRedisClient,
  NodeRedisSubscriber,
  RedisClient,
} from './redis-client.js'
export { redisOnceStore } from './redis-one-time.js'
export type { RedisStoresOptions } from './scripts.js'

/**
 * The stores, to be spread into the options of `createAuthRouter`. Second factors belong in a
 * database that lasts.
 */
export interface RedisStores {
  readonly codes: AuthorizationCodeStore
  readonly sessions: SessionStore
  readonly tickets: SocketTicketStore
  readonly proofs: ProofStore
  readonly deviceCodes: DeviceCodeStore
}

/**
 * Keeps authorization codes, sessions, socket tickets, proofs and device codes in Redis 6.2 or
 * later, for any number of processes. A change that may have one winner only is one Lua script;
 * each script touches one slot, so that Redis Cluster works too.
 *
 * The client stays yours: connect it before, close it after the router, and handle its 'error'
 * events. Its standard type mapping is expected. Let it fail fast while Redis is away
 * (`disableOfflineQueue: true`, or ioredis' `enableOfflineQueue: false` once it is connected):
 * queued writes would be made after their requests were answered with 503. All methods reject when
 * Redis cannot be reached, is read-only, or holds what was not stored by this package; the router
 * then answers 503.
 *
 * Redis decides which data survives:
 * - A logout that was acknowledged survives a restart of Redis only with `appendonly yes` and
 *   `appendfsync always`. With `everysec` its last second may be lost, and a session that ended in
 *   it lives again.
 * - Without any persistence a restart loses all sessions: all users have to sign in again, and no
 *   session comes back. Snapshots alone (`save`) revive sessions that ended after the last
 *   snapshot: turn them off, or use the append-only file.
 * - Set `maxmemory-policy noeviction`. A full Redis then refuses sign-ins, and still ends sessions.
 *   A Redis that evicts keys signs users out. "Sign out everywhere" ends every session of a user,
 *   whichever key was evicted. A link in a mail that should be void may still work, unless the
 *   state it was made for has changed. You are warned of it once.
 * - Replicas follow a little later. After a failover, the last logouts may be missing;
 *   `min-replicas-to-write` and `WAIT` narrow that down, and this package does not call `WAIT`.
 *
 * Times are judged by each record and the clock of the router; Redis only collects what has been
 * over for an hour. Second factors have no store here: losing them would switch them off.
 *
 * @param client - a connected client of `redis` from 5.9 on (`createClient`, `createCluster`) or of
 * `ioredis` 5 or 6 (`Redis`, `Cluster`)
 * @throws AuthConfigError for another client, another prefix, or an unknown option
 *
 * @example
 * ```ts
 * import { redisBus, redisStores } from 'messaging-auth-router/stores/redis'
 * import { createClient } from 'redis'
 *
 * const client = createClient({ url: 'redis://127.0.0.1:6379', disableOfflineQueue: true })
 * client.on('error', () => {})
 * await client.connect()
 * const options = { ...redisStores(client), bus: redisBus(client) }
 * ```
 *
 * @example
 * ```ts
 * import { Redis } from 'ioredis'
 * import { redisStores } from 'messaging-auth-router/stores/redis'
 *
 * const client = new Redis('redis://127.0.0.1:6379')
 * client.on('error', () => {})
 * const { codes, sessions, tickets } = redisStores(client, { prefix: 'chat:' })
 * ```
 */
export function redisStores(client: RedisClient, options: RedisStoresOptions = {}): RedisStores {
  const { run, prefix } = openScripts('redisStores', client, options)
  return {
    codes: redisCodes(run, prefix),
    sessions: redisSessions(run, prefix),
    tickets: redisTickets(run, prefix),
    proofs: redisProofs(run, prefix),
    deviceCodes: redisDeviceCodes(run, prefix),
  }
}
