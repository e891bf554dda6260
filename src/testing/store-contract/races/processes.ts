import { type ChildProcess, fork } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { check } from '../harness/checks.js'
import type { ContractRunner, StoreContractName, StoresUnderTest } from '../harness/suite.js'
import { oneTimeOperations } from './one-time.js'
import type { OneTimeOperation } from './one-time-operation.js'
import type { Order, Report } from './process-side.js'
import { visibility } from './visibility.js'

/** How the two processes are started. */
export interface ProcessSettings {
  readonly module: URL
  readonly workerUrl: URL | undefined
}

/** A child process. */
export interface Child {
  ask(order: Order): Promise<Report>
  end(): Promise<void>
}

const processes = 2
const callersEach = 25
// Long enough for an order to reach both processes, so that they start in the same millisecond.
const headStart = 15

/** Starts so many children with the stores open, and ends them when the work is done. */
export type WithChildren = <T>(
  count: number,
  work: (children: readonly Child[]) => Promise<T>,
) => Promise<T>

/**
 * The way to child processes. The module that they import is checked before the first of them
 * starts; when it cannot be imported, this is found out once, and every test says so.
 */
export function childProcesses(settings: ProcessSettings): WithChildren {
  let broken: unknown
  const openAll = async (children: readonly Child[]) => {
    try {
      await Promise.all(
        children.map((child) => child.ask({ kind: 'open', module: settings.module.href })),
      )
    } catch (error) {
      broken = new Error(
        `The stores of another process could not be opened. ${remedy} ${messageOf(error)}`,
        { cause: error },
      )
      throw broken
    }
  }
  return async (count, work) => {
    broken ??= missing(workerOf(settings), bundled) ?? missing(settings.module, remedy)
    if (broken !== undefined) throw broken
    const children = Array.from({ length: count }, () => startChild(settings))
    try {
      await openAll(children)
      return await work(children)
    } finally {
      await Promise.all(children.map((child) => child.end()))
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

function workerOf({ workerUrl }: ProcessSettings): URL {
  return workerUrl ?? new URL('./process-worker.js', import.meta.url)
}

/**
 * The one-time operations of a contract, raced by 50 callers in two processes; and what one process
 * does, as the other sees it.
 */
export function processRaces(
  it: ContractRunner['it'],
  contract: StoreContractName,
  open: () => Promise<StoresUnderTest>,
  { withChildren, rounds }: { readonly withChildren: WithChildren; readonly rounds: number },
): void {
  for (const operation of oneTimeOperations.filter(
    (one) => one.contract === contract && one.acrossProcesses,
  )) {
    it(`${operation.name} is won by one of ${processes * callersEach} callers in two processes`, async () => {
      const stores = await open()
      if (operation.isOffered?.(stores) === false) return
      await withChildren(processes, (children) => raceInRounds(operation, stores, children, rounds))
    })
  }

  it('what one of two processes does, the other sees at once', async () => {
    const here = await open()
    await withChildren(1, async ([child]) => {
      if (child !== undefined)
        await visibility[contract]({ here, there: { [contract]: calledIn(child, contract) } })
    })
  })
}

/** The store of another process. */
function calledIn<Store extends object>(child: Child, contract: StoreContractName): Store {
  const method =
    (name: string) =>
    async (...args: readonly unknown[]) => {
      const report = await child.ask({ kind: 'call', contract, method: name, args })
      return report.kind === 'called' ? report.value : undefined
    }
  return new Proxy({} as Store, { get: (_target, name) => method(String(name)) })
}

async function raceInRounds(
  operation: OneTimeOperation,
  stores: StoresUnderTest,
  children: readonly Child[],
  rounds: number,
) {
  const winnersOfRounds: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const subject = await operation.prepare(stores)
    const winners = await raceOnce(operation, subject, children)
    winnersOfRounds.push(winners.length)
    if (winners.length === 1) await operation.verify?.(stores, subject, winners[0] ?? 0)
  }
  check(
    winnersOfRounds.every((count) => count === 1),
    `In ${processes} processes, ${Math.max(...winnersOfRounds)} of ${processes * callersEach} ` +
      `callers ${operation.did}, instead of exactly one; ` +
      `winners per round: ${winnersOfRounds.join(' ')}. ${operation.why}`,
  )
}

async function raceOnce(
  { contract, name }: OneTimeOperation,
  subject: string,
  children: readonly Child[],
): Promise<number[]> {
  const startAt = Date.now() + headStart
  const reports = await Promise.all(
    children.map((child, index) =>
      child.ask({
        kind: 'race',
        contract,
        name,
        subject,
        first: index * callersEach,
        callers: callersEach,
        startAt,
      }),
    ),
  )
  return reports.flatMap((report) => (report.kind === 'raced' ? report.winners : []))
}

function startChild(settings: ProcessSettings): Child {
  const child = fork(workerOf(settings), {
    serialization: 'advanced',
    execArgv: [],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  })
  let stderr = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text
  })
  const closed = new Promise<void>((resolve) => child.once('close', () => resolve()))
  return {
    ask: (order) => ask(child, order, () => stderr),
    end: async () => {
      child.kill('SIGKILL')
      await closed
    },
  }
}

function ask(child: ChildProcess, order: Order, stderr: () => string): Promise<Report> {
  return new Promise((resolve, reject) => {
    const onMessage = (report: Report) => {
      child.off('close', onClose)
      if (report.kind === 'failed')
        reject(new Error(`A caller in another process failed: ${report.stack}`))
      else resolve(report)
    }
    // `close` comes after the last of its stderr, `exit` may come before.
    const onClose = (code: number | null, signal: string | null) => {
      child.off('message', onMessage)
      reject(
        new Error(
          `A process of the race ended (${signal ?? code}) before it answered. It said: ` +
            `${stderr()}`,
        ),
      )
    }
    child.once('message', onMessage)
    child.once('close', onClose)
    // A child that is gone cannot be sent anything; its end is reported by `close`.
    child.send(order, () => {})
  })
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
