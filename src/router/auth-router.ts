import type { IncomingMessage } from 'node:http'
import type { Router } from 'express'
import type { UnlockLogin } from '../account/account.js'
import type { SecondFactorsForHost } from '../account/second-factors.js'
import type { PasswordChanged, SessionsForHost } from '../account/sessions-for-host.js'
import type { SignInForHost } from '../account/sign-in-for-host.js'
import type { AccountsForHost } from '../accounts/accounts.js'
import type { PasswordsForHost } from '../accounts/new-password.js'
import type { CookieForHost } from '../cookie/cookie.js'
import type { DeletionForHost } from '../deletion/deletion.js'
import type { DirectoriesForHost, IdentitiesForHost } from '../directory-sign-in/directories.js'
import type { PassportStrategy } from '../guard/guards.js'
import type { Guard, RequireAuthOptions } from '../guard/http-guard.js'
import type { ScopeOptions } from '../guard/scope.js'
import type { Sockets } from '../guard/sockets.js'
import type { AuthenticateOptions } from '../guard/token-from.js'
import type { DocumentHandler } from '../http/documents.js'
import type { NamedTokensForHost } from '../named-tokens/named-tokens-for-host.js'
import type { ClientsForHost } from '../oauth/clients-for-host.js'
import type { PagesForHost } from '../pages/sign-in-url.js'
import type { PasskeysForHost } from '../passkeys/own-passkeys.js'
import type { IssueAuthorizationCode } from '../pkce/pkce.js'
import type { Principal } from '../principal/principal.js'
import type { RegistrationForHost } from '../registration/invitations.js'
import type { Me } from '../users/me.js'
import type { AuthHealth } from './health.js'
import type { AuthStats } from './metrics.js'
import type { DescribeApi } from './openapi.js'

