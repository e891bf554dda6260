import { createPrivateKey, type webcrypto } from 'node:crypto'
import type { z } from 'zod'
import { AuthConfigError } from '../errors.js'
import { isSafeUrl } from '../lib/addresses.js'
import {
  callable,
  checkOptions,
  fitting,
  flag,
  type OrUndefined,
  oneOf,
  optionsOf,
  text,
  whole,
} from '../lib/check-options.js'
import { doAll } from '../lib/mistakes.js'
import { idOption, nameOption } from '../lib/named-options.js'
import type { Identity } from './contract.js'
import { commonShape, type ProviderOptions, responseModeOption } from './provider-options.js'

/** Tokens of a provider, for `onTokens`. They are stored nowhere. */
export interface ProviderTokens {
  readonly accessToken: string
  readonly refreshToken?: string
  readonly idToken?: string
  /** What was granted, if the provider says it. */
  readonly scope?: string
  /** Seconds until the access token expires, if the provider says it. */
  readonly expiresIn?: number
}

/** How this server authenticates itself at a provider. */
export type ProviderClientAuth = 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt'

/** What a claims hook may set: all but what tells two users apart. */
export type ClaimedIdentity = Partial<Omit<Identity, 'issuer' | 'subject'>>

/** What providers of OpenID Connect have in common. */
export interface OpenIdSettings extends ProviderOptions {
  /** The id that the provider has given to this server. */
  readonly clientId: string
  readonly clientSecret?: string
  /** Separated by blanks. Default `openid email profile`. */
  readonly scope?: string
  /** What the provider asks each time, such as `select_account`. Default: what it decides. */
  readonly prompt?: string
  /** True hands on what the user has typed as a name or address. Default false. */
  readonly loginHint?: boolean
  /** True asks the UserInfo endpoint, too, which some need for address and name. Default false. */
  readonly userinfo?: boolean
  /**
   * Adds to the identity, or replaces what was read, from the claims of the ID token and of
   * UserInfo. An address replaced is proven only if `emailVerified` is returned with it.
   */
  readonly claims?: (claims: Readonly<Record<string, unknown>>) => ClaimedIdentity
  /**
   * By how much the clocks of the two servers may differ: seconds, 0-300. A token is good for as
   * much longer. Default 30.
   */
  readonly clockToleranceSeconds?: number
  /** Is handed the tokens, once, before the sign-in is decided. If it rejects, that is a 503. */
  readonly onTokens?: (identity: Identity, tokens: ProviderTokens) => void | Promise<void>
}

/** Options of {@link openIdProvider}. */
export interface OpenIdProviderOptions extends OpenIdSettings {
  /** Lower-case letters, digits and `-`, up to 32; stored with identities: never change it. */
  readonly id: string
  readonly name: string
  /** Exactly as the provider writes it in `issuer` of its discovery document. */
  readonly issuer: string
  /**
   * The origin at which this server reaches the provider, if it is another one than that of
   * `issuer`, which browsers use: `https://keycloak.internal:8443`. The document, the tokens, the
   * keys and UserInfo are asked for there, at the same paths.
   */
  readonly innerOrigin?: string
  /**
   * True allows `http` in `innerOrigin`, for a network of containers that nobody else is in:
   * whoever can read or change that traffic signs in as anybody. Default false.
   */
  readonly dangerouslyAllowInnerHttp?: boolean
  /**
   * Default: with `clientKey` `private_key_jwt`; with `clientSecret` `client_secret_post`, if the
   * provider announces it, otherwise `client_secret_basic`.
   */
  readonly clientAuth?: ProviderClientAuth
  /**
   * The private key for `private_key_jwt`, as a JSON Web Key with `alg` of ES256, EdDSA, PS256 or
   * RS256, and with `kid` if the provider knows several keys.
   */
  readonly clientKey?: webcrypto.JsonWebKey & { readonly kid?: string }
  /** How the answer arrives. `form_post` is what Apple demands for names. Default `query`. */
  readonly responseMode?: 'query' | 'form_post'
}

/** A private JSON Web Key, whose algorithm is one of ours. */
export type ClientKey = NonNullable<OpenIdProviderOptions['clientKey']> & { readonly alg: string }

/** Algorithms of tokens, and of our own assertions. Never `none`, never a shared secret. */
export const algorithms: readonly string[] = ['ES256', 'EdDSA', 'PS256', 'RS256']

const shape = {
  id: idOption,
  name: nameOption,
  issuer: fitting<string>(isIssuer, 'is not an https URL without a query, a fragment or a user.'),
  clientId: text(),
  clientSecret: text().optional(),
  clientAuth: oneOf('client_secret_basic', 'client_secret_post', 'private_key_jwt').optional(),
  clientKey: fitting<ClientKey>(isClientKey, 'is not a private JSON Web Key with alg.').optional(),
  scope: fitting<string>(isScope, 'is without openid.').default('openid email profile'),
  prompt: fitting<string>(isPrompt, 'is not login, consent or select_account.').optional(),
  loginHint: flag().default(false),
  responseMode: responseModeOption,
  innerOrigin: fitting<string>(isOrigin, 'is not an origin without a path.').optional(),
  dangerouslyAllowInnerHttp: flag().default(false),
  clockToleranceSeconds: whole(0, 300, 'seconds').default(30),
  userinfo: flag().default(false),
  claims: callable<NonNullable<OpenIdSettings['claims']>>().optional(),
  onTokens: callable<NonNullable<OpenIdSettings['onTokens']>>().optional(),
  ...commonShape,
} satisfies Record<keyof OpenIdProviderOptions, z.ZodType>

