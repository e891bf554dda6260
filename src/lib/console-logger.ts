import { checkOptions, fitting, optionsOf } from './check-options.js'
import type { Logger } from './logger.js'

/** From the least important to the most. */
const levels: Readonly<Record<'debug' | 'info' | 'warn' | 'error', number>> = {
  debug: 0,
  info: 1,
  warn: 2,
  error: 3,
}

/** Options of {@link consoleLogger}. */
export interface ConsoleLoggerOptions {
  /**
   * The least important level that is written. Default: `info`, which leaves out what happens with
   * every visit.
   */
  readonly level?: keyof typeof levels
}

/**
 * Makes a logger that writes one line of JSON to the standard output for each message: `time` (ISO
 * 8601, UTC), `level`, `message`, and the fields. Hand it to the option `logger`.
 *
 * @throws AuthConfigError for an unknown option or level
 *
 * @example
 * ```ts
 * import { consoleLogger } from 'messaging-auth-router'
 *
 * export const logger = consoleLogger({ level: 'warn' })
 * ```
 */
export function consoleLogger(options?: ConsoleLoggerOptions): Logger {
  const least = levels[checkOptions(rules, options).level]
  const writer = (level: keyof typeof levels) => (message: string, fields?: object) => {
    if (levels[level] >= least) process.stdout.write(`${lineOf(level, message, fields)}\n`)
  }
  return {
    debug: writer('debug'),
    info: writer('info'),
    warn: writer('warn'),
    error: writer('error'),
  }
}

const rules = {
  factory: 'consoleLogger',
  schema: optionsOf({
    level: fitting<keyof typeof levels>(
      (value) => Object.hasOwn(levels, String(value)),
      'is no level.',
    ).default('info'),
  }),
  remedies: { level: "write 'debug', 'info', 'warn' or 'error'." },
}

function lineOf(level: string, message: string, fields: object | undefined): string {
  const begin = { time: new Date().toISOString(), level, message }
  try {
    return JSON.stringify({ ...fields, ...begin }, plain)
  } catch {
    // A circle, or a getter that throws: a log must not keep anybody from signing in.
    return JSON.stringify({ ...begin, fields: 'cannot be written as JSON' })
  }
}

// Of an error JSON shows nothing, and a bigint it refuses.
function plain(_name: string, value: unknown): unknown {
  if (value instanceof Error)
    return { name: value.name, message: value.message, stack: value.stack }
  return typeof value === 'bigint' ? String(value) : value
}
