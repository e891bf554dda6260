import type { AuthError } from '../errors.js'
import type { EndpointRequest } from '../http/endpoint.js'
import { boundedCache } from '../lib/bounded-cache.js'
import type { Counter } from './counter.js'
import { type ReportLimit, rateLimitHeaders } from './limits.js'

/**
 * Counts a refusal under a key, and answers what the client is told: the refusal itself, or beyond
 * the limit a 429 instead.
 */
export type CountRefusal = (
  key: string,
  request: Pick<EndpointRequest, 'context' | 'setHeaders'>,
  refusal: AuthError,
) => Promise<AuthError>

/** What limiting refusals needs. */
export interface RefusalLimitDeps {
  readonly counter: Counter
  readonly reportLimit: ReportLimit
  readonly dryRun: boolean
}

/** Keys that have used up their limit, of which a process remembers so many. */
const maxRemembered = 10_000

/**
 * Makes the limit of what is refused, where what is shown has 256 bits: it bounds refusals, and no
 * guessing. What is valid is never refused for what others have sent, and costs no call.
 */
export function createRefusalLimit({
  counter,
  reportLimit,
  dryRun,
}: RefusalLimitDeps): CountRefusal {
  /** Until when, in milliseconds: a flood of refusals costs no call of the counter. */
  const usedUp = boundedCache<number>(maxRemembered, counter.duration)

  function secondsLeft(key: string): number {
    const now = new Date()
    return Math.ceil(((usedUp.get(key, now) ?? 0) - now.getTime()) / 1000)
  }

  async function count(
    key: string,
  ): Promise<{ readonly remaining: number; readonly seconds: number } | null> {
    if (secondsLeft(key) > 0) return null
    const { allowed, remaining, seconds } = await counter.take(key)
    const now = new Date()
    if (!allowed || remaining === 0) usedUp.set(key, now.getTime() + seconds * 1000, now)
    return allowed ? { remaining, seconds } : null
  }

  return async function countRefusal(key, { context, setHeaders }, refusal) {
    // A counter out of reach does not change an answer that gives nothing away; the call has
    // reported it.
    const counted = await count(key).catch(() => undefined)
    if (counted === null) {
      const retryAfter = Math.max(1, secondsLeft(key))
      const reached = { scope: 'endpoint', points: counter.points, retryAfter } as const
      const limited = reportLimit(reached, context, dryRun)
      return dryRun ? refusal : limited
    }
    if (counted !== undefined)
      setHeaders(rateLimitHeaders(counter.points, counted.remaining, counted.seconds))
    return refusal
  }
}
