import { Router } from 'express'
import type { Capability } from '../http/capability.js'
import { createCors } from '../http/cors.js'
import { mountAll, type Routes } from '../http/endpoint.js'
import { assemble, type Parts } from './assemble.js'
import type { AuthRouter } from './auth-router.js'
import { createDescribeApi } from './openapi.js'
import type { AuthRouterOptions } from './options.js'
import { type ResolvedOptions, resolveOptions } from './resolve-options.js'
import { createStats } from './stats.js'
import {
  account,
  cookie,
  guards,
  health,
  login,
  namedTokens,
  pkce,
  publishedKeys,
  refresh,
  secondFactors,
  sessions,
  vouched,
} from './wiring.js'
import { browserPages, browserSessions, oauth } from './wiring-for-apps.js'
import { passkeys } from './wiring-for-passkeys.js'

/**
 * Makes the router that is a messaging server's whole sign-in. Mount it once, under `/api/v1`.
 *
 * @throws AuthConfigError at once, naming the option and the remedy, for any option that is
 * missing, unknown or unsafe
 *
 * @example
 * ```ts
 * import express from 'express'
 * import { createAuthRouter, generateSigningKey, joseSigner } from 'messaging-auth-router'
 * import type { UserStore } from 'messaging-auth-router'
 * import { memoryStores } from 'messaging-auth-router/stores/memory'
 *
 * declare const users: UserStore
 * const auth = createAuthRouter({
 *   users,
 *   ...memoryStores(),
 *   signer: joseSigner({
 *     issuer: 'https://chat.example.com',
 *     audience: 'chat',
 *     keys: [await generateSigningKey()],
 *   }),
 *   encryptionKeys: [process.env['AUTH_ENCRYPTION_KEY']],
 * })
 * express().use('/api/v1', auth)
 * ```
 */
export function createAuthRouter(given: AuthRouterOptions): AuthRouter {
  const options = resolveOptions(given)
  const parts = assemble(options)

  const byPassword = login(options, parts)
  const { logIn, logInSteps } = byPassword
  const openSession = vouched(parts)
  const factors = secondFactors(options, parts)
  const byPasskey = passkeys(options, parts)

  // The map: a capability a line, with the routes that it answers. A test compares these comments
  // with what is mounted.
  // biome-ignore format: the map is a table, to be read downwards
  const map = {
    login:         byPassword,                       // POST /login
    account:       account(parts),                   // GET /me; GET, POST /logout
    sessions:      sessions(options, parts, logIn, openSession),
                                                     // GET, DELETE /auth/sessions
                                                     // DELETE /auth/sessions/:id
    cookie:        cookie(parts, logIn, openSession),
    browsers:      browserSessions(options, parts),  // POST /auth/browser-session
    secondFactors: factors,                          // GET, POST /auth/totp
                                                     // POST /auth/totp/confirm
                                                     // POST /auth/totp/disable
                                                     // POST /auth/totp/recovery-codes
    passkeys:      byPasskey,                        // POST /auth/passkey/options
                                                     // POST /auth/passkey/login
                                                     // GET, POST /auth/passkeys
                                                     // POST /auth/passkeys/options
                                                     // POST, DELETE /auth/passkeys/:id
                                                     // POST /auth/reauthenticate
    namedTokens:   namedTokens(options, parts),      // GET, POST, DELETE /auth/access-tokens
                                                     // DELETE /auth/access-tokens/:id
    pkce:          pkce(options, parts),             // POST /auth/pkce/authorize
                                                     // POST /auth/pkce/token
    refresh:       refresh(options, parts),          // POST /auth/refresh
    pages:         browserPages(options, parts, logInSteps, factors.onPages, byPasskey.onPages),
                                                     // GET, POST /oauth/authorize
                                                     // GET, POST /oauth/sign-in
                                                     // GET, POST /oauth/second-factor
                                                     // GET, POST /oauth/recovery-code
                                                     // GET, POST /oauth/enrolment
                                                     // GET, POST /oauth/passkey
                                                     // GET, POST /oauth/consent
                                                     // GET, POST /oauth/continue
                                                     // GET, POST /oauth/sign-out
                                                     // GET /oauth/assets/:file
    oauth:         oauth(options, parts),            // POST /oauth/token
                                                     // POST /oauth/revoke
                                                     // POST /oauth/introspect
                                                     // GET, POST /oauth/userinfo
                                                     // GET /auth/consents
                                                     // DELETE /auth/consents/:clientId
                                                     // GET /.well-known/openid-configuration
    guards:        guards(options, parts),           // POST /auth/socket-ticket
    publishedKeys: publishedKeys(options, parts),    // GET /auth/jwks.json
  }

  const routes = Object.values<Capability>(map).flatMap((capability) => capability.routes)
  const router = mount(routes, options, parts)
  // What the host's own code calls, and which capability answers it.
  return Object.assign(router, {
    signIn: map.sessions.signIn,
    passwordChanged: map.sessions.passwordChanged,
    hashPassword: map.login.hashPassword,
    takesDigests: parts.host.passwords.takesDigests,
    me: map.account.me,
    unlockLogin: map.account.unlockLogin,
    sessions: map.sessions.sessions,
    namedTokens: map.namedTokens.namedTokens,
    cookie: map.cookie.cookie,
    secondFactors: map.secondFactors.secondFactors,
    passkeys: map.passkeys.forHost,
    issueAuthorizationCode: map.pkce.issueAuthorizationCode,
    wellKnown: map.oauth.wellKnown,
    clients: map.oauth.clients,
    requireAuth: map.guards.requireAuth,
    authenticate: map.guards.authenticate,
    authenticateToken: map.guards.authenticateToken,
    passportStrategy: map.guards.passportStrategy,
    sockets: map.guards.sockets,
    health: health(options, parts),
    openapi: createDescribeApi(routes, options.oauth?.baseUrl),
    stats: createStats(parts.host.admission, parts.registry, parts.host.eventCounts),
    async close() {
      for (const { close } of Object.values<Capability>(map)) close?.()
      await parts.close()
    },
  })
}

function mount(
  routes: Routes,
  { cors }: ResolvedOptions,
  { host: { contexts, sayOnce } }: Parts,
): Router {
  const answerCors = createCors(cors)
  return mountAll(Router({ caseSensitive: true }), routes, { contexts, answerCors, sayOnce })
}
