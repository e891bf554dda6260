import { z } from 'zod'
import { checkOptions, fitting, flag, optionsOf, ownMembers, text } from '../lib/check-options.js'
import { lazily } from '../lib/lazily.js'
import { isWellFormed } from '../lib/well-formed.js'
import type { OAuthClient } from '../stores/client-contract.js'

/** A check for each member: one that is forgotten, or of another type, does not compile. */
type Shape = { readonly [Name in keyof Required<OAuthClient>]: z.ZodType<OAuthClient[Name]> }

/** What to do about each member. */
export const clientRemedies: Readonly<Record<keyof OAuthClient, string>> = {
  id: 'choose 1 to 100 of A-Z a-z 0-9 . _ ~ -, and no id twice.',
  name: 'write what people call it, in up to 60 characters.',
  type: "write 'web' for a server or a page, 'native' for an app, 'service' for a program.",
  firstParty: 'write true or false, or leave it out for false.',
  redirectUris:
    'list up to 20 whole URIs, each once: https://…; for a native client also ' +
    'http://127.0.0.1/… (a web client where oauth.baseUrl is http), or com.example.app:/….',
  grants: "leave it out for both, or list 'authorization_code', 'refresh_token'.",
  scopes: 'list each scope that it may ask for, once, up to 100 of them.',
  defaultScopes: 'leave it out, or list some of its scopes.',
  resources: 'leave it out, or list up to 20 absolute URIs without a fragment.',
  secretHashes: 'list the hash, one or two of them, that generateClientSecret() has made.',
  jwks:
    'pass { keys: [key] }, up to 10 public keys as JWK, each with its alg: ' +
    'ES256, EdDSA, PS256 or RS256.',
  refreshTokens: "leave it out, or write 'always' or 'on-request'.",
  idTokenAlgorithm:
    "leave it out for 'ES256', or write 'RS256' and hand joseSigner its rs256 keys.",
  allowNonceInsteadOfPkce: 'leave it out unless it is a server with a secret that cannot do PKCE.',
  mayIntrospect: 'leave it out unless it has a secret or keys.',
  disabled: 'write true or false, or leave it out for false.',
}

/** The id of a client. */
export const clientIdPattern: RegExp = /^[A-Za-z0-9._~-]{1,100}$/
/** `scope-token` of [RFC 6749 §3.3](https://www.rfc-editor.org/rfc/rfc6749#section-3.3). */
export const scopePattern: RegExp = /^[!#-[\]-~]+$/

const schema = lazily(() => {
  const shape: Shape = {
    id: matching(clientIdPattern, 'is not 1 to 100 of A-Z a-z 0-9 . _ ~ -.'),
    name: fitting(isName, 'is not 1 to 60 characters without control or bidirectional ones.'),
    type: oneOf({ web: true, native: true, service: true }),
    firstParty: flag().optional(),
    redirectUris: listOf(text(), 20),
    grants: listOf(oneOf({ authorization_code: true, refresh_token: true }), 2).optional(),
    scopes: listOf(scope(), 100),
    defaultScopes: listOf(scope(), 100).optional(),
    resources: listOf(
      fitting<string>(isResource, 'is no absolute URI without a fragment.'),
      20,
    ).optional(),
    secretHashes: listOf(
      matching(/^sha256:[A-Za-z0-9_-]{43}$/, 'is not sha256: and 43 base64url characters.'),
      2,
    ).optional(),
    jwks: optionsOf({ keys: listOf(publicKey(), 10) }).optional(),
    refreshTokens: oneOf({ always: true, 'on-request': true }).optional(),
    idTokenAlgorithm: oneOf({ ES256: true, RS256: true }).optional(),
    allowNonceInsteadOfPkce: flag().optional(),
    mayIntrospect: flag().optional(),
    disabled: flag().optional(),
  }
  return optionsOf(shape)
})

/**
 * A client with each member judged by itself: a frozen copy of what is its own.
 *
 * @param name - what the client is called in the error
 * @throws AuthConfigError for the first member that is unknown, missing or will not do
 */
export function readClient(name: string, given: unknown): OAuthClient {
  const client = checkOptions({ factory: name, schema: schema(), remedies: clientRemedies }, given)
  for (const member of Object.values(client)) Object.freeze(member)
  return Object.freeze(client) as OAuthClient
}

// The table must name every word of the union, or it does not compile.
function oneOf<Word extends string>(words: Readonly<Record<Word, true>>): z.ZodType<Word> {
  const known = Object.keys(words)
  return fitting((value) => known.includes(value as string), `is none of ${known.join(', ')}.`)
}

function matching(pattern: RegExp, problem: string): z.ZodType<string> {
  return fitting((value) => typeof value === 'string' && pattern.test(value), problem)
}

function scope(): z.ZodType<string> {
  return matching(scopePattern, 'is not one word of printable ASCII.')
}

function listOf<Item>(item: z.ZodType<Item>, most: number): z.ZodType<Item[]> {
  return z
    .array(item)
    .refine((list) => list.length <= most, `has more than ${most} entries.`)
    .refine((list) => new Set(list).size === list.length, 'has an entry twice.')
}

// What turns the direction of a text round makes one client's name look like another's.
function isName(value: unknown): boolean {
  if (typeof value !== 'string' || value.length > 60 || value.trim() === '') return false
  return isWellFormed(value) && !/[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u.test(value)
}

/** [RFC 8707 §2](https://www.rfc-editor.org/rfc/rfc8707#section-2). */
function isResource(value: unknown): boolean {
  if (typeof value !== 'string' || value.length > 2000) return false
  return /^[a-z][a-z0-9+.-]*:[!-"$-~]+$/i.test(value)
}

const keyOf = lazily(() => {
  const base64url = z.string().regex(/^[A-Za-z0-9_-]{1,2048}$/)
  const kid = z.string().max(200).optional()
  const none = z.undefined().optional()
  /** A modulus of 2048 bits has 342 characters. */
  const rsa = { kty: z.literal('RSA'), n: base64url.min(342), e: base64url, d: none, kid }
  return z.discriminatedUnion('alg', [
    z.object({
      alg: z.literal('ES256'),
      kty: z.literal('EC'),
      crv: z.literal('P-256'),
      x: base64url,
      y: base64url,
      d: none,
      kid,
    }),
    z.object({
      alg: z.literal('EdDSA'),
      kty: z.literal('OKP'),
      crv: z.literal('Ed25519'),
      x: base64url,
      d: none,
      kid,
    }),
    z.object({ alg: z.literal('PS256'), ...rsa }),
    z.object({ alg: z.literal('RS256'), ...rsa }),
  ])
})

// `alg` comes from the client's registration and never from what it sends. A private key does not
// belong here, and a shared one would be a secret in clear.
function publicKey(): z.ZodType<object> {
  const parse = (value: unknown) => keyOf().safeParse(ownMembers(value))
  return fitting<object>(
    (value) => parse(value).success,
    'is no public key with the alg ES256, EdDSA, PS256 or RS256.',
  ).transform((key) => ownMembers(parse(key).data as object))
}
