import type { HostCall } from '../lib/host-call.js'
import type { OAuthClient } from '../stores/client-contract.js'
import type { AuthUser } from '../users/contract.js'
import { asJsonObject } from '../users/me.js'
/** The recipient of a user's claims. */
export interface ClaimsRequest {
  /** The granted scopes. */
  readonly scope: readonly string[]
  readonly client: OAuthClient
}

/**
 * The host's claims about a user: claims of [OpenID Connect Core
 * §5.1](https://openid.net/specs/openid-connect-core-1_0.html#StandardClaims) and its own. An app
 * gets a standard claim only with its scope, `email` and `email_verified` with `email`; a claim of
 * the host's own whenever it is returned. `name` and `preferred_username` may be left out. A
 * failure is answered with 503.
 */
export type DescribeClaims = (
  user: AuthUser,
  request: ClaimsRequest,
) => object | undefined | Promise<object | undefined>

/** The claims an app gets about a user, without `sub`. Throws 503. */
export type UserClaims = (
  user: AuthUser,
  request: ClaimsRequest,
) => Promise<Readonly<Record<string, unknown>>>

/** OpenID Connect Core §5.4. */
const claimsOfScope: Readonly<Record<string, readonly string[]>> = {
  profile: [
    'name',
    'family_name',
    'given_name',
    'middle_name',
    'nickname',
    'preferred_username',
    'profile',
    'picture',
    'website',
    'gender',
    'birthdate',
    'zoneinfo',
    'locale',
    'updated_at',
  ],
  email: ['email', 'email_verified'],
  address: ['address'],
  phone: ['phone_number', 'phone_number_verified'],
}

const scopeOfClaim: ReadonlyMap<string, string> = new Map(
  Object.entries(claimsOfScope).flatMap(([scope, claims]) =>
    claims.map((claim) => [claim, scope] as const),
  ),
)

/** Claims about the token and the sign-in, which a host cannot set. */
const reserved: ReadonlySet<string> = new Set([
  'iss',
  'sub',
  'aud',
  'exp',
  'nbf',
  'iat',
  'jti',
  'sid',
  'azp',
  'nonce',
  'acr',
  'amr',
  'auth_time',
  'at_hash',
  'c_hash',
  's_hash',
  'scope',
  'client_id',
  'cnf',
  'events',
  '_claim_names',
  '_claim_sources',
])

/** Name and user name, and the host's claims. */
export function createUserClaims(describe: DescribeClaims | undefined, call: HostCall): UserClaims {
  return (user, { scope, client }) =>
    call('oauth.claims', async () => {
      // A copy of the list: the host may change it.
      const described = asJsonObject(await describe?.(user, { scope: [...scope], client }))
      const claims = { name: user.name, preferred_username: user.username, ...described }
      const isFor = (claim: string) => {
        const needed = scopeOfClaim.get(claim)
        return !reserved.has(claim) && (needed === undefined || scope.includes(needed))
      }
      // §5.3.2: unknown claims are left out, neither null nor empty.
      const isKnown = (value: unknown) => value !== null && value !== ''
      return Object.fromEntries(
        Object.entries(claims).filter(([claim, value]) => isFor(claim) && isKnown(value)),
      )
    })
}
