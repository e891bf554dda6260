import { Router } from 'express'
import { AuthConfigError } from '../errors.js'
import type { Guard } from '../guard/http-guard.js'
import { ok } from '../http/answer.js'
import { type CorsOptions, createCors } from '../http/cors.js'
import { checkOptions, flag, optionsOf, text } from '../lib/check-options.js'
import type { AuthRouter } from '../router/auth-router.js'
import { corsShape } from '../router/option-schema.js'
import { createLogin } from './login.js'
import { createMount, type Mount } from './mount.js'
import { createPersonalTokens } from './personal-tokens.js'
import { createUserSessions } from './user-sessions.js'

/** What of the router is used: its public face, and nothing behind it. */
export type RocketChatAuth = Pick<
  AuthRouter,
  | 'signIn'
  | 'authenticateToken'
  | 'me'
  | 'requireAuth'
  | 'sessions'
  | 'namedTokens'
  | 'takesDigests'
>

/** Options of {@link rocketChat}. */
export interface RocketChatOptions {
  /**
   * Lets clients send `{ digest, algorithm: 'sha-256' }` for the password. Whoever has the digest,
   * from a log or from another server, can then sign in with it: it is the password in all but
   * name. Needs a hasher that hashes digests, such as `bcryptHasher({ preDigest: 'sha256-hex' })`:
   * from any other, such clients would be locked out by the next rehash. Default false.
   */
  readonly digestLogins?: boolean
  /** The version that `GET /info` tells. Default: there is no `/info`. */
  readonly version?: string
  /**
   * Lets users make, list and end personal access tokens, which are named tokens of the router.
   * Default false.
   */
  readonly personalAccessTokens?: boolean
  /** As `cors` of `createAuthRouter`, for these endpoints. Default: no other origin. */
  readonly cors?: CorsOptions
}

/**
 * The sign-in of Rocket.Chat's REST API, for its clients: what they send and expect beside what the
 * router answers anyway. Mount it before the router, under the same path. It is no way in of its
 * own: every request ends in a function of `auth`.
 *
 * @throws AuthConfigError for unusable options, and for `digestLogins` without a hasher that
 * verifies digests
 *
 * @example
 * ```ts
 * import express from 'express'
 * import type { AuthRouter } from 'messaging-auth-router'
 * import { rocketChat } from 'messaging-auth-router/rocketchat'
 *
 * declare const auth: AuthRouter
 * express().use('/api/v1', rocketChat(auth, { version: '7.0.0' }), auth)
 * ```
 */
export function rocketChat(auth: RocketChatAuth, options: RocketChatOptions = {}): Router {
  const { digestLogins, version, personalAccessTokens, cors } = checkOptions(rules, options)
  if (digestLogins && auth.takesDigests !== true) throw noDigests()

  const router = Router({ caseSensitive: true })
  const mount = createMount(router, createCors(cors, clientHeaders))
  // GET /me, and GET and POST /logout, are the router's own.
  mount('POST', '/login', null, createLogin(auth, digestLogins))
  if (version !== undefined)
    mount('GET', '/info', null, async () => ok({ success: true, version, info: { version } }))

  const guard = auth.requireAuth({ scope: '*' })
  const sessions = createUserSessions(auth.sessions)
  mount('POST', '/users.logout', guard, sessions.logout)
  mount('POST', '/users.logoutOtherClients', guard, sessions.logoutOtherClients)
  mount('POST', '/users.removeOtherTokens', guard, sessions.removeOtherTokens)

  if (personalAccessTokens) mountTokens(auth, mount, guard)
  return router
}

/** What these clients send and read besides. */
const clientHeaders = {
  sendable: ['X-2fa-Code', 'X-2fa-Method'],
  readable: ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'],
}

function mountTokens(auth: RocketChatAuth, mount: Mount, guard: Guard): void {
  const freshGuard = auth.requireAuth({ scope: '*', maxAge: freshSeconds })
  const tokens = createPersonalTokens(auth.namedTokens, auth.sessions)
  mount('POST', '/users.generatePersonalAccessToken', freshGuard, tokens.generate)
  mount('POST', '/users.regeneratePersonalAccessToken', freshGuard, tokens.regenerate)
  mount('POST', '/users.removePersonalAccessToken', guard, tokens.remove)
  mount('GET', '/users.getPersonalAccessTokens', guard, tokens.list)
}

/** As for the router's own endpoint: a session left open must not be enough for a lasting key. */
const freshSeconds = 600

function noDigests(): AuthConfigError {
  return new AuthConfigError(
    'rocketChat.digestLogins',
    'needs a password hasher that hashes digests: passwords of createAuthRouter has no ' +
      'verifyDigest, and would write hashes that clients who send digests cannot sign in to.',
    "pass passwords: bcryptHasher({ preDigest: 'sha256-hex' }), or leave digestLogins out.",
  )
}

const rules = {
  factory: 'rocketChat',
  schema: optionsOf({
    digestLogins: flag().default(false),
    version: text().optional(),
    personalAccessTokens: flag().default(false),
    cors: optionsOf(corsShape).optional(),
  }),
}
