import type { Logger } from '../lib/logger.js'
import { levels } from './event-levels.js'
import type { Audit, AuthEvent, EventCounter, EventObserver, EventSink } from './events.js'

/** Writes audit events to the sink and to the log. Neither can delay or fail a sign-in. */
export function createAudit(
  sink: EventSink | undefined,
  logger: Logger,
  clock: () => Date,
  counts: EventCounter,
  observers: readonly EventObserver[],
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
  return function audit(body, context) {
    const { requestId, ip, actor } = context
    const who = actor === undefined ? {} : { actor }
    const event: AuthEvent = Object.freeze({ ...body, at: clock(), requestId, ip, ...who })
    counts.raised(event)
    for (const observe of observers) observe(body, context)
    const { type, ...fields } = event
    harmlessly(() => logger[levels[type]](type, fields))
    if (sink !== undefined) harmlessly(() => deliver(sink, event, counts), onSinkFailure)
  }
}

async function deliver(sink: EventSink, event: AuthEvent, counts: EventCounter): Promise<void> {
  await sink(event)
  counts.delivered()
}

// Errors of the host's sink and logger must neither fail a sign-in nor end the process.
function harmlessly(work: () => void | Promise<void>, onFailure: () => void = () => {}): void {
  Promise.resolve().then(work).catch(onFailure)
}
