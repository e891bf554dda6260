import type { EventCounter, ThrottleScope } from './events.js'

/** What became of the audit events since the start. */
export interface AuditStats {
  /** Taken by `onEvent`: it returned, or its promise was fulfilled. */
  readonly delivered: number
  /** Lost: `onEvent` threw, or its promise was rejected. */
  readonly failed: number
}

/**
 * How often each limit was reached since the start. A limit that was never reached is not in here.
 */
export type LimitStats = Readonly<Partial<Record<ThrottleScope, number>>>

/** Counts audit events as they pass. */
export interface EventCounts extends EventCounter {
  audit(): AuditStats
  limits(): LimitStats
}

/** Makes the counts, all at zero. */
export function createEventCounts(): EventCounts {
  const limits = new Map<ThrottleScope, number>()
  let delivered = 0
  let failed = 0
  return {
    raised(event) {
      if (event.type === 'login.throttled')
        limits.set(event.scope, (limits.get(event.scope) ?? 0) + 1)
    },
    delivered() {
      delivered += 1
    },
    failed() {
      failed += 1
    },
    audit: () => ({ delivered, failed }),
    limits: () => Object.fromEntries(limits),
  }
}
