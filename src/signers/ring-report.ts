import { describeFailure } from '../lib/host-call.js'
import type { Logger } from '../lib/logger.js'

/** Reports problems of a ring to the operator. Never throws. */
export interface RingReport {
  /** A key is skipped; reported once. `generation` is 0 if it has none. */
  unreadable(generation: number, problem: string): void
  /** A leaked key was removed. */
  retired(key: { readonly kid: string; readonly generation: number }): void
  /** The store has failed; reported once until it recovers. */
  storeFailed(error: unknown): void
  storeIsWell(): void
}

/** Without a logger, reports are process warnings. */
export function createRingReport(logger: Logger | undefined): RingReport {
  const told = new Set<number>()
  let isDown = false

  function warn(message: string, code: string, fields: object): void {
    try {
      if (logger === undefined)
        process.emitWarning(`${message} ${JSON.stringify(fields)}`, { code })
      else logger.warn(message, fields)
    } catch {
      // A failing logger must not prevent sign-ins.
    }
  }

  return {
    unreadable(generation, problem) {
      if (told.has(generation)) return
      told.add(generation)
      warn('signing-key.unreadable', 'MAR_SIGNING_KEY_UNREADABLE', { generation, problem })
    },
    retired({ kid, generation }) {
      warn('signing-key.retired', 'MAR_SIGNING_KEY_RETIRED', { kid, generation })
    },
    storeFailed(error) {
      if (isDown) return
      isDown = true
      warn('key-store.failed', 'MAR_KEY_STORE_FAILED', describeFailure('keys.list', error))
    },
    storeIsWell() {
      isDown = false
    },
  }
}
