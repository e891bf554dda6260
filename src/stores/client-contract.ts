/** `web`: a server, which can keep a secret. `native`: an app. `service`: a program. */
export type OAuthClientType = 'web' | 'native' | 'service'

/**
 * The grants that a client may exchange for tokens. The third is the device grant, [RFC
 * 8628](https://www.rfc-editor.org/rfc/rfc8628), by the name that the standard gives it. The fourth
 * is for clients of type `service`, which show their own credentials, [RFC 6749
 * §4.4](https://www.rfc-editor.org/rfc/rfc6749#section-4.4).
 */
export type OAuthGrant =
  | 'authorization_code'
  | 'refresh_token'
  | 'urn:ietf:params:oauth:grant-type:device_code'
  | 'client_credentials'

// A record, so that the compiler misses a grant that is forgotten.
const everyGrant: Readonly<Record<OAuthGrant, true>> = {
  authorization_code: true,
  refresh_token: true,
  'urn:ietf:params:oauth:grant-type:device_code': true,
  client_credentials: true,
}

/** Every `grant_type`. Each has a line in `oauth/token.endpoint.ts`. */
export const grantTypes: readonly [OAuthGrant, ...OAuthGrant[]] = Object.keys(
  everyGrant,
) as unknown as readonly [OAuthGrant, ...OAuthGrant[]]

/**
 * An app that signs its users in here. A member that is left out has its default. A client may do
 * only what is listed.
 */
export interface OAuthClient {
  /** 1 to 100 of `A-Z a-z 0-9 . _ ~ -`, so that form-encoding it for Basic changes nothing. */
  readonly id: string
  /** Shown to people. Up to 60 characters, none of them control or bidirectional ones. */
  readonly name: string
  readonly type: OAuthClientType
  /**
   * True for an app of the host itself: it needs no consent, and may have the scope `*`. Default
   * false.
   */
  readonly firstParty?: boolean
  /** The addresses to which codes may be sent. Up to 20, compared as text. */
  readonly redirectUris: readonly string[]
  /**
   * The addresses to which users may be sent after signing out, with the option `oauth.logout`. Up
   * to 20, by the rules of `redirectUris`. Default: none, so users stay on a page of this server.
   */
  readonly postLogoutRedirectUris?: readonly string[]
  /** Default: the first two; for a service with `serviceUserId` the fourth, else none. */
  readonly grants?: readonly OAuthGrant[]
  /** All that it may ask for. */
  readonly scopes: readonly string[]
  /** The scopes of a request that asks for none. Left out: the client must ask. */
  readonly defaultScopes?: readonly string[]
  /**
   * The APIs it may ask tokens for, [RFC 8707](https://www.rfc-editor.org/rfc/rfc8707). Default:
   * the host's own alone. To have that besides others, list its URL: the signer's audience if that
   * is one, else `oauth.baseUrl`.
   */
  readonly resources?: readonly string[]
  /**
   * `sha256:` and the SHA-256 of a secret in base64url; at most two, so that one can follow. Left
   * out, never empty, for a client that keeps no secret.
   */
  readonly secretHashes?: readonly string[]
  /** Public keys for `private_key_jwt`, by value: 1 to 10 of them. */
  readonly jwks?: { readonly keys: readonly object[] }
  /** `on-request`: with the scope `offline_access` only. Default: native always, web on request. */
  readonly refreshTokens?: 'always' | 'on-request'
  /** Default ES256. */
  readonly idTokenAlgorithm?: 'ES256' | 'RS256'
  /** For web clients with a secret that cannot do PKCE: they send a `nonce`. Default false. */
  readonly allowNonceInsteadOfPkce?: boolean
  /**
   * `optional`: for a web client with a secret that can do neither PKCE nor a nonce. OAuth 2.1
   * forbids it: a thief of another person's code can put it into their own sign-in at the app, or
   * put their own code into another person's sign-in. A challenge that is sent still counts.
   * Default: required.
   */
  readonly pkce?: 'optional'
  /** Default false. */
  readonly mayIntrospect?: boolean
  /**
   * The address that is told when a session of the app has ended: `https` and a host of the public
   * internet, up to 2000 characters. Needs the scope `openid`, and the option `oauth.logout`.
   * Default: it is not told.
   */
  readonly backchannelLogoutUri?: string
  /**
   * For a service: the id of the user of yours whom its tokens stand for. Choose a user that
   * belongs to nobody else, such as a bot. Default: the service gets no tokens, and only asks about
   * tokens of others.
   */
  readonly serviceUserId?: string
  /**
   * True for a client that registered itself, with the option `oauth.registration`: only the router
   * sets it. `name` is then what the client calls itself, and nobody has checked it. Default false.
   */
  readonly selfRegistered?: boolean
  /** Default false. */
  readonly disabled?: boolean
}

