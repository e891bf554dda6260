import { AuthError } from '../errors.js'
import type { Audit, RequestContext, ThrottleScope } from '../events.js'

/** Which limit was reached. */
export interface Reached {
  readonly scope: ThrottleScope
  readonly points: number
  /** Seconds. */
  readonly retryAfter: number
  /** Only somebody who knows the password gets as far as the second factor: the alarm names whose it is. */
  readonly userId?: string
  /** Tell of it, and let the attempt pass. */
  readonly dryRun: boolean
}

/** Tells of a limit that was reached, and throws 429. */
export type Refuse = (reached: Reached, context: RequestContext) => void

/** Makes the one way in which attempts are refused. */
export function createRefuse(audit: Audit): Refuse {
  return ({ scope, points, retryAfter, userId = null, dryRun }, context) => {
    audit({ type: 'login.throttled', scope, userId, retryAfter, dryRun }, context)
    if (dryRun) return
    const headers = rateLimitHeaders(points, 0, retryAfter)
    throw new AuthError('too-many-requests', { retryAfter, headers, message: `limit per ${scope} reached` })
  }
}

/** How a limit stands, for clients; `reset` in seconds. */
export function rateLimitHeaders(limit: number, remaining: number, reset: number): Record<string, string> {
  return {
    'RateLimit-Limit': String(limit),
    'RateLimit-Remaining': String(remaining),
    'RateLimit-Reset': String(reset),
  }
}
