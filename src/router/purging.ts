import { randomInt } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import type { NoticeTime } from '../audit/clock-watch.js'
import { type Audit, noRequest } from '../audit/events.js'
import type { AuthorizationCodeStore } from '../stores/code-contract.js'
import type { SessionStore } from '../stores/contract.js'
import type { DeviceCodeStore } from '../stores/device-code-contract.js'
import type { OnceStore } from '../stores/once-contract.js'
import type { ProofStore } from '../stores/proof-contract.js'
import type { SecondFactorStore } from '../stores/second-factor-contract.js'
import type { SocketTicketStore } from '../stores/ticket-contract.js'

export interface PurgingDeps {
  readonly codeStore: Pick<AuthorizationCodeStore, 'purge'>
  readonly sessionStore: Pick<SessionStore, 'purge' | 'databaseTime'>
  readonly ticketStore: Pick<SocketTicketStore, 'purge'> | undefined
  readonly proofStore: Pick<ProofStore, 'purge'> | undefined
  readonly deviceCodes: Pick<DeviceCodeStore, 'purge'> | undefined
  readonly totp: { readonly store: Pick<SecondFactorStore, 'purge'> } | undefined
  /** Its store may be another one than that of the passkeys, or the same. */
  readonly oauthServer: { readonly once: Pick<OnceStore, 'purge'> } | undefined
  readonly passkeyServer: { readonly once: Pick<OnceStore, 'purge'> } | undefined
  /** Seconds between two rounds; 0: never. */
  readonly purgeInterval: number
  readonly clock: () => Date
  readonly noticeTime: NoticeTime
  readonly audit: Audit
}

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
 */
export function startPurging(deps: PurgingDeps): () => void {
  const { purgeInterval: interval } = deps
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
    const until = await purgeBefore(deps)
    if (until === null) return
    const stores = [
      deps.codeStore,
      deps.sessionStore,
      deps.ticketStore,
      deps.proofStore,
      deps.deviceCodes,
      deps.totp?.store,
      deps.oauthServer?.once,
      deps.passkeyServer?.once,
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
}: PurgingDeps): Promise<Date | null> {
  const databaseTime = await sessionStore.databaseTime?.()
  const now = clock().getTime()
  if (databaseTime === undefined) return new Date(now - graceMs)
  noticeTime(databaseTime)
  const ahead = now - databaseTime.getTime()
  if (ahead > maxClockDifferenceMs) {
    audit({ type: 'clock.ahead', seconds: Math.round(ahead / 1000) }, noRequest)
    return null
  }
  return new Date(now - Math.max(ahead, 0) - graceMs)
}
