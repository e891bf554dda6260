import type { IncomingMessage } from 'node:http'
import { Router } from 'express'
import { assemble, type Parts } from './assemble.js'
import { AuthConfigError } from './errors.js'
import { noRequest } from './events.js'
import { createRequireAuth, type Guard, type RequireAuthOptions } from './guard/http-guard.js'
import { createPassportStrategy, type PassportStrategy } from './guard/passport-strategy.js'
import type { Principal } from './guard/principal.js'
import { socketTicketEndpoint } from './guard/socket-ticket.endpoint.js'
import { createSockets, type Sockets } from './guard/sockets.js'
import { contextOf, mountAll, type Routes } from './http/endpoint.js'
import { createLocalStrategy } from './login/local-strategy.js'
import { loginEndpoint } from './login/login.endpoint.js'
import { createProvePassword } from './login/prove-password.js'
import { createRehash } from './login/rehash.js'
import { createUnlockLogin, type UnlockLogin } from './login/unlock-login.js'
import { createVerifyPassword } from './login/verify-password.js'
import type { AuthRouterOptions } from './options.js'
import { authorizeEndpoint } from './pkce/authorize.endpoint.js'
import { createIssueForHost, type IssueAuthorizationCode } from './pkce/issue-for-host.js'
import { tokenEndpoint } from './pkce/token.endpoint.js'
import { type ResolvedOptions, resolveOptions } from './resolve-options.js'
import { logoutEndpoint } from './sessions/logout.endpoint.js'
import { refreshEndpoint } from './sessions/refresh.endpoint.js'
import { endOtherSessionsEndpoint, endSessionEndpoint, listSessionsEndpoint } from './sessions/sessions.endpoint.js'
import { createSessionsForHost, type SessionsForHost } from './sessions/sessions-for-host.js'
import { createFactorStands } from './sign-in.js'
import { type AuthStats, createStats } from './stats.js'
import { jwksEndpoint } from './tokens/jwks.endpoint.js'
import { createSecondFactorsForHost, type SecondFactorsForHost } from './two-factor/second-factors-for-host.js'
import {
  beginTotpEndpoint,
  confirmTotpEndpoint,
  disableTotpEndpoint,
  recoveryCodesEndpoint,
  totpStatusEndpoint,
} from './two-factor/totp.endpoint.js'
import { meEndpoint } from './users/me.endpoint.js'

/** The router to mount, and what the host's other code asks of it. */
export interface AuthRouter extends Router {
  /**
   * Middleware for the host's own routes: lets a signed-in request through with `req.auth`, answers 400, 401, 403 or 503 to any
   * other.
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
   */
  authenticate(request: IncomingMessage): Promise<Principal>
  /**
   * Issues an authorization code for a user whom the host's own sign-in page has signed in; hand it to the client, which exchanges
   * it at `POST /auth/pkce/token`. Rejects with `AuthError`: `Unauthorized` (no such user, disabled), `totp-required`,
   * `totp-invalid`, `forbidden` (veto), `invalid-request`, `too-many-requests`, `temporarily-unavailable`. RFC 7636.
   */
  issueAuthorizationCode: IssueAuthorizationCode
  /** Hashes a new password the way logins will check it. Rejects with `invalid-request` for one that could not be told from others. */
  hashPassword(plain: string): Promise<string>
  /**
   * Lifts the limits from an identifier, for a support desk that knows who is asking, such as after a password reset: what was counted over
   * all networks (`throttle.unknownNetworks`) and the wrong second-factor codes of its user; with `ip`, an address in the user's network,
   * also the pause there. Failures of other identifiers in that network (`throttle.network`) stay. An identifier that belongs to nobody is
   * unlocked as well. Default: without `ip`.
   *
   * Rejects with `AuthError`: `invalid-request` for what is no identifier or address, `temporarily-unavailable`; then call it again.
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
   * The router's own numbers, for your monitoring: the queue of passwords, open sockets, limits reached, audit events lost. Cheap, and
   * without names or addresses. Each process counts for itself, from 0.
   *
   * @example
   * ```ts
   * import express from 'express'
   * import type { AuthRouter } from 'messaging-auth-router'
   *
   * declare const auth: AuthRouter
   * express().get('/metrics', (_req, res) => {
   *   const { passwords, audit } = auth.stats()
   *   const metrics = { waiting: passwords.waiting, wait_p99_ms: passwords.waitMs.p99, refused_total: passwords.refused, audit_lost_total: audit.failed }
   *   const lines = Object.entries(metrics).map(([name, value]) => `messaging_auth_${name} ${value}\n`)
   *   res.type('text/plain').send(lines.join(''))
   * })
   * ```
   */
  stats(): AuthStats
  /** The strategy `messaging-auth`, for hosts that guard their routes with a passport of their own. */
  passportStrategy(): PassportStrategy
  /** The users' second factors, for the host's own code. */
  readonly secondFactors: SecondFactorsForHost
  /** Guards for live sockets: raw upgrades, `ws`, Socket.IO. */
  readonly sockets: Sockets
  /** The users' sessions, for the host's own code. */
  readonly sessions: SessionsForHost
  /** Ends the hashing threads and timers this router started, and leaves the bus. Stop accepting requests first. */
  close(): Promise<void>
}

