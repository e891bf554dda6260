import { Router } from 'express'
import type { Capability } from '../http/capability.js'
import { createCors } from '../http/cors.js'
import { mountAll } from '../http/endpoint.js'
import { assemble, type Parts } from './assemble.js'
import type { AuthRouter } from './auth-router.js'
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
  const { logIn } = byPassword
  const openSession = vouched(parts)

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
    secondFactors: secondFactors(options, parts),    // GET, POST /auth/totp
                                                     // POST /auth/totp/confirm
                                                     // POST /auth/totp/disable
                                                     // POST /auth/totp/recovery-codes
    namedTokens:   namedTokens(options, parts),      // GET, POST, DELETE /auth/access-tokens
                                                     // DELETE /auth/access-tokens/:id
    pkce:          pkce(options, parts),             // POST /auth/pkce/authorize
                                                     // POST /auth/pkce/token
    refresh:       refresh(options, parts),          // POST /auth/refresh
    guards:        guards(options, parts),           // POST /auth/socket-ticket
    publishedKeys: publishedKeys(options, parts),    // GET /auth/jwks.json
  }

  const router = mount(Object.values(map), options, parts)
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
    issueAuthorizationCode: map.pkce.issueAuthorizationCode,
    requireAuth: map.guards.requireAuth,
    authenticate: map.guards.authenticate,
    authenticateToken: map.guards.authenticateToken,
    passportStrategy: map.guards.passportStrategy,
    sockets: map.guards.sockets,
    health: health(options, parts),
    stats: createStats(parts.host.admission, parts.registry, parts.host.eventCounts),
    async close() {
      for (const { close } of Object.values<Capability>(map)) close?.()
      await parts.close()
    },
  })
}

function mount(
  capabilities: readonly Capability[],
  { cors }: ResolvedOptions,
  { host: { contexts, sayOnce } }: Parts,
): Router {
  const routes = capabilities.flatMap((capability) => capability.routes)
  const answerCors = createCors(cors)
  return mountAll(Router({ caseSensitive: true }), routes, { contexts, answerCors, sayOnce })
}
