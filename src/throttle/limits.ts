import type { RateLimiterAbstract } from 'rate-limiter-flexible'
import type { Audit, RequestContext } from '../audit/events.js'
import type { ThrottleScope } from '../audit/refusals.js'
import { AuthError } from '../errors.js'
import type { BaseKit } from '../kits/ground-kit.js'
import { lazily } from '../lib/async.js'
import {
  callable,
  type Filled,
  flag,
  type OrUndefined,
  optionsOf,
  type Shape,
  whole,
} from '../lib/check-options.js'
import {
  type Ask,
  type Counter,
  createCounter,
  type Limit,
  type LimiterSettings,
} from './counter.js'
import type { CounterKey } from './counter-keys.js'

/**
 * Limits on guessing. A network is an IPv4 address or the /64 of IPv6. A window begins with its
 * first failure. Points: 1-1000000; durations: 1 second to 30 days.
 */
export interface ThrottleOptions {
  /**
   * Wrong passwords per identifier and network. Default 5 in 900 seconds; then 429 until the window
   * ends. A complete sign-in resets it.
   */
  readonly account?: Limit
  /**
   * Failures per network over all identifiers. Default 100 in 900 seconds; twice as many for a /56
   * of IPv6, four times for a /48. Does not refuse accounts that know the network.
   */
  readonly network?: Limit
  /**
   * Wrong passwords per identifier over all networks unknown to its account. Default 100 in 86400
   * seconds. Then such networks are refused with any password, until `auth.unlockLogin()` or the
   * end of the window.
   */
  readonly unknownNetworks?: Limit
  /**
   * Wrong passwords per account, under all its names, over all networks unknown to it. Default 100
   * in 86400 seconds. Beyond that, a right password from such a network gets the answer of a wrong
   * one: a 429 would reveal the account of a name. A complete sign-in from anywhere resets it.
   */
  readonly accountTotal?: Limit
  /**
   * Wrong passwords per account and known network; they do not count for the limits over all
   * networks. Default 100 in 86400 seconds. Further wrong passwords count like those of an unknown
   * network.
   */
  readonly knownNetwork?: Limit
  /**
   * Wrong second-factor codes per user, over all networks and sessions. Recovery codes are checked
   * even beyond the limit. Default 10 in 3600 seconds.
   */
  readonly secondFactor?: Limit
  /**
   * Wrong second-factor codes per user until a complete sign-in, 5-1000000. The last fifth is
   * reserved for known networks and signed-in sessions. Default 100.
   */
  readonly secondFactorTotal?: number
  /**
   * Refused codes, refresh tokens and OAuth clients per network, each counted apart. Beyond that, a
   * refusal is 429; a valid request is never refused with 429. Client ids that this process has not
   * seen for a day are then looked up one at a time. Default 300 in 900 seconds.
   */
  readonly endpoints?: Limit
  /** Limits of mails and of the codes in them: see {@link MailLimitOptions}. */
  readonly mail?: MailLimitOptions
  /**
   * True: counts and reports (`login.throttled` with `dryRun: true`), but refuses only wrong
   * second-factor codes. For the first weeks of a server with existing users. Default false.
   */
  readonly dryRun?: boolean
  /**
   * Makes the counters. Default: in the memory of each process, so n processes allow n times as
   * much. With Redis: `(settings) => new RateLimiterRedis({ storeClient, ...settings })`.
   */
  readonly limiter?: (settings: LimiterSettings) => RateLimiterAbstract
}

/** Limits of mails, and of the codes in them. They apply with the option `accounts`. */
export interface MailLimitOptions {
  /**
   * Mails of one kind to one address, and requests of one network that name one user. Default 3 in
   * 900 seconds; a further request there is 429, whether or not the name has an account.
   */
  readonly address?: Limit
  /**
   * Mails of one kind of one account, to all its addresses. Of links for a new password, three are
   * kept for networks that the account knows. Default 10 in 86400 seconds.
   */
  readonly account?: Limit
  /**
   * Requests for a mail per network, as many user names that a registration finds taken, and five
   * times as many tries to register. Default 20 in 3600 seconds; twice as many for a /56 of IPv6,
   * four times for a /48.
   */
  readonly network?: Limit
  /** Wrong codes per account, over all mails. Default 30 in 86400 seconds. */
  readonly codes?: Limit
}

/** The limits a host can set. */
export type LimitName = Exclude<
  keyof ThrottleOptions,
  'secondFactorTotal' | 'mail' | 'dryRun' | 'limiter'
>

/** Seconds. */
export const day: number = 24 * 60 * 60

/** {@link ThrottleOptions}, some of which may be missing. */
export type GivenLimits = OrUndefined<ThrottleOptions>

// A limit, and its default.
const limit = (points: number, duration: number) =>
  optionsOf({
    points: whole(1, 1_000_000),
    duration: whole(1, 30 * day, 'seconds'),
  } satisfies Shape<Limit>).default({ points, duration })

const mailShape: Shape<Filled<MailLimitOptions>> = {
  address: limit(3, 15 * 60),
  account: limit(10, day),
  network: limit(20, 60 * 60),
  codes: limit(30, day),
}

