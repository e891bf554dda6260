/**
 * What the package needs of a logger: `console` fits, and so does anything that takes a message and
 * fields.
 */
export interface Logger {
  debug(message: string, fields?: object): void
  info(message: string, fields?: object): void
  warn(message: string, fields?: object): void
  error(message: string, fields?: object): void
}
