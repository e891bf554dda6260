import { type RateLimiterAbstract, RateLimiterMemory, type RateLimiterRes } from 'rate-limiter-flexible'
import { AuthConfigError, AuthError } from '../errors.js'
import type { Audit, RequestContext, ThrottleScope } from '../events.js'
import { networkOf } from '../http/client-address.js'
import type { HostCall } from '../lib/host-call.js'
import { createTally } from './tally.js'

/** So many failures in so many seconds. */
export interface Limit {
  readonly points: number
  /** Seconds. */
  readonly duration: number
}

/** What a limiter of rate-limiter-flexible is made with. */
export interface LimiterSettings extends Limit {
  readonly keyPrefix: string
}

/** Limits on guessing. */
export interface ThrottleOptions {
  /** Wrong passwords per identifier and network. Default 5 in 900 seconds. */
  readonly account?: Limit
  /** Failures per network (an IPv4 address, or an IPv6 /64) over all identifiers. Default 100 in 900 seconds. */
  readonly network?: Limit
  /** Wrong second-factor codes per user, over all networks and sessions. Default 10 in 3600 seconds. */
  readonly secondFactor?: Limit
  /**
   * Makes the counters. Default: in the memory of this process, so that n processes allow n times as much. With Redis:
   * `(settings) => new RateLimiterRedis({ storeClient, ...settings })`.
   */
  readonly limiter?: (settings: LimiterSettings) => RateLimiterAbstract
}

/** One attempt that has been counted. Exactly one of the three happens to it. */
export interface LoginSlot {
  /** For the answer, whatever it is. */
  readonly headers: Readonly<Record<string, string>>
  /** The password was wrong: it counts. */
  keep(): void
  /** The attempt was not a wrong password after all: it does not count. */
  refund(): Promise<void>
  /** The sign-in is complete: earlier failures are forgotten. */
  clear(): Promise<void>
}

/** Counts attempts before the expensive work, so that parallel guesses cannot slip past a limit that is checked afterwards. */
export interface Throttle {
  /** Takes a slot for a password. Throws 429, or 503 when the counters are out of reach. */
  takeLoginSlot(identifierDigest: string, context: RequestContext): Promise<LoginSlot>
  /**
   * Takes a slot for a second-factor code, and then does what it is for. Throws as above. Should the work reject, the slot is given back:
   * an outage is no wrong code, and a client that tries again must not lock its user out.
   */
  withSecondFactorSlot<T>(userId: string, context: RequestContext, work: () => Promise<T>): Promise<T>
  /** The code was right, and was shown for something else than a sign-in: it does not count, and what was wrong before still does. */
  refundSecondFactor(userId: string): Promise<void>
  /** A complete two-factor sign-in: earlier wrong codes are forgotten. */
  clearSecondFactor(userId: string): Promise<void>
}

/**
 * The limits in force where the host sets none.
 * @internal
 */
export const defaultLimits: Readonly<Record<'account' | 'network' | 'secondFactor', Limit>> = {
  account: { points: 5, duration: 15 * 60 },
  network: { points: 100, duration: 15 * 60 },
  secondFactor: { points: 10, duration: 60 * 60 },
}

