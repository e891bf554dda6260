import { AssertionError } from 'node:assert/strict'
import { raceWinners } from '../../../lib/async.js'
import {
  type ContractRunner,
  check,
  type StoreContractName,
  type StoresUnderTest,
} from '../harness.js'
import { oneTimeOperations } from './one-time.js'
import type { OneTimeOperation } from './one-time-operation.js'

/** Each one-time operation of a contract, raced within this process. */
export function races(
  it: ContractRunner['it'],
  contract: StoreContractName,
  open: () => Promise<StoresUnderTest>,
): void {
  for (const operation of oneTimeOperations.filter((one) => one.contract === contract)) {
    for (const callers of operation.callers) {
      it(`${operation.name} is won by one of ${callers} callers`, async () => {
        const stores = await open()
        if (!operation.isOffered(stores)) return
        const subject = await operation.prepare(stores)
        const attempt = (caller: number) => operation.attempt(stores, subject, caller)
        const winners = await raceWinners(callers, attempt).catch((error: unknown) =>
          failInstead(error, callers),
        )
        checkOneWinner(operation, callers, winners)
        await operation.verify(stores, subject, winners[0] ?? 0)
      })
    }
  }
}

function checkOneWinner(
  { did, why }: OneTimeOperation,
  callers: number,
  winners: readonly number[],
): void {
  const count = winners.length === 0 ? 'None' : winners.length
  check(
    winners.length === 1,
    `${count} of ${callers} callers ${did}, instead of exactly one: ${why}`,
  )
}

// A deadlock, a lock that timed out, a serialization failure: the user would see an outage.
function failInstead(cause: unknown, callers: number): never {
  if (cause instanceof AssertionError) throw cause
  throw new Error(
    `One of ${callers} callers failed, instead of being told that somebody else was first: ` +
      `${cause}`,
    { cause },
  )
}
