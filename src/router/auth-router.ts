import type { IncomingMessage } from 'node:http'
import type { Router } from 'express'
import type { SecondFactorsForHost } from '../account/second-factors-for-host.js'
import type { PasswordChanged, SessionsForHost } from '../account/sessions-for-host.js'
import type { SignInForHost } from '../account/sign-in-for-host.js'
import type { UnlockLogin } from '../account/unlock-login.js'
import type { CookieForHost } from '../cookie/cookie-for-host.js'
import type { Guard, RequireAuthOptions } from '../guard/http-guard.js'
import type { PassportStrategy } from '../guard/passport-strategy.js'
import type { ScopeOptions } from '../guard/scope.js'
import type { Sockets } from '../guard/sockets.js'
import type { AuthenticateOptions } from '../guard/token-from.js'
import type { DocumentHandler } from '../http/documents.js'
import type { NamedTokensForHost } from '../named-tokens/named-tokens-for-host.js'
import type { ClientsForHost } from '../oauth/clients-for-host.js'
import type { PasskeysForHost } from '../passkeys/passkeys-for-host.js'
import type { IssueAuthorizationCode } from '../pkce/issue-for-host.js'
import type { Principal } from '../principal/principal.js'
import type { Me } from '../users/me.js'
import type { AuthHealth } from './health.js'
import type { DescribeApi } from './openapi.js'
import type { AuthStats } from './stats.js'

