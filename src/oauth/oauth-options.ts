import type {
  ClientStore,
  ConsentStore,
  OAuthClient,
  OpenClientStore,
} from '../stores/client-contract.js'
import type { OnceStore } from '../stores/one-time-contract.js'
import type { DescribeClaims } from './user-claims.js'

/** A text for users about a scope or an API: one text, or one per language. */
export type ScopeText = string | Readonly<Record<string, string>>

/** The option `oauth`: other apps sign their users in here. */
export interface OAuthOptions {
  /**
   * The URL at which browsers and apps reach this router, such as
   * `https://chat.example.com/api/v1`. Its origin must be that of the signer's issuer; `http` is
   * allowed only on the local machine. Every address in the metadata starts with it, whatever
   * `Host` says. With `http`, web clients on this machine may use `http` as well, for experiments.
   */
  readonly baseUrl: string
  /**
   * The apps: a list, a store of your own, or `clients` of `sqlOAuthStores`, which `auth.clients`
   * can change at run time.
   */
  readonly clients: readonly OAuthClient[] | ClientStore
  /** Stores what users have allowed apps. Shipped: `sqlOAuthStores()`, `memoryOAuthStores()`. */
  readonly consents: ConsentStore
  /** Records used assertions of apps. Shipped: with `consents`, and `redisOnceStore()`. */
  readonly once: OnceStore
  /**
   * Scopes of your own, with the text that the consent page shows. Your routes require them by
   * `requireAuth({ scope })`. Default: only `openid`, `profile`, `email`, `address`, `phone`,
   * `offline_access`, and `*` for your own apps.
   *
   * @example
   * ```ts
   * import type { OAuthOptions } from 'messaging-auth-router'
   *
   * const options: Pick<OAuthOptions, 'scopes'> = {
   *   scopes: { 'messages:read': { en: 'Read your messages', de: 'Deine Nachrichten lesen' } },
   * }
   * ```
   */
  readonly scopes?: Readonly<Record<string, ScopeText>>
  /**
   * The APIs besides your own that apps may get tokens for (`resources` of a client), by URI. An
   * API of somebody else: its name, for the consent page, which names the APIs at which an app
   * could act; up to 200 characters. An API of this server: {@link ApiOptions}. Default: the name
   * is the URI, without `https://`.
   *
   * @example
   * ```ts
   * import type { OAuthOptions } from 'messaging-auth-router'
   *
   * const options: Pick<OAuthOptions, 'resources'> = {
   *   resources: {
   *     'https://files.example.com/': { en: 'Your files', de: 'Deine Dateien' },
   *     'https://chat.example.com/mcp': { scopes: ['messages:read'], name: 'Tools of the chat' },
   *   },
   * }
   * ```
   */
  readonly resources?: Readonly<Record<string, ScopeText | ApiOptions>>
  /**
   * Claims about a user in ID Tokens and UserInfo, besides `name` and `preferred_username`.
   * Default: none.
   *
   * @example
   * ```ts
   * import type { AuthUser, OAuthOptions } from 'messaging-auth-router'
   *
   * interface ChatUser extends AuthUser {
   *   readonly email: string
   * }
   * const options: Pick<OAuthOptions, 'claims'> = {
   *   claims: (user) => ({ email: (user as ChatUser).email, email_verified: true }),
   * }
   * ```
   */
  readonly claims?: DescribeClaims
  /**
   * An app whose user signs out can sign the browser out here, too, and apps are told when a
   * session
   * ends here. Needs a signer of ID tokens. `true`: with the defaults of {@link LogoutOptions}.
   * Default false.
   */
  readonly logout?: boolean | LogoutOptions
  /**
   * The device grant ([RFC 8628](https://www.rfc-editor.org/rfc/rfc8628)), for apps without a
   * browser: a program in a terminal, a television. It needs the option `deviceCodes`, and is for
   * clients whose `grants` name it. `true`: with the defaults of {@link DeviceFlowOptions}. Default
   * false.
   */
  readonly deviceFlow?: boolean | DeviceFlowOptions
  /**
   * Apps that nobody registered here: the id of each is the address of a document about it, at one
   * of these hosts. For agents and editors that come to many servers ([Client ID Metadata
   * Document](https://datatracker.ietf.org/doc/draft-ietf-oauth-client-id-metadata-document/)).
   * Default: none.
   *
   * @example
   * ```ts
   * import type { OAuthOptions } from 'messaging-auth-router'
   *
   * const options: Pick<OAuthOptions, 'clientDocuments'> = {
   *   clientDocuments: { hosts: ['claude.ai', 'vscode.dev'], scopes: ['messages:read'] },
   * }
   * ```
   */
  readonly clientDocuments?: ClientDocumentsOptions
  /**
   * Apps that register themselves ([RFC 7591](https://www.rfc-editor.org/rfc/rfc7591)), for agents
   * that know nothing else: prefer `clientDocuments`, where an app can tell who made it. Default:
   * none can.
   *
   * @example
   * ```ts
   * import type { OAuthOptions } from 'messaging-auth-router'
   * import { memoryOAuthStores } from 'messaging-auth-router/stores/memory'
   *
   * const { clients } = memoryOAuthStores()
   * const options: Pick<OAuthOptions, 'registration'> = {
   *   registration: { clients, hosts: ['claude.ai'], scopes: ['messages:read'] },
   * }
   * ```
   */
  readonly registration?: ClientRegistrationOptions
}

