import { Router } from 'express'
import { z } from 'zod'
import { AuthConfigError } from '../errors.js'
import type { Guard } from '../guard/http-guard.js'
import { ok } from '../http/answer.js'
import { readJsonBody } from '../http/body.js'
import { type CorsOptions, createCors } from '../http/cors.js'
import { parseInput } from '../http/input.js'
import { checkOptions, flag, optionsOf, text } from '../lib/check-options.js'
import type { AuthRouter } from '../router/auth-router.js'
import { corsShape } from '../router/option-schema.js'
import { createLogin, createPersonalTokens, createUserSessions } from './endpoints.js'
import { createMount, type Mount, type RocketChatEndpoint } from './mount.js'

/** The part of the router that is used: its public API, and nothing else. */
export type RocketChatAuth = Pick<
  AuthRouter,
  | 'accounts'
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
   * Lets clients send `{ digest, algorithm: 'sha-256' }` instead of the password. Anybody who has
   * the digest, from a log or from another server, can then sign in with it: it is as good as the
   * password. Needs a hasher that hashes digests, such as `bcryptHasher({ preDigest: 'sha256-hex'
   * })`: with any other, the next rehash would lock such clients out. Default false.
   */
  readonly digestLogins?: boolean
  /** The version in the answer of `GET /info`. Default: no `/info`. */
  readonly version?: string
  /**
   * Lets users make, list and end personal access tokens, which are the router's named tokens.
   * Default false.
   */
  readonly personalAccessTokens?: boolean
  /**
   * Answers `users.register` and `users.forgotPassword`. Needs the options `accounts` and
   * `accounts.registration` of `createAuthRouter`. Default false.
   */
  readonly accounts?: boolean
  /** Like `cors` of `createAuthRouter`, for these endpoints. Default: no other origin. */
  readonly cors?: CorsOptions
}

/**
 * The sign-in of Rocket.Chat's REST API, for its clients: everything they send and expect beyond
 * what the router offers anyway. Mount it before the router, under the same path. It never signs
 * anybody in by itself: every request ends in a function of `auth`.
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
  const { digestLogins, version, cors, ...more } = checkOptions(rules, options)
  if (digestLogins && auth.takesDigests !== true) throw noDigests()

  const router = Router({ caseSensitive: true })
  const mount = createMount(router, createCors(cors, clientHeaders))
  // GET /me, and GET and POST /logout, are the router's own.
  mount('POST', '/login', null, createLogin(auth, digestLogins))
  if (version !== undefined)
    mount('GET', '/info', null, async () => ok({ success: true, version, info: { version } }))

  const guard = auth.requireAuth({ scope: '*', actor: false })
  const sessions = createUserSessions(auth.sessions)
  mount('POST', '/users.logout', guard, sessions.logout)
  mount('POST', '/users.logoutOtherClients', guard, sessions.logoutOtherClients)
  mount('POST', '/users.removeOtherTokens', guard, sessions.removeOtherTokens)

  if (more.personalAccessTokens) mountTokens(auth, mount, guard)
  if (more.accounts) {
    mount('POST', '/users.register', null, createRegister(auth))
    mount('POST', '/users.forgotPassword', null, createForgotPassword(auth))
  }
  return router
}

/** The headers that these clients send and read. */
const clientHeaders = {
  sendable: ['X-2fa-Code', 'X-2fa-Method'],
  readable: ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'],
}

function mountTokens(auth: RocketChatAuth, mount: Mount, guard: Guard): void {
  const freshGuard = auth.requireAuth({ scope: '*', maxAge: freshSeconds, actor: false })
  const tokens = createPersonalTokens(auth.namedTokens, auth.sessions)
  mount('POST', '/users.generatePersonalAccessToken', freshGuard, tokens.generate)
  mount('POST', '/users.regeneratePersonalAccessToken', freshGuard, tokens.regenerate)
  mount('POST', '/users.removePersonalAccessToken', guard, tokens.remove)
  mount('GET', '/users.getPersonalAccessTokens', guard, tokens.list)
}

/**
 * The limit of the router's own endpoint applies: an unattended session must not be enough for a
 * lasting key.
 */
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
    accounts: flag().default(false),
    cors: optionsOf(corsShape).optional(),
  }),
}

/** The part of the router that these use. */
type AccountsAuth = Pick<AuthRouter, 'accounts'>

const anyText = z.string()
const newUser = z.object({
  username: anyText,
  email: anyText,
  name: anyText.default(''),
  secretURL: anyText.optional(),
})
const forgotten = z.object({ email: anyText })

/** `POST /users.register`; its `secretURL` is the token of an invitation. */
function createRegister({ accounts }: AccountsAuth): RocketChatEndpoint {
  return async function register({ incoming }) {
    // 400, 413, 415
    const given = parseInput(newUser, await readJsonBody(incoming))
    const { username, email, secretURL } = given
    // These clients send an empty name where none is asked for.
    const name = given.name === '' ? username : given.name
    const invitation = secretURL === undefined || secretURL === '' ? {} : { invitation: secretURL }
    // Without the password: the user who confirms the address sets it.
    // 400, 403, 409, 429, 503
    const user = { email, username, name, ...invitation }
    const sent = await accounts.register(incoming, user)
    // There is no id before the mailed code is confirmed.
    const told = { username, name, type: 'user', status: 'offline', active: false }
    return ok({ success: true, user: told, ...sent })
  }
}

/** `POST /users.forgotPassword`. */
function createForgotPassword({ accounts }: AccountsAuth): RocketChatEndpoint {
  return async function forgotPassword({ incoming }) {
    // 400, 413, 415
    const { email } = parseInput(forgotten, await readJsonBody(incoming))
    // 400, 429, 503
    await accounts.forgotPassword(incoming, { email })
    return ok({ success: true })
  }
}
