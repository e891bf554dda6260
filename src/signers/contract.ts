import type { CheckedKey, KeyAlgorithm } from './key-material.js'

/**
 * The claims of an access token,
 * [RFC 9068 §2.2](https://www.rfc-editor.org/rfc/rfc9068#section-2.2). The signer adds `iss`, and
 * `aud` and `client_id` where they are left out. Times are in seconds since the epoch, as
 * everywhere in a JWT.
 */
export interface AccessTokenClaims {
  /** The user's id. */
  readonly sub: string
  /** The id of the session the token dies with. */
  readonly sid: string
  readonly iat: number
  readonly exp: number
  /**
   * Unique. In the token of a pair, what follows the `.` names the refresh token it was handed out
   * with.
   */
  readonly jti: string
  /** When the user last proved who they are. */
  readonly auth_time: number
  /**
   * How: `pwd`, `otp`, `recovery`, `host`
   * ([RFC 8176](https://www.rfc-editor.org/rfc/rfc8176) where it has a word).
   */
  readonly amr: readonly string[]
  /**
   * Space-separated, [RFC 6749 §3.3](https://www.rfc-editor.org/rfc/rfc6749#section-3.3); `*` means
   * "all that the user may do".
   */
  readonly scope: string
  /**
   * The API that the token is for, one
   * ([RFC 8707](https://www.rfc-editor.org/rfc/rfc8707)). Default: the signer's own audience.
   */
  readonly aud?: string
  /** The app that was given the token. Default: the signer's own audience. */
  readonly client_id?: string
}

/** Of which APIs a token may be. */
export interface VerifyOptions {
  /** In the place of the signer's own audience, which counts only if it is listed. */
  readonly audiences?: readonly string[]
}

/**
 * What an ID token may be signed with. `ES256` is the default of clients; `RS256` is for those that
 * take nothing else.
 */
export type IdTokenAlgorithm = 'ES256' | 'RS256'

/**
 * The claims of an ID token,
 * [OpenID Connect Core §2](https://openid.net/specs/openid-connect-core-1_0.html#IDToken); others
 * may stand beside them. The signer adds `iss`. Times are in seconds since the epoch.
 */
export interface IdTokenClaims {
  /** The user's id. */
  readonly sub: string
  /** The id of the client: one, as text. */
  readonly aud: string
  readonly iat: number
  readonly exp: number
  readonly [claim: string]: unknown
}

/** A JSON Web Key Set, [RFC 7517 §5](https://www.rfc-editor.org/rfc/rfc7517#section-5). */
export interface JsonWebKeySet {
  readonly keys: readonly Readonly<Record<string, unknown>>[]
}

/**
 * Makes and checks access tokens. The shipped one is `joseSigner`; write your own to sign in a KMS.
 *
 * `verify` must reject with `AuthError('Unauthorized')` for a token that is not good. Any other
 * rejection counts as an outage (503), because clients throw their credentials away on 401.
 */
export interface TokenSigner {
  /** `aud` and `client_id` of the claims, where they are there, stand in the token. */
  sign(claims: AccessTokenClaims): Promise<string>
  /**
   * The claims of a token for the signer's own audience, or, where `audiences` are given, for one
   * of those. A signer that ignores them knows no token of another API. `aud` and `client_id` are
   * answered where they are not the signer's own audience.
   */
  verify(token: string, options?: VerifyOptions): Promise<AccessTokenClaims>
  /**
   * As `verify`, but for the time: what has expired is good here. Asked by `revokeByToken`, so that
   * a client can sign out with a token that is over. Leave it out, and an expired token ends
   * nothing.
   */
  verifyExpired?(token: string, options?: VerifyOptions): Promise<AccessTokenClaims>
  /**
   * Signs an ID token: `typ: JWT`, so that it is never taken for an access token. Rejects for an
   * algorithm that `idTokenAlgorithms` does not list. Leave both out where no app asks for the
   * scope `openid`.
   */
  signIdToken?(
    claims: IdTokenClaims,
    options: { readonly algorithm: IdTokenAlgorithm },
  ): Promise<string>
  /**
   * The claims of an ID token of ours for this client, expired or not, as an `id_token_hint` is: it
   * proves that its bearer has held it, and is no sign-in. Rejects with
   * `AuthError('Unauthorized')` for any other. Leave it out, and hints are not known.
   */
  verifyIdToken?(token: string, options: { readonly audience: string }): Promise<IdTokenClaims>
  /**
   * The ids (`kid`) of all keys whose tokens are good, as they are now. Asked once a minute where
   * sockets are open: those that were opened by a token of any other key are closed, as after
   * `ring.retire(kid)`. Leave it out where keys are never taken out before their last token has
   * ended.
   */
  keyIds?(): Promise<readonly string[]>
  /** Public keys for `GET /auth/jwks.json`. Leave it out when there are none to publish. */
  publicKeys?(): Promise<JsonWebKeySet>
  /**
   * Rejects while it cannot sign. `createAuthRouter` calls it, so that wrong keys are reported
   * at the start and not by the first login; await it yourself before the server listens. Leave it
   * out when there is nothing to wait for.
   */
  ready?(): Promise<void>
  /**
   * For how long it verifies what it has signed, in seconds; `lifetimes.sessionAbsolute` may not be
   * longer. Leave it out for ever.
   */
  readonly longestToken?: number
  /** Whose tokens they are: the `iss` of all that it signs. */
  readonly issuer?: string
  /** The host's own API: the `aud` of an access token that names no other. */
  readonly audience?: string
  /** What ID tokens can be signed with. Leave it out for none. */
  readonly idTokenAlgorithms?: readonly IdTokenAlgorithm[]
}

