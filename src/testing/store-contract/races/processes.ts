import { check, type StoreContractName, type StoresUnderTest } from '../harness.js'
import type { Child, Children, ItWithChildren } from './child-processes.js'
import { oneTimeOperations } from './one-time.js'
import type { OneTimeOperation } from './one-time-operation.js'
import { visibility } from './visibility.js'

const callersEach = 25
const callers = 2 * callersEach
// Long enough for an order to reach both processes, so that they start in the same millisecond.
const headStart = 15

/**
 * Races the one-time operations of a contract by 50 callers in two processes, and checks that each
 * process sees the changes of the other.
 */
export function processRaces(
  it: ItWithChildren,
  contract: StoreContractName,
  open: () => Promise<StoresUnderTest>,
  rounds: number,
): void {
  for (const operation of oneTimeOperations.filter(
    (one) => one.contract === contract && one.acrossProcesses,
  )) {
    it(`${operation.name} is won by one of ${callers} callers in two processes`, async (children) => {
      const stores = await open()
      if (!operation.isOffered(stores)) return
      await raceInRounds(operation, stores, children, rounds)
    })
  }

  it('what one of two processes does, the other sees at once', async ([child]) => {
    await visibility[contract]({
      here: await open(),
      there: { [contract]: calledIn(child, contract) },
    })
  })
}

/** Calls the store of another process. */
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
  children: Children,
  rounds: number,
) {
  const winnersOfRounds: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const subject = await operation.prepare(stores)
    const winners = await raceOnce(operation, subject, children)
    winnersOfRounds.push(winners.length)
    if (winners.length === 1) await operation.verify(stores, subject, winners[0] ?? 0)
  }
  check(
    winnersOfRounds.every((count) => count === 1),
    `In two processes, ${Math.max(...winnersOfRounds)} of ${callers} ` +
      `callers ${operation.did}, instead of exactly one; ` +
      `winners per round: ${winnersOfRounds.join(' ')}. ${operation.why}`,
  )
}

async function raceOnce(
  { contract, name }: OneTimeOperation,
  subject: string,
  children: Children,
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
