import type { CheckedKey, KeyAlgorithm } from './key-material.js'

/**
 * The claims of an access token,
 * [RFC 9068 §2.2](https://www.rfc-editor.org/rfc/rfc9068#section-2.2). The signer adds `iss`, and
 * `aud` and `client_id` if they are absent. Times are seconds since the epoch.
 */
export interface AccessTokenClaims {
  /** The user's id. */
  readonly sub: string
  /** The id of the session; the token ends with it. */
  readonly sid: string
  readonly iat: number
  readonly exp: number
  /**
   * Unique. In a token with a refresh token, the part after the `.` identifies that refresh token.
   */
  readonly jti: string
  /** When the user last authenticated. */
  readonly auth_time: number
  /**
   * Methods of that authentication, such as `pwd`, `otp`, `recovery`, `host`; names of
   * [RFC 8176](https://www.rfc-editor.org/rfc/rfc8176) where it has one.
   */
  readonly amr: readonly string[]
  /**
   * Space-separated, [RFC 6749 §3.3](https://www.rfc-editor.org/rfc/rfc6749#section-3.3); `*` means
   * everything that the user may do.
   */
  readonly scope: string
  /**
   * The API that the token is for, exactly one
   * ([RFC 8707](https://www.rfc-editor.org/rfc/rfc8707)). Default: the signer's own audience.
   */
  readonly aud?: string
  /** The app that the token was issued to. Default: the signer's own audience. */
  readonly client_id?: string
  /**
   * Who acts for the user ([RFC 8693 §4.1](https://www.rfc-editor.org/rfc/rfc8693#section-4.1)).
   * Absent: nobody.
   */
  readonly act?: { readonly sub: string }
}

/** Options of {@link TokenSigner.verify}. */
export interface VerifyOptions {
  /** Accepted audiences, instead of the signer's own one. */
  readonly audiences?: readonly string[]
}

/**
 * Algorithms of ID tokens. `ES256` is the default of clients; `RS256` is for clients that support
 * nothing else.
 */
export type IdTokenAlgorithm = 'ES256' | 'RS256'

/**
 * The claims of an ID token,
 * [OpenID Connect Core §2](https://openid.net/specs/openid-connect-core-1_0.html#IDToken), and any
 * others. The signer adds `iss`. Times are seconds since the epoch.
 */
export interface IdTokenClaims {
  /** The user's id. */
  readonly sub: string
  /** The id of the client; exactly one. */
  readonly aud: string
  readonly iat: number
  readonly exp: number
  readonly [claim: string]: unknown
}

/**
 * The claims of a logout token, [OpenID Connect Back-Channel Logout 1.0
 * §2.4](https://openid.net/specs/openid-connect-backchannel-1_0.html#LogoutToken). The signer adds
 * `iss`. Times are seconds since the epoch.
 */
export interface LogoutTokenClaims {
  /** The user's id. */
  readonly sub: string
  /** The id of the client; exactly one. */
  readonly aud: string
  /** The session, as in the client's ID tokens. */
  readonly sid: string
  readonly iat: number
  readonly exp: number
  readonly jti: string
  readonly events: Readonly<Record<string, object>>
}

/** A JSON Web Key Set, [RFC 7517 §5](https://www.rfc-editor.org/rfc/rfc7517#section-5). */
export interface JsonWebKeySet {
  readonly keys: readonly Readonly<Record<string, unknown>>[]
}

/**
 * Signs and verifies access tokens. `joseSigner` is the shipped one; write your own to sign in a
 * KMS.
 *
 * `verify` must reject with `AuthError('Unauthorized')` for an invalid token. Any other rejection
 * counts as an outage (503): clients delete their credentials after 401.
 */
