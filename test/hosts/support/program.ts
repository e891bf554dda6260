// Programs that are hosts: each a process of its own, as it would be in earnest.
import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** A host that runs. */
export interface Program {
  /** What it said that made it ready: the match of `ready`. */
  readonly ready: RegExpExecArray
  /** All that it wrote. */
  output(): string
  /** The process still runs, and nothing in it has failed that nobody caught. */
  survives(): boolean
  /** Which of these texts it wrote. */
  wrote(secrets: Iterable<string>): string[]
  /** Ends it, and waits for that. */
  stop(): Promise<void>
}

/** How a program is started, and by which words it says that it is ready. */
export interface ProgramSettings {
  readonly ready: RegExp
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string
}

const packages = fileURLToPath(new URL('../node_modules/', import.meta.url))
const newer = `${packages}node-22-${process.platform}-${process.arch}/bin/node`

/**
 * A Node that the hosts accept and that reads TypeScript: the one from the pins, where there is one
 * for this machine.
 */
const node22: string = existsSync(newer) ? newer : process.execPath

/** The path of a file below the pinned packages. */
export const packaged = (path: string): string => `${packages}${path}`

/** Milliseconds that a host may take to start, on a busy machine. */
const startLimit = 300_000

/** Starts a program with {@link node22}; ends it where it does not say that it is ready. */
export async function startProgram(
  args: readonly string[],
  { ready, env = {}, cwd = process.cwd() }: ProgramSettings,
): Promise<Program> {
  const child = spawn(node22, [...args], {
    cwd,
    // As they run in earnest, and not as this test does.
    env: { ...process.env, NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let said = ''
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const found = await new Promise<RegExpExecArray>((resolve, reject) => {
    const tooLate = setTimeout(() => {
      child.kill('SIGKILL')
      reject(new Error(`not ready after ${startLimit / 1000} s\n${said}`))
    }, startLimit)
    const hear = (chunk: Buffer) => {
      said += chunk
      const match = ready.exec(said)
      if (match === null) return
      clearTimeout(tooLate)
      resolve(match)
    }
    child.stdout.on('data', hear)
    child.stderr.on('data', hear)
    child.once('error', reject)
    child.once('exit', (code) => {
      clearTimeout(tooLate)
      reject(new Error(`ended with ${code}\n${said}`))
    })
  })
  return {
    ready: found,
    output: () => said,
    survives: () =>
      child.exitCode === null &&
      child.signalCode === null &&
      !/\b(?:Uncaught|Unhandled)/i.test(said),
    wrote: (secrets) => [...secrets].filter((secret) => said.includes(secret)),
    async stop() {
      child.kill('SIGTERM')
      const killed = setTimeout(() => child.kill('SIGKILL'), 60_000)
      await ended
      clearTimeout(killed)
    },
  }
}