/** The router to mount, and the functions for the host's other code. */
export interface AuthRouter extends Router {
  /**
   * Middleware for the host's own routes: passes an authenticated request on with `req.auth`, and
   * answers any other with 400, 401, 403 or 503.
   *
   * @example
   * ```ts
   * import express from 'express'
   * import type { AuthRouter } from 'messaging-auth-router'
   *
   * declare const auth: AuthRouter
   * const app = express()
   * app.get('/api/v1/rooms', auth.requireAuth(), (req, res) => {
   *   res.json({ rooms: [], for: req.auth.userId })
   * })
   * ```
   */
  requireAuth(options?: RequireAuthOptions): Guard
  /**
   * Authenticates a request without Express: a raw `upgrade` request, another framework. Rejects
   * with `AuthError`; answer with its `status`, and never turn a 503 into 401. The option
   * `tokenFrom` reads the token from elsewhere than the headers.
   */
  authenticate(request: IncomingMessage, options?: AuthenticateOptions): Promise<Principal>
  /**
   * Authenticates a token that arrives in another way: in a GraphQL context, gRPC metadata, a
   * queue. Checked like `Authorization: Bearer`, and counts as use of its session. Rejects with
   * `AuthError`: `Unauthorized`, `second-factor-enrolment-required`, `temporarily-unavailable`.
   *
   * @example
   * ```ts
   * import type { AuthRouter } from 'messaging-auth-router'
   *
   * declare const auth: AuthRouter
   * declare const metadata: Map<string, string>
   * const { userId } = await auth.authenticateToken(metadata.get('token') ?? '')
   * ```
   */
  authenticateToken(token: string, options?: ScopeOptions): Promise<Principal>
  /**
   * `POST /login` as a function, for the host's own sign-in form or protocol: the same decision,
   * limits (by the address of `request`), events and work. Reads only `user`, `email`, `username`,
   * `password` and `code` of `credentials`, so you can pass a body unchanged.
   *
   * Rejects with the `AuthError` of the endpoint: `invalid-request`, `Unauthorized`,
   * `totp-required` (ask for the code, and call it again with `code`), `totp-invalid`, `forbidden`,
   * `payload-too-large`, `too-many-requests`, `temporarily-unavailable`; the last two with
   * `retryAfter` in seconds.
   *
   * @example
   * ```ts
   * import express from 'express'
   * import { AuthError, type AuthRouter } from 'messaging-auth-router'
   *
   * declare const auth: AuthRouter
   * express().post('/sign-in', express.json({ limit: '8kb' }), async (req, res, next) => {
   *   try {
   *     const { userId, token } = await auth.signIn(req, req.body)
   *     res.json({ userId, token })
   *   } catch (error) {
   *     if (!(error instanceof AuthError)) return next(error)
   *     res.status(error.status).json({ error: error.code, message: error.clientMessage })
   *   }
   * })
   * ```
   */
  signIn: SignInForHost
  /**
   * Call it after the host has changed a password. Ends every session of the user except `except`
   * at once, in every process, with its tokens, codes and sockets; the account forgets its known
   * networks. Resolves with the number of ended sessions. Rejects with `AuthError`:
   * `invalid-request`, or `temporarily-unavailable`; call it again after the latter.
   *
   * @example
   * ```ts
   * import express from 'express'
   * import type { AuthRouter } from 'messaging-auth-router'
   *
   * declare const auth: AuthRouter
   * declare function savePassword(userId: string, hash: string): Promise<void>
   *
   * express().post('/password', auth.requireAuth(), express.json(), async (req, res) => {
   *   const { userId, sessionId } = req.auth
   *   await savePassword(userId, await auth.hashPassword(String(req.body.password)))
   *   await auth.passwordChanged(userId, { except: sessionId })
   *   res.status(204).end()
   * })
   * ```
   */
  passwordChanged: PasswordChanged
  /**
   * Mailed links of users, for a support desk, invitations, and the deletion of accounts. Needs the
   * option `accounts`.
   */
  accounts: AccountsForHost & RegistrationForHost & DeletionForHost
  /** The rules for new passwords, for forms of your own. Needs the option `accounts`. */
  passwords: PasswordsForHost
  /**
   * Issues an authorization code ([RFC 7636](https://www.rfc-editor.org/rfc/rfc7636)) for a user
   * whom the host's own sign-in page has signed in. The client exchanges it at `POST
   * /auth/pkce/token`. Rejects with `AuthError`: `Unauthorized` (no such user, disabled),
   * `totp-required`, `totp-invalid`, `forbidden` (refused by `beforeLogin`), `invalid-request`,
   * `too-many-requests`, `temporarily-unavailable`.
   */
  issueAuthorizationCode: IssueAuthorizationCode
  /**
   * Hashes a new password for later logins. Rejects with `invalid-request` for a password that the
   * hasher cannot distinguish from others.
   */
  hashPassword(plain: string): Promise<string>
  /** True if `passwords` has `verifyDigest`: then `signIn` accepts a digest. */
  readonly takesDigests: boolean
  /**
   * The user as clients see it in `GET /me`; null for an unknown or disabled user. Rejects with
   * `temporarily-unavailable`.
   */
  me(userId: string): Promise<Me | null>
  /**
   * Lifts the limits of an identifier, for a support desk that has verified the caller, or after a
   * password reset. Clears the failures over all networks (`throttle.unknownNetworks`,
   * `throttle.accountTotal`) and the user's wrong second-factor codes; with `ip`, an address in the
   * user's network, also the failures there. Failures of other identifiers in that network
   * (`throttle.network`) stay. Also works for an identifier without a user. Default: without `ip`.
   *
   * Rejects with `AuthError`: `invalid-request` for an invalid identifier or address, or
   * `temporarily-unavailable`; call it again after the latter.
   *
   * @example
   * ```ts
   * import type { AuthRouter } from 'messaging-auth-router'
   *
   * declare const auth: AuthRouter
   * await auth.unlockLogin({ kind: 'username', value: 'ada' }, { ip: '203.0.113.7' })
   * ```
   */
  unlockLogin: UnlockLogin
  /**
   * Numbers for your own code: the queue of passwords, open sockets, reached limits, lost audit
   * events. Cheap, and without names or addresses. Each process counts its own, from 0. For a
   * monitoring system take `metrics()`, which has them too.
   *
   * @example
   * ```ts
   * import type { AuthRouter } from 'messaging-auth-router'
   *
   * declare const auth: AuthRouter
   * declare function warn(text: string): void
   * const { passwords, audit } = auth.stats()
   * if (audit.failed > 0) warn(`${audit.failed} audit events were lost`)
   * if (passwords.waitMs.p99 > 2000) warn('logins wait for more than two seconds')
   * ```
   */
  stats(): AuthStats
  /**
   * All numbers of this process in the text format of Prometheus, version 0.0.4: audit events by
   * type and reason, sign-ins by door, calls of your stores and hooks with their durations, the
   * queue of passwords, sockets, mail. Calls are measured from the first question on. Fewer than
   * 320 series, always the same ones: no label has a name, an address or the id of a client. Do not
   * show them to everybody: they tell an attacker what you notice. The queries and alerts for them
   * are in `docs/monitoring.md`.
   *
   * @example
   * ```ts
   * import express from 'express'
   * import type { AuthRouter } from 'messaging-auth-router'
   *
   * declare const auth: AuthRouter
   * // On a port of its own, which only your network reaches.
   * const inner = express()
   * inner.get('/metrics', (_req, res) => {
   *   res.set('Content-Type', 'text/plain; version=0.0.4; charset=utf-8').send(auth.metrics())
   * })
   * inner.listen(9464, '127.0.0.1')
   * ```
   */
  metrics(): string
  /**
   * The health of stores, bus, keys and hashing, for a load balancer or a health check: `ok` and
   * the milliseconds of each, without names, addresses or secrets. `ok` of the whole depends on
   * sessions and keys. Never rejects, and resolves within `storeTimeout`. Checks the parts at most
   * once a second. Does not check `users`, `secondFactors`, the counters of `throttle`, or the rest
   * of your server.
   *
   * @example
   * ```ts
   * import express from 'express'
   * import type { AuthRouter } from 'messaging-auth-router'
   *
   * declare const auth: AuthRouter
   * express().get('/health', async (_req, res) => {
   *   const health = await auth.health()
   *   res.status(health.ok ? 200 : 503).set('Cache-Control', 'no-store').json(health)
   * })
   * ```
   */
  health(): Promise<AuthHealth>
  /**
   * Describes the HTTP interface in [OpenAPI 3.1](https://spec.openapis.org/oas/v3.1.1.html), with
   * exactly the routes of this router, for client generators and documentation pages.
   * `messaging-auth-router/openapi.json` describes the routes of all options. `baseUrl` is the
   * address of the router for clients; default: that of the option `oauth`, else `/api/v1`. Rejects
   * with `AuthConfigError` for any text that is neither a URL nor a path.
   *
   * @example
   * ```ts
   * import express from 'express'
   * import type { AuthRouter } from 'messaging-auth-router'
   *
   * declare const auth: AuthRouter
   * express().get('/openapi.json', async (_req, res) => {
   *   res.json(await auth.openapi({ baseUrl: 'https://chat.example.com/api/v1' }))
   * })
   * ```
   */
  openapi: DescribeApi
  /**
   * The strategy `messaging-auth`, for hosts that guard their routes with their own passport.
   */
  passportStrategy(options?: ScopeOptions): PassportStrategy
  /**
   * Middleware for the root of the site: answers the metadata documents for apps below
   * `/.well-known/`, with `passkeys.relatedOrigins` `/.well-known/webauthn`, with the option
   * `accounts` leads from `/.well-known/change-password` to the
   * page for a new password, and passes on all other requests. Without the option `oauth` it passes
   * on all.
   *
   * @example
   * ```ts
   * import express from 'express'
   * import type { AuthRouter } from 'messaging-auth-router'
   *
   * declare const auth: AuthRouter
   * express().use(auth.wellKnown).use('/api/v1', auth)
   * ```
   */
  readonly wellKnown: DocumentHandler
  /**
   * The registered OAuth clients, for the host's own code. Rejects with `AuthConfigError` if
   * `oauth.clients` cannot be changed at run time; that of `sqlOAuthStores` can.
   *
   * @example
   * ```ts
   * import type { AuthRouter } from 'messaging-auth-router'
   *
   * declare const auth: AuthRouter
   * declare function handOver(clientId: string, secret: string | undefined): void
   * const { client, secret } = await auth.clients.create({
   *   id: 'wiki',
   *   name: 'Team wiki',
   *   type: 'web',
   *   redirectUris: ['https://wiki.example.com/callback'],
   *   scopes: ['openid', 'profile'],
   * })
   * // To the operator of the wiki: the secret is never shown again.
   * handOver(client.id, secret)
   * ```
   */
  readonly clients: ClientsForHost
  /**
   * The users' passkeys, for a support desk and the deletion of an account. Rejects with
   * `AuthConfigError` without the option `passkeys`.
   */
  readonly passkeys: PasskeysForHost
  /**
   * Connects users with their entries in a directory. Rejects with `AuthConfigError` without the
   * option `directories`.
   */
  readonly identities: IdentitiesForHost
  /** A look at the users of the directories. Rejects with `AuthConfigError` without the option. */
  readonly directories: DirectoriesForHost
  /** The sign-in pages, as a way into pages of the host. */
  readonly pages: PagesForHost
  /** Named tokens for bots and scripts, for the host's own code. */
  readonly namedTokens: NamedTokensForHost
  /** The users' second factors, for the host's own code. */
  readonly secondFactors: SecondFactorsForHost
  /** Guards for live sockets: raw upgrades, `ws`, Socket.IO. */
  readonly sockets: Sockets
  /** Signs the browsers of your pages in and out, with a cookie. */
  readonly cookie: CookieForHost
  /** The users' sessions, for the host's own code. */
  readonly sessions: SessionsForHost
  /**
   * Ends the hashing threads and timers of this router, and leaves the bus. Stop accepting requests
   * first.
   */
  close(): Promise<void>
}
