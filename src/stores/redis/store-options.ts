import { checkOptions, optionsOf, withMethods } from '../../lib/check-options.js'
import { checkClient, nameOption, type RedisClient } from './redis-client.js'
import { type RunScript, script, scriptRunner } from './scripts.js'

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

// Not CONFIG GET, which no script may call, and which hosted Redis forbids.
const memoryInfo = script(`return redis.call('INFO', 'memory')`)

/**
 * Runs scripts, and after the first that succeeds looks once whether Redis may throw out what it
 * holds.
 */
function warnOfEviction(run: RunScript, warn: (message: string) => void): RunScript {
  let hasLooked = false

  async function look(key: string): Promise<void> {
    const policy =
      /^maxmemory_policy:([\w-]+)/m.exec(String(await run(memoryInfo, key)))?.[1] ?? 'noeviction'
    if (policy === 'noeviction') return
    warn(
      `redisStores: with maxmemory-policy ${policy}, Redis signs users out when its memory is ` +
        'full. Set noeviction.',
    )
  }

  return async (script, on, ...args) => {
    const answer = await run(script, on, ...args)
    if (!hasLooked) {
      hasLooked = true
      // Who may not ask is not told.
      void look([on].flat()[0] ?? '').catch(() => {})
    }
    return answer
  }
}
