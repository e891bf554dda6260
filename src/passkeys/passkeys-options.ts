import { isIP } from 'node:net'
import { AuthConfigError } from '../errors.js'
import { checkOptions, fitting, optionsOf, text, withMethods } from '../lib/check-options.js'
import { doAll } from '../lib/mistakes.js'
import type { OnceStore } from '../stores/once-contract.js'
import type { PasskeyStore } from '../stores/passkey-contract.js'
import type { PasskeyVerifier } from './contract.js'

/** The option `passkeys`: users sign in by passkeys, with a password besides or without. */
export interface PasskeysOptions {
  /**
   * The domain that passkeys are made for, such as `example.com`: that of the pages, or one above
   * it, never an address of IP. Passkeys are bound to it: another one later loses all of them.
   */
  readonly rpId: string
  /** What authenticators call this service. Default: `rpId`. */
  readonly rpName?: string
  /**
   * The pages that may ask for a passkey, exactly as browsers write them: such as
   * `https://chat.example.com`, `http://localhost:3000`, or `android:apk-key-hash:…` of an app.
   * Never what a request says of itself.
   */
  readonly origins: readonly string[]
  /** Shipped: `simpleWebAuthn()` of `messaging-auth-router/passkeys`. */
  readonly verifier: PasskeyVerifier
  /** Shipped: `sqlPasskeyStore()`, and for trying things out `memoryPasskeyStore()`. */
  readonly store: PasskeyStore
  /** Where challenges are used up. Shipped: `redisOnceStore()`, and those of `sqlOAuthStores()`. */
  readonly once: OnceStore
  /**
   * When a passkey is asked for besides a password. `when-required`: of users who must have a
   * second factor. `always`: of everybody who has one. Where a user has another second factor a
   * passkey is taken in its place either way. Default `when-required`.
   */
  readonly asSecondFactor?: 'when-required' | 'always'
}

/** The same, checked and with its defaults. */
export type CheckedPasskeysOptions = Required<PasskeysOptions>

type Names = keyof PasskeysOptions

const isDomain = (value: unknown) =>
  typeof value === 'string' &&
  /^(?=.{1,253}$)[a-z\d]([a-z\d-]{0,61}[a-z\d])?(\.[a-z\d]([a-z\d-]{0,61}[a-z\d])?)*$/.test(
    value,
  ) &&
  isIP(value) === 0
const areOrigins = (value: unknown) =>
  Array.isArray(value) && value.length > 0 && value.every(isOrigin)
const isMode = (value: unknown) => value === 'when-required' || value === 'always'

const shape = {
  rpId: fitting<string>(isDomain, 'is not a domain in lower case, or is an address of IP.'),
  rpName: text().optional(),
  origins: fitting<readonly string[]>(areOrigins, 'are not one or more exact origins over https.'),
  verifier: withMethods<PasskeyVerifier>('verifyCreation', 'verifyAssertion'),
  store: withMethods<PasskeyStore>(
    'claimHandle',
    'create',
    'find',
    'listForUser',
    'use',
    'suspectClone',
    'rename',
    'remove',
    'removeAllForUser',
    'consumeRecoveryCode',
  ),
  once: withMethods<OnceStore>('claim', 'purge'),
  asSecondFactor: fitting<'when-required' | 'always'>(
    isMode,
    "is neither 'when-required' nor 'always'.",
  ).default('when-required'),
} satisfies Record<Names, unknown>

const remedies: Readonly<Partial<Record<Names, string>>> = {
  rpId: 'pass the domain of your pages, such as example.com or localhost.',
  origins: "pass those of your pages, such as ['https://chat.example.com'].",
  verifier: "pass simpleWebAuthn() from 'messaging-auth-router/passkeys'.",
  store: "pass sqlPasskeyStore(kysely) from 'messaging-auth-router/stores/sql'.",
  once: 'pass once of sqlOAuthStores(), or redisOnceStore().',
}

/**
 * Checks the option and fills in its defaults.
 *
 * @throws AuthConfigError with every member that is unknown, missing or unsafe
 */
export function checkPasskeysOptions(given: unknown): CheckedPasskeysOptions {
  const schema = optionsOf(shape)
  const checked = checkOptions({ factory: 'passkeys', schema, remedies }, given)
  const { rpId, rpName = rpId, origins } = checked
  doAll(...Array.from(origins, (origin, index) => () => requireOfSite(origin, rpId, index)))
  return Object.freeze({ ...checked, rpName, origins: Object.freeze([...origins]) })
}

function requireOfSite(origin: string, rpId: string, index: number): void {
  if (isOfSite(origin, rpId)) return
  throw new AuthConfigError(
    `passkeys.origins[${index}]`,
    'is neither of the domain rpId nor of one below it.',
    'browsers would refuse it: take it out, or pass a shorter rpId.',
  )
}

const appOrigin = /^android:apk-key-hash:[\w-]{43}$/

function isOrigin(value: unknown): boolean {
  if (typeof value !== 'string') return false
  if (appOrigin.test(value)) return true
  if (!URL.canParse(value)) return false
  const { origin, protocol, hostname } = new URL(value)
  return origin === value && (protocol === 'https:' || isLocal(protocol, hostname))
}

// The one site that browsers take for safe without https, by its name alone.
function isLocal(protocol: string, hostname: string): boolean {
  return protocol === 'http:' && hostname === 'localhost'
}

function isOfSite(origin: string, rpId: string): boolean {
  if (appOrigin.test(origin)) return true
  const { hostname } = new URL(origin)
  return hostname === rpId || hostname.endsWith(`.${rpId}`)
}
