/** A clock that stands still until it is moved. */
export interface ManualClock {
  /** Hand this to `createAuthRouter({ clock })` and to `joseSigner({ clock })`. */
  (): Date
  /** Moves it forward by this many seconds. A negative number moves it back. */
  advance(seconds: number): void
  /** Sets it to this moment. */
  set(moment: Date): void
}

/**
 * Makes a clock for tests, so that expiry is tested by moving time, not by waiting.
 *
 * @example
 * ```ts
 * import { manualClock } from 'messaging-auth-router/testing'
 *
 * const clock = manualClock(new Date('2030-01-01T00:00:00Z'))
 * clock.advance(61)
 * ```
 */
export function manualClock(start: Date = new Date()): ManualClock {
  let now = start.getTime()
  return Object.assign(() => new Date(now), {
    advance: (seconds: number) => {
      now += seconds * 1000
    },
    set: (moment: Date) => {
      now = moment.getTime()
    },
  })
}