/**
 * The host's own register of clients. The router asks at most twice a minute for each client, and
 * once more with each session that is opened for the client.
 */
export interface ClientStore {
  /** The client; null for an unknown id. */
  find(clientId: string): Promise<OAuthClient | null>
}

/**
 * The members of a client, without the members that only `replaceSecrets` and `setDisabled` change.
 */
export type OAuthClientMetadata = Omit<OAuthClient, 'secretHashes' | 'disabled'>

/**
 * A register of clients that changes while the server runs. Clients come back as they were stored;
 * only `disabled: false` may be left out. A client without a secret has no `secretHashes`: the
 * router refuses an empty list, since that may be a lost secret. The router has checked the client.
 */
export interface ManagedClientStore extends ClientStore {
  /** In ONE write: inserts the client unless its id is there. `created` to one caller. */
  create(client: OAuthClient, now: Date): Promise<{ readonly outcome: 'created' | 'exists' }>
  /**
   * Replaces all metadata of a known client, but neither `secretHashes` nor `disabled`: a caller
   * that writes what it read earlier must not restore a removed secret, nor enable a client that
   * was disabled meanwhile. Never inserts.
   */
  update(
    client: OAuthClientMetadata,
    now: Date,
  ): Promise<{ readonly outcome: 'updated' | 'unknown' }>
  /**
   * In ONE conditional write: replaces the hashes by `to`, at most two, if they are still `from`,
   * in this order (`[]`: none). `replaced` to one caller, else `superseded`, and so for an unknown
   * client. Of two callers who each add a secret, neither may lose the secret of the other and be
   * told that it works.
   */
  replaceSecrets(
    clientId: string,
    from: readonly string[],
    to: readonly string[],
    now: Date,
  ): Promise<{ readonly outcome: 'replaced' | 'superseded' }>
  /**
   * In ONE conditional write: disables or enables the client. `changed` to the one caller who did,
   * else `unchanged`, and so for an unknown client. Durable before it resolves.
   */
  setDisabled(
    clientId: string,
    disabled: boolean,
    now: Date,
  ): Promise<{ readonly outcome: 'changed' | 'unchanged' }>
  /** All clients, disabled or not, by the bytes of their ids. */
  list(): Promise<OAuthClient[]>
}

/**
 * A register in which clients can also register themselves. Such a client is unused at first, and
 * strangers make unused clients: there are never more than so many, and none lasts.
 */
export interface OpenClientStore extends ManagedClientStore {
  /**
   * In ONE conditional write: inserts the client, whose id is new, as an unused one, unless `most`
   * others are unused. It is unused until `use` or `update`. Unused clients that are over at `now`
   * do not count. Of many callers at once no more than `most` get `registered`.
   */
  register(
    client: OAuthClient,
    unused: UnusedClients,
    now: Date,
  ): Promise<{ readonly outcome: 'registered' | 'full' }>
  /**
   * In ONE conditional write: the client is unused no more, so `purge` spares it. `used` also
   * for a client that was used before. Durable before it resolves.
   */
  use(clientId: string, now: Date): Promise<{ readonly outcome: 'used' | 'unknown' }>
  /**
   * Deletes the clients whose `unusedUntil` is over at `now`, at most `limit` if it is given, and
   * says how many.
   */
  purge(now: Date, limit?: number): Promise<number>
}

/** How many clients may be unused, and until when this one may be. */
export interface UnusedClients {
  readonly most: number
  readonly unusedUntil: Date
}

/** The scopes that a user has allowed a client. */
export interface ConsentRecord {
  readonly userId: string
  readonly clientId: string
  /**
   * All scopes that were ever granted and not taken back, in no order, none of them twice. Each is
   * a `scope-token` of [RFC 6749 §3.3](https://www.rfc-editor.org/rfc/rfc6749#section-3.3):
   * printable ASCII without blank, quote and backslash. Words that begin with `mar-` are the
   * router's own: a scope at another API, or the destination of an answer.
   */
  readonly scopes: readonly string[]
  readonly grantedAt: Date
  readonly updatedAt: Date
}

/** Consents, which must last: one row for a user and a client. */
export interface ConsentStore {
  /** The row; null without a consent. */
  find(userId: string, clientId: string): Promise<ConsentRecord | null>
  /**
   * In ONE statement: inserts the row, or adds the scopes to the scopes of the existing row and
   * sets its `updatedAt`; `grantedAt` stays. Of two grants at once none is lost: the user has
   * agreed to the union.
   */
  grant(consent: ConsentRecord): Promise<void>
  /** Deletes the row. Exactly one of several callers gets `revoked`. Durable before it resolves. */
  revoke(userId: string, clientId: string): Promise<{ readonly outcome: 'revoked' | 'unknown' }>
  /** The user's rows, the oldest `grantedAt` first; of one moment by the bytes of `clientId`. */
  listForUser(userId: string): Promise<ConsentRecord[]>
}
