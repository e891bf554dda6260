/** Writes to stderr, which is where the logs of this example go. */
export function log(message: string, details?: unknown): void {
  const text = details instanceof Error ? details.stack : JSON.stringify(details)
  process.stderr.write(`${message}${text === undefined ? '' : `: ${text}`}\n`)
}
