import type { IncomingMessage } from 'node:http'
import type { AcceptanceOptions } from '../acceptance/acceptance.js'
import type { AccountsOptions } from '../accounts/accounts-options.js'
import type { EventSink } from '../audit/events.js'
import type { DeviceLinksOptions } from '../device-links/device-links-options.js'
import type { DirectoriesOptions } from '../directory-sign-in/directories-options.js'
import type { CorsOptions } from '../http/cors.js'
import type { Logger } from '../lib/logger.js'
import type { Trace } from '../lib/watch.js'
import type { OAuthOptions } from '../oauth/oauth-options.js'
import type { PagesOptions } from '../pages/pages-options.js'
import type { PasskeysOptions } from '../passkeys/passkeys-options.js'
import type { PasswordHasher } from '../passwords/contract.js'
import type { ProvidersOptions } from '../provider-sign-in/providers-options.js'
import type { LoginAttempt } from '../sign-in.js'
import type { TokenSigner } from '../signers/contract.js'
import type { SessionStore } from '../stores/contract.js'
import type { IdentityStore } from '../stores/identity-contract.js'
import type {
  AuthorizationCodeStore,
  DeviceCodeStore,
  ProofStore,
  SocketTicketStore,
} from '../stores/one-time-contract.js'
import type { RevocationBus } from '../stores/revocation-bus.js'
import type { SecondFactorStore } from '../stores/second-factor-contract.js'
import type { ThrottleOptions } from '../throttle/limits.js'
import type { OtherFactor, SecondFactorPolicy, SecondFactorRules } from '../two-factor/contract.js'
import type { AuthUser, LoginIdentifier, UserStore } from '../users/contract.js'

/** Lifetimes in seconds. */
export interface Lifetimes {
  /** An authorization code, 10-600. Default 60. */
  readonly code?: number
  /**
   * An access token of a code exchange, 30-3600. Default 600. The authToken of a login lives as
   * long as its session.
   */
  readonly accessToken?: number
  /** A session without use, at least 60. Default 14 days. */
  readonly sessionIdle?: number
  /** A session in use, at least `sessionIdle`. Default 90 days. */
  readonly sessionAbsolute?: number
  /**
   * How long a spent refresh token may be repeated after the next pair was used, 0-60. Default 30.
   * With a smaller value, clock differences can make honest tabs look like a thief.
   */
  readonly refreshGrace?: number
}

/** Which further sessions a signed-in client may open. */
export interface PkceOptions {
  /**
   * Maximum age of the sign-in, in seconds, when a client requests a code for another device (`POST
   * /auth/pkce/authorize`) or signs its browser in (`POST /auth/browser-session`); 30 or more.
   * After that: 403 `reauthentication-required`. So a leaked access token cannot open a session
   * that outlives it. `false`: unlimited. Default 600.
   */
  readonly maxAge?: number | false
  /**
   * True: the session opened by such a code ends with the session that requested it, for any
   * reason, including idleness and logout, and cannot request codes itself. Needs a session store
   * with `endChildren`, which all shipped ones have. Default false: the sessions are independent.
   */
  readonly endWithIssuer?: boolean
}

