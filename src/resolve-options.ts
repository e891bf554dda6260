import { z } from 'zod'
import { AuthConfigError } from './errors.js'
import type { Logger } from './events.js'
import { decodeEncryptionKeys, encryptionKeyRemedy } from './lib/encryption-key.js'
import { isWellFormed } from './lib/well-formed.js'
import type { AuthRouterOptions, Lifetimes } from './options.js'
import type { PasswordHasher } from './passwords/contract.js'
import type { SecondFactorStore, SessionStore } from './stores/contract.js'
import type { ThrottleOptions } from './throttle/limits.js'
import type { OtherFactor } from './two-factor/contract.js'

/** The options with every default in place, checked and frozen. */
export interface ResolvedOptions extends Omit<AuthRouterOptions, 'encryptionKeys' | 'lifetimes'> {
  /** The decoded keys; empty when there are no second factors. */
  readonly encryptionKeys: readonly Buffer[]
  readonly throttle: ThrottleOptions
  readonly lifetimes: Required<Lifetimes>
  readonly storeTimeout: number
  readonly maxPasswordWait: number
  readonly maxSessionsPerUser: number
  readonly purgeInterval: number
  readonly otherFactors: readonly OtherFactor[]
  readonly totpIssuer: string
  readonly logger: Logger
  readonly clock: () => Date
}

const day = 24 * 60 * 60

/**
 * The lifetimes in force where the host sets none, in seconds.
 * @internal
 */
export const defaultLifetimes: Readonly<Required<Lifetimes>> = {
  code: 60,
  accessToken: 600,
  sessionIdle: 14 * day,
  sessionAbsolute: 90 * day,
  refreshGrace: 10,
}

/**
 * The most sessions of one user.
 * @internal
 */
export const defaultMaxSessionsPerUser = 50

/**
 * Milliseconds a call of something the host supplied may take.
 * @internal
 */
export const defaultStoreTimeout = 2000

/**
 * Seconds of work on passwords that may wait.
 * @internal
 */
export const defaultMaxPasswordWait = 5

/**
 * Seconds between two rounds of housekeeping.
 * @internal
 */
export const defaultPurgeInterval = 600

/**
 * What authenticator apps call a service that does not say.
 * @internal
 */
export const defaultTotpIssuer = 'Messaging'

const remedies: Readonly<Record<string, string>> = {
  users: 'pass an object with findByIdentifier and findById; see "How to write a UserStore" in the README.',
  codes: "spread a shipped set of stores: ...memoryStores() from 'messaging-auth-router/stores/memory'.",
  sessions: "spread a shipped set of stores: ...memoryStores() from 'messaging-auth-router/stores/memory'.",
  secondFactors: 'leave it out, or spread a shipped set of stores.',
  signer: 'pass joseSigner({ issuer, audience, keys: [await generateSigningKey()] }).',
  encryptionKeys: encryptionKeyRemedy,
  passwords: 'leave it out for bcrypt, or pass bcryptHasher({ cost }).',
  logger: 'pass console, or an object with debug, info, warn and error.',
}

/** An object of the host's with these methods. Methods may be inherited, so that classes fit. */
function withMethods(...names: readonly string[]) {
  const missing = (value: unknown) =>
    names.find((name) => typeof (value as Record<string, unknown> | null | undefined)?.[name] !== 'function')
  return z.custom<unknown>((value) => missing(value) === undefined, {
    error: ({ input }) => (input === undefined ? 'is missing.' : `has no method ${missing(input)}.`),
  })
}

const fn = z.custom<unknown>((value) => typeof value === 'function', 'is not a function.')
const whole = (least: number, most: number) =>
  z.custom<number>((value) => Number.isInteger(value) && (value as number) >= least && (value as number) <= most, {
    error: `is not a whole number from ${least} to ${most}.`,
  })
const origin = z.custom<string>(isOrigin, 'is not an origin, such as https://chat.example.com.')
const otherFactor = withMethods('isEnabled', 'verify')
  .refine((factor) => isFactorName((factor as OtherFactor).name), 'has no name of lower-case letters, digits and -.')
  .refine((factor) => isOptionalFunction((factor as OtherFactor).sendCode), 'has a sendCode that is not a function.')
