import { checkOptions, fitting, optionsOf } from './check-options.js'

/**
 * A logger: `console`, or any object whose methods take a message and fields.
 */
export interface Logger {
  debug(message: string, fields?: object): void
  info(message: string, fields?: object): void
  warn(message: string, fields?: object): void
  error(message: string, fields?: object): void
}

/** For hosts that pass no logger. */
export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} }

/** A warning about a setting of the host that only a request reveals. */
export interface Notice {
  /** The code of the process warning. */
  readonly code: string
  readonly level: 'warn' | 'error'
  readonly message: string
}

/** Warns the host, once for each code. */
export type WarnOnce = (notice: Notice) => void

/** Writes to the host's logger, or without one, a process warning. */
export function createWarnOnce(logger: Logger | undefined): WarnOnce {
  const said = new Set<string>()
  return ({ code, level, message }) => {
    if (said.has(message)) return
    said.add(message)
    try {
      if (logger === undefined) process.emitWarning(message, { code })
      else logger[level](message)
    } catch {
      // A failing logger must not fail a request.
    }
  }
}

/** From the least important to the most important. */
const levels: Readonly<Record<'debug' | 'info' | 'warn' | 'error', number>> = {
  debug: 0,
  info: 1,
  warn: 2,
  error: 3,
}

/** Options of {@link consoleLogger}. */
export interface ConsoleLoggerOptions {
  /**
   * The least important level to write. Default: `info`, without the routine events of requests.
   */
  readonly level?: keyof typeof levels
}

/**
 * A logger that writes one line of JSON to the standard output for each message: `time` (ISO 8601,
 * UTC), `level`, `message`, and the fields. Pass it to the option `logger`.
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
    // A cycle, or a getter that throws, must not fail a sign-in.
    return JSON.stringify({ ...begin, fields: 'cannot be written as JSON' })
  }
}

// JSON writes an error as `{}` and throws for a bigint.
function plain(_name: string, value: unknown): unknown {
  if (value instanceof Error)
    return { name: value.name, message: value.message, stack: value.stack }
  return typeof value === 'bigint' ? String(value) : value
}
