import { checkOptions, ownMembers } from '../lib/check-options.js'
import type { Logger } from '../lib/logger.js'
import { type CheckedPasskeysOptions, checkPasskeysOptions } from '../passkeys/passkeys-options.js'
import type { ThrottleOptions } from '../throttle/limits.js'
import type { OtherFactor } from '../two-factor/contract.js'
import { defaultLifetimes } from './default-options.js'
import { checkEncryptionKeys, refuseConflicts } from './option-conflicts.js'
import { type CheckedOptions, optionRules } from './option-schema.js'
import type { AuthRouterOptions, Lifetimes } from './options.js'

/** The options with every default in place, checked and frozen. */
export interface ResolvedOptions
  extends Readonly<
    Omit<
      CheckedOptions,
      'encryptionKeys' | 'throttle' | 'lifetimes' | 'otherFactors' | 'logger' | 'passkeys'
    >
  > {
  /** The decoded keys; empty when there are no second factors. */
  readonly encryptionKeys: readonly Buffer[]
  readonly throttle: ThrottleOptions
  readonly lifetimes: Required<Lifetimes>
  readonly otherFactors: readonly OtherFactor[]
  /** Undefined: nobody has any. */
  readonly passkeys: CheckedPasskeysOptions | undefined
  /** Silent where the host passed none. */
  readonly logger: Logger
  /** Undefined where the host passed none: notices then become process warnings. */
  readonly hostLogger: Logger | undefined
}

const silent: Logger = { debug() {}, info() {}, warn() {}, error() {} }

/**
 * Checks every option and fills in the defaults. Throws {@link AuthConfigError} for the first that
 * is unknown, missing, of the wrong type or unsafe, in every `NODE_ENV`: nothing fails first in
 * production.
 */
export function resolveOptions(given: AuthRouterOptions): ResolvedOptions {
  const options = checkOptions(optionRules, given)
  const passkeys = options.passkeys && checkPasskeysOptions(options.passkeys)
  const lifetimes = Object.freeze({ ...defaultLifetimes, ...withoutUndefined(options.lifetimes) })
  refuseConflicts(options, lifetimes)
  const resolved: ResolvedOptions = {
    ...options,
    encryptionKeys: checkEncryptionKeys(options),
    throttle: Object.freeze(withoutUndefined(options.throttle)),
    lifetimes,
    otherFactors: Object.freeze([...(options.otherFactors ?? [])]),
    passkeys,
    logger: options.logger ?? silent,
    hostLogger: options.logger,
  }
  // What the host left out must not be found on a polluted Object.prototype either.
  return Object.freeze(ownMembers(resolved))
}

function withoutUndefined<T extends object>(
  object: T,
): { [Name in keyof T]?: Exclude<T[Name], undefined> } {
  const given = Object.entries(object).filter(([, value]) => value !== undefined)
  // What was not given must not be found on a polluted Object.prototype, where a limit of its own
  // could be switched off.
  return ownMembers(Object.fromEntries(given)) as {
    [Name in keyof T]?: Exclude<T[Name], undefined>
  }
}
