import type { RequestContext } from '../events.js'
import type { SetHeaders } from '../http/endpoint.js'
import type { Counter } from './counter.js'
import type { CounterKey } from './counter-key.js'
import { type Refuse, rateLimitHeaders } from './refusal.js'

/** Whose code it is. */
export interface CodeAttempt {
  readonly userId: string
  /**
   * Codes for a seed that waits to be confirmed are counted apart: whoever has got hold of a session can send them without the password,
   * and must not use up what the user has for logins.
   */
  readonly enrolling: boolean
}

/** The limits of second-factor codes. A trial run does not lift them: six digits do not survive uncounted guessing. */
export interface SecondFactorSlots {
  /**
   * Takes a slot for a code, and then does what it is for. Throws 429, or 503 when the counters are out of reach. Should the work reject, the
   * slot is given back: an outage is no wrong code, and a client that tries again must not lock its user out.
   */
  withSecondFactorSlot<T>(
    attempt: CodeAttempt,
    context: RequestContext,
    work: () => Promise<T>,
    setHeaders?: SetHeaders,
  ): Promise<T>
  /** The code was right, and was shown for something else than a sign-in: it does not count, and what was wrong before still does. */
  refundSecondFactor(attempt: CodeAttempt): Promise<void>
  /** A complete two-factor sign-in, or a reset: earlier wrong codes are forgotten. Never rejects. */
  clearSecondFactor(userId: string): Promise<void>
  /** The same, of an enrolment that waits, too. Rejects with 503. */
  unlockSecondFactor(userId: string): Promise<void>
}

/** Makes the limits of second-factor codes. */
export function createSecondFactorSlots(counter: Counter, keyOf: CounterKey, refuse: Refuse): SecondFactorSlots {
  const keyFor = ({ userId, enrolling }: CodeAttempt) => keyOf(enrolling ? 'enrolment' : 'second-factor', userId)
  return {
    async withSecondFactorSlot(attempt, context, work, setHeaders) {
      const { userId, enrolling } = attempt
      const key = keyFor(attempt)
      const { allowed, remaining, seconds } = await counter.take(key)
      const { points } = counter
      const scope = enrolling ? 'enrolment' : 'second-factor'
      if (!allowed) refuse({ scope, points, retryAfter: Math.max(1, seconds), userId, dryRun: false }, context)
      setHeaders?.(rateLimitHeaders(points, remaining, seconds))
      try {
        return await work()
      } catch (error) {
        await counter.giveBack(key)
        throw error
      }
    },
    refundSecondFactor: (attempt) => counter.giveBack(keyFor(attempt)),
    clearSecondFactor: (userId) => counter.forget(keyFor({ userId, enrolling: false })).then(nothing, nothing),
    async unlockSecondFactor(userId) {
      await Promise.all([true, false].map((enrolling) => counter.forget(keyFor({ userId, enrolling }))))
    },
  }
}

// What is not forgotten makes the limit stricter; the call has reported it.
function nothing(): void {}
