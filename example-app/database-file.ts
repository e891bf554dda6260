import { type BigIntStats, statSync } from 'node:fs'
import { stat } from 'node:fs/promises'

const interval = 2000

/**
 * Ends the process when another file stands at this path, or none: the open database would go on in
 * a file that nobody can find again, while a process that is started now makes, or opens, the other
 * one. Call it when the database has been opened.
 */
export function exitWhenReplaced(file: string): void {
  const opened = statSync(file, { bigint: true })
  const timer = setInterval(async () => {
    if (isSame(opened, await stat(file, { bigint: true }).catch(missing))) return
    process.stderr.write(
      `${file} was deleted or replaced while this server had it open. Stop all processes first; ` +
        `this one ends.\n`,
    )
    // At once: whatever is acknowledged from here on would be lost.
    process.exit(1)
  }, interval)
  timer.unref()
}

function isSame(opened: BigIntStats, found: BigIntStats | null | undefined): boolean {
  return found === undefined || (found?.ino === opened.ino && found.dev === opened.dev)
}

// Null for a file that is not there; undefined when that cannot be told now.
function missing(error: NodeJS.ErrnoException): null | undefined {
  return error.code === 'ENOENT' ? null : undefined
}
