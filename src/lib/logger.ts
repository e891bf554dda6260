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
