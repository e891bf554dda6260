import { type Audit, noRequest } from './events.js'

/** Takes a time that some process has stored as its current time. */
export type NoticeTime = (written: Date) => void

/** Half the tolerance of a refresh, to report a skew before it affects honest clients. */
const minSkewMs = 10_000
const pauseMs = 60_000

/**
 * Raises `clock.skewed` for a stored time 10 seconds or more ahead of this process's clock, at most
 * once a minute. One-time use is safe at any skew; expiry is inexact, and tokens may be refused as
 * not issued yet.
 */
export function createClockWatch(clock: () => Date, audit: Audit): NoticeTime {
  let reportedAt = Number.NEGATIVE_INFINITY
  return function noticeTime(written) {
    const now = clock().getTime()
    const ahead = written.getTime() - now
    // The absolute value: a clock set back by an hour must not silence this for an hour.
    if (ahead < minSkewMs || Math.abs(now - reportedAt) < pauseMs) return
    reportedAt = now
    audit({ type: 'clock.skewed', seconds: Math.round(ahead / 1000) }, noRequest)
  }
}
