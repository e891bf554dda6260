import { createHash } from 'node:crypto'
import { checkOptions, optionsOf, withMethods } from '../../lib/check-options.js'
import { isWellFormed } from '../../lib/texts.js'
import { checkClient, type KnownClient, nameOption, type RedisClient } from './redis-client.js'

/** A Lua script that reads and writes the keys it is given, which are in one slot. */
export interface Script {
  readonly text: string
  /** SHA-1 of the text, by which Redis remembers it. */
  readonly sha: string
}

/**
 * Runs a script on one key, or on several of one slot. Whole numbers are written as decimal digits.
 */
export type RunScript = (
  script: Script,
  keys: string | readonly string[],
  ...args: (string | number)[]
) => Promise<unknown>

/**
 * How long a row is kept after nobody needs it: clocks of processes differ, and Redis only collects
 * the garbage.
 */
export const gcGraceMs = 3_600_000

/** A script and its name for EVALSHA. */
export function script(text: string): Script {
  return { text, sha: createHash('sha1').update(text).digest('hex') }
}

/**
 * Every operation is one script, also the reads: EVALSHA goes to the primary, so that no decision
 * rests on the old state of a replica.
 */
function scriptRunner(known: KnownClient): RunScript {
  return async ({ text, sha }, on, ...args) => {
    const keys = [on].flat()
    const values = args.map(argument)
    try {
      return await evaluate(known, 'sha', sha, keys, values)
    } catch (error) {
      // A Redis that was started again, or its replica that took over, has forgotten all scripts.
      // In this case, no script has run.
      if (!isNoScript(error)) throw error
      return await evaluate(known, 'text', text, keys, values)
    }
  }
}

function evaluate(
  { kind, client }: KnownClient,
  by: 'sha' | 'text',
  what: string,
  keys: string[],
  values: string[],
) {
  if (kind === 'node-redis') {
    const options = { keys, arguments: values }
    return by === 'sha' ? client.evalSha(what, options) : client.eval(what, options)
  }
  const count = keys.length
  return by === 'sha'
    ? client.evalsha(what, count, ...keys, ...values)
    : client.eval(what, count, ...keys, ...values)
}

function isNoScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOSCRIPT')
}

// The arguments of a host's store may come from a client. Only text and whole numbers reach Redis,
// whatever the types promised.
function argument(value: unknown): string {
  if (typeof value === 'string') return value
  if (Number.isSafeInteger(value)) return String(value)
  throw new Error('redisStores: a value for Redis is neither text nor a whole number')
}

const maxKeyBytes = 1024

/**
 * An id or a hash, as it is to be stored. Rejects a value that is no text, is too long, or would
 * not come back as it was.
 */
export function identifier(value: unknown): string {
  if (typeof value !== 'string' || Buffer.byteLength(value) > maxKeyBytes || !isWellFormed(value)) {
    throw new Error(
      `redisStores: an id or hash is not well-formed text of at most ${maxKeyBytes} bytes`,
    )
  }
  return value
}

/**
 * `mar:{s:<id>}`. The braces make Redis Cluster hash what is inside them. Percent-encoding keeps
 * different ids different, also two of them together, cannot produce a brace, and unlike a digest
 * leaves keys that can be read in redis-cli.
 */
export function keyOf(
  prefix: string,
  kind: 'a' | 'b' | 'c' | 'd' | 'n' | 'o' | 'p' | 's' | 't' | 'u' | 'v' | 'w',
  ...ids: readonly string[]
): string {
  return `${prefix}{${[kind, ...ids.map((id) => encodeURIComponent(identifier(id)))].join(':')}}`
}

/** Milliseconds for PEXPIRE. Rounded up and never 0: Redis takes that for "delete at once". */
export function lifetime(milliseconds: number): number {
  return Math.max(1, Math.ceil(milliseconds))
}

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
