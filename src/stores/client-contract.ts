/** `web`: a server, which can keep a secret. `native`: an app. `service`: a program. */
export type OAuthClientType = 'web' | 'native' | 'service'

/** What a client may exchange for tokens. */
export type OAuthGrant = 'authorization_code' | 'refresh_token'

/**
 * An app that signs its users in here. Whatever is left out has its default; what a client may not
 * do is not listed.
 */
export interface OAuthClient {
  /** 1 to 100 of `A-Z a-z 0-9 . _ ~ -`, so that form-encoding it for Basic changes nothing. */
  readonly id: string
  /** Shown to people. Up to 60 characters, none of them control or bidirectional ones. */
  readonly name: string
  readonly type: OAuthClientType
  /** Of the host itself: no consent, and it may have the scope `*`. Default false. */
  readonly firstParty?: boolean
  /** Where codes may be sent. Up to 20, compared as text. */
  readonly redirectUris: readonly string[]
  /** Default: both. */
  readonly grants?: readonly OAuthGrant[]
  /** All that it may ask for. */
  readonly scopes: readonly string[]
  /** What it gets that asks for nothing. Left out: it must ask. */
  readonly defaultScopes?: readonly string[]
  /**
   * The APIs it may ask tokens for, [RFC 8707](https://www.rfc-editor.org/rfc/rfc8707). Default:
   * the host's own alone.
   */
  readonly resources?: readonly string[]
  /** `sha256:` and the SHA-256 of a secret in base64url; at most two, so that one can follow. */
  readonly secretHashes?: readonly string[]
  /** Public keys for `private_key_jwt`, by value. */
  readonly jwks?: { readonly keys: readonly object[] }
  /** `on-request`: with the scope `offline_access` only. Default: native always, web on request. */
  readonly refreshTokens?: 'always' | 'on-request'
  /** Default ES256. */
  readonly idTokenAlgorithm?: 'ES256' | 'RS256'
  /** For web clients with a secret that cannot do PKCE: they send a `nonce`. Default false. */
  readonly allowNonceInsteadOfPkce?: boolean
  /** Default false. */
  readonly mayIntrospect?: boolean
  /** Default false. */
  readonly disabled?: boolean
}

/** The host's own register of clients. Asked at most twice a minute for each. */
export interface ClientStore {
  /** The client; null when there is none. */
  find(clientId: string): Promise<OAuthClient | null>
}
