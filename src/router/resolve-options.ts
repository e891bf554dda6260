import { checkOptions, ownMembers } from '../lib/check-options.js'
import { decodeEncryptionKeys } from '../lib/encryption-key.js'
import type { Logger } from '../lib/logger.js'
import { doAll } from '../lib/mistakes.js'
import { checkBrand } from '../pages/brand.js'
import { checkTexts } from '../pages/texts.js'
import { type CheckedPasskeysOptions, checkPasskeysOptions } from '../passkeys/passkeys-options.js'
import type { ThrottleOptions } from '../throttle/limits.js'
import type { OtherFactor } from '../two-factor/contract.js'
import { defaultLifetimes } from './default-options.js'
import { refuseConflicts } from './option-conflicts.js'
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
 * Checks every option and fills in the defaults. Throws {@link AuthConfigError} with all that are
 * unknown, missing, of the wrong type or unsafe, in every `NODE_ENV`: nothing fails first in
 * production. What options must be to each other is looked at when each is right by itself.
 */
export function resolveOptions(given: AuthRouterOptions): ResolvedOptions {
  const { passkeys: ofPasskeys, pages, encryptionKeys: keys } = partsOf(given)
  const { brand, texts } = partsOf(pages)
  const [options, passkeys, encryptionKeys] = doAll(
    () => checkOptions(optionRules, given),
    () => (isObject(ofPasskeys) ? checkPasskeysOptions(ofPasskeys) : undefined),
    () => (Array.isArray(keys) ? decodeEncryptionKeys(keys, 'encryptionKeys') : []),
    () => (isObject(brand) ? void checkBrand(brand) : undefined),
    () => (isObject(texts) ? checkTexts(texts) : undefined),
  )
  const lifetimes = Object.freeze({ ...defaultLifetimes, ...withoutUndefined(options.lifetimes) })
  refuseConflicts(options, lifetimes)
  const resolved: ResolvedOptions = {
    ...options,
    encryptionKeys,
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

// What is no object is told by the check of all options.
function partsOf(given: unknown): Readonly<Record<string, unknown>> {
  return isObject(given) ? ownMembers(given as Record<string, unknown>) : {}
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null
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