const remedies: Readonly<Partial<Record<keyof OpenIdProviderOptions, string>>> = {
  id: "pass a short name that never changes, such as 'work'.",
  name: "pass what users call the provider, such as 'Example Ltd'.",
  issuer: 'copy it from issuer of the document at <issuer>/.well-known/openid-configuration.',
  clientId: 'pass the client id that the provider shows for your app.',
  clientSecret: 'pass the client secret that the provider has shown.',
  clientKey: 'pass the private key as JWK: { kty, crv, x, y, d, alg, kid }.',
  scope: "pass 'openid email profile', or leave it out.",
  innerOrigin: "pass an origin such as 'https://keycloak.internal:8443', or leave it out.",
}

type Defaulted =
  | 'scope'
  | 'loginHint'
  | 'dangerouslyAllowInnerHttp'
  | 'clockToleranceSeconds'
  | 'userinfo'

/** {@link OpenIdProviderOptions}, checked and with defaults. */
export interface CheckedOpenIdOptions
  extends OrUndefined<Omit<OpenIdProviderOptions, Defaulted | 'clientKey'>>,
    Required<Pick<OpenIdProviderOptions, Defaulted>> {
  readonly clientKey?: ClientKey | undefined
}

/**
 * Checks the options and fills in defaults.
 *
 * @param factory - the prefix of options in errors
 * @throws AuthConfigError with every option that is unknown, missing or unsafe
 */
export function checkOpenIdOptions(given: unknown, factory: string): CheckedOpenIdOptions {
  const checked: CheckedOpenIdOptions = checkOptions(
    { factory, schema: optionsOf(shape), remedies },
    given,
  )
  doAll(
    () => requireOneTenant(checked.issuer, factory),
    () => requireCredential(checked, factory),
    () => requireInnerTls(checked, factory),
  )
  return checked
}

// Entra's documents for all tenants have an issuer with a placeholder in it: whoever fills it in
// from the token trusts every tenant there is.
function requireOneTenant(issuer: string, factory: string): void {
  const { hostname, pathname } = new URL(issuer)
  const isEntra = /(^|\.)microsoftonline\.(com|us)$/.test(hostname)
  if (!isEntra || /^\/[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}\//.test(pathname)) return
  throw new AuthConfigError(
    `${factory}.issuer`,
    'is of no single tenant.',
    'pass https://login.microsoftonline.com/<id of your tenant>/v2.0.',
  )
}

function requireInnerTls(options: CheckedOpenIdOptions, factory: string): void {
  const { innerOrigin, dangerouslyAllowInnerHttp } = options
  if (innerOrigin === undefined || dangerouslyAllowInnerHttp) return
  if (isSafeUrl(new URL(innerOrigin))) return
  throw new AuthConfigError(
    `${factory}.innerOrigin`,
    'is over http: whoever can read or change that traffic signs in as anybody.',
    'use https, or set dangerouslyAllowInnerHttp in a network that nobody else is in.',
  )
}

function requireCredential(options: CheckedOpenIdOptions, factory: string): void {
  const { clientAuth, clientSecret, clientKey } = options
  if (clientKey !== undefined && clientSecret !== undefined)
    throw new AuthConfigError(
      `${factory}.clientKey`,
      'stands beside a clientSecret.',
      'leave one of them out.',
    )
  const wanted = clientAuth === 'private_key_jwt' ? 'clientKey' : 'clientSecret'
  if (clientAuth === undefined || options[wanted] !== undefined) return
  throw new AuthConfigError(
    `${factory}.${wanted}`,
    'is missing.',
    `pass it for clientAuth '${clientAuth}', or leave clientAuth out.`,
  )
}

// OpenID Connect Discovery §3, and the bound of what is stored with identities.
function isIssuer(value: unknown): boolean {
  if (typeof value !== 'string' || Buffer.byteLength(value) > 255 || !URL.canParse(value))
    return false
  const url = new URL(value)
  return /^https?:\/\/[^?#\s\\]+$/.test(value) && isSafeUrl(url) && !url.username && !url.password
}

function isOrigin(value: unknown): boolean {
  if (typeof value !== 'string' || value.length > 255 || !URL.canParse(value)) return false
  return /^https?:/.test(value) && new URL(value).origin === value
}

function isClientKey(value: unknown): boolean {
  const { alg } = (value ?? {}) as { alg?: unknown }
  if (!algorithms.some((one) => one === alg)) return false
  try {
    createPrivateKey({ key: { ...(value as ClientKey) }, format: 'jwk' })
    return true
  } catch {
    return false
  }
}

function isScope(value: unknown): boolean {
  return typeof value === 'string' && value.split(' ').includes('openid')
}

// `none` would show the user no form, and fail for whoever is not signed in there.
function isPrompt(value: unknown): boolean {
  return (
    typeof value === 'string' &&
    value.split(' ').every((one) => ['login', 'consent', 'select_account'].includes(one))
  )
}
