import { z } from 'zod'
import { acceptanceShape } from '../acceptance/acceptance.js'
import { type CheckedAccountsOptions, checkAccountsOptions } from '../accounts/accounts-options.js'
import {
  type CheckedDeviceLinksOptions,
  checkDeviceLinksOptions,
} from '../device-links/device-links-options.js'
import {
  type CheckedDirectoriesOptions,
  checkDirectoriesOptions,
} from '../directory-sign-in/directories-options.js'
import { type CorsOptions, isOrigin, problemOfOrigins } from '../http/cors.js'
import { isPagesOrigin } from '../http/page-origin.js'
import {
  anObject,
  callable,
  clockRow,
  type Filled,
  fitting,
  flag,
  furtherBy,
  number,
  type OptionRules,
  type OrUndefined,
  optional,
  optionsFor,
  optionsOf,
  type Shape,
  storeOf,
  storeTimeoutRow,
  whole,
  withMethods,
} from '../lib/check-options.js'
import type { Logger } from '../lib/logger.js'
import { decodeEncryptionKeys, encryptionKeyRemedy } from '../lib/secrets.js'
import { isWellFormed } from '../lib/texts.js'
import { checkOAuthOptions } from '../oauth/check-oauth-options.js'
import { checkPagesOptions } from '../pages/pages-options.js'
import { type CheckedPasskeysOptions, checkPasskeysOptions } from '../passkeys/passkeys-options.js'
import type { PasswordHasher } from '../passwords/contract.js'
import { isStoredText } from '../passwords/readers/stored-text.js'
import {
  type CheckedProvidersOptions,
  checkProvidersOptions,
} from '../provider-sign-in/providers-options.js'
import { freshSeconds } from '../sessions/recent-sign-in.js'
import type { TokenSigner } from '../signers/contract.js'
import {
  codeAnswers,
  deviceCodeAnswers,
  factorAnswers,
  identityAnswers,
  proofAnswers,
  sessionAnswers,
  ticketAnswers,
} from '../stores/fail-closed-stores.js'
import type { RevocationBus } from '../stores/revocation-bus.js'
import { day, type ThrottleOptions, throttleShape } from '../throttle/limits.js'
import type { OtherFactor, RememberRules, SecondFactorRules } from '../two-factor/contract.js'
import type { UserStore } from '../users/contract.js'
import type { AuthRouterOptions, Lifetimes, PkceOptions } from './options.js'

const shippedStores =
  'spread a shipped set of stores: ...sqlStores(kysely), ...redisStores(client), or, to try ' +
  'things out, ...memoryStores().'

/** Remedies that differ from "leave it out". */
const remedies: Readonly<Record<string, string>> = {
  users:
    'pass an object with findByIdentifier and findById, as in ' +
    'node_modules/messaging-auth-router/docs/user-store.md.',
  codes: shippedStores,
  sessions: shippedStores,
  secondFactors: 'leave it out, or spread a shipped set of stores.',
  signer: 'pass joseSigner({ issuer, audience, keys: [await generateSigningKey()] }).',
  encryptionKeys: encryptionKeyRemedy,
  pagesOrigin:
    'pass scheme, host and port alone, in small letters and without a path or a / at the end.',
  passwords: 'leave it out for bcrypt, or pass bcryptHasher({ cost }).',
  logger: 'pass consoleLogger(), or an object with debug, info, warn and error.',
  // Not an option, but a member of the shipped stores, which hosts spread into the options.
  keys:
    'take it out of the stores, as in const { keys, ...stores } = sqlStores(kysely), and hand ' +
    'it to keyRing({ store: keys }).',
}

/** The options with a constant default. */
type Defaulted =
  | 'otherFactors'
  | 'totpIssuer'
  | 'watchPasswordHash'
  | 'maxPasswordWait'
  | 'maxSessionsPerUser'
  | 'namedTokens'
  | 'accessTokensSurvivePasswordChange'
  | 'storeTimeout'
  | 'purgeInterval'
  | 'clock'