const limit = z.strictObject({ points: whole(1, 1_000_000), duration: whole(1, 30 * day) })
const throttle = z
  .strictObject({
    account: limit,
    network: limit,
    unknownNetworks: limit,
    knownNetwork: limit,
    secondFactor: limit,
    endpoints: limit,
    // Exactly a boolean: limits that are off because a variable of the environment is the text "false" would be off without anybody's knowing.
    dryRun: z.custom<boolean>((value) => typeof value === 'boolean', 'is neither true nor false.'),
    limiter: fn,
  })
  .partial()

const sessionMethods = [
  'create',
  'find',
  'rotateRefresh',
  'touch',
  'setMethods',
  'end',
  'endAllForUser',
  'listForUser',
  'liveAmong',
  'purge',
] as const satisfies readonly (keyof SessionStore)[]
const secondFactorMethods = [
  'find',
  'activate',
  'savePending',
  'findPending',
  'confirm',
  'advanceStep',
  'reseal',
  'consumeRecoveryCode',
  'replaceRecoveryCodes',
  'countRecoveryCodes',
  'deactivate',
  'purge',
] as const satisfies readonly (keyof SecondFactorStore)[]

const schema = z.strictObject({
  users: withMethods('findByIdentifier', 'findById'),
  codes: withMethods('save', 'find', 'consume', 'purge'),
  sessions: withMethods(...sessionMethods),
  secondFactors: withMethods(...secondFactorMethods).optional(),
  secondFactor: fn.optional(),
  otherFactors: z.array(otherFactor).optional(),
  totpIssuer: z.custom<string>(isIssuer, 'is not a text of 1 to 64 characters without a colon or control characters.').optional(),
  tickets: withMethods('save', 'consume', 'purge').optional(),
  allowedOrigins: z.array(origin).optional(),
  signer: withMethods('sign', 'verify'),
  encryptionKeys: z.array(z.unknown()).optional(),
  passwords: withMethods('hash', 'verify', 'needsRehash')
    .refine((hasher) => isConcurrency((hasher as PasswordHasher).concurrency), 'has a concurrency outside 1-1000.')
    .optional(),
  maxPasswordWait: whole(1, 30).optional(),
  throttle: throttle.optional(),
  lifetimes: z
    .strictObject({
      code: whole(10, 600),
      accessToken: whole(30, 3600),
      sessionIdle: whole(60, 10 * 365 * day),
      sessionAbsolute: whole(60, 10 * 365 * day),
      refreshGrace: whole(0, 60),
    })
    .partial()
    .optional(),
  maxSessionsPerUser: whole(1, 1000).optional(),
  bus: withMethods('publish', 'subscribe').optional(),
  storeTimeout: whole(10, 60_000).optional(),
  purgeInterval: z.union([z.literal(0), whole(10, day)], { error: 'is neither 0 nor a whole number from 10 to 86400.' }).optional(),
  onEvent: fn.optional(),
  logger: withMethods('debug', 'info', 'warn', 'error').optional(),
  clock: fn.optional(),
  describeUser: fn.optional(),
  beforeLogin: fn.optional(),
  canonicalIdentifier: fn.optional(),
})

const silent: Logger = { debug() {}, info() {}, warn() {}, error() {} }

/**
 * Checks every option and fills in the defaults. Throws {@link AuthConfigError} for the first that is unknown, missing, of the wrong
 * type or unsafe, in every `NODE_ENV`: nothing fails first in production.
 */
export function resolveOptions(given: AuthRouterOptions): ResolvedOptions {
  // Only own members count, so that a polluted Object.prototype supplies no option.
  const options: AuthRouterOptions = Object.assign(Object.create(null), given)
  refuseUnfit(options)
  const lifetimes = Object.freeze({ ...defaultLifetimes, ...withoutUndefined(options.lifetimes) })
  refuseContradictions(lifetimes)
  refuseUnfitFactors(options)
  refuseBrokenClock(options.clock)
  const resolved: ResolvedOptions = {
    ...options,
    encryptionKeys: checkEncryptionKeys(options),
    throttle: Object.freeze(withoutUndefined(options.throttle)),
    lifetimes,
    ...numbersOf(options),
    otherFactors: Object.freeze([...(options.otherFactors ?? [])]),
    totpIssuer: options.totpIssuer ?? defaultTotpIssuer,
    logger: options.logger ?? silent,
    clock: options.clock ?? (() => new Date()),
  }
  // What the host left out must not be found on a polluted Object.prototype either.
  return Object.freeze(Object.assign(Object.create(null), resolved))
}

