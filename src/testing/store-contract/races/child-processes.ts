import { type ChildProcess, fork } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { Socket } from 'node:net'
import { fileURLToPath } from 'node:url'
import type { ContractRunner } from '../harness.js'
import type { Order, Report } from './process-side.js'

/** How the child processes are started. */
export interface ProcessSettings {
  /** The module whose default export makes the stores. */
  readonly module: URL
  readonly workerUrl: URL | undefined
}

/** A child process in which the stores are open. */
export interface Child {
  ask(order: Order): Promise<Report>
}

/** Two of them. */
export type Children = readonly [Child, Child]

/** Registers a test that needs two child processes. */
export type ItWithChildren = (name: string, body: (children: Children) => Promise<void>) => void

/**
 * One pair of child processes for all tests of a run: the first test starts it, each test hands it
 * on to the next, and the last test ends it. A test that fails ends it as well, so that whatever
 * its callers still do disturbs no other test. A test that hangs keeps it, and the next test starts
 * another.
 */
export function testsWithChildren(
  it: ContractRunner['it'],
  settings: ProcessSettings,
): ItWithChildren {
  const start = pairStarter(settings)
  let free: Pair | undefined
  let testsLeft = 0
  const runWithPair = async (body: (children: Children) => Promise<void>) => {
    const pair = free ?? (await start())
    free = undefined
    try {
      await body(pair.children)
    } catch (error) {
      await pair.end()
      throw error
    }
    if (testsLeft > 0 && free === undefined) free = pair
    else await pair.end()
  }
  return (name, body) => {
    testsLeft += 1
    it(name, async () => {
      testsLeft -= 1
      // The children do not keep this process alive, or it would never exit where the last test is
      // filtered out. While a test waits for them, this timer does.
      const awake = setInterval(() => {}, 60_000)
      try {
        await runWithPair(body)
      } finally {
        clearInterval(awake)
      }
    })
  }
}

interface Pair {
  readonly children: Children
  end(): Promise<void>
}

/** A module that cannot be imported is tried once, and every test tells of it. */
function pairStarter(settings: ProcessSettings): () => Promise<Pair> {
  // The package is bundled: the worker lies beside the entry that this file is part of.
  const workerUrl = settings.workerUrl ?? new URL('./process-worker.js', import.meta.url)
  let broken: unknown
  return async () => {
    broken ??= missing(workerUrl, bundled) ?? missing(settings.module, remedy)
    if (broken !== undefined) throw broken
    const pair = startPair(workerUrl)
    try {
      const order: Order = { kind: 'open', module: settings.module.href }
      await Promise.all(pair.children.map((child) => child.ask(order)))
      return pair
    } catch (error) {
      await pair.end()
      broken = new Error(
        `The stores of another process could not be opened. ${remedy} ${messageOf(error)}`,
        { cause: error },
      )
      throw broken
    }
  }
}

const remedy =
  'Child processes import the module of `processes` with plain Node: name the compiled file, ' +
  'such as ' +
  "new URL('./build/stores-under-test.js', import.meta.url), and build before you test."

const bundled =
  'Child processes run it: where tests are bundled, name the compiled file of this package with ' +
  '`workerUrl`.'

function missing(file: URL, toDo: string): Error | undefined {
  if (file.protocol !== 'file:' || existsSync(fileURLToPath(file))) return undefined
  return new Error(`There is no file ${fileURLToPath(file)}. ${toDo}`)
}

function startPair(workerUrl: URL): Pair {
  const [one, other] = [startChild(workerUrl), startChild(workerUrl)]
  return {
    children: [one, other],
    end: async () => void (await Promise.all([one.end(), other.end()])),
  }
}

function startChild(workerUrl: URL) {
  const child = fork(workerUrl, {
    serialization: 'advanced',
    execArgv: [],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  let stderr = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  // `close` comes after the last of its stderr; `exit` may come before.
  const ended = new Promise<Error>((resolve) => {
    child.once('close', (code, signal) => {
      const how = `(${signal ?? code}) before it answered`
      resolve(new Error(`A process of the race ended ${how}. It said: ${stderr}`))
    })
  })
  for (const handle of [child, child.channel, child.stderr as Socket | null]) handle?.unref()
  return {
    ask: (order: Order) => ask(child, order, ended),
    end: async () => {
      child.kill('SIGKILL')
      await ended
    },
  }
}

async function ask(child: ChildProcess, order: Order, ended: Promise<Error>): Promise<Report> {
  const answered = new Promise<Report>((resolve) => void child.once('message', resolve))
  // A child that is gone cannot be sent anything; `ended` tells of it.
  child.send(order, () => {})
  const report = await Promise.race([answered, ended])
  if (report instanceof Error) throw report
  if (report.kind === 'failed')
    throw new Error(`A caller in another process failed: ${report.stack}`)
  return report
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
