import type { AuthClient } from '../client.js'
import { partsOf } from '../parts.js'
import { type BegunStore, defaultBegunStore } from './begun.js'
import type { Claims } from './exchange.js'
import { appOf, type Finished, finish, isAnswer, type StartOptions, start } from './steps.js'

export type { BegunStore } from './begun.js'
export type { Claims } from './exchange.js'
export { OAuthError, type OAuthErrorCode } from './query.js'
export type { Finished, StartOptions } from './steps.js'

/** Options of {@link oauth}. */
export interface OAuthClientOptions {
  /** The `id` of the app at the server; the app is a public client. */
  readonly clientId: string
  /**
   * The address to which the server sends the browser back: exactly one of the app's redirect URIs.
   */
  readonly redirectUri: string
  /**
   * The requested scopes, separated by blanks. Must contain `openid`, or `*` for the host's own
   * apps, so that the app learns who has signed in.
   */
  readonly scope: string
  /** The issuer in the server's tokens. Default: the origin of `baseUrl`. */
  readonly issuer?: string
  /** Storage of sign-ins that have begun. Default: `sessionStorage`, or memory without it. */
  readonly begun?: BegunStore
}

/** Sign-in by the pages of the server: OAuth 2.1 and OpenID Connect for public clients. */
export interface OAuth {
  /** Begins a sign-in; resolves with the address to send the browser to. */
  start(options?: StartOptions): Promise<string>
  /** Whether an address is an answer of the server at the redirect URI. */
  isAnswer(address: string): boolean
  /**
   * Finishes the sign-in from such an address and stores the tokens in the client, which refreshes
   * them and revokes them at `signOut()`. Throws OAuthError and AuthClientError.
   */
  finish(address: string): Promise<Finished>
  /** Requests the claims about the user; for apps with the scope `openid`. */
  userinfo(): Promise<Claims>
}

/**
 * Signs users of an app in by the pages of the server, where they type their password.
 *
 * @example
 * ```ts
 * import { createAuthClient, localStorageStore } from 'messaging-auth-router/client'
 * import { oauth } from 'messaging-auth-router/client/oauth'
 *
 * const client = createAuthClient({
 *   baseUrl: 'https://chat.example.com/api/v1',
 *   storage: localStorageStore('wiki'),
 * })
 * const app = oauth(client, {
 *   clientId: 'wiki',
 *   redirectUri: 'https://wiki.example.com/callback',
 *   scope: 'openid profile offline_access',
 * })
 * const address = await app.start()
 * ```
 */
export function oauth(client: AuthClient, options: OAuthClientOptions): OAuth {
  const parts = partsOf(client)
  const app = appOf(options, parts.baseUrl)
  const begun = options.begun ?? defaultBegunStore()
  const finishing = new Map<string, Promise<Finished>>()
  return {
    start: (asked = {}) => start(parts, app, begun, asked),
    isAnswer,
    // Once per address: React renders components twice in development.
    finish(address) {
      const running = finishing.get(address) ?? finish(parts, app, begun, address)
      finishing.set(address, running)
      const forget = () => void finishing.delete(address)
      running.then(forget, forget)
      return running
    },
    userinfo: () => parts.call({ method: 'GET', path: '/oauth/userinfo' }) as Promise<Claims>,
  }
}
