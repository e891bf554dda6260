import { type Audit, noRequest } from './events.js'

/** Takes a time that some process has written down as its present. */
export type NoticeTime = (written: Date) => void

/** Half of what a refresh tolerates, so that it is reported before honest clients suffer. */
const minSkewMs = 10_000
const pauseMs = 60_000

/**
 * Raises `clock.skewed` for a written time 10 seconds or more ahead of this process's
 * clock, at most once a minute. One-time use holds at any skew; what suffers is when things
 * end, and which tokens are refused as not issued yet.
 */
export function createClockWatch(clock: () => Date, audit: Audit): NoticeTime {
  let reportedAt = Number.NEGATIVE_INFINITY
  return function noticeTime(written) {
    const now = clock().getTime()
    const ahead = written.getTime() - now
    // Either way: a clock that was set back by an hour must not silence this for an hour.
    if (ahead < minSkewMs || Math.abs(now - reportedAt) < pauseMs) return
    reportedAt = now
    audit({ type: 'clock.skewed', seconds: Math.round(ahead / 1000) }, noRequest)
  }
}
