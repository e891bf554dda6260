import { randomInt } from 'node:crypto'
import type { SessionRecord } from '../stores/contract.js'

/** When the store is next asked about a session with open sockets. */
export interface PollTimes {
  /** The tick of the next full check: the session and its user. */
  checkAtTick: number
  /** When to record the session as in use, in milliseconds of the clock. */
  touchAtMs: number
  /** Which of {@link pollSlotCount} ticks polls the session in a batch. */
  readonly pollSlot: number
}

/** What is due for a session: nothing, a full check, or a full check that records its use. */
export type DueWork = 'nothing' | 'check' | 'touch'

/** Decides when the store is asked about sessions with open sockets. */
export interface PollSchedule {
  /** Starts the times of a session with its first socket. */
  start(tick: number, now: Date): PollTimes
  /** Returns what is due at this tick, and schedules the next check. */
  takeDue(times: PollTimes, tick: number, now: Date): DueWork
}

/** A full check every 60 seconds: the user may have been disabled. */
const ticksBetweenChecks = 60
/**
 * A batch poll by session id every 4 seconds, for lost bus messages and hosts without a bus.
 * Clients are promised 5 seconds.
 */
export const pollSlotCount = 4

/** A tick is one second; `sessionIdle` is in seconds, too. */
export function createPollSchedule(sessionIdle: number): PollSchedule {
  const touchEveryMs = millisecondsBetweenTouches(sessionIdle)
  return {
    // At random times, so that a thousand sockets opened together are not checked together.
    start: (tick, now) => ({
      checkAtTick: tick + randomInt(1, ticksBetweenChecks + 1),
      touchAtMs: now.getTime() + touchEveryMs / 2 + randomInt(Math.ceil(touchEveryMs / 2)),
      pollSlot: randomInt(pollSlotCount),
    }),
    takeDue(times, tick, now) {
      const due =
        now.getTime() >= times.touchAtMs ? 'touch' : tick >= times.checkAtTick ? 'check' : 'nothing'
      if (due === 'touch') times.touchAtMs = now.getTime() + touchEveryMs
      if (due !== 'nothing') times.checkAtTick = tick + ticksBetweenChecks
      return due
    },
  }
}

// An open socket counts as use. Recording it every twentieth of the idle time is enough, but at
// most once a minute. With a short idle time it is recorded every third of it, so that one write
// may fail.
function millisecondsBetweenTouches(sessionIdle: number): number {
  return Math.min(Math.max(60, sessionIdle / 20), sessionIdle / 3) * 1000
}

/**
 * Whether a session read in a check must be recorded as in use. This concerns sessions with a
 * lifetime of their own, which the schedule does not know.
 */
export function isTouchDue(
  { lifetime, lastSeenAt }: Pick<SessionRecord, 'lifetime' | 'lastSeenAt'>,
  now: Date,
): boolean {
  if (lifetime === undefined) return false
  return now.getTime() >= lastSeenAt.getTime() + millisecondsBetweenTouches(lifetime.idle)
}