/** Options whose members have defaults, or whose value the check replaces. */
interface Replaced {
  readonly throttle: Filled<ThrottleOptions, 'limiter'>
  readonly lifetimes: Required<Lifetimes>
  readonly pkce: Required<PkceOptions>
  readonly secondFactor?: SecondFactorRules | undefined
  /** The decoded keys; may be empty without second factors, apps and passkeys. */
  readonly encryptionKeys: readonly Buffer[]
  readonly passkeys?: CheckedPasskeysOptions | undefined
  readonly accounts?: CheckedAccountsOptions | undefined
  readonly providers?: CheckedProvidersOptions | undefined
  readonly directories?: CheckedDirectoriesOptions | undefined
  readonly deviceLinks?: CheckedDeviceLinksOptions | undefined
}

/** The checked options with all defaults, frozen. */
export interface ResolvedOptions
  extends OrUndefined<Omit<AuthRouterOptions, Defaulted | keyof Replaced>>,
    Required<Pick<AuthRouterOptions, Defaulted>>,
    Replaced {}

/** The required methods of a part of the host. */
type MethodOf<Part> = {
  [Name in keyof Part]-?: Part[Name] extends (...given: never) => unknown ? Name & string : never
}[keyof Part]

// The table must name every method of the contract; otherwise it does not compile.
function implementing<Part>(methods: Record<MethodOf<Part>, true>): z.ZodType<Part> {
  return withMethods<Part>(...(Object.keys(methods) as (keyof Part & string)[]))
}

const otherFactor = implementing<OtherFactor>({ isEnabled: true, verify: true })
  .refine((factor) => isFactorName(factor.name), 'has no name of lower-case letters, digits and -.')
  .refine((factor) => isOptionalFunction(factor.sendCode), 'has a sendCode that is not a function.')
const passwords = implementing<PasswordHasher>({ hash: true, verify: true, needsRehash: true })
  .refine((hasher) => isConcurrency(hasher.concurrency), 'has a concurrency outside 1-1000.')
  .refine(
    (hasher) => isOptionalFunction(hasher.verifyDigest),
    'has a verifyDigest that is not a function.',
  )
  .refine(
    ({ unmatchable }) => unmatchable === undefined || isStoredText(unmatchable),
    'has an unmatchable that is not a text.',
  )

const rememberRulesShape: Shape<RememberRules> = { days: whole(1, 90) }
const secondFactorShape: Shape<SecondFactorRules> = {
  policy: optional(callable()),
  acceptHostMfa: optional(flag()),
  remember: optional(optionsFor(rememberRulesShape)),
}
// A function is short for `{ policy }`.
const secondFactor = z.preprocess(
  (given) => (typeof given === 'function' ? { policy: given } : given),
  optionsFor(secondFactorShape),
)

const lifetimesShape: Shape<Required<Lifetimes>> = {
  code: whole(10, 600, 'seconds').default(60),
  accessToken: whole(30, 3600, 'seconds').default(600),
  sessionIdle: whole(60, 10 * 365 * day, 'seconds').default(14 * day),
  sessionAbsolute: whole(60, 10 * 365 * day, 'seconds').default(90 * day),
  refreshGrace: whole(0, 60, 'seconds').default(30),
}
const pkceShape: Shape<Required<PkceOptions>> = {
  maxAge: fitting<number | false>(
    (value) => value === false || (Number.isSafeInteger(value) && (value as number) >= 30),
    'is neither false nor a whole number of seconds from 30 on.',
  ).default(freshSeconds),
  endWithIssuer: flag().default(false),
}

/** Options of CORS. */
export const corsShape: Shape<CorsOptions> = {
  origins: z.custom<readonly string[]>(
    (value) => Array.isArray(value) && value.length > 0 && value.every(isOrigin),
    { error: ({ input }) => problemOfOrigins(input) },
  ),
}

