import type { AuthClient } from '../client.js'
import { partsOf } from '../parts.js'
import { type BegunStore, defaultBegunStore } from './begun.js'
import type { Claims } from './id-token.js'
import { appOf, type Finished, finish, isAnswer, type StartOptions, start } from './steps.js'

export type { BegunStore } from './begun.js'
export type { Claims } from './id-token.js'
export { OAuthError, type OAuthErrorCode } from './oauth-error.js'
export type { Finished, StartOptions } from './steps.js'

/** Options of {@link oauth}. */
export interface OAuthClientOptions {
  /** The `id` that the app has at the server, as one without a secret. */
  readonly clientId: string
  /** Where the server sends the browser back to, byte for byte one of the app's. */
  readonly redirectUri: string
  /**
   * What the app asks for, with blanks between. It has `openid`, or the `*` of the host's own apps:
   * else nobody knows who has signed in.
   */
  readonly scope: string
  /** As in the server's tokens. Default: the origin of `baseUrl`. */
  readonly issuer?: string
  /** Where sign-ins that have begun are kept. Default: `sessionStorage`, or in memory. */
  readonly begun?: BegunStore
}

/** The sign-in by the pages of the server: OAuth 2.1, OpenID Connect, for apps without a secret. */
export interface OAuth {
  /** Begins one; answers the address that the user's browser is to be sent to. */
  start(options?: StartOptions): Promise<string>
  /** Whether an address is one that the server has sent the browser back to. */
  isAnswer(address: string): boolean
  /**
   * Takes such an address, and keeps the tokens: they are those of the client from now on, which
   * refreshes them, and whose `signOut()` revokes them. Throws OAuthError and AuthClientError.
   */
  finish(address: string): Promise<Finished>
  /** Asks the server who has signed in; for apps with the scope `openid`. */
  userinfo(): Promise<Claims>
}

/**
 * Lets an app sign its users in by the pages of the server, where they type their password.
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
    // A page that is drawn twice, as React does in development, finishes once.
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
