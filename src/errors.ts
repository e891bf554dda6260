/** The closed list of error names, as in `error` of an answer. Within `/api/v1` it only grows. */
export type AuthErrorCode =
  | 'invalid-request'
  | 'password-refused'
  | 'proof-refused'
  | 'invalid_grant'
  | 'invalid_client'
  | 'unauthorized_client'
  | 'unsupported_grant_type'
  | 'invalid_scope'
  | 'invalid_target'
  | 'invalid_redirect_uri'
  | 'invalid_client_metadata'
  | 'authorization_pending'
  | 'opened'
  | 'approved'
  | 'slow_down'
  | 'access_denied'
  | 'expired_token'
  | 'interaction_required'
  | 'Unauthorized'
  | 'totp-required'
  | 'totp-invalid'
  | 'provider-refused'
  | 'insufficient_user_authentication'
  | 'forbidden'
  | 'registration-closed'
  | 'reauthentication-required'
  | 'second-factor-enrolment-required'
  | 'action-required'
  | 'password-expired'
  | 'password-elsewhere'
  | 'not-found'
  | 'method-not-allowed'
  | 'totp-already-enabled'
  | 'totp-not-enabled'
  | 'superseded'
  | 'already-verified'
  | 'username-taken'
  | 'identity-in-use'
  | 'phone-in-use'
  | 'too-many-named-tokens'
  | 'passkey-exists'
  | 'too-many-passkeys'
  | 'last-sign-in-method'
  | 'payload-too-large'
  | 'unsupported-media-type'
  | 'too-many-requests'
  | 'temporarily-unavailable'
  | 'configuration'

// `configuration` never reaches a client: it is thrown at start-up, or passed to the host's error
// handler.
const catalogue: Readonly<Record<AuthErrorCode, { status: number; message: string }>> = {
  'invalid-request': { status: 400, message: 'The request is not valid.' },
  'password-refused': { status: 400, message: 'This password is too easy to guess, or too short.' },
  'proof-refused': { status: 400, message: 'The code or link is not valid.' },
  invalid_grant: { status: 400, message: 'The authorization code or token is not valid.' },
  invalid_client: { status: 401, message: 'The client could not be authenticated.' },
  unauthorized_client: { status: 400, message: 'The client may not use this grant type.' },
  unsupported_grant_type: { status: 400, message: 'The grant type is not known here.' },
  invalid_scope: { status: 400, message: 'The scope is more than was granted, or is none.' },
  invalid_redirect_uri: { status: 400, message: 'A redirect URI of the client is not accepted.' },
  invalid_client_metadata: { status: 400, message: 'The client cannot be registered as this.' },
  invalid_target: { status: 400, message: 'The resource is more than was granted, or is none.' },
  authorization_pending: { status: 400, message: 'The user has not decided yet. Ask again.' },
  opened: { status: 400, message: 'Type the code into the other device.' },
  approved: { status: 400, message: 'The device may collect its session.' },
  slow_down: { status: 400, message: 'Ask less often.' },
  access_denied: { status: 400, message: 'The user has said no.' },
  expired_token: { status: 400, message: 'This took too long. Begin again.' },
  interaction_required: {
    status: 400,
    message: 'The user must do something first, on the pages of the authorization endpoint.',
  },
  Unauthorized: { status: 401, message: 'You could not be signed in.' },
  'totp-required': { status: 401, message: 'A second-factor code is required.' },
  'totp-invalid': { status: 401, message: 'The second-factor code is not valid.' },
  'provider-refused': {
    status: 401,
    message: 'You could not be signed in with this account.',
  },
  insufficient_user_authentication: {
    status: 401,
    message: 'The user must sign in again, or better, to do this.',
  },
  forbidden: { status: 403, message: 'This is not allowed.' },
  'registration-closed': { status: 403, message: 'New accounts need an invitation.' },
  'reauthentication-required': { status: 403, message: 'Sign in again to do this.' },
  'second-factor-enrolment-required': { status: 403, message: 'Set up a second factor first.' },
  'action-required': { status: 403, message: 'Something must be done first.' },
  'password-expired': { status: 403, message: 'This password must be changed first.' },
  'password-elsewhere': { status: 403, message: 'This password is changed somewhere else.' },
  'not-found': { status: 404, message: 'There is no such session.' },
  'method-not-allowed': { status: 405, message: 'This method is not allowed here.' },
  'totp-already-enabled': { status: 409, message: 'A second factor is already enabled.' },
  'totp-not-enabled': { status: 409, message: 'No second factor is enabled.' },
  superseded: { status: 409, message: 'It was changed meanwhile. Look at it again.' },
  'already-verified': { status: 409, message: 'This address is proven already.' },
  'username-taken': { status: 409, message: 'Somebody has this user name already.' },
  'identity-in-use': {
    status: 409,
    message: 'Another user here is connected with this account.',
  },
  'phone-in-use': {
    status: 409,
    message: 'Another user has this number.',
  },
  'too-many-named-tokens': {
    status: 409,
    message: 'There are too many tokens already. Remove one first.',
  },
  'passkey-exists': { status: 409, message: 'This passkey is registered already.' },
  'too-many-passkeys': {
    status: 409,
    message: 'There are too many passkeys already. Remove one first.',
  },
  'last-sign-in-method': {
    status: 409,
    message: 'Without it there would be no way to sign in. Add another one first.',
  },
  'payload-too-large': { status: 413, message: 'The request body is too large.' },
  'unsupported-media-type': { status: 415, message: 'Send the body as application/json in UTF-8.' },
  'too-many-requests': { status: 429, message: 'Too many attempts. Try again later.' },
  'temporarily-unavailable': {
    status: 503,
    message: 'The service is temporarily unavailable. Try again shortly.',
  },
  configuration: { status: 500, message: 'Internal server error' },
}