/** The option `throttle`: what each member may be, and its default. */
export const throttleShape: Shape<Filled<ThrottleOptions, 'limiter'>> = {
  account: limit(5, 15 * 60),
  network: limit(100, 15 * 60),
  unknownNetworks: limit(100, day),
  accountTotal: limit(100, day),
  knownNetwork: limit(100, day),
  secondFactor: limit(10, 60 * 60),
  // Wrong codes until a complete sign-in.
  secondFactorTotal: whole(5, 1_000_000).default(100),
  endpoints: limit(300, 15 * 60),
  mail: optionsOf(mailShape).prefault({}),
  dryRun: flag().default(false),
  limiter: callable<NonNullable<ThrottleOptions['limiter']>>().optional(),
}

const defaults = lazily(() => optionsOf(throttleShape).parse({}))

/** A limit of these options, which may lack some. */
export function limitOf(options: GivenLimits, name: LimitName): Limit {
  return { ...defaults()[name], ...options[name] }
}

/** A limit of mails of these options, which may lack some. */
export function mailLimitOf({ mail }: GivenLimits, name: keyof MailLimitOptions): Limit {
  return { ...defaults().mail[name], ...mail?.[name] } as Limit
}

/** All counters; the table in throttle.ts explains each. */
export interface Counters {
  readonly perIdentifierAndNetwork: Counter
  readonly perNetwork: Counter
  /** Like `perNetwork`, per /56 and /48 of IPv6: one customer has many /64. */
  readonly perNetwork56: Counter
  readonly perNetwork48: Counter
  /** Over all networks unknown to the account. */
  readonly perIdentifier: Counter
  /** Over all networks unknown to the account and all identifiers of the user. */
  readonly perUser: Counter
  readonly perUserAndKnownNetwork: Counter
  /**
   * The part of one typed identifier in `perIdentifierAndNetwork`, so that its owner refunds
   * exactly that part.
   */
  readonly failedHere: Counter
  /** Wrong second-factor codes. */
  readonly codesPerUser: Counter
  /** Wrong second-factor codes since the last complete sign-in. */
  readonly codesUntilSignIn: Counter
  /** New passwords that cleared wrong codes. */
  readonly codesCleared: Counter
  /** Refused codes, refresh tokens and clients. */
  readonly refusedTokens: Counter
  /**
   * The known networks of an account, each with the epoch of its last sign-in.
   */
  readonly networkEpochs: Counter
  /**
   * Per account: the current epoch. A new epoch makes all its networks unknown.
   */
  readonly userEpochs: Counter
}

/** Ten years in seconds: wrong codes count until a sign-in, however long that takes. */
const untilSignIn = 10 * 365 * day

/**
 * Each counter has its own prefix, so that one store can hold all. `knownFor`: seconds for which a
 * network stays known after its last use.
 */
export function createCounters(options: GivenLimits, knownFor: number): Counters {
  const make = (keyPrefix: string, limit: Limit) => createCounter(options, { keyPrefix, ...limit })
  const limited = (keyPrefix: string, name: LimitName, times = 1) => {
    const { points, duration } = limitOf(options, name)
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
    failedHere: make('mar-failed', { points: 1, duration: limitOf(options, 'account').duration }),
    codesPerUser: limited('mar-2fa', 'secondFactor'),
    codesUntilSignIn: make('mar-2fa-total', {
      points: options.secondFactorTotal ?? defaults().secondFactorTotal,
      duration: untilSignIn,
    }),
    codesCleared: make('mar-2fa-cleared', { points: 1, duration: day }),
    refusedTokens: limited('mar-endpoint', 'endpoints'),
    networkEpochs: make('mar-known-from', { points: 1, duration: knownFor }),
    // Longer than any network: without the epoch, former networks would be known again.
    userEpochs: make('mar-known-epoch', { points: 1, duration: untilSignIn }),
  }
}

/** A reached limit. */
export interface Reached {
  readonly scope: ThrottleScope
  readonly points: number
  /** Seconds. */
  readonly retryAfter: number
  /** Only if the client has proven the password, or if only the operator is told. */
  readonly userId?: string | null
  /** As in `login.failed`, so that the support desk finds out who is locked out. */
  readonly identifierDigest?: string | null
}

/** Reports a reached limit to the operator; returns the 429. */
export type ReportLimit = (reached: Reached, context: RequestContext, dryRun?: boolean) => AuthError

const ofNetworks: readonly ThrottleScope[] = [
  'network',
  'endpoint',
  'mail-network',
  'provider-flow',
  'device-code',
  'client-registration',
  'text-network',
  'device-link',
  'user-code-network',
]

/** The caller throws the returned error, or in a dry run ignores it. */
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
      limit: ofNetworks.includes(scope) ? 'network' : 'user',
      message: `limit per ${scope} reached`,
    })
  }
}

/** The headers with the state of a limit; `reset` in seconds. */
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

/** The parts that all limits share. */
export interface LimitsKit extends Pick<BaseKit, 'audit'> {
  readonly options: GivenLimits
  readonly counters: Counters
  readonly keyOf: CounterKey
  readonly ask: Ask
  readonly reportLimit: ReportLimit
}