/**
 * One generation of the signing key. What it is at a moment follows from the times alone, so that
 * all processes agree.
 */
export interface StoredSigningKey {
  /** 1, 2, 3 … */
  readonly generation: number
  readonly kid: string
  /** The private key, sealed by the ring; the store cannot read it. */
  readonly sealedKey: string
  readonly createdAt: Date
  /**
   * From this moment on it signs; before, it is published only. It stops when the next generation
   * starts.
   */
  readonly activatesAt: Date
}

/** Where a key ring keeps its generations. */
export interface KeyStore {
  /** All of them, in any order. */
  list(): Promise<StoredSigningKey[]>
  /**
   * In ONE conditional write: inserts, unless the generation is there. Exactly one of several
   * processes gets `inserted`.
   */
  insert(key: StoredSigningKey): Promise<{ readonly outcome: 'inserted' | 'exists' }>
  /** Deletes a generation; nothing happens when it is gone. */
  remove(generation: number): Promise<void>
}

/** What a key is at a moment. */
export type KeyState = 'next' | 'active' | 'retired'

/** One key, for the operator to look at. No key material. */
export interface KeyInfo {
  readonly kid: string
  /** Null for a list. */
  readonly generation: number | null
  readonly state: KeyState
  /** Null for a list. */
  readonly activatesAt: Date | null
}

/** The keys of a moment, for the signer. */
export interface RingSnapshot {
  /**
   * What signs. Null while the key whose time it is cannot be opened with these encryption keys;
   * what was signed goes on verifying.
   */
  readonly active: CheckedKey | null
  /** All that verify, and that are published. */
  readonly all: readonly CheckedKey[]
}

/**
 * Signing keys that are replaced without anybody noticing. Hand it to `joseSigner({ keys: ring })`;
 * one of RS256 keys to `joseSigner({ keys, rs256: ring })`.
 */
export interface KeyRing {
  /**
   * What its new keys are for; of a list, what the first is for. Left out by a ring of your own: no
   * ID tokens are signed with it.
   */
  readonly algorithm?: KeyAlgorithm
  /**
   * The keys as of now, from memory for a `kid` that is known. The store is read once a minute, and
   * sooner when a `kid` is asked for that is not known; that rejects while the store is out of
   * reach.
   */
  snapshot(kid?: string): Promise<RingSnapshot>
  /**
   * Makes the next key, which signs after `publishAhead` seconds, and deletes keys whose last token
   * has ended. Makes none while a next key is waiting, nor while the newest is younger than
   * `ifOlderThan` seconds (default 0). So it can be called every hour by every process:
   * `ring.rotate({ ifOlderThan: 30 * 24 * 3600 })`. Rejects where the keys that are there cannot be
   * opened.
   */
  rotate(options?: { readonly ifOlderThan?: number }): Promise<readonly KeyInfo[]>
  /**
   * Takes a key out that has leaked. Where it signs, another one is made first and signs from now
   * on. What the key has signed is refused in this process within 30 seconds, and in every other
   * within two and a half minutes: who holds such an `authToken` signs in again, who has a refresh
   * token uses that. Sockets that such a token has opened are closed with 4408 a minute later. May
   * be called again where it rejects: with `AuthConfigError` where there is no
   * such key, or the one that signs cannot be opened; and with the error of the store.
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
  /** All keys and what they are. */
  list(): Promise<readonly KeyInfo[]>
  /**
   * Reads the store, and makes the first key where there is none. Await it before the server
   * listens: it rejects with `AuthConfigError` when the encryption keys do not open the key that
   * signs, and with the error of the store when that is out of reach.
   *
   * @example
   * ```ts
   * import { keyRing } from 'messaging-auth-router'
   *
   * const encryptionKeys = [process.env['AUTH_ENCRYPTION_KEY']]
   * const ring = keyRing({ files: '/var/lib/chat/keys', encryptionKeys })
   * await ring.ready()
   * ```
   */
  ready(): Promise<void>
  /**
   * How long a key goes on verifying after the last token it signed, in seconds. Undefined for a
   * list, which forgets nothing.
   */
  readonly longestToken: number | undefined
}
