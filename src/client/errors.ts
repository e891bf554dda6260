/** Every value of `error` in an answer, in the form of its endpoint. */
const wireNames = [
  'invalid-request',
  'invalid_request',
  'password-refused',
  'proof-refused',
  'invalid_grant',
  'invalid_client',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
  'invalid_target',
  'invalid_redirect_uri',
  'invalid_client_metadata',
  'authorization_pending',
  'opened',
  'approved',
  'slow_down',
  'access_denied',
  'expired_token',
  'interaction_required',
  'invalid_token',
  'insufficient_scope',
  'Unauthorized',
  'totp-required',
  'totp-invalid',
  'provider-refused',
  'insufficient_user_authentication',
  'forbidden',
  'registration-closed',
  'reauthentication-required',
  'password-expired',
  'password-elsewhere',
  'second-factor-enrolment-required',
  'action-required',
  'not-found',
  'method-not-allowed',
  'totp-already-enabled',
  'totp-not-enabled',
  'superseded',
  'already-verified',
  'username-taken',
  'identity-in-use',
  'phone-in-use',
  'too-many-named-tokens',
  'passkey-exists',
  'too-many-passkeys',
  'last-sign-in-method',
  'payload-too-large',
  'unsupported-media-type',
  'too-many-requests',
  'temporarily-unavailable',
  'temporarily_unavailable',
] as const

/** The names in `error` of an answer; docs/errors.md explains them. */
export type WireErrorName = (typeof wireNames)[number]

/**
 * `code` of an {@link AuthClientError}: a name of the server, or
 * - `unreachable`: no answer in time; the server may have processed the request or not;
 * - `storage-failed`: the token store threw; its error is in `cause`;
 * - `unknown`: a name that this version of the client does not know, or an answer that is not from
 *   the router. Decide by `status`.
 */
export type AuthClientErrorCode = WireErrorName | 'unreachable' | 'storage-failed' | 'unknown'

/** Arguments of {@link AuthClientError}. */
export interface AuthClientErrorParts {
  readonly status: number
  readonly message: string
  readonly details?: Readonly<Record<string, unknown>>
  readonly retryAfter?: number | undefined
  readonly cause?: unknown
}

/**
 * A request that did not succeed. It does not tell whether the user is still signed in: the
 * client's state tells that.
 */
export class AuthClientError extends Error {
  override readonly name: string = 'AuthClientError'
  /** The stable name. Compare this, never `message`. */
  readonly code: AuthClientErrorCode
  /** The HTTP status; 0 without an answer. */
  readonly status: number
  /** `details` of the answer; empty if it has none. */
  readonly details: Readonly<Record<string, unknown>>
  /** Seconds to wait before the next attempt, if the server said so. */
  readonly retryAfter: number | undefined

  constructor(code: AuthClientErrorCode, parts: AuthClientErrorParts) {
    super(parts.message, parts.cause === undefined ? undefined : { cause: parts.cause })
    this.code = code
    this.status = parts.status
    this.details = parts.details ?? {}
    this.retryAfter = parts.retryAfter
  }
}

/** The name, or `unknown`: a newer server may have names that this client does not know. */
export function knownName(name: unknown): WireErrorName | 'unknown' {
  return wireNames.find((known) => known === name) ?? 'unknown'
}

/** Nobody is signed in. */
export function notSignedIn(): AuthClientError {
  return new AuthClientError('Unauthorized', { status: 401, message: 'You are not signed in.' })
}

/** A 200 whose body is not an answer of the router. */
export function noAnswer(): AuthClientError {
  return new AuthClientError('unknown', { status: 200, message: 'The server answered otherwise.' })
}

/** Whether it is an AuthClientError with one of these codes. */
export function isRefusal(error: unknown, ...codes: AuthClientErrorCode[]): boolean {
  return error instanceof AuthClientError && codes.includes(error.code)
}
