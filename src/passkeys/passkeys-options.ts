import { isIP } from 'node:net'
import { AuthConfigError } from '../errors.js'
import {
  checkOptions,
  fitting,
  listOf,
  oneOf,
  optionsOf,
  storeOf,
  text,
  withMethods,
} from '../lib/check-options.js'
import { doAll } from '../lib/mistakes.js'
import { onceAnswers, passkeyAnswers } from '../stores/fail-closed-stores.js'
import type { OnceStore } from '../stores/one-time-contract.js'
import type { PasskeyStore } from '../stores/passkey-contract.js'
import type { PasskeyVerifier } from './contract.js'

/** The option `passkeys`: users sign in with passkeys, with or without a password. */
export interface PasskeysOptions {
  /**
   * The domain that passkeys belong to, such as `example.com`: the domain of your pages or a parent
   * of it, never an IP address. Passkeys are bound to it: if you change it, all of them are lost.
   */
  readonly rpId: string
  /** The name of this service in authenticators. Default: `rpId`. */
  readonly rpName?: string
  /**
   * The origins of pages that may ask for a passkey, exactly as browsers write them:
   * `https://chat.example.com`, `http://localhost:3000`, or `android:apk-key-hash:…` of an app.
   * They are never taken from a request.
   */
  readonly origins: readonly string[]
  /**
   * Origins of your other sites, which use the passkeys of `rpId` as well: `https://example.de`
   * beside `example.com`. Browsers ask for them at `https://<rpId>/.well-known/webauthn`, which
   * `auth.wellKnown` answers ([WebAuthn Level 3
   * §5.11](https://www.w3.org/TR/webauthn-3/#sctn-related-origins)); they take five further names
   * of sites. Default: none.
   */
  readonly relatedOrigins?: readonly string[]
  /** Verifies passkeys. Shipped: `simpleWebAuthn()` of `messaging-auth-router/passkeys`. */
  readonly verifier: PasskeyVerifier
  /** Stores passkeys. Shipped: `sqlPasskeyStore()`, and for experiments `memoryPasskeyStore()`. */
  readonly store: PasskeyStore
  /** Records used challenges. Shipped: `redisOnceStore()`, and `once` of `sqlOAuthStores()`. */
  readonly once: OnceStore
  /**
   * When a passkey is required besides a password. `when-required`: for users who must have a
   * second factor. `always`: for every user who has a passkey. If a user has another second factor,
   * a passkey is accepted in its place either way. Default `when-required`.
   */
  readonly asSecondFactor?: 'when-required' | 'always'
}

/** {@link PasskeysOptions}, checked and with defaults; `origins` has the related ones, too. */
export type CheckedPasskeysOptions = Required<PasskeysOptions>

type Names = keyof PasskeysOptions

const isDomain = (value: unknown) =>
  typeof value === 'string' &&
  /^(?=.{1,253}$)[a-z\d]([a-z\d-]{0,61}[a-z\d])?(\.[a-z\d]([a-z\d-]{0,61}[a-z\d])?)*$/.test(
    value,
  ) &&
  isIP(value) === 0

const shape = () =>
  ({
    rpId: fitting<string>(isDomain, 'is not a domain in lower case, or is an address of IP.'),
    rpName: text().optional(),
    origins: listOf<string>(isOrigin, 'are not one or more exact origins over https.', 1),
    relatedOrigins: listOf<string>(
      isSite,
      'are not up to 100 exact origins over https.',
      0,
      100,
    ).default([]),
    verifier: withMethods<PasskeyVerifier>('verifyCreation', 'verifyAssertion'),
    store: storeOf<PasskeyStore>(passkeyAnswers),
    once: storeOf<OnceStore>(onceAnswers),
    asSecondFactor: oneOf('when-required', 'always').default('when-required'),
  }) satisfies Record<Names, unknown>

const remedies: Readonly<Partial<Record<Names, string>>> = {
  rpId: 'pass the domain of your pages, such as example.com or localhost.',
  origins: "pass those of your pages, such as ['https://chat.example.com'].",
  relatedOrigins: "pass those of your other sites, such as ['https://example.de'].",
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
  const schema = optionsOf(shape())
  const checked = checkOptions({ factory: 'passkeys', schema, remedies }, given)
  const { rpId, rpName = rpId, origins, relatedOrigins } = checked
  doAll(...Array.from(origins, (origin, index) => () => requireOfSite(origin, rpId, index)))
  const all = Object.freeze([...origins, ...relatedOrigins])
  return Object.freeze({ ...checked, rpName, origins: all })
}

/** The document that browsers ask for, by its path; empty without related origins. */
export function relatedOriginsDocument(
  origins: readonly string[] = [],
): ReadonlyMap<string, { readonly origins: readonly string[] }> {
  return new Map(origins.length === 0 ? [] : [['/.well-known/webauthn', { origins }]])
}

function requireOfSite(origin: string, rpId: string, index: number): void {
  if (isOfSite(origin, rpId)) return
  throw new AuthConfigError(
    `passkeys.origins[${index}]`,
    'is neither of the domain rpId nor of one below it.',
    'take it out, pass a shorter rpId, or name another site of yours in relatedOrigins.',
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

function isSite(value: unknown): boolean {
  return typeof value === 'string' && value.startsWith('https:') && isOrigin(value)
}

// The only site that browsers trust without https, by its name alone.
function isLocal(protocol: string, hostname: string): boolean {
  return protocol === 'http:' && hostname === 'localhost'
}

function isOfSite(origin: string, rpId: string): boolean {
  if (appOrigin.test(origin)) return true
  const { hostname } = new URL(origin)
  return hostname === rpId || hostname.endsWith(`.${rpId}`)
}
