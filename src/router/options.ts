import type { IncomingMessage } from 'node:http'
import type { EventSink } from '../audit/events.js'
import type { CorsOptions } from '../http/cors.js'
import type { Logger } from '../lib/logger.js'
import type { OAuthOptions } from '../oauth/oauth-options.js'
import type { PagesOptions } from '../pages/pages-options.js'
import type { PasskeysOptions } from '../passkeys/passkeys-options.js'
import type { PasswordHasher } from '../passwords/contract.js'
import type { LoginAttempt } from '../sign-in.js'
import type { TokenSigner } from '../signers/contract.js'
import type { AuthorizationCodeStore } from '../stores/code-contract.js'
import type { SessionStore } from '../stores/contract.js'
import type { RevocationBus } from '../stores/revocation-bus.js'
import type { SecondFactorStore } from '../stores/second-factor-contract.js'
import type { SocketTicketStore } from '../stores/ticket-contract.js'
import type { ThrottleOptions } from '../throttle/limits.js'
import type { OtherFactor, SecondFactorPolicy, SecondFactorRules } from '../two-factor/contract.js'
import type { AuthUser, LoginIdentifier, UserStore } from '../users/contract.js'

/** How long things live, in seconds. */
export interface Lifetimes {
  /** An authorization code, 10-600. Default 60. */
  readonly code?: number
  /**
   * An access token of a code exchange, 30-3600. Default 600. A login's authToken lives as long as
   * its session.
   */
  readonly accessToken?: number
  /** A session that is not used, at least 60. Default 14 days. */
  readonly sessionIdle?: number
  /** A session however much it is used, at least `sessionIdle`. Default 90 days. */
  readonly sessionAbsolute?: number
  /**
   * How long a spent refresh token may be shown again although something of the pair it was
   * answered with was used, 0-60. Default 30. With less, clocks that differ can make honest tabs
   * look like a thief.
   */
  readonly refreshGrace?: number
}

/** What a signed-in client may open besides its own session. */
export interface PkceOptions {
  /**
   * How old a sign-in may be, in seconds, by which a client asks for a code for another device
   * (`POST /auth/pkce/authorize`) or signs its browser in (`POST /auth/browser-session`), 30 or
   * more. Older: 403 `reauthentication-required`. So an access token that leaks does not become a
   * session that outlives it. `false`: any age. Default 600.
   */
  readonly maxAge?: number | false
  /**
   * True: the session that such a code opens ends with the one that has asked for it, whatever ends
   * that, idleness and logout included; and it asks for no code itself. Needs a session store with
   * `endChildren`, as all shipped ones have. Default false: it is a device of its own.
   */
  readonly endWithIssuer?: boolean
}

