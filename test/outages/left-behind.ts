// Whatever happens to a test file, even when its process is killed: no server of it stays behind.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Vitest calls this once, before the first file; what it returns is called after the last. */
export function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), 'outages-'))
  process.env['OUTAGES_FOLDER'] = folder
  return () => {
    for (const file of readdirSync(folder).filter((name) => name.endsWith('.pid'))) {
      killQuietly(Number(readFileSync(join(folder, file), 'utf8')))
    }
    rmSync(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  }
}

function killQuietly(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended by itself.
  }
}