export interface TokenSigner {
  /** Uses `aud` and `client_id` of the claims if present. */
  sign(claims: AccessTokenClaims): Promise<string>
  /**
   * The claims of a token for the signer's own audience or, if `audiences` is given, for one of
   * those. A signer that ignores the option supports no tokens of other APIs. The result has `aud`
   * and `client_id` if they differ from the signer's own audience.
   */
  verify(token: string, options?: VerifyOptions): Promise<AccessTokenClaims>
  /**
   * Like `verify`, but accepts an expired token. `revokeByToken` uses it, so that a client can sign
   * out with an expired token. Without it, an expired token ends no session.
   */
  verifyExpired?(token: string, options?: VerifyOptions): Promise<AccessTokenClaims>
  /**
   * Signs an ID token, with `typ: JWT` to distinguish it from access tokens. Rejects for an
   * algorithm that `idTokenAlgorithms` does not list. Omit both if no app uses the scope `openid`.
   */
  signIdToken?(
    claims: IdTokenClaims,
    options: { readonly algorithm: IdTokenAlgorithm },
  ): Promise<string>
  /**
   * Signs a logout token as `signIdToken` signs ID tokens, but with `typ: logout+jwt`, so that it
   * never passes as one. The option `oauth.logout` needs it.
   */
  signLogoutToken?(
    claims: LogoutTokenClaims,
    options: { readonly algorithm: IdTokenAlgorithm },
  ): Promise<string>
  /**
   * The claims of our ID token for this client, expired or not: an `id_token_hint`, which is not a
   * sign-in. Rejects with `AuthError('Unauthorized')` for any other token. Without it, hints are
   * ignored.
   */
  verifyIdToken?(token: string, options: { readonly audience: string }): Promise<IdTokenClaims>
  /**
   * The current ids (`kid`) of all valid keys. Called once a minute while sockets are open: sockets
   * opened by a token of any other key are closed, for example after `ring.retire(kid)`. Omit it if
   * keys always stay until their last token has expired.
   */
  keyIds?(): Promise<readonly string[]>
  /** Public keys for `GET /auth/jwks.json`. Omit it to publish none. */
  publicKeys?(): Promise<JsonWebKeySet>
  /**
   * Rejects while it cannot sign. `createAuthRouter` calls it, so that wrong keys are reported at
   * the start and not by the first login; await it yourself before the server listens. Omit it if
   * the signer needs no preparation.
   */
  ready?(): Promise<void>
  /**
   * How long it can verify its tokens, in seconds; `lifetimes.sessionAbsolute` may not be longer.
   * Omit it if there is no limit.
   */
  readonly longestToken?: number
  /** The `iss` of all its tokens. */
  readonly issuer?: string
  /** The host's own API: the default `aud` of access tokens. */
  readonly audience?: string
  /** Algorithms for ID tokens. Omit it if there are none. */
  readonly idTokenAlgorithms?: readonly IdTokenAlgorithm[]
}

/**
 * One generation of the signing key. Its state follows from the times alone, so all processes
 * agree.
 */
export interface StoredSigningKey {
  /** 1, 2, 3 … */
  readonly generation: number
  readonly kid: string
  /** The private key, encrypted by the ring; the store cannot read it. */
  readonly sealedKey: string
  readonly createdAt: Date
  /**
   * From then on it signs; before, it is only published. It stops when the next generation starts.
   */
  readonly activatesAt: Date
}

/** Storage of the generations of a key ring. */
export interface KeyStore {
  /** All generations, in any order. */
  list(): Promise<StoredSigningKey[]>
  /**
   * In ONE conditional write: inserts unless the generation exists. Exactly one of several
   * processes gets `inserted`.
   */
  insert(key: StoredSigningKey): Promise<{ readonly outcome: 'inserted' | 'exists' }>
  /** Deletes a generation; does nothing if it does not exist. */
  remove(generation: number): Promise<void>
  /**
   * Optional, for replacing an encryption key. In ONE conditional write: replaces `sealedKey` of a
   * generation that is there, if it is still `from`; else does nothing.
   */
  reseal?(generation: number, from: string, to: string): Promise<void>
}

