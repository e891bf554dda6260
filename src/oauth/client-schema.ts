import { z } from 'zod'
import { lazily } from '../lib/async.js'
import {
  checkOptions,
  fitting,
  flag,
  optionsOf,
  ownMembers,
  type Shape,
  text,
} from '../lib/check-options.js'
import { isOneLine } from '../lib/texts.js'
import { grantTypes, type OAuthClient, type OAuthGrant } from '../stores/client-contract.js'
import { isReservedScope } from './consent-words.js'
import { redirectMatches } from './redirect-uri.js'

/** The remedy for each member. */
export const clientRemedies: Readonly<Record<keyof OAuthClient, string>> = {
  id: 'choose 1 to 100 of A-Z a-z 0-9 . _ ~ -, and no id twice.',
  name: 'write what people call it, in up to 60 characters.',
  type: "write 'web' for a server or a page, 'native' for an app, 'service' for a program.",
  firstParty: 'write true or false, or leave it out for false.',
  redirectUris:
    'list up to 20 whole URIs, each once: https://…; for a native client also ' +
    'http://127.0.0.1/… (a web client where oauth.baseUrl is http), or com.example.app:/….',
  postLogoutRedirectUris: 'leave it out, or list up to 20 whole URIs like those of redirectUris.',
  grants:
    'leave it out for the first two, or list some of ' +
    `${grantTypes.map((name) => `'${name}'`).join(', ')}.`,
  scopes: 'list each scope that it may ask for, once, up to 100 of them.',
  defaultScopes: 'leave it out, or list some of its scopes.',
  resources: 'leave it out, or list up to 20 absolute URIs without a fragment.',
  secretHashes:
    'list the hash, one or two of them, that generateClientSecret() has made, or leave it out ' +
    'for a client that keeps no secret.',
  jwks:
    'pass { keys: [key] }, 1 to 10 public keys as JWK, each with its alg: ' +
    'ES256, EdDSA, PS256 or RS256 (2048 to 4096 bits), or leave it out.',
  refreshTokens: "leave it out, or write 'always' or 'on-request'.",
  idTokenAlgorithm:
    "leave it out for 'ES256', or write 'RS256' and hand joseSigner its rs256 keys.",
  pkce: 'leave it out: every client does PKCE then.',
  allowNonceInsteadOfPkce: 'leave it out unless it is a server with a secret that cannot do PKCE.',
  mayIntrospect: 'leave it out unless it has a secret or keys.',
  backchannelLogoutUri:
    'write a whole https URI on a public host, without a fragment (where oauth.baseUrl is http ' +
    'also http://127.0.0.1/…), or leave it out.',
  serviceUserId: 'leave it out unless it is a service; else the id of a user of yours.',
  selfRegistered: 'leave it out: only clients that registered themselves have it.',
  disabled: 'write true or false, or leave it out for false.',
}

