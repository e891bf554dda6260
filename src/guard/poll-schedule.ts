import { randomInt } from 'node:crypto'
import type { SessionRecord } from '../stores/contract.js'

/** When the store is asked again for a session with open sockets. */
export interface PollTimes {
  /** The tick of the next full check: the session and its user. */
  checkAtTick: number
  /** When to write down that the session is in use, in milliseconds of the clock. */
  touchAtMs: number
  /** The tick, of each {@link pollSlotCount}, in which it is part of the batch poll. */
  readonly pollSlot: number
}

/** What is due for a session: nothing, a full check, or a full check that notes its use. */
export type DueWork = 'nothing' | 'check' | 'touch'

/** Says when the store is asked for sessions with open sockets. */
export interface PollSchedule {
  /** For a session that has its first socket. */
  start(tick: number, now: Date): PollTimes
  /** What is due at this tick. Sets the time of the next. */
  takeDue(times: PollTimes, tick: number, now: Date): DueWork
}

/** A full check every 60 seconds: the user may have been disabled. */
const ticksBetweenChecks = 60
/**
 * A batch poll by session id every 4 seconds: the message of a session's end may have been lost, or
 * there may be no bus. Clients are promised 5 seconds.
 */
export const pollSlotCount = 4

/** Makes the schedule. A tick is a second; `sessionIdle` is in seconds, too. */
export function createPollSchedule(sessionIdle: number): PollSchedule {
  const touchEveryMs = millisecondsBetweenTouches(sessionIdle)
  return {
    // Each at random times, or a thousand sockets that came together would be checked together.
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

// An open socket is use. A note for each twentieth of the idle time is enough, but at most one a
// minute. Where the idle time is short, a note for each third, so that one write may fail.
function millisecondsBetweenTouches(sessionIdle: number): number {
  return Math.min(Math.max(60, sessionIdle / 20), sessionIdle / 3) * 1000
}

/**
 * Whether a session that was read in a check must be noted as in use: one that idles out sooner
 * than the router's sessions do, which the schedule knows nothing of.
 */
export function isTouchDue(
  { lifetime, lastSeenAt }: Pick<SessionRecord, 'lifetime' | 'lastSeenAt'>,
  now: Date,
): boolean {
  if (lifetime === undefined) return false
  return now.getTime() >= lastSeenAt.getTime() + millisecondsBetweenTouches(lifetime.idle)
}
