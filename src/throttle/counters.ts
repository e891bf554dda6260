import type { HostCall } from '../lib/host-call.js'
import { type Counter, createCounter } from './counter.js'
import { day, defaultLimits, type Limit, type LimitName, type ThrottleOptions } from './limits.js'

/** Every counter there is. */
export interface Counters extends Readonly<Record<LimitName, Counter>> {
  /** Wrong passwords per identifier and network, without the attempts that are still being judged. */
  readonly wrong: Counter
  /** Whether an identifier has to wait in a network, and how long. */
  readonly paused: Counter
  /** How many pauses there were, per identifier, network and account. */
  readonly pauses: Counter
  /** Wrong passwords by the account they were tried on, so that a sign-in gives back those of its own account, and no others. */
  readonly against: Counter
  /** Whether an identifier has signed in from a network lately. */
  readonly signedIn: Counter
}

/** Seconds for which a network is known after a sign-in. */
export const knownFor: number = 30 * day

/** Seconds from a slot to the verdict: the time a password may take, and some calls of stores. */
const longestJudgement = 60

/** Makes the counters. Each has a prefix of its own, so that one store can keep them all. */
export function createCounters(options: ThrottleOptions, call: HostCall): Counters {
  const make = (keyPrefix: string, limit: Limit) => createCounter(options, { keyPrefix, ...limit }, call)
  const limited = (keyPrefix: string, name: LimitName) => make(keyPrefix, { ...defaultLimits[name], ...options[name] })
  const account = { ...defaultLimits.account, ...options.account }
  return {
    account: limited('mar-login', 'account'),
    network: limited('mar-network', 'network'),
    unknownNetworks: limited('mar-unknown', 'unknownNetworks'),
    knownNetwork: limited('mar-known', 'knownNetwork'),
    secondFactor: limited('mar-2fa', 'secondFactor'),
    endpoints: limited('mar-endpoint', 'endpoints'),
    // Longer than the window of the slots by more than a judgement takes, so that all that were taken in one are counted in one.
    wrong: make('mar-wrong', { ...account, duration: account.duration + longestJudgement }),
    paused: make('mar-paused', { points: 1, duration: day }),
    pauses: make('mar-pause', { points: 1, duration: day }),
    against: make('mar-against', { points: 1, duration: day }),
    signedIn: make('mar-signed-in', { points: 1, duration: knownFor }),
  }
}
