import { type ChildProcess, fork } from 'node:child_process'
import { check } from './checks.js'
import { oneTimeOperations } from './one-time.js'
import type { OneTimeOperation } from './one-time-operation.js'
import type { Order, Report } from './process-side.js'
import type { ContractRunner, StoreContractName, StoresUnderTest } from './suite.js'

/** How the two processes are started. */
export interface ProcessSettings {
  readonly module: URL
  readonly workerUrl: URL | undefined
  readonly rounds: number
}

interface Child {
  ask(order: Order): Promise<Report>
  end(): Promise<void>
}

const processes = 2
const callersEach = 25
// Long enough for an order to reach both processes, so that they start in the same millisecond.
const headStart = 15

/** The one-time operations of a contract, raced by 50 callers in two processes. */
export function processRaces(
  it: ContractRunner['it'],
  contract: StoreContractName,
  open: () => Promise<StoresUnderTest>,
  settings: ProcessSettings,
): void {
  for (const operation of oneTimeOperations.filter((one) => one.contract === contract && one.acrossProcesses)) {
    it(`${operation.name} is won by one of ${processes * callersEach} callers in two processes`, async () => {
      const stores = await open()
      const children = Array.from({ length: processes }, () => startChild(settings))
      try {
        await Promise.all(children.map((child) => child.ask({ kind: 'open', module: settings.module.href })))
        await raceInRounds(operation, stores, children, settings.rounds)
      } finally {
        await Promise.all(children.map((child) => child.end()))
      }
    })
  }
}

async function raceInRounds(operation: OneTimeOperation, stores: StoresUnderTest, children: readonly Child[], rounds: number) {
  const winnersOfRounds: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const subject = await operation.prepare(stores)
    const winners = await raceOnce(operation, subject, children)
    winnersOfRounds.push(winners.length)
    if (winners.length === 1) await operation.verify?.(stores, subject, winners[0] ?? 0)
  }
  check(
    winnersOfRounds.every((count) => count === 1),
    `In ${processes} processes, ${Math.max(...winnersOfRounds)} of ${processes * callersEach} callers ${operation.did}, instead of exactly one; ` +
      `winners per round: ${winnersOfRounds.join(' ')}. ${operation.why}`,
  )
}

async function raceOnce({ contract, name }: OneTimeOperation, subject: string, children: readonly Child[]): Promise<number[]> {
  const startAt = Date.now() + headStart
  const reports = await Promise.all(
    children.map((child, index) =>
      child.ask({ kind: 'race', contract, name, subject, first: index * callersEach, callers: callersEach, startAt }),
    ),
  )
  return reports.flatMap((report) => (report.kind === 'raced' ? report.winners : []))
}

function startChild({ workerUrl }: ProcessSettings): Child {
  const worker = workerUrl ?? new URL('./process-worker.js', import.meta.url)
  const child = fork(worker, { serialization: 'advanced', execArgv: [], stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
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
      if (report.kind === 'failed') reject(new Error(`A caller in another process failed: ${report.stack}`))
      else resolve(report)
    }
    // `close` comes after the last of its stderr, `exit` may come before.
    const onClose = (code: number | null, signal: string | null) => {
      child.off('message', onMessage)
      reject(new Error(`A process of the race ended (${signal ?? code}) before it answered. It said: ${stderr()}`))
    }
    child.once('message', onMessage)
    child.once('close', onClose)
    // A child that is gone cannot be sent anything; its end is reported by `close`.
    child.send(order, () => {})
  })
}
