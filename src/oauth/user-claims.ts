import type { HostCall } from '../lib/host-call.js'
import type { OAuthClient } from '../stores/client-contract.js'
import type { AuthUser } from '../users/contract.js'
import { asJsonObject } from '../users/me.js'

/** For whom claims of a user are. */
export interface ClaimsRequest {
  /** What the user has granted. */
  readonly scope: readonly string[]
  readonly client: OAuthClient
}

/**
 * What the host says of a user to apps: claims of
 * [OpenID Connect Core §5.1](https://openid.net/specs/openid-connect-core-1_0.html#StandardClaims),
 * and its own. One of the standard's is handed out with its scope only, `email` and
 * `email_verified` with `email`; one of the host's own whenever it is answered. `name` and
 * `preferred_username` need not be. A failure is answered with 503.
 */
export type DescribeClaims = (
  user: AuthUser,
  request: ClaimsRequest,
) => object | undefined | Promise<object | undefined>

/** What an app is told of a user, without `sub`. Throws 503. */
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

/** What a token says of itself and of the sign-in: nothing that a host may say of a user. */
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

/** Makes what tells apps of a user: name and user name, and what the host adds. */
export function createUserClaims(describe: DescribeClaims | undefined, call: HostCall): UserClaims {
  return (user, { scope, client }) =>
    call('oauth.claims', async () => {
      // A list of its own: the host may do with it what it likes.
      const described = asJsonObject(await describe?.(user, { scope: [...scope], client }))
      const claims = { name: user.name, preferred_username: user.username, ...described }
      const isFor = (claim: string) => {
        const needed = scopeOfClaim.get(claim)
        return !reserved.has(claim) && (needed === undefined || scope.includes(needed))
      }
      // §5.3.2: what is not known is left out, and neither null nor empty.
      const isKnown = (value: unknown) => value !== null && value !== ''
      return Object.fromEntries(
        Object.entries(claims).filter(([claim, value]) => isFor(claim) && isKnown(value)),
      )
    })
}