/** The id of a client. */
export const clientIdPattern: RegExp = /^[A-Za-z0-9._~-]{1,100}$/
/** `scope-token` of [RFC 6749 §3.3](https://www.rfc-editor.org/rfc/rfc6749#section-3.3). */
export const scopePattern: RegExp = /^[!#-[\]-~]+$/

const schema = lazily(() => {
  const shape: Shape<OAuthClient> = {
    id: matching(clientIdPattern, 'is not 1 to 100 of A-Z a-z 0-9 . _ ~ -.'),
    name: fitting(isName, 'is not 1 to 60 characters without control or bidirectional ones.'),
    type: oneOf(['web', 'native', 'service']),
    firstParty: flag().optional(),
    redirectUris: listOf(text(), 20),
    postLogoutRedirectUris: listOf(text(), 20).optional(),
    grants: listOf(oneOf(grantTypes), grantTypes.length).optional(),
    scopes: listOf(scope(), 100),
    defaultScopes: listOf(scope(), 100).optional(),
    resources: listOf(
      fitting<string>(isResource, 'is no absolute URI without a fragment.'),
      20,
    ).optional(),
    secretHashes: filled(
      listOf(
        matching(/^sha256:[A-Za-z0-9_-]{43}$/, 'is not sha256: and 43 base64url characters.'),
        2,
      ),
    ).optional(),
    jwks: optionsOf({ keys: filled(listOf(publicKey(), 10)) }).optional(),
    refreshTokens: oneOf(['always', 'on-request']).optional(),
    idTokenAlgorithm: oneOf(['ES256', 'RS256']).optional(),
    allowNonceInsteadOfPkce: flag().optional(),
    pkce: fitting<'optional'>((value) => value === 'optional', "is not 'optional'.").optional(),
    mayIntrospect: flag().optional(),
    backchannelLogoutUri: text().optional(),
    serviceUserId: text().optional(),
    selfRegistered: flag().optional(),
    disabled: flag().optional(),
  }
  return optionsOf(shape)
})

/**
 * A client with each member checked by itself: a frozen copy of its own properties.
 *
 * @param name - the name of the client in the error
 * @throws AuthConfigError for the first member that is unknown, missing or invalid
 */
export function readClient(name: string, given: unknown): OAuthClient {
  const client = checkOptions({ factory: name, schema, remedies: clientRemedies }, given)
  for (const member of Object.values(client)) Object.freeze(member)
  return Object.freeze(client) as OAuthClient
}

// The table must list every word of the union, or it does not compile.
function oneOf<const Word extends string>(words: readonly Word[]): z.ZodType<Word> {
  return fitting((value) => words.includes(value as Word), `is none of ${words.join(', ')}.`)
}

function matching(pattern: RegExp, problem: string): z.ZodType<string> {
  return fitting((value) => typeof value === 'string' && pattern.test(value), problem)
}

function scope(): z.ZodType<string> {
  return matching(scopePattern, 'is not one word of printable ASCII.').refine(
    (word) => typeof word !== 'string' || !isReservedScope(word),
    'begins with mar-, as nothing but words of the router does.',
  )
}

function listOf<Item>(item: z.ZodType<Item>, most: number): z.ZodType<Item[]> {
  return z
    .array(item)
    .refine((list) => list.length <= most, `has more than ${most} entries.`)
    .refine((list) => new Set(list).size === list.length, 'has an entry twice.')
}

// Credentials of a client. An empty list, for example from an unset environment variable, would
// turn a client with a secret into one that anybody can impersonate.
function filled<Item>(list: z.ZodType<Item[]>): z.ZodType<Item[]> {
  return list.refine(({ length }) => length > 0, 'is empty.')
}

/** Whether this may be the name of a client. */
export function isName(value: unknown): value is string {
  if (typeof value !== 'string' || value.length > 60 || value.trim() === '') return false
  return isOneLine(value)
}

/** [RFC 8707 §2](https://www.rfc-editor.org/rfc/rfc8707#section-2). */
export function isResource(value: unknown): boolean {
  if (typeof value !== 'string' || value.length > 2000) return false
  return /^[a-z][a-z0-9+.-]*:[!-"$-~]+$/i.test(value)
}

const keyOf = lazily(() => {
  /** A 256-bit coordinate, as in RFC 7518 §6.2.1.2 and RFC 8037 §2. */
  const coordinate = z.string().regex(/^[A-Za-z0-9_-]{43}$/)
  const kid = z.string().max(200).optional()
  const none = z.undefined().optional()
  const rsa = {
    kty: z.literal('RSA'),
    n: z.string().refine(isModulus),
    e: z.string().refine(isExponent),
    d: none,
    kid,
  }
  return z.discriminatedUnion('alg', [
    z.object({
      alg: z.literal('ES256'),
      kty: z.literal('EC'),
      crv: z.literal('P-256'),
      x: coordinate,
      y: coordinate,
      d: none,
      kid,
    }),
    z.object({
      alg: z.literal('EdDSA'),
      kty: z.literal('OKP'),
      crv: z.literal('Ed25519'),
      x: coordinate,
      d: none,
      kid,
    }),
    z.object({ alg: z.literal('PS256'), ...rsa }),
    z.object({ alg: z.literal('RS256'), ...rsa }),
  ])
})

// Verification time grows with the length of either number, and anybody who knows the client's id
// can have an assertion verified. So both are limited: an exponent as long as the modulus takes a
// hundred times as long as 65537, and an even modulus has no fast algorithm.
function isModulus(n: string): boolean {
  const bits = bitsOfOdd(n, 683)
  return bits >= 2048 && bits <= 4096
}

function isExponent(e: string): boolean {
  return bitsOfOdd(e, 8) >= 2
}

// The length of an odd number in base64url; 0 for anything else.
function bitsOfOdd(number: string, mostChars: number): number {
  if (number.length > mostChars || !/^[A-Za-z0-9_-]+$/.test(number)) return 0
  const bytes = Buffer.from(number, 'base64url')
  const from = bytes.findIndex((byte) => byte !== 0)
  const [first = 0] = bytes.subarray(from)
  if (from < 0 || ((bytes.at(-1) ?? 0) & 1) === 0) return 0
  return (bytes.length - from) * 8 - (Math.clz32(first) - 24)
}

// `alg` comes from the client's registration, never from an assertion. A private key must not be
// here, and a symmetric key would be a secret in plain text.
function publicKey(): z.ZodType<object> {
  const parse = (value: unknown) => keyOf().safeParse(ownMembers(value))
  return fitting<object>(
    (value) => parse(value).success,
    'is no public key with the alg ES256, EdDSA, PS256 or RS256, or its numbers are too long.',
  ).transform((key) => ownMembers(parse(key).data as object))
}

const bothGrants: readonly OAuthGrant[] = ['authorization_code', 'refresh_token']

/** The device grant, as clients name it. */
export const deviceGrant: Extract<OAuthGrant, `${string}:device_code`> =
  'urn:ietf:params:oauth:grant-type:device_code'

/** The grant of services. */
export const serviceGrant: Extract<OAuthGrant, 'client_credentials'> = 'client_credentials'

/** The grants by which a service gets tokens of its own user. It may have no others. */
export const serviceGrants: readonly OAuthGrant[] = [serviceGrant]

/** Whether the client may get tokens of a user of its own. */
export function isServed(client: OAuthClient): boolean {
  return grantsOf(client).some((grant) => serviceGrants.includes(grant))
}

/**
 * The grants of a client: code and refresh token by default, for a service its own if it has a
 * user.
 */
export function grantsOf({ grants, type, serviceUserId }: OAuthClient): readonly OAuthGrant[] {
  if (grants !== undefined || type !== 'service') return grants ?? bothGrants
  return serviceUserId === undefined ? [] : [serviceGrant]
}

/** Whether a client authenticates with a secret or a key. */
export function isConfidential({ secretHashes = [], jwks }: OAuthClient): boolean {
  return secretHashes.length > 0 || (jwks?.keys.length ?? 0) > 0
}

/** The redirect URI of a request, as sent, if it is the client's; otherwise null. */
export function redirectOf(client: OAuthClient, presented: string): string | null {
  const { redirectUris, type } = client
  return redirectUris.some((registered) => redirectMatches(presented, registered, type))
    ? presented
    : null
}

/** The post-logout redirect URI of a request, as sent, if it is the client's; otherwise null. */
export function postLogoutRedirectOf(client: OAuthClient, presented: string): string | null {
  const { postLogoutRedirectUris = [], type } = client
  return postLogoutRedirectUris.some((registered) => redirectMatches(presented, registered, type))
    ? presented
    : null
}

/**
 * Whether a sign-in with these scopes yields a refresh token. By default native clients always get
 * one, others if they ask for `offline_access`.
 */
export function getsRefreshToken(client: OAuthClient, scopes: readonly string[]): boolean {
  if (!grantsOf(client).includes('refresh_token')) return false
  const { refreshTokens = client.type === 'native' ? 'always' : 'on-request' } = client
  return refreshTokens === 'always' || scopes.includes('offline_access')
}

/** The names of the host's own API: in tokens, and its URL. */
export interface OwnNames {
  readonly ownResource: string
  readonly ownAddress: string
}

/**
 * The APIs that a request names, by their names in tokens. They are compared byte for byte: only
 * the host's own has a second name.
 */
export function audiencesOf(
  resources: readonly string[],
  { ownResource, ownAddress }: OwnNames,
): readonly string[] {
  return resources.map((resource) => (resource === ownAddress ? ownResource : resource))
}

/**
 * The APIs a client may request tokens for: by default only the host's own.
 *
 * @param ownResource - the host's own API
 */
export function resourcesOf({ resources }: OAuthClient, ownResource: string): readonly string[] {
  return resources ?? [ownResource]
}
