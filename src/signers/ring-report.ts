import { describeFailure } from '../lib/host-call.js'
import type { Logger } from '../lib/logger.js'

/** Tells the operator what is wrong with a ring's keys. Nothing here can fail a sign-in. */
export interface RingReport {
  /** A key that is left out; told once. `generation` is 0 where it has none. */
  unreadable(generation: number, problem: string): void
  /** A key was taken out, since it has leaked. */
  retired(key: { readonly kid: string; readonly generation: number }): void
  /** The store has failed; told once until it is well again. */
  storeFailed(error: unknown): void
  storeIsWell(): void
}

/** To the host's logger, or, where it has handed none to the ring, as a warning of the process. */
export function createRingReport(logger: Logger | undefined): RingReport {
  const told = new Set<number>()
  let isDown = false

  function warn(message: string, code: string, fields: object): void {
    try {
      if (logger === undefined)
        process.emitWarning(`${message} ${JSON.stringify(fields)}`, { code })
      else logger.warn(message, fields)
    } catch {
      // A logger that throws must not keep anybody from signing in.
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