/** Explains each error; the file is installed with the package. */
const guide = 'node_modules/messaging-auth-router/docs/errors.md'

// Sites that render Markdown write anchors in lower case.
function helpFor(code: AuthErrorCode): string {
  return `${guide}#${code.toLowerCase()}`
}

/** The limit that is reached: of a name or its account, or of a network. */
export type LimitOf = 'user' | 'network'

/** Optional properties of an {@link AuthError}. */
export interface AuthErrorOptions {
  /**
   * Text for the client; default: the catalogue's text for the name. Never put a secret or an
   * internal reason here.
   */
  readonly clientMessage?: string
  /** Text for the log; default: the client's text. */
  readonly message?: string
  /** Machine-readable `details` of the answer. */
  readonly details?: Readonly<Record<string, unknown>>
  /** Seconds until a retry makes sense; becomes `Retry-After`. */
  readonly retryAfter?: number
  /** Extra response headers, such as `Allow`. */
  readonly headers?: Readonly<Record<string, string>>
  /** Which limit refused, for `too-many-requests`. Not part of the answer. */
  readonly limit?: LimitOf
  /** The underlying error. Never written to a client. */
  readonly cause?: unknown
}

/**
 * The base class of every error this package throws on purpose. `code` is the stable name, `status`
 * the HTTP status, `clientMessage` is safe to show to anybody, `message` is for the log.
 *
 * `authenticate()` and `issueAuthorizationCode()` reject with it; answer `error.status` with
 * `error.clientMessage`.
 */
export class AuthError extends Error {
  override readonly name: string = 'AuthError'
  /** The stable name, as in `error` of the answer. */
  readonly code: AuthErrorCode
  /** The HTTP status of the answer. */
  readonly status: number
  /** The text for the client. */
  readonly clientMessage: string
  /** Machine-readable details for the client, if any. */
  readonly details: Readonly<Record<string, unknown>> | undefined
  /** Seconds until a retry makes sense, if known. */
  readonly retryAfter: number | undefined
  /** With `too-many-requests`: whether the name or the network is over its limit, if known. */
  readonly limit: LimitOf | undefined
  /** Extra response headers. */
  readonly headers: Readonly<Record<string, string>>
  /** The address that explains `code`, with the remedy. For the log, never for a client. */
  readonly help: string

  constructor(code: AuthErrorCode, given: AuthErrorOptions = {}) {
    // Missing options must not be read from a polluted Object.prototype: they would go out to
    // clients.
    const options: AuthErrorOptions = Object.assign(Object.create(null), given)
    const entry = catalogue[code]
    const clientMessage = options.clientMessage ?? entry.message
    super(
      options.message ?? clientMessage,
      options.cause === undefined ? undefined : { cause: options.cause },
    )
    this.code = code
    this.status = entry.status
    this.clientMessage = clientMessage
    this.details = options.details
    this.retryAfter = options.retryAfter
    this.limit = options.limit
    this.headers = options.headers ?? {}
    this.help = helpFor(code)
  }
}

/**
 * An option is missing, unknown, of the wrong type, or unsafe. The factories throw it at start-up,
 * whatever `NODE_ENV` says. `option` names the option as you wrote it, `remedy` says what to write
 * instead. If several options are at fault, `message` lists all of them.
 */
export class AuthConfigError extends AuthError {
  override readonly name: string = 'AuthConfigError'
  /** The option at fault, such as `lifetimes.code`. */
  readonly option: string
  /** The fault of the option. */
  readonly problem: string
  /** The value or action that repairs it. */
  readonly remedy: string
  /** The other options at fault, one error each; empty if there are none. */
  readonly others: readonly AuthConfigError[]

  constructor(
    option: string,
    problem: string,
    remedy: string,
    others: readonly AuthConfigError[] = [],
  ) {
    const lines = [{ option, problem, remedy }, ...others].map(
      (one) => `${one.option}: ${one.problem} Remedy: ${one.remedy}`,
    )
    const readOn = `See ${helpFor('configuration')}.`
    const message =
      others.length === 0
        ? `${lines[0]} ${readOn}`
        : [`${lines.length} options are at fault. ${readOn}`, ...lines].join('\n- ')
    super('configuration', { message })
    this.option = option
    this.problem = problem
    this.remedy = remedy
    this.others = Object.freeze([...others])
  }
}

/**
 * One reason why a request was refused as invalid: `path` is the field, `message` what was
 * expected.
 */
export interface RequestIssue {
  readonly path: string
  readonly message: string
}

/** A 400 that names each field at fault. */
export function invalidRequest(issues: readonly RequestIssue[]): AuthError {
  return new AuthError('invalid-request', { details: { issues } })
}

/** The one refusal of a login by password: unknown, wrong, disabled and damaged read alike. */
export function wrongLogin(cause: AuthError): AuthError {
  const clientMessage = 'Invalid username or password'
  const { details } = cause
  return new AuthError('Unauthorized', { clientMessage, cause, ...(details && { details }) })
}

/** A 401 that does not tell the client why. `message` is for the log only. */
export function notSignedIn(message: string): AuthError {
  return new AuthError('Unauthorized', {
    clientMessage: 'You must be logged in to do this.',
    message,
  })
}
