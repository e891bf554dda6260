/**
 * At most one line a second of each kind; what comes beyond is counted, so that nobody who knocks
 * can fill the disk.
 */
const shortestPause = 1000
const suppressed = new Map<string, number>()

/** Writes to stderr, which is where the logs of this example go. */
export function log(message: string, details?: unknown): void {
  const kind = kindOf(message, details)
  const more = suppressed.get(kind)
  if (more !== undefined) return void suppressed.set(kind, more + 1)
  suppressed.set(kind, 0)
  setTimeout(tellOfTheRest, shortestPause, kind).unref()
  const text = details instanceof Error ? details.stack : JSON.stringify(details)
  write(text === undefined ? message : `${message}: ${text}`)
}

function tellOfTheRest(kind: string): void {
  const more = suppressed.get(kind) ?? 0
  suppressed.delete(kind)
  if (more > 0) write(`${kind} x ${more} more in the last second`)
}

// What distinguishes one line from the next is in these members of the router's events; each knows
// a handful of values. No member that a client can choose is among them, or every request would be
// a kind of its own.
function kindOf(message: string, details: unknown): string {
  const { scope, reason, operation } = (details ?? {}) as Record<string, unknown>
  return [message, scope, reason, operation].filter((part) => typeof part === 'string').join(' ')
}

function write(line: string): void {
  process.stderr.write(`${line}\n`)
}
