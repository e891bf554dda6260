import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** A process that was started here, and is ended by its id. */
export interface Child {
  readonly process: ChildProcess
  readonly pid: number
  /** Resolves when it has ended, with its exit code or the signal that ended it. */
  readonly ended: Promise<number | string>
  /** What it wrote to stderr, the last of it. */
  complaints(): string
  /** Sends a signal and waits for the end. */
  end(signal: NodeJS.Signals): Promise<void>
}

/** Who a process runs as. */
export interface Owner {
  readonly uid: number
  readonly gid: number
}

/** Where this run keeps its files; the process ids in it are killed after the last test. */
const folderOfRun: string = process.env['OUTAGES_FOLDER'] ?? ''

/** An empty folder, removed at the end of the run. */
export function newFolder(name: string, owner?: Owner): string {
  const folder = mkdtempSync(join(folderOfRun, `${name}-`))
  if (owner !== undefined) chownSync(folder, owner.uid, owner.gid)
  return folder
}

/**
 * The user a server insists on. Undefined where this process is not root, and may only be itself.
 */
export function ownerNamed(name: string): Owner | undefined {
  if (process.getuid?.() !== 0) return undefined
  const idOf = (flag: string) => Number(execFileSync('id', [flag, name], { encoding: 'utf8' }))
  // The servers' own folders lie in this one.
  chownSync(folderOfRun, 0, idOf('-g'))
  execFileSync('chmod', ['0755', folderOfRun])
  return { uid: idOf('-u'), gid: idOf('-g') }
}

/** Starts a process. */
export function startChild(
  command: string,
  args: readonly string[],
  settings: { env?: object; owner?: Owner | undefined } = {},
): Child {
  const child = spawn(command, [...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...settings.env },
    ...settings.owner,
  })
  let heard = ''
  child.stderr?.on('data', (chunk: Buffer) => {
    heard = `${heard}${chunk}`.slice(-4000)
  })
  // Read by nobody else, it would fill up and stop the process.
  child.stdout?.resume()
  const pid = child.pid ?? 0
  const note = join(folderOfRun, `${pid}.pid`)
  if (pid !== 0) writeFileSync(note, String(pid))
  const ended = new Promise<number | string>((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('exit', (code, signal) => {
      rmSync(note, { force: true })
      resolve(code ?? signal ?? 'unknown')
    })
  })
  return {
    process: child,
    pid,
    ended,
    complaints: () => heard,
    async end(signal) {
      child.kill(signal)
      await ended
    },
  }
}
