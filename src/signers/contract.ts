/**
 * The claims of an access token, RFC 9068 §2.2. The signer adds `iss`, `aud` and `client_id`, which are its own
 * settings. Times are in seconds since the epoch, as everywhere in a JWT.
 */
export interface AccessTokenClaims {
  /** The user's id. */
  readonly sub: string
  /** The id of the session the token dies with. */
  readonly sid: string
  readonly iat: number
  readonly exp: number
  readonly jti: string
  /** When the user last proved who they are. */
  readonly auth_time: number
  /** How: `pwd`, `otp`, `recovery`, `host` (RFC 8176 where it has a word). */
  readonly amr: readonly string[]
  /** Space-separated, RFC 6749 §3.3; `*` means "all that the user may do". */
  readonly scope: string
}

/** A JSON Web Key Set, RFC 7517 §5. */
export interface JsonWebKeySet {
  readonly keys: readonly Readonly<Record<string, unknown>>[]
}

/**
 * Makes and checks access tokens. The shipped one is `joseSigner`; write your own to sign in a KMS.
 *
 * `verify` must reject with `AuthError('Unauthorized')` for a token that is not good. Any other rejection counts as an
 * outage (503), because clients throw their credentials away on 401.
 */
export interface TokenSigner {
  sign(claims: AccessTokenClaims): Promise<string>
  verify(token: string): Promise<AccessTokenClaims>
  /** Public keys for `GET /auth/jwks.json`. Leave it out when there are none to publish. */
  publicKeys?(): Promise<JsonWebKeySet>
}
