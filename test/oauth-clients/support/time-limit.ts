// Ends the run when a file takes too long. The limits of vitest are for tests and hooks; a file
// that hangs while it is imported has neither.
import type { Reporter, TestModule } from 'vitest/node'

/** Per file, in milliseconds. The longest takes ten seconds, and a minute where all is slow. */
const limit = 600_000

export class TimeLimit implements Reporter {
  private readonly timers = new Map<string, NodeJS.Timeout>()

  onTestModuleQueued({ moduleId }: TestModule): void {
    const giveUp = () => {
      process.stderr.write(`${moduleId} took longer than ${limit / 1000} s\n`)
      process.exit(1)
    }
    this.timers.set(moduleId, setTimeout(giveUp, limit).unref())
  }

  onTestModuleEnd({ moduleId }: TestModule): void {
    clearTimeout(this.timers.get(moduleId))
  }
}