/**
 * Makes the router that is a messaging server's whole sign-in. Mount it once, under `/api/v1`.
 *
 * @throws AuthConfigError at once, naming the option and the remedy, for any option that is missing, unknown or unsafe
 *
 * @example
 * ```ts
 * import express from 'express'
 * import { createAuthRouter, generateSigningKey, joseSigner, type UserStore } from 'messaging-auth-router'
 * import { memoryStores } from 'messaging-auth-router/stores/memory'
 *
 * declare const users: UserStore
 * const auth = createAuthRouter({
 *   users,
 *   ...memoryStores(),
 *   signer: joseSigner({ issuer: 'https://chat.example.com', audience: 'chat', keys: [await generateSigningKey()] }),
 *   encryptionKeys: [process.env['AUTH_ENCRYPTION_KEY']],
 * })
 * express().use('/api/v1', auth)
 * ```
 */
export function createAuthRouter(given: AuthRouterOptions): AuthRouter {
  const options = resolveOptions(given)
  const { clock, lifetimes } = options
  const parts = assemble(options)
  const { audit, call, canonical, users, passwords } = parts.host
  const { accessTokens, codes, decideSignIn, describeMe, registry, sessions, signedIn, throttle, tickets } = parts
  const { digestIdentifier, enrolment, signedInToEnrol } = parts

  const common = { decideSignIn, factorStands: createFactorStands(parts.secondFactors), sessions, accessTokens, clock, audit }
  const exchange = { ...common, users, accessTokenLifetime: lifetimes.accessToken }
  const token = throttle.limitFailures('token', tokenEndpoint({ ...exchange, codes }))
  const refresh = throttle.limitFailures('refresh', refreshEndpoint({ ...exchange, refreshGrace: lifetimes.refreshGrace }))
  const verifyPassword = createVerifyPassword(passwords, audit)
  const login = loginEndpoint({
    ...common,
    canonical,
    digestIdentifier,
    mustHaveFactor: parts.host.mustHaveFactor,
    throttle,
    users,
    authenticateLocally: createLocalStrategy(users, verifyPassword),
    rehash: createRehash(passwords, users, audit),
    sessionAbsolute: lifetimes.sessionAbsolute,
    describeMe,
  })

  const provePassword = createProvePassword({ users, throttle, verifyPassword, digestIdentifier, audit })
  const totp = enrolment && { ...parts, enrolment, provePassword, audit }

  // biome-ignore format: the map is a table, to be read downwards
  const routes: Routes = [
    ['/login',               { POST: login }],
    ['/me',                  { GET: meEndpoint(signedIn, describeMe) }],
    ['/logout',              { POST: logoutEndpoint(signedInToEnrol, sessions) }],
    ['/auth/pkce/authorize', { POST: authorizeEndpoint(signedIn, decideSignIn, codes) }],
    ['/auth/pkce/token',     { POST: token }, 'oauth'],
    ['/auth/refresh',        { POST: refresh }, 'oauth'],
    ['/auth/sessions',       { GET: listSessionsEndpoint(signedIn, sessions, registry.count),
                               DELETE: endOtherSessionsEndpoint(signedIn, sessions) }],
    ['/auth/sessions/:id',   { DELETE: endSessionEndpoint(signedIn, sessions) }],
    ['/auth/totp',           totp && { GET: totpStatusEndpoint(totp), POST: beginTotpEndpoint(totp) }],
    ['/auth/totp/confirm',   totp && { POST: confirmTotpEndpoint(totp) }],
    ['/auth/totp/disable',   totp && { POST: disableTotpEndpoint(totp) }],
    ['/auth/totp/recovery-codes', totp && { POST: recoveryCodesEndpoint(totp) }],
    ['/auth/socket-ticket',  tickets && { POST: socketTicketEndpoint(signedIn, tickets) }],
    ['/auth/jwks.json',      { GET: jwksEndpoint(options.signer, call) }],
  ]
  return Object.assign(mountAll(Router({ caseSensitive: true }), routes), forHost(options, parts))
}

// What the host's other code asks of the router.
function forHost({ clock, allowedOrigins }: ResolvedOptions, parts: Parts): Omit<AuthRouter, keyof Router> {
  const { codes, decideSignIn, enrolment, host, judge, registry, sessions, signedIn, throttle, tickets } = parts
  return {
    requireAuth: createRequireAuth({ ...parts, clock }),
    authenticate: async (request: IncomingMessage) => (await signedIn(request, contextOf(request))).principal,
    issueAuthorizationCode: createIssueForHost({ users: host.users, decideSignIn, codes, clock, audit: host.audit }),
    // One source among the networks: registrations neither push logins aside nor are pushed aside by them.
    hashPassword: (plain: string) => host.passwords.hash(plain, { source: 'host', context: noRequest, gone: null }),
    stats: createStats(host.admission, registry, host.eventCounts),
    passportStrategy: () => createPassportStrategy(signedIn),
    sockets: createSockets({ judge, tickets, registry, allowedOrigins: allowedOrigins ?? null, audit: host.audit }),
    sessions: createSessionsForHost(sessions, registry.count),
    unlockLogin: createUnlockLogin({ ...host, throttle, digestIdentifier: parts.digestIdentifier }),
    secondFactors:
      enrolment === null
        ? { importTotp: withoutSecondFactors, status: withoutSecondFactors, reset: withoutSecondFactors }
        : createSecondFactorsForHost({ enrolment, sessions, throttle, audit: host.audit }),
    close: parts.close,
  }
}

async function withoutSecondFactors(): Promise<never> {
  throw new AuthConfigError('secondFactors', 'is not configured.', 'pass a second-factor store to createAuthRouter.')
}