/** Which apps of your own network are told that a session has ended. */
export interface LogoutOptions {
  /**
   * Hosts of `backchannelLogoutUri` that may have private addresses, such as `wiki.internal`: exact
   * names in small letters, still over https. Default: none.
   */
  readonly privateHosts?: readonly string[]
}

/** Which apps are known by a document, and what all of them may do. */
export interface ClientDocumentsOptions {
  /**
   * The hosts of documents, such as `claude.ai`: exact names in small letters. Nothing is fetched
   * from any other. Whoever can publish a document at one of them can ask your users for consent.
   */
  readonly hosts: readonly string[]
  /** The ids of apps there that get nothing: addresses of documents. Default: none. */
  readonly except?: readonly string[]
  /** All that such an app may ask for. Never `*`. */
  readonly scopes: readonly string[]
  /** The APIs it may ask tokens for. Default: the host's own alone. */
  readonly resources?: readonly string[]
}

/** Where apps that register themselves are kept, and what all of them may do. */
export interface ClientRegistrationOptions {
  /**
   * Where they are kept: `clients` of `sqlOAuthStores` or `memoryOAuthStores`. It may be that of
   * `oauth.clients`, which may also be a list.
   */
  readonly clients: OpenClientStore
  /**
   * The hosts to which an app may have its users return, besides their own device: exact names in
   * small letters, such as `claude.ai`. Default: none.
   */
  readonly hosts?: readonly string[]
  /** All that such an app may ask for. Never `*`. */
  readonly scopes: readonly string[]
  /** The APIs it may ask tokens for. Default: the host's own alone. */
  readonly resources?: readonly string[]
}

/**
 * A further API of this server, such as an MCP endpoint. Its routes are guarded by `requireAuth({
 * resource })`: they accept only tokens for this API, and your own API accepts none of them ([RFC
 * 8707 §2](https://www.rfc-editor.org/rfc/rfc8707#section-2)). Its key in `resources` is its URL,
 * of the origin of `baseUrl`, without a query. `auth.wellKnown` serves its metadata ([RFC 9728
 * §3](https://www.rfc-editor.org/rfc/rfc9728#section-3)), to which every refusal of its guards
 * leads.
 */
export interface ApiOptions {
  /** The scopes that its metadata tell clients to ask for: of `scopes`, or standard ones. */
  readonly scopes: readonly string[]
  /** Its name for users and clients, up to 200 characters. Default: its URL, without `https://`. */
  readonly name?: ScopeText
}

/** Rules of the device grant. */
export interface DeviceFlowOptions {
  /**
   * A device and the browser that approves it come from different networks: `warn` says so on the
   * page, `require` refuses. A network is an IPv4 address, or the /64 of IPv6. Default `warn`.
   */
  readonly sameNetwork?: 'warn' | 'require'
  /**
   * True: devices also get an address with the code in it, to show it as a picture. Whoever opens
   * it types nothing, so a stranger's link is one step closer to an approval. Default false.
   */
  readonly completeUri?: boolean
}