/** The router to mount, and what the host's other code asks of it. */
export interface AuthRouter extends Router {
  /**
   * Middleware for the host's own routes: lets a signed-in request through with `req.auth`, answers
   * 400, 401, 403 or 503 to any other.
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
   * Who is asking, for code without Express: a raw `upgrade` request, another framework.
   * Rejects with `AuthError`; answer its `status`, and never 401 when it is 503.
   * `tokenFrom` of the options finds the token elsewhere than in the headers.
   */
  authenticate(request: IncomingMessage, options?: AuthenticateOptions): Promise<Principal>
  /**
   * Whose token this is, for fronts that carry it their own way: a GraphQL context, gRPC metadata,
   * a queue. Judged as `Authorization: Bearer` would be, and counted as use of its session. Rejects
   * with `AuthError`: `Unauthorized`, `second-factor-enrolment-required`,
   * `temporarily-unavailable`.
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
   * The whole of `POST /login` as a function, for a sign-in form or a protocol of the host's own:
   * the same decision, limits (by the address of `request`), events and work. Of `credentials` only
   * `user`, `email`, `username`, `password` and `code` are read, so a body may be handed on as it
   * is.
   *
   * Rejects with `AuthError`, as the endpoint answers: `invalid-request`, `Unauthorized`,
   * `totp-required` (ask for the code, and call it again with `code`), `totp-invalid`, `forbidden`,
   * `payload-too-large`, `too-many-requests`, `temporarily-unavailable`; the last two with
   * `retryAfter`, in seconds.
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
   * Tells the router that the host has set another password: every session of the user but `except`
   * ends at once, on every process, and with the sessions their tokens, codes and sockets; no
   * network is known to the account any more. Answers how many sessions ended. Rejects with
   * `AuthError`: `invalid-request`, and `temporarily-unavailable`; then call it again.
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
   * Issues an authorization code for a user whom the host's own sign-in page has signed in; hand it
   * to the client, which exchanges it at `POST /auth/pkce/token`. Rejects with `AuthError`:
   * `Unauthorized` (no such user, disabled), `totp-required`, `totp-invalid`, `forbidden` (veto),
   * `invalid-request`, `too-many-requests`, `temporarily-unavailable`.
   * [RFC 7636](https://www.rfc-editor.org/rfc/rfc7636).
   */
  issueAuthorizationCode: IssueAuthorizationCode
  /**
   * Hashes a new password the way logins will check it. Rejects with `invalid-request` for one that
   * could not be told from others.
   */
  hashPassword(plain: string): Promise<string>
  /** True where `passwords` has `verifyDigest`: then `signIn` can be asked with a digest. */
  readonly takesDigests: boolean
  /**
   * What clients see of a user, as in `GET /me`; null for nobody, and for a user who is disabled.
   * Rejects with `temporarily-unavailable`.
   */
  me(userId: string): Promise<Me | null>
  /**
   * Lifts the limits from an identifier, for a support desk that knows who is asking, such as after
   * a password reset: what was counted over all networks (`throttle.unknownNetworks`,
   * `throttle.accountTotal`) and the wrong second-factor codes of its user; with `ip`, an address
   * in the user's network, also what was failed there. Failures of other identifiers in that
   * network (`throttle.network`) stay. An identifier that belongs to nobody is unlocked as well.
   * Default: without `ip`.
   *
   * Rejects with `AuthError`: `invalid-request` for what is no identifier or address,
   * `temporarily-unavailable`; then call it again.
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
   * The router's own numbers, for your monitoring: the queue of passwords, open sockets, limits
   * reached, audit events lost. Cheap, and without names or addresses. Each process counts for
   * itself, from 0.
   *
   * @example
   * ```ts
   * import express from 'express'
   * import type { AuthRouter } from 'messaging-auth-router'
   *
   * declare const auth: AuthRouter
   * express().get('/metrics', (_req, res) => {
   *   const { passwords, audit } = auth.stats()
   *   const metrics = {
   *     waiting: passwords.waiting,
   *     wait_p99_ms: passwords.waitMs.p99,
   *     refused_total: passwords.refused,
   *     audit_lost_total: audit.failed,
   *   }
   *   const line = ([name, value]: [string, number]) => `messaging_auth_${name} ${value}\n`
   *   const lines = Object.entries(metrics).map(line)
   *   res.type('text/plain').send(lines.join(''))
   * })
   * ```
   */
  stats(): AuthStats
  /**
   * How stores, bus, keys and hashing are, for a load balancer or a health check: each `ok` and in
   * how many milliseconds, with no name, address or secret in it; and `ok` of the whole, which is
   * that of sessions and keys. Never rejects, and answers within `storeTimeout`. The parts are
   * asked once a second at most, whoever asks how often. It looks at what the router was given, not
   * at the rest of your server, nor at `users`, `secondFactors` or the counters of `throttle`.
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
   * Describes the HTTP interface as [OpenAPI 3.1](https://spec.openapis.org/oas/v3.1.1.html) has
   * it, with exactly the routes that this router answers, for generators of clients and for pages
   * that show an interface. `messaging-auth-router/openapi.json` is the same with every option on.
   * `baseUrl` is where clients reach the router; default: that of the option `oauth`, else
   * `/api/v1`. Rejects with `AuthConfigError` for what is neither a URL nor a path.
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
   * The strategy `messaging-auth`, for hosts that guard their routes with a passport of their own.
   */
  passportStrategy(options?: ScopeOptions): PassportStrategy
  /**
   * The documents by which apps find the server, for the root of the site: it answers their paths
   * below `/.well-known/` and hands on all others. Without the option `oauth`, all of them.
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
   * The apps that may sign their users in here, for the host's own code. Rejects with
   * `AuthConfigError` where `oauth.clients` is not a register that can be changed, as that of
   * `sqlOAuthStores` is.
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
   * // To whoever runs the wiki: it is shown this once.
   * handOver(client.id, secret)
   * ```
   */
  readonly clients: ClientsForHost
  /**
   * The users' passkeys, for a support desk and the deletion of an account. Rejects with
   * `AuthConfigError` without the option `passkeys`.
   */
  readonly passkeys: PasskeysForHost
  /** Tokens for bots and scripts, for the host's own code. */
  readonly namedTokens: NamedTokensForHost
  /** The users' second factors, for the host's own code. */
  readonly secondFactors: SecondFactorsForHost
  /** Guards for live sockets: raw upgrades, `ws`, Socket.IO. */
  readonly sockets: Sockets
  /** Signs the browsers of your pages in and out, by a cookie. */
  readonly cookie: CookieForHost
  /** The users' sessions, for the host's own code. */
  readonly sessions: SessionsForHost
  /**
   * Ends the hashing threads and timers this router started, and leaves the bus. Stop accepting
   * requests first.
   */
  close(): Promise<void>
}