/** Makes the throttle over the host's limiter, or over this process's memory. */
export function createThrottle(options: ThrottleOptions, call: HostCall, audit: Audit): Throttle {
  const make = (settings: LimiterSettings) =>
    options.limiter === undefined ? new RateLimiterMemory(settings) : checkedLimiter(options.limiter(settings))
  const accounts = make({ keyPrefix: 'mar-login', ...defaultLimits.account, ...options.account })
  const networks = make({ keyPrefix: 'mar-network', ...defaultLimits.network, ...options.network })
  const secondFactors = make({ keyPrefix: 'mar-2fa', ...defaultLimits.secondFactor, ...options.secondFactor })
  // Passwords being judged, by account and by network. Their slots may come back in a moment, so nobody is sent away for the whole
  // window on their account: an app that opens six windows at once must not wait a quarter of an hour.
  const underJudgement = createTally()

  const giveBack = (limiter: RateLimiterAbstract, key: string) =>
    call('throttle.refund', async () => {
      const { consumedPoints } = await limiter.reward(key, 1)
      // The window the slot was taken in is over, or was cleared: a balance below nothing would be a licence for more.
      if (consumedPoints < 0) await limiter.delete(key)
    }).then(nothing, nothing)
  const forget = (limiter: RateLimiterAbstract, key: string) =>
    call('throttle.clear', () => limiter.delete(key)).then(nothing, nothing)

  async function take(limiter: RateLimiterAbstract, key: string, scope: ThrottleScope, context: RequestContext) {
    const taken = await call('throttle.take', () => consume(limiter, key))
    if (taken.allowed) return taken.counted
    // A refused attempt counts for nothing: a burst of right logins would otherwise shut its whole network out.
    await giveBack(limiter, key)
    const window = Math.max(1, Math.ceil(taken.counted.msBeforeNext / 1000))
    const retryAfter = underJudgement.has(key) ? 1 : window
    // Only somebody who knows the password gets as far as the second factor: the alarm names whose it is.
    const userId = scope === 'second-factor' ? key : null
    audit({ type: 'login.throttled', scope, userId, retryAfter }, context)
    const headers = rateLimitHeaders(limiter.points, 0, retryAfter)
    throw new AuthError('too-many-requests', { retryAfter, headers, message: `limit per ${scope} reached` })
  }

  async function takeLoginSlot(identifierDigest: string, context: RequestContext): Promise<LoginSlot> {
    const network = networkOf(context.ip)
    const account = `${identifierDigest}:${network}`
    // The network first: once it is used up, no counter is made for whatever names it tries.
    await take(networks, network, 'network', context)
    const counted = await take(accounts, account, 'account', context).catch(async (error: unknown) => {
      await giveBack(networks, network)
      throw error
    })
    for (const key of [account, network]) underJudgement.add(key)
    const judged = () => [account, network].forEach(underJudgement.remove)
    return {
      headers: rateLimitHeaders(accounts.points, counted.remainingPoints, Math.ceil(counted.msBeforeNext / 1000)),
      keep: judged,
      refund: async () => {
        judged()
        await Promise.all([giveBack(accounts, account), giveBack(networks, network)])
      },
      clear: async () => {
        judged()
        await Promise.all([forget(accounts, account), giveBack(networks, network)])
      },
    }
  }

  return {
    takeLoginSlot,
    async withSecondFactorSlot(userId, context, work) {
      await take(secondFactors, userId, 'second-factor', context)
      try {
        return await work()
      } catch (error) {
        await giveBack(secondFactors, userId)
        throw error
      }
    },
    refundSecondFactor: (userId) => giveBack(secondFactors, userId),
    clearSecondFactor: (userId) => forget(secondFactors, userId),
  }
}

function checkedLimiter(limiter: RateLimiterAbstract): RateLimiterAbstract {
  const has = (name: 'consume' | 'reward' | 'delete') => typeof limiter?.[name] === 'function'
  if (has('consume') && has('reward') && has('delete')) return limiter
  const remedy = '(settings) => new RateLimiterRedis({ storeClient, ...settings }), or another class of rate-limiter-flexible.'
  throw new AuthConfigError('throttle.limiter', 'answers something that is not a limiter.', remedy)
}

// rate-limiter-flexible rejects with a result when the limit is reached and with an Error when its store failed. Taking one for
// the other would turn an outage into a 429, or worse, into a pass.
async function consume(limiter: RateLimiterAbstract, key: string): Promise<{ allowed: boolean; counted: RateLimiterRes }> {
  try {
    return { allowed: true, counted: await limiter.consume(key, 1) }
  } catch (rejection) {
    if (isLimitReached(rejection)) return { allowed: false, counted: rejection }
    throw rejection
  }
}

function isLimitReached(rejection: unknown): rejection is RateLimiterRes {
  return typeof rejection === 'object' && rejection !== null && !(rejection instanceof Error) && 'msBeforeNext' in rejection
}

function rateLimitHeaders(limit: number, remaining: number, reset: number): Record<string, string> {
  return {
    'RateLimit-Limit': String(limit),
    'RateLimit-Remaining': String(remaining),
    'RateLimit-Reset': String(Math.max(0, reset)),
  }
}

// A refund that fails leaves the limit stricter, not looser; the failure itself was reported by the call.
function nothing(): void {}
