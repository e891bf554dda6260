import type { RateLimiterAbstract } from 'rate-limiter-flexible'
import type { Audit, RequestContext, ThrottleScope } from '../audit/events.js'
import { AuthError } from '../errors.js'
import type { Counter, Limit, LimiterSettings } from './counter.js'
import { createCounter } from './limiter-counter.js'

/**
 * Limits on guessing. A network is an IPv4 address or the /64 of IPv6; a window begins with its
 * first failure. Points: 1-1000000; durations: 1 second to 30 days.
 */
export interface ThrottleOptions {
  /**
   * Wrong passwords per identifier and network. Default 5 in 900 seconds; then 429 until the window
   * ends. A complete sign-in begins anew.
   */
  readonly account?: Limit
  /**
   * Failures per network over all identifiers. Default 100 in 900 seconds; a /56 of IPv6 has twice
   * as many, a /48 four times. An account that knows the network is not refused by it.
   */
  readonly network?: Limit
  /**
   * Wrong passwords per identifier over all networks that its account does not know. Default 100 in
   * 86400 seconds. Then such networks are refused, whatever the password, until
   * `auth.unlockLogin()` or the end of the window.
   */
  readonly unknownNetworks?: Limit
  /**
   * Wrong passwords per account, whatever it is called, over all networks that it does not know.
   * Default 100 in 86400 seconds. Beyond it a right password is answered like a wrong one there: a
   * 429 would tell whose name was typed. A complete sign-in from anywhere begins anew.
   */
  readonly accountTotal?: Limit
  /**
   * Wrong passwords per account and network that it knows, which do not count for the limits over
   * all networks. Default 100 in 86400 seconds. What comes beyond counts like an unknown network's.
   */
  readonly knownNetwork?: Limit
  /**
   * Wrong second-factor codes per user, over all networks and sessions. Recovery codes are judged
   * all the same. Default 10 in 3600 seconds.
   */
  readonly secondFactor?: Limit
  /**
   * Wrong second-factor codes per user until a complete sign-in, 5-1000000. The last fifth is kept
   * for known networks and signed-in sessions. Default 100.
   */
  readonly secondFactorTotal?: number
  /**
   * Refused codes and refresh tokens per network, for the exchange and for the refresh each, and
   * refused clients of OAuth. Beyond it what is refused is answered 429; a valid one is never. Of
   * ids of clients that this process has not met for a day, one after the other is then looked up.
   * Default 300 in 900 seconds.
   */
  readonly endpoints?: Limit
  /**
   * True counts and reports (`login.throttled` with `dryRun: true`) but refuses only wrong
   * second-factor codes. For the first weeks of a server with users; leave it off otherwise.
   * Default false.
   */
  readonly dryRun?: boolean
  /**
   * Makes the counters. Default: in the memory of this process, so that n processes allow n times
   * as much. With Redis: `(settings) => new RateLimiterRedis({ storeClient, ...settings })`.
   */
  readonly limiter?: (settings: LimiterSettings) => RateLimiterAbstract
}

/** The limits a host can set. */
export type LimitName =
  | 'account'
  | 'network'
  | 'unknownNetworks'
  | 'accountTotal'
  | 'knownNetwork'
  | 'secondFactor'
  | 'endpoints'

/** Seconds. */
export const day: number = 24 * 60 * 60

/**
 * The limits in force where the host sets none.
 * @internal
 */
export const defaultLimits: Readonly<Record<LimitName, Limit>> = {
  account: { points: 5, duration: 15 * 60 },
  network: { points: 100, duration: 15 * 60 },
  unknownNetworks: { points: 100, duration: day },
  accountTotal: { points: 100, duration: day },
  knownNetwork: { points: 100, duration: day },
  secondFactor: { points: 10, duration: 60 * 60 },
  endpoints: { points: 300, duration: 15 * 60 },
}

/** Wrong second-factor codes until a complete sign-in. */
const defaultSecondFactorTotal = 100

