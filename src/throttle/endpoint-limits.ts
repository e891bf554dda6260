import { AuthError } from '../errors.js'
import type { RequestContext } from '../events.js'
import { networkOf } from '../http/client-address.js'
import type { Endpoint } from '../http/endpoint.js'
import { boundedCache } from '../lib/bounded-cache.js'
import type { Counter } from './counter.js'
import type { CounterKey } from './counter-key.js'
import { type Refuse, rateLimitHeaders } from './refusal.js'

/** Limits the failures of an endpoint by network. */
export type LimitFailures = (name: string, endpoint: Endpoint) => Endpoint

/** What limiting endpoints needs. */
export interface EndpointLimitDeps {
  readonly counter: Counter
  readonly keyOf: CounterKey
  readonly refuse: Refuse
  readonly dryRun: boolean
}

/** Networks that have used up an endpoint, of which a process remembers so many. */
const mostRemembered = 10_000

/**
 * Makes the limit of endpoints that take tokens. Those have 256 bits, so this bounds what a network can ask of the stores, and no guessing:
 * a request that succeeds costs no call, and one of a network that is used up is refused by what this process remembers.
 */
export function createEndpointLimits({ counter, keyOf, refuse, dryRun }: EndpointLimitDeps): LimitFailures {
  /** Until when, in milliseconds. */
  const usedUp = boundedCache<number>(mostRemembered, counter.duration)

  function requireLeft(key: string, context: RequestContext): void {
    const now = new Date()
    const left = (usedUp.get(key, now) ?? 0) - now.getTime()
    if (left > 0) refuse({ scope: 'endpoint', points: counter.points, retryAfter: Math.ceil(left / 1000), dryRun }, context)
  }

  async function countFailure(key: string): Promise<Readonly<Record<string, string>>> {
    const { allowed, remaining, seconds } = await counter.take(key)
    const now = new Date()
    if (!allowed || remaining === 0) usedUp.set(key, now.getTime() + seconds * 1000, now)
    return rateLimitHeaders(counter.points, remaining, seconds)
  }

  return (name, endpoint) => async (request) => {
    // Not asked for while no network has used anything up.
    const key = () => keyOf('endpoint', name, networkOf(request.context.ip))
    if (usedUp.size > 0) requireLeft(key(), request.context) // 429
    try {
      return await endpoint(request)
    } catch (error) {
      // A counter out of reach does not change an answer that gives nothing away; the call has reported it.
      if (isRefusal(error)) request.setHeaders(await countFailure(key()).catch(() => ({})))
      throw error
    }
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof AuthError && error.code === 'invalid_grant'
}
