import type { Audit, Logger } from '../events.js'
import type { HostCall } from '../lib/host-call.js'
import { createCounterKey } from './counter-key.js'
import { createCounters } from './counters.js'
import { createEndpointLimits, type LimitFailures } from './endpoint-limits.js'
import { forgetFailures } from './failures.js'
import type { ThrottleOptions } from './limits.js'
import { type IdentifierDigests, loginKeys } from './login-keys.js'
import { createLoginSlots, type TakeLoginSlot } from './login-slots.js'
import { createRefuse } from './refusal.js'
import { createSecondFactorSlots, type SecondFactorSlots } from './second-factor-slots.js'

/** Counts attempts before the expensive work, so that parallel guesses cannot slip past a limit that is checked afterwards. */
export interface Throttle extends SecondFactorSlots {
  /** Takes a slot for a password. Throws 429, or 503 when the counters are out of reach. */
  readonly takeLoginSlot: TakeLoginSlot
  /** Forgets what stands against an identifier over all networks; with `ip` also in that network. Rejects with 503. */
  unlockLogin(digests: IdentifierDigests, userId: string | null, ip?: string): Promise<void>
  /** Limits the failures of an endpoint by network. */
  readonly limitFailures: LimitFailures
}

/** What the throttle needs. */
export interface ThrottleDeps {
  readonly options: ThrottleOptions
  readonly encryptionKeys: readonly Buffer[]
  readonly logger: Logger
  readonly call: HostCall
  readonly audit: Audit
}

/** Makes the throttle over the host's limiter, or over this process's memory. */
export function createThrottle({ options, encryptionKeys, logger, call, audit }: ThrottleDeps): Throttle {
  const { dryRun = false } = options
  if (dryRun) logger.warn('throttle.dryRun is on: wrong passwords are counted and reported, and nobody is refused for them')
  const counters = createCounters(options, call)
  const keyOf = createCounterKey(encryptionKeys)
  const refuse = createRefuse(audit)
  return {
    takeLoginSlot: createLoginSlots({ counters, keyOf, refuse, dryRun }),
    unlockLogin: (digests, userId, ip) => forgetFailures(counters, loginKeys(keyOf, digests, ip ?? null), userId, ip !== undefined),
    limitFailures: createEndpointLimits({ counter: counters.endpoints, keyOf, refuse, dryRun }),
    ...createSecondFactorSlots(counters.secondFactor, keyOf, refuse),
  }
}