/** The options of `createAuthRouter`. */
export interface AuthRouterOptions {
  /** The host's users: the only adapter you must write. */
  readonly users: UserStore
  /** Stores authorization codes. Shipped: `memoryStores()`, `sqlStores()`, `redisStores()`. */
  readonly codes: AuthorizationCodeStore
  /** Stores sessions. Shipped: `memoryStores()`, `sqlStores()`, `redisStores()`. */
  readonly sessions: SessionStore
  /**
   * Stores second factors. Without it, users have none, and the `code` of a login is ignored.
   */
  readonly secondFactors?: SecondFactorStore
  /**
   * Whether a user must have a second factor; called whenever a session is read. A user who must
   * have one but has none may only sign in to enrol (else 403 `second-factor-enrolment-required`).
   * Needs `secondFactors`, unless `acceptHostMfa` accepts the factor of your own sign-in. A
   * function, or an object with further rules. Default: nobody must.
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
   * Your own second factors, such as codes by e-mail; the first in the list is asked for first.
   * Default: none.
   */
  readonly otherFactors?: readonly OtherFactor[]
  /**
   * The name of this service in authenticator apps, up to 64 characters without `:`. Default
   * `Messaging`.
   */
  readonly totpIssuer?: string
  /**
   * Stores one-time socket tickets for browsers. Without it, `POST /auth/socket-ticket` does not
   * exist.
   */
  readonly tickets?: SocketTicketStore
  /**
   * Stores what waits for its proof: links and codes that were mailed, invitations, requests that
   * are to be confirmed. Needed by the capabilities that mail; without one of them it is only
   * purged. Shipped: `memoryStores()`, `sqlStores()`, `redisStores()`. Default: none.
   */
  readonly proofs?: ProofStore
  /**
   * Stores which account at a provider belongs to which of your users. Needed to sign in with the
   * account of a provider; without that, it is only emptied of users who are deleted. It must last:
   * a user who has no password cannot sign in without its row. Shipped: `memoryStores()`,
   * `sqlStores()`. Default: none.
   */
  readonly identities?: IdentityStore
  /**
   * Stores which devices wait for a user on another device. Needed by `oauth.deviceFlow` and by
   * `deviceLinks`; without them it is only purged. Shipped: `memoryStores()`, `sqlStores()`,
   * `redisStores()`. Default: none.
   */
  readonly deviceCodes?: DeviceCodeStore
  /**
   * Origins whose pages may open sockets, such as `https://chat.example.com`, compared exactly.
   * Default: only the host to which the page connects. Requests without `Origin` are always
   * allowed: they do not come from browsers.
   */
  readonly allowedOrigins?: readonly string[]
  /**
   * The origin of your pages in the spelling of browsers, such as `https://chat.example.com`;
   * `http://` only for loopback. Required for `auth.cookie` and for guards with `from: 'cookie'`.
   * Default: with `oauth`, the origin of its `baseUrl`; otherwise none.
   */
  readonly pagesOrigin?: string
  /**
   * Lets third-party apps sign their users in here, by OAuth 2.1 and OpenID Connect: the endpoints
   * below `/oauth`, `auth.wellKnown` and `auth.clients`. Needs `encryptionKeys`. Default: off.
   */
  readonly oauth?: OAuthOptions
  /** Rules for codes and browser sessions: see {@link PkceOptions}. */
  readonly pkce?: PkceOptions
  /**
   * The look of the pages on which users sign in to apps: name, logo, colour, texts. The pages
   * exist with `oauth`, even without this option. Default: plain pages in English and German.
   */
  readonly pages?: PagesOptions
  /**
   * Lets users sign in with passkeys, instead of a password or in addition: the endpoints below
   * `/auth/passkeys` and `/auth/passkey`, `POST /auth/reauthenticate`, `passkey` at `POST /login`
   * and on the pages, and `auth.passkeys`. Needs `encryptionKeys`. Default: off.
   */
  readonly passkeys?: PasskeysOptions
  /**
   * Lets users set a forgotten password, change it, and prove and change their addresses, by mail:
   * the endpoints below `/auth/password` and `/auth/email`, `auth.accounts` and `auth.passwords`.
   * Needs `proofs`, `encryptionKeys`, and `findContact` of `users`. Default: off.
   */
  readonly accounts?: AccountsOptions
  /**
   * Lets users sign in with their account somewhere else, such as Google, GitHub or your company:
   * the endpoints below `/auth/providers` and `/auth/identities`, and buttons on the pages. Needs
   * `identities`, `proofs` and `encryptionKeys`. Default: off.
   */
  readonly providers?: ProvidersOptions
  /**
   * Lets users sign in by `POST /login` with the password of your company's directory, LDAP or
   * Active Directory, and ends their sessions when they leave it. Needs `identities`, `proofs` and
   * `encryptionKeys`. Default: off.
   */
  readonly directories?: DirectoriesOptions
  /** Documents that users accept before a session opens anything. Default: none. */
  readonly acceptance?: AcceptanceOptions
  /**
   * Lets a signed-in device sign another one in, by a picture that it scans and a code that its
   * user types: the endpoints below `/auth/device-links`. Needs `deviceCodes` and `encryptionKeys`.
   * Default: off.
   */
  readonly deviceLinks?: DeviceLinksOptions
  /**
   * Lets pages of these origins call the router's own endpoints: answers preflights, and exposes
   * `Retry-After`, `RateLimit-*` and `WWW-Authenticate`. Without credentials, and never `*`. Does
   * not affect your own routes. Default: no other origin.
   */
  readonly cors?: CorsOptions
  /** Signs and verifies access tokens. Shipped: `joseSigner()`. */
  readonly signer: TokenSigner
  /**
   * Encrypt secrets in the database, such as TOTP seeds. Each is 32 random bytes in base64
   * (`openssl rand -base64 32`). The first encrypts, all decrypt. To replace one, first let every
   * process decrypt with the new one (`[old, new]`), and only then encrypt with it (`[new, old]`):
   * a process that does not know it answers 503. Required with `secondFactors`. Without them, all
   * second factors are lost. The error for an `undefined` entry, such as a missing environment
   * variable, names its index.
   */
  readonly encryptionKeys?: readonly (string | undefined)[]
  /**
   * Hashes and checks passwords. Default: `bcryptHasher({ cost: 12 })`, in worker threads, closed
   * by `close()`.
   */
  readonly passwords?: PasswordHasher
  /**
   * True: a session ends when its user's `passwordHash` changes: requests are refused after at most
   * 5 seconds, sockets close within 60. For hosts where other code or another program sets
   * passwords and cannot call `passwordChanged`. Needs a session store with `addPasswordMark`,
   * which all shipped ones have. Default false.
   */
  readonly watchPasswordHash?: boolean
  /**
   * Seconds of password hashing that may wait, 1-30. Further requests get 503 with `Retry-After` at
   * once; networks with fewer waiting requests displace those with more. Default 5.
   */
  readonly maxPasswordWait?: number
  /** Limits on guessing. On by default, counted in this process's memory. */
  readonly throttle?: ThrottleOptions
  /** Lifetimes in seconds. */
  readonly lifetimes?: Lifetimes
  /** Maximum sessions of a user, 1-1000; a further sign-in ends the oldest one. Default 50. */
  readonly maxSessionsPerUser?: number
  /**
   * True lets users create named tokens for bots and scripts at `/auth/access-tokens`, up to 20
   * each, which do not count for `maxSessionsPerUser`. The host can always create them with
   * `auth.namedTokens`. Default false.
   */
  readonly namedTokens?: boolean
  /**
   * True keeps a user's named tokens after a change of the password, including tokens that a thief
   * of the old password has created. Default false: `auth.passwordChanged` ends them.
   */
  readonly accessTokensSurvivePasswordChange?: boolean
  /**
   * Tells other processes at once that a session has ended. Without it they notice within 5
   * seconds. Default: none.
   */
  readonly bus?: RevocationBus
  /**
   * Time limit for a call of your stores, hooks and other parts, in milliseconds, 10-60000; after
   * it the answer is 503. Default 2000.
   */
  readonly storeTimeout?: number
  /**
   * Seconds between two rounds in which this process deletes expired codes, sessions, tickets
   * and proofs, in batches, 10-86400. Default 600. 0: never, if you call `purge` of the stores
   * elsewhere. Each round starts up to half the interval earlier or later.
   */
  readonly purgeInterval?: number
  /** Receives audit events. It may be slow or fail: no sign-in waits for it. Default: none. */
  readonly onEvent?: EventSink
  /**
   * Notes the router's requests, calls of your stores and hooks, hashes and requests to other
   * servers in your traces. It cannot change what they do. For OpenTelemetry: `traceWith` of
   * `messaging-auth-router/opentelemetry`. Default: none.
   */
  readonly trace?: Trace
  /**
   * {@link consoleLogger} writes lines of JSON, and `console` fits. For pino:
   * `{ warn: (message, fields) => pino.warn(fields, message), … }`. Default: silent.
   */
  readonly logger?: Logger
  /** The clock, for tests. Default: the system clock. */
  readonly clock?: () => Date
  /**
   * Returns the client's address, instead of Express's `trust proxy`: one IP address, with or
   * without a port. All limits count by it, so read only what your proxy has written. Also called
   * for upgrades. Any other value means the address of the connection; an exception is 503.
   * Default: by `trust proxy`.
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
   * Returns the id of a request in your own log, for its audit events and its answer (header
   * `X-Request-Id`): a whole number, or a text of 1 to 128 letters, digits and `. _ : -`. Any other
   * value, and an exception, mean the default. Default: `request.id`, which loggers set, else the
   * header `X-Request-Id` in that form, else a new UUID. Clients can choose the header unless your
   * proxy sets it.
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
   * Returns extra fields of `me`, which the signed-in user sees. It cannot replace `_id`, `name`,
   * `username` and `status`. Default: none.
   */
  describeUser?(user: AuthUser): object | undefined | Promise<object | undefined>
  /**
   * Can refuse a sign-in, as the last check: return nothing to allow it, or a reason, which the
   * client sees. Default: none.
   */
  beforeLogin?(attempt: LoginAttempt): string | undefined | Promise<string | undefined>
  /**
   * Returns the form of an identifier for lookup and for counting failures. Default: `email` and
   * `username` in lower case, `user` as typed. Replace it if your usernames are case-sensitive:
   * `({ value }) => value`.
   */
  canonicalIdentifier?(identifier: LoginIdentifier): string | Promise<string>
}
