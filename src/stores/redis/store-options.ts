import { checkOptions, optionsOf, withMethods } from '../../lib/check-options.js'
import { checkClient, nameOption } from './check-client.js'
import type { RedisClient } from './redis-client.js'
import { type RunScript, scriptRunner } from './scripts.js'
import { warnOfEviction } from './warn-of-eviction.js'

/** Options of {@link redisStores} and {@link redisOnceStore}. */
export interface RedisStoresOptions {
  /**
   * What the keys begin with; the same in all processes. 1 to 64 of the characters `A-Z a-z 0-9 _ :
   * . -`. Default `mar:`.
   */
  readonly prefix?: string
  /**
   * Is warned, once, when `maxmemory-policy` is not `noeviction` and Redis says so. Default:
   * `process.emitWarning`.
   */
  readonly logger?: { warn(message: string): void }
}

const schema = optionsOf({
  prefix: nameOption().default('mar:'),
  logger: withMethods<{ warn(message: string): void }>('warn').optional(),
})

/** The way to Redis, and what the keys begin with, when client and options have been checked. */
export function openScripts(
  factory: string,
  client: RedisClient,
  options: RedisStoresOptions,
): { readonly run: RunScript; readonly prefix: string } {
  const { prefix, logger } = checkOptions({ factory, schema }, options)
  const warn = (message: string) =>
    logger === undefined ? emitWarning(message) : logger.warn(message)
  return { run: warnOfEviction(scriptRunner(checkClient(factory, client)), warn), prefix }
}

function emitWarning(message: string): void {
  process.emitWarning(message, { code: 'MAR_REDIS_EVICTS' })
}
