import { randomInt } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { AuthorizationCodeStore, SecondFactorStore, SessionStore, SocketTicketStore } from './stores/contract.js'

/** What is tidied up. */
export interface HousekeepingDeps {
  readonly codes: Pick<AuthorizationCodeStore, 'purge'>
  readonly sessions: Pick<SessionStore, 'purge'>
  readonly tickets: Pick<SocketTicketStore, 'purge'> | null
  readonly secondFactors: { readonly store: Pick<SecondFactorStore, 'purge'> } | null
  /** Seconds between two rounds; 0 for none. */
  readonly interval: number
  readonly clock: () => Date
}

/** Small enough that a batch is over long before `storeTimeout`, and that its locks are short. */
const batch = 1000

/**
 * Deletes rows that nobody can use any more, now and then, in batches. Nothing depends on it: what is over is refused by its times. A
 * failure is reported by the call that failed, and the next round comes. Returns how to end it.
 */
export function keepHouse({ codes, sessions, tickets, secondFactors, interval, clock }: HousekeepingDeps): () => void {
  if (interval === 0) return () => {}
  let closed = false
  let timer: NodeJS.Timeout | undefined

  async function empty(store: Pick<SessionStore, 'purge'>): Promise<void> {
    // Until a batch is not full. A store that has its own mind about `limit` gets no second call in this round.
    while (!closed && (await store.purge(clock(), batch)) === batch) {
      // A store in memory answers at once: requests have their turn between two batches.
      await setImmediate()
    }
  }

  async function round(): Promise<void> {
    const stores = [codes, sessions, tickets, secondFactors?.store ?? null].filter((store) => store !== null)
    await Promise.allSettled(stores.map(empty))
    if (!closed) plan()
  }

  // At a different moment in each process, or all of them would delete the same rows together.
  function plan(): void {
    timer = setTimeout(() => void round(), randomInt(interval * 500, interval * 1500)).unref()
  }

  plan()
  return () => {
    closed = true
    clearTimeout(timer)
  }
}
