import type { Logger } from '../lib/logger.js'
import {
  type Audit,
  type AuthEvent,
  type EventCounter,
  type EventSink,
  levels,
  type ThrottleScope,
} from './events.js'

/**
 * Makes the one writer of audit events: to the sink and to the log. Neither can hold up or fail a
 * sign-in.
 */
export function createAudit(
  sink: EventSink | undefined,
  logger: Logger,
  clock: () => Date,
  counts: EventCounter,
): Audit {
  let warned = false
  const onSinkFailure = () => {
    counts.failed()
    if (warned) return
    warned = true
    harmlessly(() =>
      logger.error('onEvent failed; sign-ins go on, but audit events are being lost'),
    )
  }
  return function audit(body, { requestId, ip, actor }) {
    const who = actor === undefined ? {} : { actor }
    const event: AuthEvent = Object.freeze({ ...body, at: clock(), requestId, ip, ...who })
    counts.raised(event)
    const { type, ...fields } = event
    harmlessly(() => logger[levels[type]](type, fields))
    if (sink !== undefined) harmlessly(() => deliver(sink, event, counts), onSinkFailure)
  }
}

async function deliver(sink: EventSink, event: AuthEvent, counts: EventCounter): Promise<void> {
  await sink(event)
  counts.delivered()
}

// What the host's sink and logger throw or reject with must not reach a sign-in, nor end the
// process.
function harmlessly(work: () => void | Promise<void>, onFailure: () => void = () => {}): void {
  Promise.resolve().then(work).catch(onFailure)
}

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