/** The options of `createAuthRouter`. */
export interface AuthRouterOptions {
  /** The host's users: the only adapter you must write. */
  readonly users: UserStore
  /** Where authorization codes live. Shipped: `memoryStores()`. */
  readonly codes: AuthorizationCodeStore
  /** Where sessions live. Shipped: `memoryStores()`. */
  readonly sessions: SessionStore
  /**
   * Where second factors live. Leave it out and users have none; a `code` sent with a login is then
   * ignored.
   */
  readonly secondFactors?: SecondFactorStore
  /**
   * Whether a user must have a second factor, asked whenever a session is read. One who must and
   * has none may sign in to enrol, and to nothing else (403 `second-factor-enrolment-required`).
   * Needs `secondFactors`, unless `acceptHostMfa` lets your own sign-in show one. A function, or an
   * object where more than the policy is to be said. Default: nobody must.
   *
   * @example
   * ```ts
   * import type { AuthRouterOptions } from 'messaging-auth-router'
   *
   * declare const moderators: Set<string>
   * const options: Pick<AuthRouterOptions, 'secondFactor'> = {
   *   secondFactor: (user) => (moderators.has(user.id) ? 'required' : 'optional'),
   * }
   * ```
   */
  readonly secondFactor?: SecondFactorPolicy | SecondFactorRules
  /**
   * Second factors of your own, such as codes by e-mail, the one to be asked for first in front.
   * Default: none.
   */
  readonly otherFactors?: readonly OtherFactor[]
  /**
   * What authenticator apps call this service; without `:`, up to 64 characters. Default
   * `Messaging`.
   */
  readonly totpIssuer?: string
  /**
   * Where one-time socket tickets live, for browsers. Leave it out and `POST /auth/socket-ticket`
   * does not exist.
   */
  readonly tickets?: SocketTicketStore
  /**
   * Origins whose pages may open sockets, such as `https://chat.example.com`, compared exactly.
   * Default: a page must come from the host it connects to. Requests without `Origin`, which
   * browsers always send, are not concerned.
   */
  readonly allowedOrigins?: readonly string[]
  /**
   * Where your pages are, such as `https://chat.example.com`, as browsers write it; `http://` on
   * loopback alone. It lets `auth.cookie` sign browsers in, and guards that say `from: 'cookie'`
   * take what it has set. Default: with `oauth`, the origin of its `baseUrl`; else there is none.
   */
  readonly pagesOrigin?: string
  /**
   * Lets apps of others sign their users in here, by OAuth 2.1 and OpenID Connect: the endpoints
   * below `/oauth`, `auth.wellKnown` and `auth.clients`. Needs `encryptionKeys`. Default: no app.
   */
  readonly oauth?: OAuthOptions
  /** How codes and browsers are handed on: see {@link PkceOptions}. */
  readonly pkce?: PkceOptions
  /**
   * How the pages look on which users sign in to apps: name, logo, colour, texts. They are there
   * with `oauth`, also without this. Default: plain pages in English and German.
   */
  readonly pages?: PagesOptions
  /**
   * Users sign in by passkeys, instead of a password or besides: the endpoints below
   * `/auth/passkeys` and `/auth/passkey`, `POST /auth/reauthenticate`, `passkey` at `POST /login`
   * and on the pages, and `auth.passkeys`. Needs `encryptionKeys`. Default: no passkeys.
   */
  readonly passkeys?: PasskeysOptions
  /**
   * Lets pages of these origins call the router's own endpoints: preflights are answered, and
   * `Retry-After`, `RateLimit-*` and `WWW-Authenticate` can be read. Without credentials, and never
   * `*`. Your own routes are not concerned. Default: no other origin.
   */
  readonly cors?: CorsOptions
  /** Makes and checks access tokens. Shipped: `joseSigner()`. */
  readonly signer: TokenSigner
  /**
   * Seals what the database must not hold in clear: TOTP seeds. Each is 32 random bytes in base64
   * (`openssl rand -base64 32`). The first seals, all of them open. To replace one, let the new one
   * open in every process first (`[old, new]`), and only then let it seal (`[new, old]`): a process
   * that does not know it answers 503. Required with `secondFactors`. Lose them and every second
   * factor is lost. An `undefined` entry, as from a missing environment variable, is refused by
   * name.
   */
  readonly encryptionKeys?: readonly (string | undefined)[]
  /**
   * Hashes and checks passwords. Default: `bcryptHasher({ cost: 12 })`, in worker threads, closed
   * by `close()`.
   */
  readonly passwords?: PasswordHasher
  /**
   * True: a session ends when its user's `passwordHash` becomes another, whoever has changed it: at
   * its next request after 5 seconds at most, its sockets within 60. For hosts whose own code, or
   * another program, sets passwords and cannot call `passwordChanged`. Needs a session store with
   * `addPasswordMark`, as all shipped ones have. Default false.
   */
  readonly watchPasswordHash?: boolean
  /**
   * Seconds of work on passwords that may wait, 1-30. What comes beyond is answered at once with
   * 503 and `Retry-After`; networks that have less waiting go before those that have more. Default
   * 5.
   */
  readonly maxPasswordWait?: number
  /** Limits on guessing. On by default, counted in this process's memory. */
  readonly throttle?: ThrottleOptions
  /** How long things live, in seconds. */
  readonly lifetimes?: Lifetimes
  /** The most sessions of one user, 1-1000; signing in once more ends the oldest. Default 50. */
  readonly maxSessionsPerUser?: number
  /**
   * True lets users make named tokens for bots and scripts, at `/auth/access-tokens`, up to 20 each
   * and apart from `maxSessionsPerUser`. The host makes them with `auth.namedTokens` in any case.
   * Default false.
   */
  readonly namedTokens?: boolean
  /**
   * True leaves the named tokens of a user whose password has changed, also one that a thief of the
   * old password has made. Default false: `auth.passwordChanged` ends them with the sessions.
   */
  readonly accessTokensSurvivePasswordChange?: boolean
  /**
   * Carries "this session ended" to other processes at once. Without it they notice within 5
   * seconds. Default: none.
   */
  readonly bus?: RevocationBus
  /**
   * Milliseconds before a call of something you supplied counts as failed and is answered with 503,
   * 10-60000. Default 2000.
   */
  readonly storeTimeout?: number
  /**
   * Seconds between two rounds in which this process deletes codes, sessions and tickets that are
   * over, in batches, 10-86400. Default 600; 0 for never, where `purge` of the stores is called
   * elsewhere. Each round comes up to half of it earlier or later.
   */
  readonly purgeInterval?: number
  /** Receives audit events. May be slow or fail: no sign-in waits for it. Default: none. */
  readonly onEvent?: EventSink
  /**
   * {@link consoleLogger} writes lines of JSON, and `console` fits. For pino:
   * `{ warn: (message, fields) => pino.warn(fields, message), … }`. Default: silent.
   */
  readonly logger?: Logger
  /** The time, for tests. Default: the system's clock. */
  readonly clock?: () => Date
  /**
   * Whose request it is, where Express's `trust proxy` does not know, as with a proxy setting of
   * your own: one IP address, with or without a port. Every limit is counted by the answer, so read
   * only what your proxy has written. `trust proxy` is not looked at then; upgrades are asked for
   * as well. What is no address means that of the connection; a throw is 503. Default: by `trust
   * proxy`.
   *
   * @example
   * ```ts
   * import type { AuthRouterOptions } from 'messaging-auth-router'
   *
   * // nginx: proxy_set_header X-Real-IP $remote_addr
   * const options: Pick<AuthRouterOptions, 'clientAddress'> = {
   *   clientAddress: (request) => [request.headers['x-real-ip']].flat()[0],
   * }
   * ```
   */
  clientAddress?(request: IncomingMessage): string | null | undefined
  /**
   * What your own log calls a request, so that its audit events and its answer (header
   * `X-Request-Id`) can be found by it: a whole number, or a text of 1 to 128 letters, digits and
   * `. _ : -`. Nothing, and whatever else it answers or throws, means the default. Default: what
   * your logger has put into `request.id`, else the header `X-Request-Id` in that form, else a new
   * UUID. The header may be a client's own choice unless your proxy sets it.
   *
   * @example
   * ```ts
   * import type { AuthRouterOptions } from 'messaging-auth-router'
   *
   * // The trace of https://www.w3.org/TR/trace-context/
   * const options: Pick<AuthRouterOptions, 'requestId'> = {
   *   requestId: (request) => [request.headers['traceparent']].flat()[0]?.split('-')[1],
   * }
   * ```
   */
  requestId?(request: IncomingMessage): string | number | null | undefined
  /**
   * Extra fields of `me`, for the signed-in user to see. The published four (`_id`, `name`,
   * `username`, `status`) win. Default: none.
   */
  describeUser?(user: AuthUser): object | undefined | Promise<object | undefined>
  /**
   * Your veto, asked last at each sign-in: answer nothing to let it pass, or a reason, which the
   * client is shown. Default: none.
   */
  beforeLogin?(attempt: LoginAttempt): string | undefined | Promise<string | undefined>
  /**
   * The value to look an identifier up by, and to count its failures under. Default: `email` and
   * `username` in lower case, `user` as typed. Replace it where your user names differ by case
   * alone: `({ value }) => value`.
   */
  canonicalIdentifier?(identifier: LoginIdentifier): string | Promise<string>
}
