import type { RateLimiterAbstract, RateLimiterRes } from 'rate-limiter-flexible'

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

/** What is used of a limiter: its public methods. */
export interface Limiter {
  readonly points: number
  consume(key: string, points?: number): Promise<RateLimiterRes>
  penalty(key: string, points?: number): Promise<RateLimiterRes>
  reward(key: string, points?: number): Promise<RateLimiterRes>
  get(key: string): Promise<RateLimiterRes | null>
  set(key: string, points: number, seconds: number): Promise<unknown>
  delete(key: string): Promise<unknown>
}

/** Limits on guessing. Networks are IPv4 addresses, or the /64 of IPv6. Points: 1-1000000; durations: 1 second to 30 days. */
export interface ThrottleOptions {
  /**
   * Wrong passwords per identifier and network. Default 5 in 900 seconds. The last of them begins a pause of `duration`, the next such
   * one of twice that, up to 24 hours; a complete sign-in, and 24 hours without a pause, begin anew.
   */
  readonly account?: Limit
  /** Failures per network over all identifiers. Default 100 in 900 seconds. */
  readonly network?: Limit
  /**
   * Wrong passwords per identifier over all networks from which it has not signed in within 30 days. Default 100 in 86400 seconds. Then
   * such networks are refused, whatever the password, until a sign-in from a known one, `auth.unlockLogin()` or the end of the window.
   */
  readonly unknownNetworks?: Limit
  /** Wrong passwords per identifier and network from which it has signed in within 30 days. Default 100 in 86400 seconds. */
  readonly knownNetwork?: Limit
  /** Wrong second-factor codes per user, over all networks and sessions. Default 10 in 3600 seconds. */
  readonly secondFactor?: Limit
  /** Refused codes and refresh tokens per network, for the exchange and for the refresh each. Default 300 in 900 seconds. */
  readonly endpoints?: Limit
  /**
   * True counts and reports (`login.throttled` with `dryRun: true`) but refuses nobody, but for wrong second-factor codes. For the first
   * weeks of a server with users; leave it off otherwise. Default false.
   */
  readonly dryRun?: boolean
  /**
   * Makes the counters. Default: in the memory of this process, so that n processes allow n times as much. With Redis:
   * `(settings) => new RateLimiterRedis({ storeClient, ...settings })`.
   */
  readonly limiter?: (settings: LimiterSettings) => RateLimiterAbstract
}

/** The limits a host can set. */
export type LimitName = 'account' | 'network' | 'unknownNetworks' | 'knownNetwork' | 'secondFactor' | 'endpoints'

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
  knownNetwork: { points: 100, duration: day },
  secondFactor: { points: 10, duration: 60 * 60 },
  endpoints: { points: 300, duration: 15 * 60 },
}