const shape: Shape<ResolvedOptions> = {
  users: implementing<UserStore>({ findByIdentifier: true, findById: true }),
  codes: storeOf(codeAnswers),
  sessions: storeOf(sessionAnswers),
  secondFactors: optional(storeOf(factorAnswers)),
  secondFactor: secondFactor.optional(),
  otherFactors: z.array(otherFactor).default([]),
  totpIssuer: fitting<string>(
    isIssuer,
    'is not a text of 1 to 64 characters without a colon or control characters.',
  ).default('Messaging'),
  tickets: optional(storeOf(ticketAnswers)),
  proofs: optional(storeOf(proofAnswers)),
  identities: optional(storeOf(identityAnswers)),
  deviceCodes: optional(storeOf(deviceCodeAnswers)),
  allowedOrigins: z
    .array(fitting<string>(isOrigin, 'is not an origin, such as https://chat.example.com.'))
    .optional(),
  pagesOrigin: fitting<string>(
    isPagesOrigin,
    'is neither an origin over https, such as https://chat.example.com, nor one over http on ' +
      'localhost, 127.0.0.1 or [::1].',
  ).optional(),
  oauth: objectFor(checkOAuthOptions, 'is not an object with a baseUrl.'),
  pages: objectFor(checkPagesOptions, 'is not an object such as { brand }.'),
  pkce: optionsOf(pkceShape).prefault({}),
  passkeys: objectFor(checkPasskeysOptions, 'is not an object with an rpId.'),
  accounts: objectFor(checkAccountsOptions, 'is not an object with mail.'),
  providers: objectFor(checkProvidersOptions, 'is not an object with a list.'),
  acceptance: optional(optionsFor(acceptanceShape)),
  directories: objectFor(checkDirectoriesOptions, 'is not an object with a list.'),
  deviceLinks: objectFor(checkDeviceLinksOptions, 'is not an object with a page.'),
  cors: optional(optionsFor(corsShape)),
  signer: implementing<TokenSigner>({ sign: true, verify: true }),
  encryptionKeys: furtherBy(
    (keys) => decodeEncryptionKeys(keys, 'encryptionKeys'),
    z.array(z.unknown()),
  ).default([]),
  passwords: passwords.optional(),
  watchPasswordHash: flag().default(false),
  maxPasswordWait: whole(1, 30, 'seconds').default(5),
  throttle: optionsOf(throttleShape).prefault({}),
  lifetimes: optionsOf(lifetimesShape).prefault({}),
  maxSessionsPerUser: whole(1, 1000).default(50),
  namedTokens: flag().default(false),
  accessTokensSurvivePasswordChange: flag().default(false),
  bus: implementing<RevocationBus>({ publish: true, subscribe: true }).optional(),
  storeTimeout: storeTimeoutRow.default(2000),
  purgeInterval: number({ least: 10, most: day, unit: 'seconds', or: 0 }).default(600),
  onEvent: optional(callable()),
  trace: optional(callable()),
  logger: implementing<Logger>({ debug: true, info: true, warn: true, error: true }).optional(),
  clock: clockRow,
  requestId: optional(callable()),
  clientAddress: optional(callable()),
  describeUser: optional(callable()),
  beforeLogin: optional(callable()),
  canonicalIdentifier: optional(callable()),
}
/** The checks of the options of `createAuthRouter`. */
export const optionRules: OptionRules<ResolvedOptions> = {
  factory: 'createAuthRouter',
  namesStandAlone: true,
  schema: optionsFor(shape),
  remedies,
}

// The schema of such an option stands in its room, and is made when the option is set.
function objectFor<Checked>(check: (given: unknown) => Checked, problem: string) {
  return optional(furtherBy(check, anObject<object>(problem)))
}

function isIssuer(value: unknown): boolean {
  return typeof value === 'string' && /^[^:\p{Cc}]{1,64}$/u.test(value) && isWellFormed(value)
}

function isFactorName(value: unknown): boolean {
  return typeof value === 'string' && /^[a-z][a-z0-9-]{0,31}$/.test(value)
}

function isConcurrency(value: unknown): boolean {
  return (
    value === undefined ||
    (Number.isInteger(value) && (value as number) >= 1 && (value as number) <= 1000)
  )
}

function isOptionalFunction(value: unknown): boolean {
  return value === undefined || typeof value === 'function'
}
