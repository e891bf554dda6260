import { z } from 'zod'
import { sha256 } from '../../lib/digest.js'
import { randomId } from '../../lib/random.js'
import type { OnceStore } from '../once-contract.js'
import type { RedisClient } from './redis-client.js'
import { readReply } from './replies.js'
import { gcGraceMs, identifier, keyOf, lifetime, script } from './scripts.js'
import { openScripts, type RedisStoresOptions } from './store-options.js'

// Not `SET … NX PX`, which goes by the clock of Redis: whether a note is over, the router's clock
// says. A script that a driver sends twice finds the mark of its first run, and answers the same.
const claim = script(`
local note = redis.call('HMGET', KEYS[1], 'expires', 'claimedBy')
if note[1] and tonumber(note[1]) > tonumber(ARGV[2]) then
  return note[2] == ARGV[4] and '1' or '0'
end
redis.call('HSET', KEYS[1], 'expires', ARGV[1], 'claimedBy', ARGV[4])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return '1'`)

const yesOrNo = z.enum(['1', '0'])

/**
 * Names that are used once, such as the `jti` of a client's assertion, in Redis 6.2 or later: for
 * hosts that keep consents in SQL and have many of these. Kept as digests, each until an hour after
 * it is over. What `redisStores` says of losing data holds here, too: a note that is lost lets an
 * assertion be used once more while it is good, for five minutes at most.
 *
 * @param client - as for `redisStores`
 * @throws AuthConfigError as `redisStores` does
 *
 * @example
 * ```ts
 * import { redisOnceStore } from 'messaging-auth-router/stores/redis'
 * import { createClient } from 'redis'
 *
 * const client = createClient({ url: 'redis://127.0.0.1:6379', disableOfflineQueue: true })
 * client.on('error', () => {})
 * await client.connect()
 * export const once = redisOnceStore(client)
 * ```
 */
export function redisOnceStore(client: RedisClient, options: RedisStoresOptions = {}): OnceStore {
  const { run, prefix } = openScripts('redisOnceStore', client, options)
  return {
    async claim(name, expiresAt, now) {
      const until = expiresAt.getTime()
      const answer = await run(
        claim,
        keyOf(prefix, 'o', sha256(identifier(name))),
        until,
        now.getTime(),
        lifetime(until - now.getTime() + gcGraceMs),
        randomId(),
      )
      const isOwn = readReply(yesOrNo, answer, 'a name that is used once') === '1'
      return { outcome: isOwn ? 'claimed' : 'known' }
    },
    // Redis deletes what is over by itself.
    purge: async () => 0,
  }
}