/** State of a key. */
export type KeyState = 'next' | 'active' | 'retired'

/** One key, for the operator. Contains no key material. */
export interface KeyInfo {
  readonly kid: string
  /** Null for a list. */
  readonly generation: number | null
  readonly state: KeyState
  /** Null for a list. */
  readonly activatesAt: Date | null
}

/** The current keys, for the signer. */
export interface RingSnapshot {
  /**
   * The signing key. Null while the encryption keys cannot decrypt it; issued tokens still verify.
   */
  readonly active: CheckedKey | null
  /** All keys that verify and are published. */
  readonly all: readonly CheckedKey[]
}

/**
 * Signing keys with rotation. Pass it to `joseSigner({ keys: ring })`; a ring of RS256 keys to
 * `joseSigner({ keys, rs256: ring })`.
 */
export interface KeyRing {
  /**
   * Algorithm of new keys; for a list, the algorithm of the first key. A ring of your own may omit
   * it, but then signs no ID tokens.
   */
  readonly algorithm?: KeyAlgorithm
  /**
   * The current keys, from memory for a known `kid`. Reads the store once a minute, and at once for
   * an unknown `kid`; rejects for that one while the store fails.
   */
  snapshot(kid?: string): Promise<RingSnapshot>
  /**
   * Makes the next key, which signs after `publishAhead` seconds, and deletes keys whose last token
   * has expired. Makes no key while a next one waits, or while the newest is younger than
   * `ifOlderThan` seconds (default 0), so every process can call it every hour:
   * `ring.rotate({ ifOlderThan: 30 * 24 * 3600 })`. Rejects if the signing key cannot be decrypted.
   */
  rotate(options?: { readonly ifOlderThan?: number }): Promise<readonly KeyInfo[]>
  /**
   * Removes a leaked key. If it is the signing key, first makes another one that signs at once.
   * This process refuses tokens of the leaked key within 30 seconds, every other process within two
   * and a half minutes. Clients with a refresh token get a new access token; others sign in again.
   * Sockets opened by such a token are closed with 4408 a minute later.
   *
   * Rejects with `AuthConfigError` if the key does not exist or the signing key cannot be
   * decrypted, and with the error of the store; call it again then.
   *
   * @example
   * ```ts
   * import type { KeyRing } from 'messaging-auth-router'
   *
   * declare const ring: KeyRing
   * const [leaked] = (await ring.list()).filter(({ state }) => state === 'active')
   * if (leaked !== undefined) await ring.retire(leaked.kid)
   * ```
   */
  retire(kid: string): Promise<readonly KeyInfo[]>
  /** All keys and their states. */
  list(): Promise<readonly KeyInfo[]>
  /**
   * The mark of the encryption key of each stored key: the first 11 characters of `sealedKey`.
   * Absent from a list, which encrypts nothing.
   */
  sealedWith?(): Promise<readonly string[]>
  /**
   * Encrypts each stored key with the first encryption key, and leaves keys that it cannot decrypt,
   * and all keys if the store has no `reseal`. Absent from a list.
   */
  reseal?(): Promise<void>
  /**
   * Reads the store, and makes the first key if there is none. Await it before the server listens.
   * Rejects with `AuthConfigError` if the encryption keys cannot decrypt the signing key, and with
   * the error of the store if that fails.
   *
   * @example
   * ```ts
   * import { keyRing } from 'messaging-auth-router'
   *
   * const encryptionKeys = [process.env['AUTH_ENCRYPTION_KEYS']]
   * const ring = keyRing({ files: '/var/lib/chat/keys', encryptionKeys })
   * await ring.ready()
   * ```
   */
  ready(): Promise<void>
  /**
   * How long a key still verifies after it has stopped signing, in seconds. Undefined for a list,
   * which keeps all keys.
   */
  readonly longestToken: number | undefined
}
