import type { ClientStore, OAuthClient } from '../stores/client-contract.js'
import type { ConsentStore } from '../stores/consent-contract.js'
import type { OnceStore } from '../stores/once-contract.js'
import type { DescribeClaims } from './user-claims.js'

/**
 * What a scope lets an app do, or what an API is called, for people: one text, or one for each
 * language.
 */
export type ScopeText = string | Readonly<Record<string, string>>

/** The option `oauth`: apps of others sign their users in here. */
export interface OAuthOptions {
  /**
   * Where browsers and apps reach this router, such as `https://chat.example.com/api/v1`; of the
   * signer's issuer's origin, `http` on the machine itself alone. Every address in the metadata
   * starts with it, whatever `Host` says. Where it is `http`, web clients may be on this machine
   * and over `http` as well, to try them out.
   */
  readonly baseUrl: string
  /**
   * The apps: a list; a store of your own; or `clients` of `sqlOAuthStores`, which `auth.clients`
   * changes while the server runs.
   */
  readonly clients: readonly OAuthClient[] | ClientStore
  /** What users have allowed apps. Shipped: `sqlOAuthStores()`, `memoryOAuthStores()`. */
  readonly consents: ConsentStore
  /** Where assertions of apps are used up. Shipped: with `consents`, and `redisOnceStore()`. */
  readonly once: OnceStore
  /**
   * Scopes of your own, and what they let an app do, for the person who is asked. Your routes ask
   * for them by `requireAuth({ scope })`. Default: none but `openid`, `profile`, `email`,
   * `address`, `phone`, `offline_access`, and `*` for apps of your own.
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
   * What people call the APIs that apps may have tokens for besides your own (`resources` of a
   * client), by their URIs: the page of consent says at which of them an app could act. Up to 200
   * characters each. Default: the URI, without `https://`.
   *
   * @example
   * ```ts
   * import type { OAuthOptions } from 'messaging-auth-router'
   *
   * const options: Pick<OAuthOptions, 'resources'> = {
   *   resources: { 'https://files.example.com/': { en: 'Your files', de: 'Deine Dateien' } },
   * }
   * ```
   */
  readonly resources?: Readonly<Record<string, ScopeText>>
  /**
   * What apps are told of a user in ID Tokens and by UserInfo, besides `name` and
   * `preferred_username`. Default: nothing.
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
}