function numbersOf(options: AuthRouterOptions) {
  return {
    storeTimeout: options.storeTimeout ?? defaultStoreTimeout,
    maxPasswordWait: options.maxPasswordWait ?? defaultMaxPasswordWait,
    purgeInterval: options.purgeInterval ?? defaultPurgeInterval,
    maxSessionsPerUser: options.maxSessionsPerUser ?? defaultMaxSessionsPerUser,
  }
}

function isIssuer(value: unknown): boolean {
  return typeof value === 'string' && /^[^:\p{Cc}]{1,64}$/u.test(value) && isWellFormed(value)
}

function isFactorName(value: unknown): boolean {
  return typeof value === 'string' && /^[a-z][a-z0-9-]{0,31}$/.test(value)
}

function isConcurrency(value: unknown): boolean {
  return value === undefined || (Number.isInteger(value) && (value as number) >= 1 && (value as number) <= 1000)
}

function isOptionalFunction(value: unknown): boolean {
  return value === undefined || typeof value === 'function'
}

function isOrigin(value: unknown): boolean {
  return typeof value === 'string' && URL.canParse(value) && new URL(value).origin === value
}

function refuseUnfit(options: AuthRouterOptions): void {
  const result = schema.safeParse(options)
  const issue = result.error?.issues[0]
  if (issue === undefined) return
  const path = issue.path.join('.')
  if (issue.code === 'unrecognized_keys') {
    const name = [path, issue.keys[0]].filter((part) => part !== '').join('.')
    throw new AuthConfigError(name, 'is not an option.', 'check the spelling, or remove it; the README lists all options.')
  }
  const remedy = remedies[String(issue.path[0])] ?? 'leave it out for the default; the README lists all options.'
  throw new AuthConfigError(path, issue.code === 'custom' ? issue.message : `is of the wrong type (${issue.message}).`, remedy)
}

function refuseContradictions({ sessionIdle, sessionAbsolute, accessToken }: Required<Lifetimes>): void {
  if (sessionIdle > sessionAbsolute) {
    throw new AuthConfigError('lifetimes.sessionIdle', 'is longer than lifetimes.sessionAbsolute.', 'make it shorter.')
  }
  if (accessToken > sessionAbsolute) {
    throw new AuthConfigError('lifetimes.accessToken', 'is longer than lifetimes.sessionAbsolute.', 'make it shorter.')
  }
}

function refuseUnfitFactors(options: AuthRouterOptions): void {
  const { secondFactor, secondFactors, otherFactors = [] } = options
  if (secondFactors === undefined && 'secondFactors' in options) {
    // Nobody would be asked for the factor they have: as likely a misspelt `stores.secondFactors` as it is meant.
    throw new AuthConfigError('secondFactors', 'is undefined.', 'leave the name out, or pass a store.')
  }
  if (secondFactor !== undefined && secondFactors === undefined) {
    const remedy = 'spread a shipped set of stores, or leave it out.'
    throw new AuthConfigError('secondFactor', 'can demand what nobody could set up: secondFactors is missing.', remedy)
  }
  const names = ['totp', 'recovery', ...otherFactors.map(({ name }) => name)]
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice === undefined) return
  throw new AuthConfigError('otherFactors', `has a factor named ${twice}, and so has somebody else.`, 'give it another name.')
}

function refuseBrokenClock(clock: AuthRouterOptions['clock']): void {
  const now: unknown = clock === undefined ? new Date() : clock()
  if (now instanceof Date && !Number.isNaN(now.getTime())) return
  throw new AuthConfigError('clock', 'does not answer a Date.', 'pass () => new Date(), or leave it out.')
}

function checkEncryptionKeys({ encryptionKeys = [], secondFactors }: AuthRouterOptions): Buffer[] {
  if (secondFactors !== undefined && encryptionKeys.length === 0) {
    throw new AuthConfigError('encryptionKeys', 'is missing, but secondFactors needs it to seal TOTP seeds.', encryptionKeyRemedy)
  }
  return decodeEncryptionKeys(encryptionKeys, 'encryptionKeys')
}

function withoutUndefined<T extends object>(object: T | undefined): Partial<T> {
  const given = Object.entries(object ?? {}).filter(([, value]) => value !== undefined)
  // What was not given must not be found on a polluted Object.prototype, where a limit of its own could be switched off.
  return Object.assign(Object.create(null), Object.fromEntries(given)) as Partial<T>
}
