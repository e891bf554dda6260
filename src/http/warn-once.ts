import type { Logger } from '../lib/logger.js'

/** What the host must be told once: a setting of its own that only a request can show. */
export interface Notice {
  /** Of the process warning. */
  readonly code: string
  readonly level: 'warn' | 'error'
  readonly message: string
}

/** Tells the host, unless it has been told. */
export type WarnOnce = (notice: Notice) => void

/** Makes it. Without a logger of the host's, what is said becomes a process warning. */
export function createWarnOnce(logger: Logger | undefined): WarnOnce {
  const said = new Set<string>()
  return ({ code, level, message }) => {
    if (said.has(message)) return
    said.add(message)
    try {
      if (logger === undefined) process.emitWarning(message, { code })
      else logger[level](message)
    } catch {
      // A logger that throws must not fail a request.
    }
  }
}
