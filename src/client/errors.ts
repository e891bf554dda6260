/** Every `error` of an answer, in whichever form its endpoint writes it. */
const wireNames = [
  'invalid-request',
  'invalid_request',
  'invalid_grant',
  'invalid_client',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
  'invalid_target',
  'invalid_token',
  'insufficient_scope',
  'Unauthorized',
  'totp-required',
  'totp-invalid',
  'forbidden',
  'reauthentication-required',
  'second-factor-enrolment-required',
  'not-found',
  'method-not-allowed',
  'totp-already-enabled',
  'totp-not-enabled',
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

/** The names that a server answers, as they stand in `error` and in docs/errors.md. */
export type WireErrorName = (typeof wireNames)[number]

/**
 * What may stand in `code` of an {@link AuthClientError}: a name of the server, or
 * - `unreachable`: there was no answer in time; nobody knows whether the request was heard;
 * - `storage-failed`: the token store threw, which stands in `cause`;
 * - `unknown`: a name that this version of the client does not know, or no answer of the router at
 *   all. Go by `status`.
 */
export type AuthClientErrorCode = WireErrorName | 'unreachable' | 'storage-failed' | 'unknown'

/** What an {@link AuthClientError} is made of. */
export interface AuthClientErrorParts {
  readonly status: number
  readonly message: string
  readonly details?: Readonly<Record<string, unknown>>
  readonly retryAfter?: number | undefined
  readonly cause?: unknown
}

/**
 * A request that did not succeed. Whether somebody is signed out is told by the client's state, not
 * by this.
 */
export class AuthClientError extends Error {
  override readonly name: string = 'AuthClientError'
  /** The stable name. Compare this, never `message`. */
  readonly code: AuthClientErrorCode
  /** The HTTP status; 0 where there was no answer. */
  readonly status: number
  /** As the server sent them; empty where it sent none. */
  readonly details: Readonly<Record<string, unknown>>
  /** Seconds after which it makes sense to ask again, where the server said so. */
  readonly retryAfter: number | undefined

  constructor(code: AuthClientErrorCode, parts: AuthClientErrorParts) {
    super(parts.message, parts.cause === undefined ? undefined : { cause: parts.cause })
    this.code = code
    this.status = parts.status
    this.details = parts.details ?? {}
    this.retryAfter = parts.retryAfter
  }
}

/** The name of the server, or `unknown`: a newer server may say what nobody has heard of here. */
export function knownName(name: unknown): WireErrorName | 'unknown' {
  return wireNames.find((known) => known === name) ?? 'unknown'
}

/** Nobody is signed in, or not any more. */
export function notSignedIn(): AuthClientError {
  return new AuthClientError('Unauthorized', { status: 401, message: 'You are not signed in.' })
}

/** The server has answered 200, and something else than it should: it may be no router at all. */
export function noAnswer(): AuthClientError {
  return new AuthClientError('unknown', { status: 200, message: 'The server answered otherwise.' })
}

/** Whether it is an error of the client with one of these names. */
export function isRefusal(error: unknown, ...codes: AuthClientErrorCode[]): boolean {
  return error instanceof AuthClientError && codes.includes(error.code)
}
