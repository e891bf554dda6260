import { type Audit, noRequest } from './events.js'

/** Is told of moments that some process has written down as its present. */
export type NoticeTime = (written: Date) => void

const toleratedMilliseconds = 30_000
const pauseMilliseconds = 60_000

/**
 * Raises `clock.skewed` when it is told of a moment more than 30 seconds ahead of this process's clock, at most once a minute. One-time
 * use holds at any skew; what suffers is when things end, and whose tokens are refused as not issued yet.
 */
export function createClockWatch(clock: () => Date, audit: Audit): NoticeTime {
  let toldAt = Number.NEGATIVE_INFINITY
  return (written) => {
    const now = clock().getTime()
    const ahead = written.getTime() - now
    // Either way: a clock that was set back by an hour must not silence this for an hour.
    if (ahead <= toleratedMilliseconds || Math.abs(now - toldAt) < pauseMilliseconds) return
    toldAt = now
    audit({ type: 'clock.skewed', seconds: Math.round(ahead / 1000) }, noRequest)
  }
}