/** Every counter there is; throttle.ts has the table of what each counts. */
export interface Counters {
  readonly perIdentifierAndNetwork: Counter
  readonly perNetwork: Counter
  /** As `perNetwork`, per /56 and /48 of IPv6: one line has many /64. */
  readonly perNetwork56: Counter
  readonly perNetwork48: Counter
  /** Over all networks that the account does not know. */
  readonly perIdentifier: Counter
  /** The same, whatever identifier was typed. */
  readonly perUser: Counter
  readonly perUserAndKnownNetwork: Counter
  /**
   * What stands in `perIdentifierAndNetwork` of one typed identifier, so that its owner gives back
   * that and nothing else.
   */
  readonly failedHere: Counter
  /** Wrong second-factor codes. */
  readonly codesPerUser: Counter
  /** The same, since the last complete sign-in. */
  readonly codesUntilSignIn: Counter
  /** Refused codes, refresh tokens and clients. */
  readonly refusedTokens: Counter
  /**
   * The networks that an account knows, each with the epoch in which it was last signed in from.
   */
  readonly networkEpochs: Counter
  /**
   * Per account: the epoch in which its networks are known; another one makes all of them unknown.
   */
  readonly userEpochs: Counter
}

/** Seconds: ten years. Wrong codes are remembered until a sign-in, however long that takes. */
const untilSignIn = 10 * 365 * day

/**
 * Makes the counters. Each has a prefix of its own, so that one store can keep them all.
 * `knownFor`: seconds for which a network is known after it was last used.
 */
export function createCounters(options: ThrottleOptions, knownFor: number): Counters {
  const make = (keyPrefix: string, limit: Limit) => createCounter(options, { keyPrefix, ...limit })
  const limitOf = (name: LimitName) => ({ ...defaultLimits[name], ...options[name] })
  const limited = (keyPrefix: string, name: LimitName, times = 1) => {
    const { points, duration } = limitOf(name)
    return make(keyPrefix, { points: points * times, duration })
  }
  return {
    perIdentifierAndNetwork: limited('mar-login', 'account'),
    perNetwork: limited('mar-network', 'network'),
    perNetwork56: limited('mar-network-56', 'network', 2),
    perNetwork48: limited('mar-network-48', 'network', 4),
    perIdentifier: limited('mar-unknown', 'unknownNetworks'),
    perUser: limited('mar-account', 'accountTotal'),
    perUserAndKnownNetwork: limited('mar-known', 'knownNetwork'),
    failedHere: make('mar-failed', { points: 1, duration: limitOf('account').duration }),
    codesPerUser: limited('mar-2fa', 'secondFactor'),
    codesUntilSignIn: make('mar-2fa-total', {
      points: options.secondFactorTotal ?? defaultSecondFactorTotal,
      duration: untilSignIn,
    }),
    refusedTokens: limited('mar-endpoint', 'endpoints'),
    networkEpochs: make('mar-known-from', { points: 1, duration: knownFor }),
    // Kept for longer than any network: without it, networks of before would be known again.
    userEpochs: make('mar-known-epoch', { points: 1, duration: untilSignIn }),
  }
}

/** Which limit was reached. */
export interface Reached {
  readonly scope: ThrottleScope
  readonly points: number
  /** Seconds. */
  readonly retryAfter: number
  /** Where whoever asks has shown the password, or where only the operator is told. */
  readonly userId?: string | null
  /** What was typed, as in `login.failed`: the support desk finds out who is locked out. */
  readonly identifierDigest?: string
}

/** Makes the 429 of a limit, which the operator is told of. */
export type ReportLimit = (reached: Reached, context: RequestContext, dryRun?: boolean) => AuthError

/**
 * Makes the one way in which limits are reported; the caller throws what it answers, or lets pass.
 */
export function createReportLimit(audit: Audit): ReportLimit {
  return function reportLimit(
    { scope, points, retryAfter, userId = null, identifierDigest = null },
    context,
    dryRun = false,
  ) {
    audit({ type: 'login.throttled', scope, userId, identifierDigest, retryAfter, dryRun }, context)
    const headers = rateLimitHeaders(points, 0, retryAfter)
    return new AuthError('too-many-requests', {
      retryAfter,
      headers,
      limit: scope === 'network' || scope === 'endpoint' ? 'network' : 'user',
      message: `limit per ${scope} reached`,
    })
  }
}

/** How a limit stands, for clients; `reset` in seconds. */
export function rateLimitHeaders(
  limit: number,
  remaining: number,
  reset: number,
): Record<string, string> {
  return {
    'RateLimit-Limit': String(limit),
    'RateLimit-Remaining': String(remaining),
    'RateLimit-Reset': String(reset),
  }
}
