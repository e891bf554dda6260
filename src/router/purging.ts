import { randomInt } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { noRequest } from '../audit/events.js'
import type { SessionKit } from '../kits/session-kit.js'
import type { SessionStore } from '../stores/contract.js'
import type { OnceStore } from '../stores/one-time-contract.js'

/** Rows of a batch: few enough to end long before `storeTimeout` and to hold locks briefly. */
const batchSize = 1000

/** Expired rows stay this much longer, in case a clock is slightly ahead. */
const graceMs = 60 * 60 * 1000
/** With a larger difference between two clocks, nothing is deleted. */
const maxClockDifferenceMs = 24 * 60 * 60 * 1000

/**
 * Deletes expired rows every `purgeInterval` seconds, in batches. Correctness does not depend on
 * it: expired rows are refused by their times. So it deletes nothing if in doubt about a clock,
 * since a deletion is final. A failed call reports itself, and the next round tries again. Returns
 * a function that stops it.
 *
 * @param others - of names used once, by apps and by passkeys, which may be one; of unused clients
 * @param interval - seconds between two rounds; 0: never
 */
export function startPurging(
  kit: SessionKit,
  others: readonly (Pick<OnceStore, 'purge'> | undefined)[],
  interval: number,
): () => void {
  if (interval === 0) return () => {}
  let closed = false
  let timer: NodeJS.Timeout | undefined

  async function empty(store: Pick<SessionStore, 'purge'>, until: Date): Promise<void> {
    // Until a batch is not full. A store that ignores `limit` gets one call in this round.
    while (!closed && (await store.purge(until, batchSize)) === batchSize) {
      // Lets requests run between two batches: a store in memory answers at once.
      await setImmediate()
    }
  }

  async function deleteAll(): Promise<void> {
    const until = await purgeBefore(kit)
    if (until === null) return
    const stores = [
      kit.codeStore,
      kit.sessionStore,
      kit.ticketStore,
      kit.proofStore,
      kit.deviceCodes,
      kit.totp?.store,
      ...others,
    ].filter((store) => store !== undefined)
    await Promise.allSettled(stores.map((store) => empty(store, until)))
  }

  async function round(): Promise<void> {
    // The failed call has reported itself.
    await deleteAll().catch(() => {})
    if (!closed) plan()
  }

  // At a random time, so that processes do not delete the same rows together.
  function plan(): void {
    timer = setTimeout(() => void round(), randomInt(interval * 500, interval * 1500)).unref()
  }

  plan()
  return function stopPurging() {
    closed = true
    clearTimeout(timer)
  }
}

// Rows that expired before this time are deleted. By the clock that is behind, this process's or
// the database's; null if the clocks differ too much.
async function purgeBefore({
  sessionStore,
  clock,
  noticeTime,
  audit,
}: SessionKit): Promise<Date | null> {
  const databaseTime = await sessionStore.databaseTime?.()
  const asked = clock()
  const now = asked.getTime()
  if (databaseTime === undefined) return new Date(now - graceMs)
  noticeTime(databaseTime, asked)
  const ahead = now - databaseTime.getTime()
  if (ahead > maxClockDifferenceMs) {
    audit({ type: 'clock.ahead', seconds: Math.round(ahead / 1000) }, noRequest)
    return null
  }
  return new Date(now - Math.max(ahead, 0) - graceMs)
}
