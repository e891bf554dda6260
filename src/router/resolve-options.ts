import { type CheckedAccountsOptions, checkAccountsOptions } from '../accounts/accounts-options.js'
import {
  type CheckedDeviceLinksOptions,
  checkDeviceLinksOptions,
} from '../device-links/device-links-options.js'
import { checkOptions, ownMembers } from '../lib/check-options.js'
import type { Logger } from '../lib/logger.js'
import { doAll } from '../lib/mistakes.js'
import { decodeEncryptionKeys } from '../lib/secrets.js'
import { checkBrand } from '../pages/pages-options.js'
import { checkTexts } from '../pages/texts.js'
import { type CheckedPasskeysOptions, checkPasskeysOptions } from '../passkeys/passkeys-options.js'
import {
  type CheckedProvidersOptions,
  checkProvidersOptions,
} from '../provider-sign-in/providers-options.js'
import type { ThrottleOptions } from '../throttle/limits.js'
import type { OtherFactor } from '../two-factor/contract.js'
import { defaultLifetimes } from './default-options.js'
import { refuseConflicts } from './option-conflicts.js'
import { type CheckedOptions, optionRules } from './option-schema.js'
import type { AuthRouterOptions, Lifetimes } from './options.js'

/** The checked options with all defaults, frozen. */
export interface ResolvedOptions
  extends Readonly<
    Omit<
      CheckedOptions,
      | 'encryptionKeys'
      | 'throttle'
      | 'lifetimes'
      | 'otherFactors'
      | 'logger'
      | 'passkeys'
      | 'accounts'
      | 'providers'
      | 'deviceLinks'
    >
  > {
  /** The decoded keys; may be empty without second factors, apps and passkeys. */
  readonly encryptionKeys: readonly Buffer[]
  readonly throttle: ThrottleOptions
  readonly lifetimes: Required<Lifetimes>
  readonly otherFactors: readonly OtherFactor[]
  /** Undefined without the option `passkeys`. */
  readonly passkeys: CheckedPasskeysOptions | undefined
  /** Undefined without the option `accounts`. */
  readonly accounts: CheckedAccountsOptions | undefined
  /** Undefined without the option `providers`. */
  readonly providers: CheckedProvidersOptions | undefined
  /** Undefined without the option `deviceLinks`. */
  readonly deviceLinks: CheckedDeviceLinksOptions | undefined
  /** Silent if the host passed none. */
  readonly logger: Logger
  /** Undefined if the host passed none: warnings are then process warnings. */
  readonly hostLogger: Logger | undefined
}

const silent: Logger = { debug() {}, info() {}, warn() {}, error() {} }

/**
 * Checks every option and adds the defaults. Throws {@link AuthConfigError} with all options that
 * are unknown, missing, of the wrong type or unsafe, in every `NODE_ENV`, so that nothing fails
 * first in production. Checks combinations only if each option is valid by itself.
 */
export function resolveOptions(given: AuthRouterOptions): ResolvedOptions {
  const { passkeys: ofPasskeys, accounts: ofAccounts, providers: ofProviders } = partsOf(given)
  const { pages, encryptionKeys: keys, deviceLinks: ofLinks } = partsOf(given)
  const { brand, texts } = partsOf(pages)
  const [options, passkeys, accounts, providers, deviceLinks, encryptionKeys] = doAll(
    () => checkOptions(optionRules, given),
    () => (isObject(ofPasskeys) ? checkPasskeysOptions(ofPasskeys) : undefined),
    () => (isObject(ofAccounts) ? checkAccountsOptions(ofAccounts) : undefined),
    () => (isObject(ofProviders) ? checkProvidersOptions(ofProviders) : undefined),
    () => (isObject(ofLinks) ? checkDeviceLinksOptions(ofLinks) : undefined),
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
    accounts,
    providers,
    deviceLinks,
    logger: options.logger ?? silent,
    hostLogger: options.logger,
  }
  // A polluted Object.prototype must not add an option.
  return Object.freeze(ownMembers(resolved))
}

// The check of all options reports anything that is not an object.
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
  // A polluted Object.prototype must not add a part, which could switch off a limit.
  return ownMembers(Object.fromEntries(given)) as {
    [Name in keyof T]?: Exclude<T[Name], undefined>
  }
}
